"""The values of MySQL's log, as a query by PyMySQL returns them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from datastream.errors import JobError

if TYPE_CHECKING:
    from pymysqlreplication.column import Column

#: Data of an event and a place in it -> the value there, and where it ends.
Read = Callable[[bytes, int], tuple[Any, int]]

#: Numbers of types, as the log has them.
_VARCHAR, _VAR_STRING, _STRING, _BLOB, _JSON = 15, 253, 254, 252, 245
_DATE, _NEW_DATE, _YEAR, _TIMESTAMP2, _DATETIME2, _TIME2 = 10, 14, 13, 17, 18, 19
_FLOAT, _DECIMAL, _BIT, _ENUM, _SET = 4, 246, 16, 247, 248
_NUMBERS = {1: ("<b", "<B"), 2: ("<h", "<H"), 3: ("<i", "<I"), 8: ("<q", "<Q"), 5: ("<d", "<d")}
_INT24 = 9
#: Python's names of character sets, where they are others than MySQL's.
_ENCODINGS = {
    "ucs2": "utf-16-be",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
    "utf8mb3": "utf-8",
    "utf8mb4": "utf-8",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "hebrew": "iso8859-8",
    "greek": "iso8859-7",
    "tis620": "tis-620",
    "ujis": "euc_jp",
    "eucjpms": "euc_jp",
    "sjis": "shift_jis",
    "euckr": "euc_kr",
    "koi8r": "koi8-r",
    "koi8u": "koi8-u",
    "macroman": "mac_roman",
    "macce": "mac_latin2",
}
_DIGITS_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


def reader_of(column: Column, zone: tzinfo) -> Read:
    """What reads the values of a column.

    Args:
        column: As the log describes it.
        zone: In which TIMESTAMPs are told.

    Raises:
        JobError: There is no reader for its type.
    """
    kind = column.type
    if kind in _NUMBERS:
        return _number(_NUMBERS[kind][bool(column.unsigned)])
    if kind in (_VARCHAR, _VAR_STRING, _STRING):
        size = 2 if column.max_length > 255 else 1
        return _string(size, column.character_set_name, column.max_length if kind != _VARCHAR else 0)
    if kind == _BLOB:
        return _string(column.length_size, column.character_set_name, 0)
    if kind in (_TIMESTAMP2, _DATETIME2, _TIME2):
        make = {_TIMESTAMP2: _timestamp, _DATETIME2: _datetime, _TIME2: _time}[kind]
        return make(column.fsp, zone)
    if kind == _DECIMAL:
        return _decimal(column.precision, column.decimals)
    if kind == _BIT:
        return _bits(column.bytes)
    if kind == _ENUM and column.enum_values is not None:
        return _enum(column.size, column.enum_values)
    if kind == _SET and column.set_values is not None:
        return _set(column.size, column.set_values)
    if kind == _JSON:
        return _json(column.length_size)
    simple = {_INT24: _int24(column.unsigned), _FLOAT: _float, _DATE: _date, _NEW_DATE: _date, _YEAR: _year}
    if kind not in simple:
        raise JobError(f"values of its type (number {kind} in the log) are not read")
    return simple[kind]


def _number(form: str) -> Read:
    unpack, size = struct.Struct(form).unpack_from, struct.calcsize(form)
    return lambda data, at: (unpack(data, at)[0], at + size)


def _int24(unsigned: bool) -> Read:
    return lambda data, at: (int.from_bytes(data[at : at + 3], "little", signed=not unsigned), at + 3)


def _float(data: bytes, at: int) -> tuple[float, int]:
    """As a query has it: the server writes a FLOAT with 6 digits."""
    (value,) = struct.unpack_from("<f", data, at)
    return float(f"{value:.6g}"), at + 4


def _year(data: bytes, at: int) -> tuple[int, int]:
    return data[at] + 1900 if data[at] else 0, at + 1


def _string(size: int, charset: str | None, padded: int) -> Read:
    """A string in front of which its length is.

    Args:
        size: Of the length, in bytes.
        charset: Python's or MySQL's name; None or binary: it is bytes.
        padded: Bytes shorter than that end with zeros which the log leaves out; 0: none do.
    """
    encoding = None if charset in (None, "binary") else _ENCODINGS.get(str(charset), str(charset))

    def read(data: bytes, at: int) -> tuple[Any, int]:
        begin = at + size
        end = begin + int.from_bytes(data[at:begin], "little")
        value = data[begin:end]
        return (value.ljust(padded, b"\0") if encoding is None else value.decode(encoding)), end

    if encoding is not None:
        try:
            b"".decode(encoding)
        except LookupError:
            raise JobError(f"its character set {charset!r} is not known to Python") from None
    return read


def _fraction(data: bytes, at: int, digits: int) -> tuple[int, int]:
    """Microseconds, and the number of bytes."""
    size = (digits + 1) // 2
    return int.from_bytes(data[at : at + size], "big") * 100 ** (3 - size), size


def _shown(text: str, micros: int, digits: int) -> str:
    return f"{text}.{micros:06d}"[: len(text) + 1 + digits] if digits else text


def _timestamp(digits: int, zone: tzinfo) -> Read:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        seconds = int.from_bytes(data[at : at + 4], "big")
        micros, size = _fraction(data, at + 4, digits)
        if not seconds and not micros:
            return _shown("0000-00-00 00:00:00", 0, digits), at + 4 + size
        made = datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros)
        return made.astimezone(zone).replace(tzinfo=None), at + 4 + size

    return read


def _datetime(digits: int, zone: tzinfo) -> Read:
    del zone

    def read(data: bytes, at: int) -> tuple[Any, int]:
        packed = int.from_bytes(data[at : at + 5], "big") - 0x8000000000
        micros, size = _fraction(data, at + 5, digits)
        days, clock = packed >> 17, packed & 0x1FFFF
        months, day = days >> 5, days & 31
        year, month = divmod(months, 13)
        hour, minute, second = clock >> 12, clock >> 6 & 63, clock & 63
        try:
            return datetime(year, month, day, hour, minute, second, micros), at + 5 + size
        except ValueError:  # a day that is none, such as 0000-00-00: PyMySQL leaves its text
            text = f"{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
            return _shown(text, micros, digits), at + 5 + size

    return read


def _time(digits: int, zone: tzinfo) -> Read:
    del zone
    size = (digits + 1) // 2

    def read(data: bytes, at: int) -> tuple[timedelta, int]:
        packed = int.from_bytes(data[at : at + 3 + size], "big") - (0x800000 << 8 * size)
        sign, packed = (-1, -packed) if packed < 0 else (1, packed)
        clock, fraction = divmod(packed, 1 << 8 * size)
        micros = fraction * 100 ** (3 - size)
        made = timedelta(hours=clock >> 12, minutes=clock >> 6 & 63, seconds=clock & 63, microseconds=micros)
        return sign * made, at + 3 + size

    return read


def _date(data: bytes, at: int) -> tuple[Any, int]:
    packed = int.from_bytes(data[at : at + 3], "little")
    year, month, day = packed >> 9, packed >> 5 & 15, packed & 31
    try:
        return date(year, month, day), at + 3
    except ValueError:
        return f"{year:04}-{month:02}-{day:02}", at + 3


def _decimal(precision: int, decimals: int) -> Read:
    whole = precision - decimals
    groups = [_DIGITS_BYTES[whole % 9], *[4] * (whole // 9)], [*[4] * (decimals // 9), _DIGITS_BYTES[decimals % 9]]
    digits = [whole % 9, *[9] * (whole // 9), *[9] * (decimals // 9), decimals % 9]
    sizes = [*groups[0], *groups[1]]
    total = sum(sizes)

    def read(data: bytes, at: int) -> tuple[Decimal, int]:
        raw = bytearray(data[at : at + total])
        negative = not raw[0] & 0x80
        raw[0] ^= 0x80
        if negative:
            raw = bytearray(byte ^ 0xFF for byte in raw)
        text, place = "", 0
        for size, count in zip(sizes, digits, strict=True):
            if size:
                text += f"{int.from_bytes(raw[place : place + size], 'big'):0{count}d}"
                place += size
        made = Decimal(
            ("-" if negative else "") + text[:whole].rjust(1, "0") + ("." + text[whole:] if decimals else "")
        )
        return made, at + total

    return read


def _bits(size: int) -> Read:
    return lambda data, at: (data[at : at + size], at + size)


def _enum(size: int, values: list[str]) -> Read:
    return lambda data, at: (values[int.from_bytes(data[at : at + size], "little")], at + size)


def _set(size: int, values: list[str]) -> Read:
    def read(data: bytes, at: int) -> tuple[str, int]:
        mask = int.from_bytes(data[at : at + size], "little")
        return ",".join(value for i, value in enumerate(values) if mask & 1 << i), at + size

    return read


def _json(size: int) -> Read:
    from pymysqlreplication.json_binary import parse_json

    def read(data: bytes, at: int) -> tuple[str, int]:
        begin = at + size
        end = begin + int.from_bytes(data[at:begin], "little")
        value = parse_json(data[begin], data[begin + 1 : end]) if end > begin else None
        return json.dumps(_text(value), ensure_ascii=False), end

    return read


def _text(value: Any) -> Any:
    """JSON with texts instead of bytes."""
    if isinstance(value, dict):
        return {_text(key): _text(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_text(one) for one in value]
    if isinstance(value, bytes):
        return value.decode()
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise JobError(f"JSON holds a value of MySQL's own, of type {type(value).__name__}, which is not read")
