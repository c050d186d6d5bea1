"""Single values as Java's text of them: Flink prints typed records in Java."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from math import isfinite, isnan
from struct import Struct

from datastream.time import Instant

_FLOAT = Struct("<f")
#: The least FLOAT of full precision; those below have fewer digits.
_LEAST_NORMAL = 2.0**-126
_SECONDS_A_DAY = 86_400


def narrowed(number: float) -> float:
    """The number of 32 bits that is nearest, as a Python float; infinity beyond the largest one."""
    try:
        (found,) = _FLOAT.unpack(_FLOAT.pack(number))
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
    return found  # type: ignore[no-any-return]


def double_text(number: float) -> str:
    """A DOUBLE: ``Double.toString``."""
    if not isfinite(number):
        return _not_finite(number)
    text = repr(float(number))
    if 1e-3 <= abs(number) < 1e7:
        return text
    return _scientific(text if "." in text else f"{number:.1e}")  # Java gives two digits at least


def shortest(number: float) -> float:
    """The decimal of the fewest digits that reads as the same number of 32 bits."""
    if _LEAST_NORMAL <= abs(number) < 1e38:  # six digits are enough for most
        found = float(f"{number:.6g}")
        if _FLOAT.pack(found) == _FLOAT.pack(number):
            return found
    small = narrowed(number)
    if isfinite(small):
        for digits in range(2 if abs(small) < _LEAST_NORMAL else 6, 9):
            found = float(f"{small:.{digits}g}")
            if narrowed(found) == small:
                return found
        return float(f"{small:.9g}")
    return small


def float_text(number: float) -> str:
    """A FLOAT: ``Float.toString``, the fewest digits that give the number of 32 bits."""
    return double_text(shortest(number))


def _not_finite(number: float) -> str:
    return "NaN" if isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _scientific(text: str) -> str:
    number = Decimal(text)
    sign, digits, exponent = number.normalize().as_tuple()
    minus = "-" if sign else ""
    if not any(digits):
        return minus + "0.0"
    assert isinstance(exponent, int)
    whole = "".join(map(str, digits))
    return f"{minus}{whole[0]}.{whole[1:] or '0'}E{exponent + len(whole) - 1}"


def boolean_text(value: bool) -> str:
    """A BOOLEAN."""
    return "true" if value else "false"


def sql_time_text(value: time) -> str:
    """A SQL_TIME: ``java.sql.Time`` has whole seconds."""
    return f"{value:%H:%M:%S}"


def timestamp_text(value: datetime) -> str:
    """A SQL_TIMESTAMP: ``java.sql.Timestamp`` has at least one digit after the second."""
    micros = f"{value.microsecond:06}".rstrip("0") or "0"
    return f"{value:%Y-%m-%d %H:%M:%S}.{micros}" if value.year > 999 else f"{value.isoformat(' ', 'seconds')}.{micros}"


def local_time_text(value: time) -> str:
    """A LOCAL_TIME: seconds only where there are some, their fraction in groups of three digits."""
    return f"{value:%H:%M}{_seconds(value.second, value.microsecond * 1000)}"


def local_date_time_text(value: datetime) -> str:
    """A LOCAL_DATE_TIME."""
    return f"{value.date().isoformat()}T{local_time_text(value.time())}"


def instant_text(value: Instant) -> str:
    """An INSTANT: ISO 8601 in UTC, the fraction of its second in groups of three digits."""
    days, seconds = divmod(value.seconds, _SECONDS_A_DAY)
    try:
        day = date.fromordinal(days + date(1970, 1, 1).toordinal()).isoformat()
    except (ValueError, OverflowError):  # beyond Python's calendar
        return repr(value)
    minutes, second = divmod(seconds, 60)
    return f"{day}T{minutes // 60:02}:{minutes % 60:02}{_seconds(second, value.nanos, always=True)}Z"


def _seconds(second: int, nanos: int, always: bool = False) -> str:
    if not nanos:
        return f":{second:02}" if second or always else ""
    fraction = f"{nanos:09}"
    while fraction.endswith("000"):
        fraction = fraction[:-3]
    return f":{second:02}.{fraction}"
