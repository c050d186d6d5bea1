"""The end of an ORC file: where its stripes are, and whether liborc can be trusted with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError

_DECIMAL = 14


@dataclass(frozen=True)
class Stripe:
    """Where a stripe is: its first byte, its length in bytes, and how many rows it has."""

    start: int
    size: int
    rows: int


def stripes_of(tail: bytes, size: int) -> list[Stripe]:
    """The stripes of a file.

    pyarrow ends the process on a decimal type of more than 38 digits, and takes memory for as many rows as a stripe
    says that it has; so both are looked at here, before.

    Args:
        tail: The file's tail, ORC's message `FileTail`.
        size: Bytes of the file.

    Raises:
        FormatError: it contradicts itself.
    """
    footers = [value for number, value in _fields(tail) if number == 2]
    if len(footers) != 1 or not isinstance(footers[0], bytes):
        raise FormatError("it has no footer")
    stripes: list[Stripe] = []
    rows = 0
    for number, value in _fields(footers[0]):
        if number == 3:
            stripes.append(_stripe(value, size))
        elif number == 4:
            _check_type(value)
        elif number == 6 and isinstance(value, int):
            rows = value
    if sum(stripe.rows for stripe in stripes) != rows:
        raise FormatError(f"it says that it has {rows} rows, its stripes have {sum(s.rows for s in stripes)}")
    return stripes


def _stripe(message: Any, size: int) -> Stripe:
    values = dict(_fields(message))
    start, rows = values.get(1, 0), values.get(5, 0)
    length = values.get(2, 0) + values.get(3, 0) + values.get(4, 0)
    if start + length > size:
        raise FormatError(f"a stripe from byte {start} to {start + length} is outside of its {size} bytes")
    return Stripe(start, length, rows)


def _check_type(message: Any) -> None:
    values = dict(_fields(message))
    precision, scale = values.get(5, 0), values.get(6, 0)
    if values.get(1) == _DECIMAL and (precision > 38 or scale > 38):
        raise FormatError(f"a decimal type of {precision} digits, {scale} after the point; at most 38 can be read")


def _fields(message: Any) -> Iterator[tuple[int, Any]]:
    """Numbers and values of a protobuf message's fields: ints and bytes."""
    if not isinstance(message, bytes):
        raise FormatError("a field of its footer is of the wrong kind")
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, position = _varint(message, position)
            yield number, value
            continue
        if kind == 2:
            length, position = _varint(message, position)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise FormatError(f"a field of its footer is of the unknown kind {kind}")
        if position + length > len(message):
            raise FormatError("a field of its footer is cut off")
        yield number, message[position : position + length]
        position += length


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(message) and shift < 64:
        byte = message[position]
        value |= (byte & 127) << shift
        position += 1
        if byte < 128:
            return value & 0xFFFF_FFFF_FFFF_FFFF, position
        shift += 7
    raise FormatError("a number of its footer is cut off")
