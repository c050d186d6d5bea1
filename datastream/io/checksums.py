"""Checksums of files, for those who must know that a file is as it was written."""

from __future__ import annotations

from typing import BinaryIO

from xxhash import xxh3_128

_PIECE = 1 << 20


def checksum_of(file: BinaryIO) -> str:
    """The XXH3 of a file, 128 bits in hexadecimal, from its position to its end."""
    digest = xxh3_128()
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()
