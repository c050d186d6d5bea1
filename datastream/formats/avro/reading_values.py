"""What generated readers call: numbers of many bytes, and the values of logical types."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Any
from uuid import UUID

from datastream.errors import cut
from datastream.formats.avro.malformed import Malformed, malformed, wrong_end
from datastream.time import Instant
from datastream.types import Row, RowKind

EPOCH = datetime(1970, 1, 1)
EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
#: Arithmetic of decimals that rounds nothing.
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)

_DAY_MICROS = 86_400_000_000
_DIGITS = re.compile(r"-?[0-9]+\Z")


def more(data: bytes, at: int, number: int) -> tuple[int, int]:
    """The zigzag number whose first two bytes are in `number`, and the place after it."""
    byte = data[at]
    if byte < 128:
        return number | byte << 14, at + 1
    number |= (byte & 127) << 14
    byte = data[at + 1]
    if byte < 128:
        return number | byte << 21, at + 2
    number |= (byte & 127) << 21
    byte = data[at + 2]
    if byte < 128:
        return number | byte << 28, at + 3
    number |= (byte & 127) << 28
    byte = data[at + 3]
    if byte < 128:
        return number | byte << 35, at + 4
    number |= (byte & 127) << 35
    byte = data[at + 4]
    if byte < 128:
        return number | byte << 42, at + 5
    number |= (byte & 127) << 42
    byte = data[at + 5]
    if byte < 128:
        return number | byte << 49, at + 6
    number |= (byte & 127) << 49
    byte = data[at + 6]
    if byte < 128:
        return number | byte << 56, at + 7
    number |= (byte & 127) << 56
    byte = data[at + 7]
    if byte > 1:
        raise Malformed("a number has more than 64 bits")
    return number | byte << 63, at + 8


def date_of(days: int) -> date:
    try:
        return date.fromordinal(days + 719_163)
    except (ValueError, OverflowError):
        raise Malformed(f"day {days} is outside the years 1 to 9999") from None


def time_of(micros: int) -> time:
    if not 0 <= micros < _DAY_MICROS:
        raise Malformed(f"{micros} µs is no time of a day")
    return (datetime.min + timedelta(0, 0, micros)).time()


def instant_of_millis(millis: int) -> Instant:
    return Instant(millis // 1000, millis % 1000 * 1_000_000)


def instant_of_micros(micros: int) -> Instant:
    return Instant(micros // 1_000_000, micros % 1_000_000 * 1000)


def instant_of_nanos(nanos: int) -> Instant:
    return Instant(nanos // 1_000_000_000, nanos % 1_000_000_000)


def decimal_of(data: bytes, precision: int, scale: int) -> Decimal:
    number = int.from_bytes(data, "big", signed=True)
    if len(data) * 3 > precision and abs(number) >= 10**precision:
        raise Malformed(f"a decimal has more than {precision} digits")
    return Decimal(number).scaleb(-scale, EXACT)


def whole_of(text: str) -> int:
    if not _DIGITS.match(text):
        raise Malformed(f"{cut(text)} is no whole number")
    try:
        return int(text)
    except ValueError as error:  # Python reads no more than some thousand digits
        raise Malformed(f"a whole number of {len(text)} digits: {error}") from None


def uuid_of(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Malformed(f"{cut(text)} is no UUID") from None


SCOPE: dict[str, Any] = {
    "BOOLS": {0: False, 1: True},
    "Bad": Malformed,
    "E": EPOCH,
    "EU": EPOCH_UTC,
    "INSERT": RowKind.INSERT,
    "Row": Row,
    "bad": malformed,
    "date_of": date_of,
    "decimal_of": decimal_of,
    "instant_of_micros": instant_of_micros,
    "instant_of_millis": instant_of_millis,
    "instant_of_nanos": instant_of_nanos,
    "more": more,
    "new": object.__new__,
    "td": timedelta,
    "time_of": time_of,
    "uuid_of": uuid_of,
    "whole_of": whole_of,
    "wrong_end": wrong_end,
}
