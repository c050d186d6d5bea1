"""Numbers, dates and times as text, as Flink's CAST reads and prints them. Times are ints of days, µs or months."""

from __future__ import annotations

import math
import re
from calendar import monthrange
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NoReturn

from datastream.errors import TypeMismatch
from datastream.table.functions.checks import single
from datastream.table.types.time_texts import time_text as time_text

SECOND = 1_000_000
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1)
EPOCH_DAY = date(1970, 1, 1).toordinal()

_WHOLE = re.compile(r" *([+-]?[0-9]*)(?:\.[0-9]*)? *", re.ASCII)
_DECIMAL = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)
_HEXADECIMAL = re.compile(
    r"\s*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?[0-9]+)[fd]?\s*", re.ASCII | re.IGNORECASE
)
_FLOAT = re.compile(r"\s*[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?|NaN|Infinity)\s*", re.ASCII)
_DATE = re.compile(r"\s*([0-9]{1,4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?\s*", re.ASCII)
_TIME = re.compile(r"\s*([0-9]{1,9})(?::([0-9]{1,9})(?::([0-9]{1,9})(?:\.([0-9]*))?)?)?\s*", re.ASCII)
_TIMESTAMP = re.compile(
    r"(\+[0-9]{5,9}|[0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{0,9}))?)?",
    re.ASCII,
)
_TRUE = frozenset(("t", "true", "y", "yes", "1"))
_FALSE = frozenset(("f", "false", "n", "no", "0"))


def bad_text(text: str, expected: str) -> NoReturn:
    """Raise the error of text that is not in the form of a type."""
    raise TypeMismatch("", f"text of type {expected}", text, "TRY_CAST returns NULL instead")


def read_boolean(text: str) -> bool:
    """The BOOLEAN that a text such as ``true``, ``f``, ``yes`` or ``0`` names."""
    word = text.lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else bad_text(text, "BOOLEAN")


def read_whole(text: str, name: str, least: int, most: int) -> int:
    """The whole number of a text; digits after a point are cut off."""
    found = _WHOLE.fullmatch(text)
    if found is None or text.strip(" ") in ("", "+", "-"):
        bad_text(text, name)
    digits = found[1]
    value = int(digits) if digits[-1:].isdigit() else 0
    return value if least <= value <= most else bad_text(text, name)


def is_float(text: str) -> bool:
    """Whether `read_float` takes the text."""
    return bool(_FLOAT.fullmatch(text) or _HEXADECIMAL.fullmatch(text))


def read_float(text: str) -> float:
    """The DOUBLE of a text."""
    if _FLOAT.fullmatch(text):
        return float(text.strip().rstrip("fFdD"))
    found = _HEXADECIMAL.fullmatch(text)
    return float.fromhex(found[1]) if found else bad_text(text, "DOUBLE")


def read_decimal(text: str) -> Decimal:
    """The number of a text, with all of its digits."""
    return Decimal(text.strip()) if _DECIMAL.fullmatch(text) else bad_text(text, "DECIMAL")


def read_date(text: str) -> int:
    """The days since 1970 of ``2024-1-31``; a time behind it is cut off."""
    end = text.find(" ")
    found = _DATE.fullmatch(text[:end] if end > 0 else text)
    try:
        return date(*(int(part or 1) for part in found.groups())).toordinal() - EPOCH_DAY  # type: ignore[union-attr]
    except (ValueError, AttributeError):
        bad_text(text, "DATE")


def _micros(fraction: str | None) -> int:
    return int(((fraction or "") + "000000")[:6])


def read_time(text: str) -> int:
    """The µs of the day of ``12:30:00.5``, rounded to milliseconds as in Flink; but never to the next day."""
    found = _TIME.fullmatch(text)
    if not found:
        bad_text(text, "TIME")
    hour, minute, second = (int(part or 0) for part in found.groups()[:3])
    if hour > 23 or minute > 59 or second > 59:
        bad_text(text, "TIME")
    micros = ((hour * 60 + minute) * 60 + second) * SECOND + _micros(found[4])
    return min((micros + 500) // 1000, DAY // 1000 - 1) * 1000


def read_timestamp(text: str) -> int:
    """The µs since 1970 of ``2024-1-31 12:30:00.5``, or of a date alone.

    As in Flink, a day that its month does not have is the month's last one, and 24:00:00 begins the next day.
    """
    found = _TIMESTAMP.fullmatch(text)
    if not found:
        bad_text(text, "TIMESTAMP")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    micros = _micros(found[7])
    next_day = hour == 24 and not minute and not second and not (found[7] or "").strip("0")
    try:
        if 28 < day <= 31:
            day = min(day, monthrange(year, month)[1])
        passed = datetime(year, month, day, 0 if next_day else hour, minute, second) - EPOCH
    except ValueError:
        bad_text(text, "TIMESTAMP")
    return ((passed.days + next_day) * 86_400 + passed.seconds) * SECOND + micros


def _java_form(value: float, digits: str, exponent: int) -> str:
    """Java's form of a number ``0.digits * 10**exponent``."""
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if 1e-3 <= abs(value) < 1e7:
        if exponent <= 0:
            return f"{sign}0.{'0' * -exponent}{digits}"
        padded = digits.ljust(exponent, "0")
        return f"{sign}{padded[:exponent]}.{padded[exponent:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent - 1}"


def _special(value: float) -> str | None:
    if value != value:
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1.0, value) < 0 else "0.0"
    return None


def double_text(value: float) -> str:
    """A DOUBLE as Java prints it: ``1.5``, ``1.0E10``."""
    text = repr(value)
    if "e" not in text and "n" not in text and -1e7 < value < 1e7 and not -1e-3 < value < 1e-3:
        return text
    special = _special(value)
    if special is not None:
        return special
    _, digits, scale = Decimal(text).as_tuple()
    shown = "".join(map(str, digits))
    return _java_form(value, shown.rstrip("0") or "0", len(shown) + int(scale))


def float_text(value: float) -> str:
    """A FLOAT as Java prints it: as few digits as make out the number."""
    special = _special(value)
    if special is not None:
        return special
    for places in range(1, 9):  # As in Java, two digits at least: 1.4E-45 is shown, not 1E-45.
        text = f"{abs(value):.{places}e}"
        if single(float(text)) == abs(value):
            break
    mantissa, _, exponent = text.partition("e")
    return _java_form(value, mantissa.replace(".", "").rstrip("0") or "0", int(exponent) + 1)


def date_text(days: int) -> str:
    """``2024-01-31``."""
    return date.fromordinal(days + EPOCH_DAY).isoformat()


def timestamp_text(micros: int, precision: int) -> str:
    """``2024-01-31 12:30:00.500``: as many digits of the fraction as the precision."""
    seconds, fraction = divmod(micros, SECOND)
    text = (EPOCH + timedelta(seconds=seconds)).isoformat(" ")
    digits = f"{fraction:06}".ljust(precision, "0")
    while len(digits) > precision and digits[-1] == "0":
        digits = digits[:-1]
    return f"{text}.{digits}" if digits else text


def local_date_time(micros: int) -> str:
    """``2024-01-31T12:30``, as Java prints a LocalDateTime: without seconds, or their digits, that are zero."""
    text = (EPOCH + timedelta(microseconds=micros)).isoformat()
    return text.removesuffix("000") if "." in text else text.removesuffix(":00")


def months_text(months: int) -> str:
    """``+1-02``: an interval of years and months."""
    years, rest = divmod(abs(months), 12)
    return f"{'-' if months < 0 else '+'}{years}-{rest:02}"


def duration_text(micros: int) -> str:
    """``+1 02:03:04.005``: an interval of days to seconds."""
    days, rest = divmod(abs(micros), DAY)
    seconds, fraction = divmod(rest, SECOND)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction // 1000:03}"
    return f"{'-' if micros < 0 else '+'}{days} {clock}"


def boolean_text(value: bool) -> str:
    """``TRUE`` or ``FALSE``."""
    return "TRUE" if value else "FALSE"


def decimal_text(value: Decimal) -> str:
    """All digits of a DECIMAL, without an exponent."""
    return format(value, "f")


def bytes_text(value: bytes) -> str:
    """The text that the bytes are in UTF-8; what is not, becomes U+FFFD."""
    return value.decode("utf-8", "replace")
