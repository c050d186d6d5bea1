"""Entries of state as Arrow files, in the order of their keys: of each key group pages, then runs, then chunks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from datastream.errors import CheckpointDamaged
from datastream.graph.state_forms import StateForm, Stored
from datastream.runtime.appended import by_key, logged
from datastream.runtime.runs import Pieces
from datastream.runtime.state_format import decode_page
from datastream.runtime.state_format.entries import Loads
from datastream.runtime.state_format.layout import NO_GROUP, is_piece, is_run, place_of, prefix_of
from datastream.runtime.state_view.stored import StatesOf
from datastream.runtime.state_view.unpickling import LenientReader

SCHEMA = pa.schema([("group", pa.int32()), ("key", pa.binary()), ("entry", pa.binary())])

_ROWS = 4096
_BYTES = 1 << 22


class Owner(NamedTuple):
    """Whose an entry is.

    Attributes:
        uid: The operator's.
        form: Of the state that it belongs to. Broadcast state lies beside what belongs to keys: where there is both,
            the form of the latter.
    """

    uid: str
    form: StateForm


def owners(operators: Mapping[str, Iterable[StateForm]]) -> dict[bytes, Owner]:
    """By what the keys of their entries begin with, the operators of these uids."""
    return {
        prefix_of(form.under(uid)): Owner(uid, form)
        for uid, forms in operators.items()
        for form in sorted(forms, key=lambda form: form.stored is not Stored.BROADCAST)
    }


class EntryWriter:
    """Writes a file of entries; give them in the order of their keys.

    Attributes:
        entries: How many there are.
        keys: How many keys they belong to.
        states: By name and form, how many keys have something in a state.
    """

    def __init__(self, path: Path) -> None:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        self._file = path.open("xb")
        self._writer = pa.ipc.new_file(self._file, SCHEMA, options=options)
        self._rows: tuple[list[int], list[bytes], list[bytes]] = ([], [], [])
        self._bytes = 0
        self._reader = LenientReader()
        self._pieces = Pieces()
        self._form: StateForm | None = None  # of those pieces
        self.entries = self.keys = 0
        self.states: Counter[tuple[str, str]] = Counter()

    def write(self, key: bytes, entry: bytes, owner: Owner) -> None:
        """Write an entry.

        Args:
            key: Its key.
            entry: Its content.
            owner: Whose it is.
        """
        group = place_of(key).group
        self.entries += 1
        if self._pieces.ends_before(key):
            self._count_runs()
        if is_run(key):
            self._pieces.add(key, entry)
            self._form = owner.form
        elif group != NO_GROUP and not is_piece(key):
            self._count(page_of(key, entry, owner.form, self._reader.loads), owner.form)
        groups, keys, entries = self._rows
        groups.append(-1 if group == NO_GROUP else group)
        keys.append(key)
        entries.append(entry)
        self._bytes += len(entry)
        if len(keys) >= _ROWS or self._bytes > _BYTES:
            self._flush()

    def close(self) -> None:
        """End the file, and bring it to the disk."""
        self._count_runs()
        self._flush()
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _flush(self) -> None:
        if self._rows[0]:
            columns = [pa.array(column, f.type) for column, f in zip(self._rows, SCHEMA, strict=True)]
            self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA))
        self._rows, self._bytes = ([], [], []), 0

    def _count_runs(self) -> None:
        if self._form is not None:
            self._count(self._pieces.take(self._reader.loads), self._form)

    def _count(self, content: dict[Any, Any], form: StateForm) -> None:
        self.keys += len(content)
        self.states.update(StatesOf(form).count(content))


def page_of(key: bytes, entry: bytes, form: StateForm, loads: Loads | None = None) -> dict[Any, Any]:
    """A page, or what an entry of logs has, as a dict by key; of logs by key the list of what was added.

    Args:
        key: The entry's.
        entry: What is stored.
        form: How.
        loads: See `decode`.
    """
    if form.logs:
        return by_key(frame for _, frame in logged(key, entry, loads))
    return decode_page(form.stored, place_of(key).page, entry, loads)


def read_entries(path: Path | str) -> Iterator[tuple[int, bytes, bytes]]:
    """The entries of a file in order: key group (-1: none), key, entry.

    Raises:
        CheckpointError: It is no such file.
    """
    try:
        with pa.memory_map(str(path)) as mapped:
            reader = pa.ipc.open_file(mapped)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                yield from zip(*(batch.column(i).to_pylist() for i in range(3)), strict=True)
    except (pa.ArrowException, OSError) as error:
        raise CheckpointDamaged(f"the file {path} of a savepoint cannot be read: {error}") from error
