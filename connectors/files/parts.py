"""Byte ranges of files, and the whole lines in them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO

from datastream.errors import FormatError, JobError

from .remote.location import is_remote

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
        end: The byte behind the last.
        size: The file's size in bytes when it was planned; bytes behind it do not belong to the data.
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


def open_part(part: FilePart) -> IO[bytes]:
    """Open a part's file, uncompressed, at its first byte.

    Raises:
        JobError: if the file is gone, or is not the one that was planned.
        FormatError (while it reads): the compressed data is damaged.
    """
    opener = _OPENERS.get(os.path.splitext(part.path)[1].lower())
    if is_remote(part.path):
        from .remote.open_file import open_remote

        stored: Any = io.BufferedReader(open_remote(part), CHUNK)
        return stored if opener is None else _unpacked(opener, stored, part.path)
    try:
        raw = open(part.path, "rb")  # noqa: SIM115  the caller closes it
    except FileNotFoundError as error:
        raise gone(part.path) from error
    size = os.fstat(raw.fileno()).st_size
    if size < part.size or (opener is not None and size != part.size):
        raw.close()
        raise changed(part.path, part.size, size)
    return raw if opener is None else _unpacked(opener, raw, part.path)


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


def _unpacked(opener: Callable[[Any], Any], stored: BinaryIO, path: str) -> IO[bytes]:
    return io.BufferedReader(_Unpacked(opener(stored), stored, path), CHUNK)


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


class _Unpacked(io.RawIOBase):
    """What a compressed file holds; where it is damaged, the error names it."""

    def __init__(self, file: Any, stored: BinaryIO, path: str) -> None:
        self._file = file
        self._stored = stored
        self._path = path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            read: int = self._file.readinto(buffer)
            return read
        except ConnectionError:
            raise
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the data's
                raise
            raise FormatError(
                f"the file {self._path} is damaged, or not compressed as its name says: {type(error).__name__}: {error}"
            ) from error

    def close(self) -> None:
        self._file.close()
        self._stored.close()
        super().close()


def line_chunks(part: FilePart, chunk: int = CHUNK) -> Iterator[bytes]:
    """The lines that start in the part, as byte strings of whole lines; the file's last may lack its end."""
    with open_part(part) as file:
        if is_compressed(part.path):
            yield from _until_end(file, chunk)
        else:
            yield from _in_range(file, part, chunk)


def _until_end(file: IO[bytes], chunk: int) -> Iterator[bytes]:
    rest = b""
    while data := file.read(chunk):
        cut = data.rfind(b"\n") + 1
        if cut:
            yield rest + data[:cut]
            rest = data[cut:]
        else:
            rest += data
    if rest:
        yield rest


def _in_range(file: IO[bytes], part: FilePart, chunk: int) -> Iterator[bytes]:
    position = part.start
    if position:
        # From the byte before: if that one ends a line, ours starts with a line and nothing is skipped.
        file.seek(position - 1)
        position += len(file.readline(part.size - position + 1)) - 1
    while position < part.end:
        data = file.read(min(chunk, part.end - position))
        if not data:
            raise JobError(f"the file {part.path} was cut to less than {part.size} bytes while it was read")
        position += len(data)
        if not data.endswith(b"\n") and position < part.size:  # the last line straddles: to its end
            tail = file.readline(part.size - position)
            position += len(tail)
            data += tail
        yield data
