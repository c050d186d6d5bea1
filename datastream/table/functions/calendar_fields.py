"""Calendar arithmetic on ints: days since 1970, and µs since 1970 or of the day."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date

from datastream.errors import ValidationError
from datastream.table.functions.text_forms import DAY, EPOCH_DAY, SECOND

MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
WEEK = 7 * DAY

#: Units of a fixed length -> µs.
LENGTHS: Mapping[str, int] = {
    "NANOSECOND": 0,
    "MICROSECOND": 1,
    "MILLISECOND": 1_000,
    "SECOND": SECOND,
    "MINUTE": MINUTE,
    "HOUR": HOUR,
    "DAY": DAY,
    "WEEK": WEEK,
}

#: Units that are months -> how many.
MONTHS: Mapping[str, int] = {
    "MONTH": 1,
    "QUARTER": 3,
    "YEAR": 12,
    "DECADE": 120,
    "CENTURY": 1_200,
    "MILLENNIUM": 12_000,
}

#: Fields of a date -> Python text with ``{day}`` for its ordinal.
DATE_FIELDS: Mapping[str, str] = {
    "YEAR": "fromordinal({day}).year",
    "QUARTER": "(fromordinal({day}).month + 2) // 3",
    "MONTH": "fromordinal({day}).month",
    "WEEK": "fromordinal({day}).isocalendar()[1]",
    "DAY": "fromordinal({day}).day",
    "DOY": "fromordinal({day}).timetuple().tm_yday",
    "DOW": "(({day}) % 7 + 1)",
    "ISODOW": "((({day}) - 1) % 7 + 1)",
    "ISOYEAR": "fromordinal({day}).isocalendar()[0]",
    "DECADE": "fromordinal({day}).year // 10",
    "CENTURY": "(fromordinal({day}).year + 99) // 100",
    "MILLENNIUM": "(fromordinal({day}).year + 999) // 1000",
}

#: Fields of a time of the day -> Python text with ``{time}`` for µs.
TIME_FIELDS: Mapping[str, str] = {
    "HOUR": f"({{time}} // {HOUR} % 24)",
    "MINUTE": f"({{time}} // {MINUTE} % 60)",
    "SECOND": f"({{time}} // {SECOND} % 60)",
    "MILLISECOND": f"({{time}} % {SECOND} // 1000)",
    "MICROSECOND": f"({{time}} % {SECOND})",
    "NANOSECOND": f"({{time}} % {SECOND} * 1000)",
}

UNITS = frozenset((*LENGTHS, *MONTHS))


def unit_of(value: object, name: str, known: frozenset[str] = UNITS) -> str:
    """The unit that a literal names: ``DAY``, ``days`` or ``SQL_TSI_DAY``.

    Raises:
        ValidationError: it names none of `known`.
    """
    if isinstance(value, str):
        unit = value.upper().removeprefix("SQL_TSI_")
        for candidate in (unit, unit.removesuffix("S")):
            if candidate in known:
                return candidate
    raise ValidationError(f"{name}: expected a unit, one of {', '.join(sorted(known))}, got {value!r}")


def date_plus_months(days: int, months: int) -> int:
    """The day this number of months later; the last day of a month that is too short."""
    start = date.fromordinal(days + EPOCH_DAY)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(start.day, last)).toordinal() - EPOCH_DAY


def add_months_to_date(days: int, months: int) -> int:
    """A DATE plus an interval of months."""
    return date_plus_months(days, months)


def add_months(micros: int, months: int) -> int:
    """A TIMESTAMP plus an interval of months."""
    days, rest = divmod(micros, DAY)
    return date_plus_months(days, months) * DAY + rest


def months_between(start: int, end: int) -> int:
    """Whole months from one TIMESTAMP to another; the time of day counts if the days agree, as in Flink."""
    (first, clock), (last, last_clock) = divmod(start, DAY), divmod(end, DAY)
    months = _months_between_dates(first, last)
    return months - (last_clock < clock and add_months_to_date(first, months) == last)


def _months_between_dates(start: int, end: int) -> int:
    if end < start:
        return -_months_between_dates(end, start)
    first, last = (date.fromordinal(day + EPOCH_DAY) for day in (start, end))
    months = (last.year - first.year) * 12 + last.month - first.month
    return months - (add_months_to_date(start, months) > end)


def floor_months(micros: int, months: int) -> int:
    """The start of the period of this number of months that holds a TIMESTAMP."""
    day = date.fromordinal(micros // DAY + EPOCH_DAY)
    # Centuries and millennia begin with the year 1, 101 ...
    shift = 12 if months >= 1200 else 0
    count = (day.year * 12 + day.month - 1 - shift) // months * months + shift
    return (date(max(count // 12, 1), count % 12 + 1, 1).toordinal() - EPOCH_DAY) * DAY


def ceil_months(micros: int, months: int) -> int:
    """The end of the period of months that holds a TIMESTAMP.

    As in Flink its first day is its start, whatever the time of day; only a decade has no start that stays.
    """
    day = _day_towards_1970(micros)
    start = floor_months(day, months)
    return start if start == day and months != MONTHS["DECADE"] else add_months(start, months)


def floor_week(micros: int) -> int:
    """The Sunday before a TIMESTAMP, at midnight."""
    days = micros // DAY
    return (days - (days + 4) % 7) * DAY


def ceil_week(micros: int) -> int:
    """The Sunday from the day of a TIMESTAMP on, at midnight."""
    day = _day_towards_1970(micros)
    start = floor_week(day)
    return start if start == day else start + WEEK


def _day_towards_1970(micros: int) -> int:
    """The midnight before a TIMESTAMP, or after it if it is before 1970, as Flink divides."""
    return (micros // DAY if micros >= 0 else -(-micros // DAY)) * DAY
