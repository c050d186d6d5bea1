"""Constants: from their text to values and types. A text that is none is a ValueError."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any

from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType, sql_interval
from datastream.table.types.logical_types import (
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntType,
    TimestampType,
    TimeType,
)

_EPOCH = date(1970, 1, 1).toordinal()
_SECOND = 1_000_000
#: Microseconds of a unit.
_MICROS = {"DAY": 86_400 * _SECOND, "HOUR": 3_600 * _SECOND, "MINUTE": 60 * _SECOND, "SECOND": _SECOND}
_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
#: Units that are written as a multiple of another one.
_MULTIPLES = {"WEEK": ("DAY", 7), "QUARTER": ("MONTH", 3)}
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,9}))?"
_DATE = r"(\d{4})-(\d{1,2})-(\d{1,2})"

Typed = tuple[Any, DataType]


def number(text: str) -> Typed:
    """INT, BIGINT or DECIMAL without an exponent, DOUBLE with one.

    Raises:
        ValueError: It is beyond its type.
    """
    if "e" in text.lower():
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise ValueError(f"{text} is too large for a DOUBLE")
        return value, DoubleType(False)
    whole, _, fraction = text.partition(".")
    precision = max(len(whole) + len(fraction), 1)
    if precision > 38:
        raise ValueError(f"a number has at most 38 digits, {text} has {precision}")
    if not fraction:
        integer = int(whole)
        if integer < 2**31:
            return integer, IntType(False)
        if integer < 2**63:
            return integer, BigIntType(False)
        if integer > 2**63:  # which is a BIGINT after a minus
            raise ValueError(f"{text} is too large for a BIGINT; with a point it is a DECIMAL: {text}.0")
    return Decimal(f"{whole or '0'}.{fraction}" if fraction else whole), DecimalType(precision, len(fraction), False)


def negated(value: Any, kind: DataType | None) -> tuple[Any, DataType | None]:
    """A number below zero: the least INT and BIGINT are of these types, which their digits alone are not."""
    least = {-(2**31): IntType(False), -(2**63): BigIntType(False)}
    if isinstance(value, int | Decimal) and -value in least and not (isinstance(kind, DecimalType) and kind.scale):
        return -int(value), least[-int(value)]
    return 0 - value if isinstance(value, float) else -value, kind  # 0.0 has no sign, as in Flink's constants


def text_of(value: str) -> Typed:
    """CHAR of its length."""
    return value, CharType(len(value), False)


def hexadecimal(text: str) -> Typed:
    """BINARY."""
    if len(text) % 2 or not re.fullmatch("[0-9a-fA-F]*", text):
        raise ValueError(f"X'{text}': bytes have an even number of hexadecimal digits")
    value = bytes.fromhex(text)
    return value, BinaryType(len(value), False)


def date_of(text: str) -> Typed:
    """DATE, as days since 1970."""
    match = re.fullmatch(_DATE, text.strip())
    if match is None:
        raise ValueError(f"DATE '{text}': expected a form like '2026-01-31'")
    return _days(match, f"DATE '{text}'"), DateType(False)


def time_of(text: str) -> Typed:
    """TIME, as microseconds of the day; its precision is that of the text, and milliseconds at most."""
    match = re.fullmatch(_TIME, text.strip())
    if match is None:
        raise ValueError(f"TIME '{text}': expected a form like '12:30:00' or '12:30:00.123'")
    micros = _micros(match.groups(), f"TIME '{text}'") // 1000 * 1000
    return micros, TimeType(min(len(match[4] or ""), 3), False)


def timestamp_of(text: str) -> Typed:
    """TIMESTAMP, as microseconds since 1970; its precision is that of the text. A date alone is its midnight."""
    stripped = text.strip()
    match = re.fullmatch(f"{_DATE} {_TIME}", stripped if " " in stripped else f"{stripped} 00:00:00")
    if match is None:
        raise ValueError(f"TIMESTAMP '{text}': expected a form like '2026-01-31 12:30:00' or '2026-01-31 12:30:00.123'")
    what = f"TIMESTAMP '{text}'"
    value = _days(match, what) * _MICROS["DAY"] + _micros(match.groups()[3:], what)
    return value, TimestampType(len(match[7] or ""), False)


def interval(text: str, upper: str, lower: str | None, sign: int = 1) -> Typed:
    """INTERVAL, as months or as microseconds, of which only whole milliseconds count.

    Args:
        text: What is in the quotes.
        upper: The unit, in the singular; the larger one of two.
        lower: The smaller one.
        sign: 1 or -1: that before the quotes.

    Raises:
        ValueError: There is no such interval, or the text is none.
    """
    unit, times = _MULTIPLES.get(upper, (upper, 1))
    name = unit if lower is None else f"{unit}_TO_{lower}"
    what = f"INTERVAL '{text}' {name.replace('_', ' ') if times == 1 else upper}"
    stripped = text.strip()
    negative, stripped = stripped.startswith("-"), stripped.lstrip("+-").strip()
    sign = -sign if negative else sign
    if name in YearMonthIntervalType.YearMonthResolution.__members__:
        pattern, example = (r"(\d+)-(\d{1,2})", "1-6") if lower else (r"(\d+)", "1")
        match = _matched(pattern, stripped, what, example)
        months = int(match[1]) * (12 if unit == "YEAR" else times) + (int(match[2]) if lower else 0)
        if lower and int(match[2]) > 11:
            raise ValueError(f"{what}: there are at most 11 months beside the years")
        return sign * months, sql_interval(unit).not_null()
    if name in DayTimeIntervalType.DayTimeResolution.__members__ and times in (1, 7):
        return sign * times * _day_time(stripped, unit, lower or unit, what), sql_interval(unit).not_null()
    raise ValueError(
        f"there is no INTERVAL {name.replace('_', ' ')}: YEAR goes to MONTH, "
        "and DAY, HOUR, MINUTE to anything smaller down to SECOND"
    )


def unescape_unicode(text: str, escape: str) -> str:
    r"""The text of ``U&'...'``: ``\00e4`` and ``\+01f600`` are characters by number, two escapes are one."""
    if len(escape) != 1 or escape.isalnum() or escape in "+'\" ":
        raise ValueError("UESCAPE takes one character that is neither letter nor digit nor + ' \" or blank")
    mark = re.escape(escape)

    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code is None and match[0] != escape * 2:
            raise ValueError(f"expected four hexadecimal digits after {escape}")
        return chr(int(code, 16)) if code else escape

    return re.sub(rf"{mark}(?:\+([0-9a-fA-F]{{6}})|([0-9a-fA-F]{{4}})|{mark}|)", character, text)


def _day_time(text: str, upper: str, lower: str, what: str) -> int:
    units = _UNITS[_UNITS.index(upper) : _UNITS.index(lower) + 1]
    pattern, example = r"(\d+)", "1"
    for unit in units[1:]:
        pattern += (" +" if unit == "HOUR" else ":") + r"(\d{1,2})"
        example += (" " if unit == "HOUR" else ":") + "02"
    if lower == "SECOND":
        pattern += r"(?:\.(\d{1,9}))?"
    match = _matched(pattern, text, what, example)
    value = 0
    for index, unit in enumerate(units):
        part = int(match[index + 1])
        if index and part > (23 if unit == "HOUR" else 59):
            raise ValueError(f"{what}: {part} is too many for {unit}")
        value += part * _MICROS[unit]
    if lower == "SECOND":
        value += _fraction(match[len(units) + 1]) // 1000 * 1000
    return value


def _matched(pattern: str, text: str, what: str, example: str) -> re.Match[str]:
    match = re.fullmatch(pattern, text)
    if match is None:
        raise ValueError(f"{what}: expected a form like '{example}'")
    return match


def _days(match: re.Match[str], what: str) -> int:
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).toordinal() - _EPOCH
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _micros(parts: tuple[str | Any, ...], what: str) -> int:
    hours, minutes, seconds = map(int, parts[:3])
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError(f"{what}: there is no such time of day")
    return hours * _MICROS["HOUR"] + minutes * _MICROS["MINUTE"] + seconds * _SECOND + _fraction(parts[3])


def _fraction(digits: str | None) -> int:
    return int((digits or "0").ljust(6, "0")[:6])
