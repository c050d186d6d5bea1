"""Records that the Kinesis Producer Library has put many others into."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

_MAGIC = b"\xf3\x89\x9a\xc2"
_DIGEST = 16
_VARINT, _BYTES = 0, 2
_MOST_BITS = 64
#: Kind of a field -> its size in bytes.
_SIZES = {1: 8, 5: 4}


class Inner(NamedTuple):
    """A record inside a record.

    Attributes:
        data: Its content.
        partition_key: Its partition key.
        hash: Where the producer wants it: that of its partition key, or one of its own.
    """

    data: bytes
    partition_key: str
    hash: int


def records_in(data: bytes) -> list[Inner] | None:
    """The records inside a record.

    Args:
        data: The record's content.

    Returns:
        None if it is a plain record: without the mark, with another checksum or form, as in Amazon's libraries.
    """
    if not data.startswith(_MAGIC) or len(data) < len(_MAGIC) + _DIGEST:
        return None
    message = data[len(_MAGIC) : -_DIGEST]
    if _md5(message) != data[-_DIGEST:]:
        return None
    try:
        return list(_inner(message))
    except (LookupError, ValueError):  # not of the library
        return None


def _inner(message: bytes) -> Iterator[Inner]:
    fields = list(_fields(message))
    keys = [_bytes(value).decode() for number, value in fields if number == 1]
    hashes = [int(_bytes(value)) for number, value in fields if number == 2]
    for number, value in fields:
        if number == 3:
            record = dict(_fields(_bytes(value)))
            key = keys[_number(record[1])]
            own = hashes[_number(record[2])] if 2 in record else int.from_bytes(_md5(key.encode()))
            yield Inner(_bytes(record[3]), key, own)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number where bytes belong")
    return value


def _number(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise ValueError("bytes where a number belongs")
    return value


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of the fields of a message of Protocol Buffers."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
        elif kind == _BYTES:
            length, at = _varint(message, at)
            if at + length > len(message):
                raise IndexError("the message ends early")
            yield tag >> 3, message[at : at + length]
            at += length
        elif kind in _SIZES:
            at += _SIZES[kind]
        else:
            raise ValueError(f"no kind of a field: {kind}")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift >= _MOST_BITS:
            raise ValueError("a number of more than 64 bits")
