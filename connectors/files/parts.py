"""Byte ranges of files, and how they are compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

from datastream.errors import JobError

CHUNK = 256 * 1024
"""Bytes read at a time: some thousand lines."""


def _zstd(file: Any) -> Any:
    import pyarrow

    return pyarrow.CompressedInputStream(file, "zstd")


_OPENERS: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".gzip": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zst": _zstd,
    ".deflate": lambda file: _Deflated(file),
}


@dataclass(frozen=True)
class FilePart:
    """A byte range of a file: the records that start in ``[start, end)``.

    Attributes:
        path: The file, or its URI without user, password and options.
        start: First byte.
        end: The byte after the last.
        size: The file's size in bytes when it was planned; bytes after it do not belong to the data.
        access: What the URI of a remote file said of user, password and options.
    """

    path: str
    start: int
    end: int
    size: int
    access: str = field(default="", repr=False)


def is_compressed(path: str) -> bool:
    """Whether the suffix names a compression (gz, bz2, xz, zst, deflate), so that only the whole file can be read."""
    return os.path.splitext(path)[1].lower() in _OPENERS


def opener_of(path: str) -> Callable[[Any], Any] | None:
    """What unpacks a file, by its suffix; None: it is not compressed."""
    return _OPENERS.get(os.path.splitext(path)[1].lower())


def gone(path: str) -> JobError:
    """The error for a file that is no longer there."""
    return JobError(
        f"the file {path} was there when this epoch was planned and is gone now; "
        "files must stay in place until the job has read them"
    )


def changed(path: str, planned: int, now: object) -> JobError:
    """The error for a file that has another size than when it was planned."""
    return JobError(
        f"the file {path} had {planned} bytes when this epoch was planned and has {now} now; "
        "files must not be rewritten while a job reads them: write elsewhere and move them here"
    )


class _Deflated(io.RawIOBase):
    """What zlib's streams hold, one after the other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._unpack = zlib.decompressobj()
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._unpack.eof:
                packed = self._unpack.unused_data
                self._unpack, self._begun = zlib.decompressobj(), False
            else:
                packed = self._unpack.unconsumed_tail
            packed = packed or self._file.read(CHUNK)
            if not packed:
                if self._begun:
                    raise EOFError("the stream ends before its end was reached")
                return 0
            self._begun = True
            data = self._unpack.decompress(packed, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)
