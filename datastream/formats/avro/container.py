"""Avro's object container files: a header with the schema, then blocks of records, each after a marker."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.avro.codecs import CODECS, most_bytes
from datastream.formats.avro.malformed import Malformed
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.varints import read_varint, varint

MAGIC: Final = b"Obj\x01"
MARKER: Final = 16
#: Bytes that are looked through at a time for a marker.
_WINDOW = 1 << 20
#: Bytes that a header may have.
_MOST_HEADER = 1 << 26


@dataclass(frozen=True)
class Header:
    """What a file says of itself.

    Attributes:
        schema: The schema of its records.
        codec: How its blocks are compressed.
        marker: The 16 bytes after the header and each block.
        size: Bytes of the header.
    """

    schema: AvroSchema
    codec: str
    marker: bytes
    size: int


def header_bytes(schema: AvroSchema, codec: str, marker: bytes) -> bytes:
    """The beginning of a file."""
    # Compact JSON: what the user wrote may be many lines.
    text = json.dumps(json.loads(str(schema)), separators=(",", ":")).encode()
    entries = b"".join(
        varint(len(key)) + key + varint(len(value)) + value
        for key, value in ((b"avro.codec", codec.encode()), (b"avro.schema", text))
    )
    return MAGIC + varint(2) + entries + b"\0" + marker


def block_bytes(count: int, data: bytes, codec: str, marker: bytes) -> bytes:
    """A block of this number of records.

    Raises:
        FormatError: it becomes so small that readers refuse it; see `most_bytes`.
    """
    packed = CODECS[codec][0](data)
    if codec != "null" and len(data) > most_bytes(len(packed)):
        raise FormatError(
            f"cannot write Avro: {len(data)} bytes of {count} records become {len(packed)} with {codec}, which "
            'readers refuse as damage; use the codec "null" for such large records'
        )
    return b"".join((varint(count), varint(len(packed)), packed, marker))


def read_header(file: IO[bytes]) -> Header:
    """The header of a file at its first byte.

    Raises:
        FormatError: it is no Avro file, or not one that can be read.
    """
    data = file.read(4096)
    if data[:4] != MAGIC:
        raise FormatError(f"it is no Avro file: expected {MAGIC!r} at its start, found {cut(data[:4])}")
    while True:
        try:
            meta, end = _metadata(data)
            if len(data) >= end + MARKER:
                break
        except IndexError:
            pass
        except ValueError as error:
            raise FormatError(f"the header is not well formed: {error}") from None
        if len(data) > _MOST_HEADER or not (chunk := file.read(len(data))):
            raise FormatError("the header is not well formed: it has no end")
        data += chunk
    return _header(meta, data[end : end + MARKER], end + MARKER)


def _header(meta: dict[bytes, bytes], marker: bytes, size: int) -> Header:
    codec = meta.get(b"avro.codec", b"null").decode("utf-8", "replace")
    if codec not in CODECS:
        raise FormatError(f"its blocks are compressed with {cut(codec)}, expected one of {', '.join(CODECS)}")
    if b"avro.schema" not in meta:
        raise FormatError("its header holds no schema")
    try:
        return Header(AvroSchema(meta[b"avro.schema"].decode("utf-8", "replace")), codec, marker, size)
    except ValidationError as error:
        raise FormatError(str(error)) from None


def _metadata(data: bytes) -> tuple[dict[bytes, bytes], int]:
    """The map in a header, and the place after it.

    Raises:
        IndexError: more bytes are needed.
        ValueError: it is none.
    """
    meta: dict[bytes, bytes] = {}
    at = 4
    while True:
        count, at = read_varint(data, at)
        if count == 0:
            return meta, at
        if count < 0:
            count = -count
            _, at = read_varint(data, at)
        for _ in range(count):
            key, at = _bytes(data, at)
            meta[key], at = _bytes(data, at)


def _bytes(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = read_varint(data, at)
    if not 0 <= size <= _MOST_HEADER:
        raise ValueError(f"a length of {size}")
    if at + size > len(data):
        raise IndexError
    return data[at : at + size], at + size


def first_block(file: IO[bytes], header: Header, start: int, end: int) -> int | None:
    """Where the first block begins that begins in ``[start, end)``; None: nowhere."""
    if start <= header.size:
        return header.size if header.size < end else None
    # A block begins after a marker. One that straddles two windows is found in the second.
    at = start - MARKER
    while at < end:
        file.seek(at)
        window = file.read(min(_WINDOW, end - at))
        found = window.find(header.marker)
        if found >= 0:
            block = at + found + MARKER
            return block if block < end else None
        if len(window) <= MARKER:
            return None
        at += len(window) - MARKER + 1
    return None


def blocks(file: IO[bytes], header: Header, at: int, end: int, size: int) -> Iterator[tuple[int, bytes]]:
    """The blocks from one on that begin before `end`: the number of records, and their bytes.

    Args:
        file: The file.
        header: Its header.
        at: Where the first block begins.
        end: Blocks that begin there or after are not read.
        size: Bytes of the file.

    Raises:
        Malformed: a block is not as it should be.
        IndexError: the file ends within a block.
    """
    unpack = CODECS[header.codec][1]
    file.seek(at)
    while at < end:
        head = file.read(min(20, size - at))  # two numbers of ten bytes at most
        count, length_at = read_varint(head, 0)
        length, body_at = read_varint(head, length_at)
        if count < 0 or length < 0 or at + body_at + length + MARKER > size:
            raise Malformed(f"the block at byte {at} claims {count} records in {length} bytes")
        file.seek(at + body_at)
        body = file.read(length + MARKER)
        if body[length:] != header.marker:
            raise Malformed(f"the block at byte {at} has no marker after it")
        yield count, unpack(body[:length])
        at += body_at + length + MARKER
