"""A look at an archive's headers before the library reads them: some make it take as much memory as they say."""

from __future__ import annotations

import gzip
import struct
import tarfile
from pathlib import Path
from typing import IO

_BLOCK = 512
_CHUNK = 1 << 20
#: Of one header that tells about the next member, such as a long name.
_ABOUT_BYTES = 1 << 20
_ABOUT = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
#: Of a zip file's directory; 20,000 members with long names.
_DIRECTORY_BYTES = 16 << 20
_END = b"PK\x05\x06"
_END_BYTES = 22 + 65_535


class TooMuch(Exception):
    """An archive would take too much memory or disk."""


def check_tar(file: Path, most_bytes: int, most_members: int) -> None:
    """Go from header to header.

    Raises:
        TooMuch: It has more bytes or members, or one that tells about others is too long.
        ValueError: It is no tar file, or packed by something else than gzip.
        OSError: It is damaged.
    """
    with file.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not packed:
            _walk(raw, most_bytes, most_members)
            return
        with gzip.open(raw) as stream:
            _walk(stream, most_bytes, most_members)  # type: ignore[arg-type]


def _walk(stream: IO[bytes], most_bytes: int, most_members: int) -> None:
    total = members = 0
    while True:
        block = stream.read(_BLOCK)
        if len(block) < _BLOCK or not block.strip(b"\0"):
            if not members:
                raise ValueError("it has no member")
            return
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise ValueError(f"a header is damaged: {error}") from error
        size = max(0, header.size)
        total, members = total + size, members + 1
        if header.type in _ABOUT and size > _ABOUT_BYTES:
            raise TooMuch(f"a header has more than {_ABOUT_BYTES:,} bytes")
        if total > most_bytes:
            raise TooMuch(f"its files have more than {most_bytes:,} bytes when unpacked")
        if members > most_members:
            raise TooMuch(f"it holds more than {most_members:,} files")
        left = -(-size // _BLOCK) * _BLOCK
        while left > 0:
            found = len(stream.read(min(left, _CHUNK)))
            if not found:
                raise ValueError("its end is missing")
            left -= found


def check_zip(file: Path) -> None:
    """Look at the size of a zip file's directory.

    Raises:
        TooMuch: The directory is too large.
    """
    with file.open("rb") as raw:
        size = raw.seek(0, 2)
        raw.seek(max(0, size - _END_BYTES))
        end = raw.read()
    place = end.rfind(_END)
    if place >= 0 and len(end) >= place + 16:
        (directory,) = struct.unpack_from("<I", end, place + 12)
        if directory > _DIRECTORY_BYTES:
            raise TooMuch(f"its list of files has more than {_DIRECTORY_BYTES:,} bytes")
