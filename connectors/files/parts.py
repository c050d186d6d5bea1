"""Byte ranges of files, and the whole lines in them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from datastream.errors import FormatError, JobError

CHUNK = 256 * 1024
"""Bytes read at a time: some thousand lines."""

_OPENERS = {
    ".gz": gzip.open,
    ".gzip": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


@dataclass(frozen=True)
class FilePart:
    """A byte range of a file: the records that start in ``[start, end)``.

    Attributes:
        path: The file.
        start: First byte.
        end: The byte behind the last.
        size: The file's size in bytes when it was planned; bytes behind it do not belong to the data.
    """

    path: str
    start: int
    end: int
    size: int


def is_compressed(path: str) -> bool:
    """Whether the suffix names a compression (gz, bz2, xz), so that only the whole file can be read."""
    return os.path.splitext(path)[1].lower() in _OPENERS


def open_part(part: FilePart) -> IO[bytes]:
    """Open a part's file, uncompressed, at its first byte.

    Raises:
        JobError: if the file is gone, or is not the one that was planned.
        FormatError (while it reads): the compressed data is damaged.
    """
    try:
        raw = open(part.path, "rb")  # noqa: SIM115  the caller closes it
    except FileNotFoundError as error:
        raise JobError(
            f"the file {part.path} was there when this epoch was planned and is gone now; "
            "files must stay in place until the job has read them"
        ) from error
    size = os.fstat(raw.fileno()).st_size
    opener = _OPENERS.get(os.path.splitext(part.path)[1].lower())
    if size < part.size or (opener is not None and size != part.size):
        raw.close()
        raise JobError(
            f"the file {part.path} had {part.size} bytes when this epoch was planned and has {size} now; "
            "files must not be rewritten while a job reads them: write elsewhere and move them here"
        )
    if opener is None:
        return raw
    raw.close()
    return io.BufferedReader(_Unpacked(opener(part.path, "rb"), part.path), CHUNK)  # type: ignore[operator]


class _Unpacked(io.RawIOBase):
    """What a compressed file holds; where it is damaged, the error names it."""

    def __init__(self, file: io.BufferedIOBase, path: str) -> None:
        self._file = file
        self._path = path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return self._file.readinto(buffer)
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk's, not the data's
                raise
            raise FormatError(
                f"the file {self._path} is damaged, or not compressed as its name says: {type(error).__name__}: {error}"
            ) from error

    def close(self) -> None:
        self._file.close()
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
