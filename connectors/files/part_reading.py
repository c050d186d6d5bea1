"""Parts of files as bytes, and the whole lines in them."""

from __future__ import annotations

import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, BinaryIO

from datastream.errors import FormatError, JobError

from .parts import CHUNK, FilePart, changed, gone, is_compressed, opener_of
from .remote.location import is_remote


def open_part(part: FilePart) -> IO[bytes]:
    """Open a part's file, uncompressed, at its first byte.

    Raises:
        JobError: if the file is gone, or is not the one that was planned.
        FormatError (while it reads): the compressed data is damaged.
    """
    opener = opener_of(part.path)
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


def _unpacked(opener: Callable[[Any], Any], stored: BinaryIO, path: str) -> IO[bytes]:
    return io.BufferedReader(_Unpacked(opener(stored), stored, path), CHUNK)


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
