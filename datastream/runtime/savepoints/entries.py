"""The entries of a savepoint, for those who look at it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from datastream.errors import CheckpointDamaged
from datastream.graph.state_forms import from_json
from datastream.runtime.state_format.layout import PREFIX, is_piece

from .entry_files import owners, read_entries
from .manifest import Manifest


class SavepointEntries:
    """Reads entries by their keys; only the parts of files that hold them.

    Args:
        folder: The savepoint.
        manifest: Its manifest.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        whose = owners({uid: from_json(about) for uid, about in manifest.operators.items()})
        self._files = {
            prefix: [folder / file.name for file in manifest.files if file.operator == owner.uid]
            for prefix, owner in whose.items()
        }
        self._bounds: dict[Path, tuple[list[bytes], list[bytes]]] = {}

    def pages(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Entries whose keys begin with these 8 bytes, but no chunks of collections."""
        for path in self._files.get(prefix, ()):
            for _, key, entry in read_entries(path):
                if key[:PREFIX] == prefix and not is_piece(key):
                    yield key, entry

    def get(self, keys: list[bytes]) -> dict[bytes, bytes]:
        """Some entries; those that are not there are left out."""
        wanted: dict[bytes, list[bytes]] = {}
        for key in sorted(keys):
            wanted.setdefault(key[:PREFIX], []).append(key)
        found: dict[bytes, bytes] = {}
        for prefix, some in wanted.items():
            for path in self._files.get(prefix, ()):
                found.update(self._of_file(path, some))
        return found

    def _of_file(self, path: Path, keys: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
        try:
            with pa.memory_map(str(path)) as mapped:
                reader = pa.ipc.open_file(mapped)
                firsts, lasts = self._bounds_of(path, reader)
                batches = {n for key in keys for n in range(bisect_left(lasts, key), bisect_right(firsts, key))}
                asked = set(keys)
                for number in sorted(batches):
                    batch = reader.get_batch(number)
                    for key, entry in zip(batch.column(1), batch.column(2), strict=True):
                        if (at := key.as_py()) in asked:
                            yield at, entry.as_py()
        except (pa.ArrowException, OSError) as error:
            raise CheckpointDamaged(f"the file {path} of a savepoint cannot be read: {error}") from error

    def _bounds_of(self, path: Path, reader: pa.ipc.RecordBatchFileReader) -> tuple[list[bytes], list[bytes]]:
        """The first and the last key of each batch."""
        if path not in self._bounds:
            columns = [reader.get_batch(n).column(1) for n in range(reader.num_record_batches)]
            self._bounds[path] = [c[0].as_py() for c in columns], [c[-1].as_py() for c in columns]
        return self._bounds[path]
