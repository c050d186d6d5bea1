"""The logs that Spark keeps in a checkpoint directory: where each epoch ends, and which of them are committed."""

from __future__ import annotations

import json
import os
import struct
import zlib
from typing import Any

from datastream.io.durable import sync_folder

_CHUNK = 512


class Log:
    """The logs of one checkpoint directory, whose own safety is not the subject here: they reach the disk at once.

    Args:
        folder: The checkpoint directory.

    Attributes:
        ends: Epoch -> where it ends.
        committed: The last epoch that is committed; the one before the job's first: none is.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.ends: dict[int, Any] = {}
        self.committed = self._first = 0

    def read(self, first: int) -> None:
        """What is there when the job starts, whose first epoch has this number: Spark counts from 0."""
        self._first = first
        self.ends = {
            first + number: json.loads(text.splitlines()[2]) for number, text in self._read("offsets", latest=2)
        }
        commits = {first + number for number, _ in self._read("commits", latest=0)}
        latest = max(self.ends, default=first - 1)
        self.committed = latest if latest in commits else max(latest, first) - 1

    @property
    def epochs(self) -> int:
        """How many epochs are committed."""
        return self.committed - self._first + 1

    def plan(self, end: Any) -> None:
        """An epoch ends here."""
        epoch = self.committed + 1
        self.ends[epoch] = end
        self._write("offsets", epoch, ["v1", "{}", json.dumps(end)])

    def commit(self) -> None:
        """The epoch that was planned last is committed."""
        self.committed += 1
        self._write("commits", self.committed, ["v1", "{}"])

    def _read(self, name: str, latest: int) -> list[tuple[int, str]]:
        """The files of a log; the content of so many of the latest ones, as Spark does."""
        folder = os.path.join(self.folder, name)
        if not os.path.isdir(folder):
            return []
        numbers = sorted(int(file) for file in os.listdir(folder) if file.isdecimal())
        if not latest:
            return [(number, "") for number in numbers]
        found = []
        for number in numbers[-latest:]:
            with open(os.path.join(folder, str(number))) as file:
                found.append((number, file.read()))
        return found

    def _write(self, name: str, epoch: int, lines: list[str]) -> None:
        folder = os.path.join(self.folder, name)
        metadata = os.path.join(self.folder, "metadata")
        if not os.path.exists(metadata):
            _write(metadata, b'{"id":"1"}')
        if not os.path.isdir(folder):
            os.makedirs(folder)
            sync_folder(self.folder)
        data = "\n".join(lines).encode()
        path = os.path.join(folder, str(epoch - self._first))
        parts = [zlib.crc32(data[at : at + _CHUNK]) for at in range(0, len(data), _CHUNK)]
        _write(path, data)
        _write(
            os.path.join(folder, f".{epoch - self._first}.crc"),
            b"crc\0" + struct.pack(f">i{len(parts)}I", _CHUNK, *parts),
        )
        sync_folder(folder)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
