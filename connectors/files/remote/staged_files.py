"""Part files on file systems other than S3: hidden files, moved to their names by the commit.

Where the file system renames (HDFS), a part file appears as a whole. Where it copies and deletes, a commit that is
interrupted copies again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from .arrow import ArrowFileSystem
from .location import Location
from .store import Name, RemotePiece, Store, Upload

_SLOTS = 2


class StagedFiles(Store):
    """See the module.

    Args:
        base: The base path.
        uid_folder: The sink's hidden folder, relative to it.
        owner: Of the job and the sink.
    """

    def __init__(self, base: Location, uid_folder: str, owner: str) -> None:
        self.files = ArrowFileSystem(base)
        self._base = base
        self._staging = base.below(uid_folder).uri
        self._state = f"{self._staging}/{owner}/state"
        self._made: set[str] = set()
        self.first_state = f"{self._state}-1.json"

    def check(self) -> None:
        from pyarrow.fs import FileType

        with self.files.asked("look at", self._base.uri):
            found = self.files.arrow.get_file_info(self.files.path(self._base.uri + "/"))
        if found.type == FileType.File:
            from datastream.errors import ValidationError

            raise ValidationError(f"FileSink: {self._base.uri} is a file, expected a folder")

    def begin(self, target: str, name: Name) -> Upload:
        staged = f"{name.owner}/{name.epoch}-{name.attempt}"
        uri = f"{self._staging}/{staged}"
        with self.files.asked("write", uri):
            self._make_folder(uri)
            return _StagedFile(self.files, uri, staged)

    def publish(self, piece: RemotePiece) -> bool:
        staged = f"{self._staging}/{piece.handle['staged']}"
        target = self._base.below(piece.target).uri
        from_path, to_path = self.files.path(staged), self.files.path(target)
        if self.files.stat(staged) is not None:
            with self.files.asked("move a file to", target):
                self._make_folder(target)
                if self.files.stat(target) is not None:  # a copy, perhaps of a part of it
                    self.files.arrow.delete_file(to_path)
                self.files.arrow.move(from_path, to_path)
            return True
        found = self.files.stat(target)
        return found is not None and found.size == piece.size

    def write_empty(self, target: str) -> None:
        uri = self._base.below(target).uri
        with self.files.asked("write", uri):
            self._make_folder(uri)
            self.files.arrow.open_output_stream(self.files.path(uri)).close()

    def discard(self, piece: RemotePiece) -> None:
        self._delete(f"{self._staging}/{piece.handle['staged']}")

    def remove(self, target: str) -> None:
        self._delete(self._base.below(target).uri)

    def clean(self, stale: Callable[[str, int, float], bool]) -> None:
        now = time.time()
        for file in self.files.find(self._staging + "/"):
            owner, slash, name = file.path[len(self._staging) + 1 :].partition("/")
            epoch = name.partition("-")[0]
            age_s = now - file.modified_ns / 1e9 if file.modified_ns else 0.0  # some file systems do not know it
            if slash and epoch.isdigit() and stale(owner, int(epoch), age_s):
                self._delete(file.path)

    def read_states(self) -> Iterator[tuple[str, bytes]]:
        for state in (self._state, f"{self._staging}/state"):
            uris = [f"{state}-{slot}.json" for slot in range(_SLOTS)]
            found = [uri for uri in uris if self.files.stat(uri) is not None]
            for uri in found:
                with self.files.asked("read", uri), self.files.arrow.open_input_stream(self.files.path(uri)) as file:
                    data = file.read()
                yield uri, data
            if found:
                return

    def write_state(self, version: int, data: bytes) -> None:
        # In turn: while one is being replaced the other one stands.
        uri = f"{self._state}-{version % _SLOTS}.json"
        with self.files.asked("write", uri):
            self._make_folder(uri)
            with self.files.arrow.open_output_stream(self.files.path(uri)) as file:
                file.write(data)

    def _make_folder(self, uri: str) -> None:
        folder = self.files.path(uri.rpartition("/")[0])
        if folder not in self._made:
            self.files.arrow.create_dir(folder, recursive=True)
            self._made.add(folder)

    def _delete(self, uri: str) -> None:
        with self.files.asked("remove", uri), suppress(FileNotFoundError):
            self.files.arrow.delete_file(self.files.path(uri))


class _StagedFile(Upload):
    def __init__(self, files: ArrowFileSystem, uri: str, staged: str) -> None:
        self._files = files
        self._uri = uri
        self._staged = staged
        self.stream: Any = files.arrow.open_output_stream(files.path(uri))

    def finish(self) -> dict[str, Any]:
        with self._files.asked("write", self._uri):
            self.stream.close()
        return {"staged": self._staged}

    def abort(self) -> None:
        with suppress(Exception):  # it is found again by its name
            self.stream.close()
            self._files.arrow.delete_file(self._files.path(self._uri))
