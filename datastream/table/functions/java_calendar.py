"""Days as years, months and days: by the Gregorian calendar, or by the Julian one before 15 October 1582."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

#: The first day of the Gregorian calendar, as days since 1970.
CUTOVER = -141_427
_LAST = 253_402_300_799 - 86_400
#: Java's calendars know no offsets before 1900: the zone's own of today counts.
_FIRST = -2_208_988_800


def days_of(year: int, month: int, day: int) -> int:
    """The days since 1970 of a Gregorian date; the month is 1 to 12, the others may be any number."""
    years = year - (month <= 2)
    era, of_era = divmod(years, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def julian_days_of(year: int, month: int, day: int) -> int:
    """The same of a Julian date."""
    years = year - (month <= 2)
    cycle, of_cycle = divmod(years, 4)
    return cycle * 1461 + of_cycle * 365 + (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719_470


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day of days since 1970, by the Gregorian calendar."""
    era, of_era = divmod(days + 719_468, 146_097)
    years = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    return _month_and_day(era * 400 + years, of_year)


def old_date_of(days: int) -> tuple[int, int, int]:
    """The same, by the Julian calendar before the Gregorian one began."""
    if days >= CUTOVER:
        return date_of(days)
    cycle, of_cycle = divmod(days + 719_470, 1461)
    years = min(of_cycle // 365, 3)
    return _month_and_day(cycle * 4 + years, of_cycle - 365 * years)


def _month_and_day(years: int, of_year: int) -> tuple[int, int, int]:
    number = (5 * of_year + 2) // 153
    month = (number + 2) % 12 + 1
    return years + (month <= 2), month, of_year - (153 * number + 2) // 5 + 1


def is_leap(year: int) -> bool:
    """Whether a Gregorian year has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    """The days of a Gregorian month."""
    return 28 + is_leap(year) if month == 2 else 31 - (month in (4, 6, 9, 11))


def weekday_of(days: int) -> int:
    """The day of the week, 1 (Sunday) to 7."""
    return (days + 4) % 7 + 1


def on_or_before(days: int, weekday: int) -> int:
    """The last day with a day of the week, 1 (Sunday) to 7, that is not after a day."""
    return days - (weekday_of(days) - weekday) % 7


def week_start(first: int) -> int:
    """The begin of the week, a Sunday, in which a month or year begins, which is its first one."""
    return on_or_before(first, 1)


def offset_at(seconds: int, zone: tzinfo) -> tuple[int, int]:
    """The offset of a zone at a time since 1970 UTC, and how much of it is daylight saving, in seconds."""
    if seconds < _FIRST:
        return _own(zone), 0
    at = datetime.fromtimestamp(min(seconds, _LAST), zone)
    return _seconds(at.utcoffset()), _seconds(at.dst())


def offset_on_clock(seconds: int, zone: tzinfo) -> tuple[int, int]:
    """The same at a time on the zone's clocks; what they show twice is the second one, of standard time."""
    if seconds < _FIRST + 86_400 and seconds - _own(zone) < _FIRST:
        return _own(zone), 0
    clock = datetime(1970, 1, 1) + timedelta(0, min(seconds, _LAST))
    at, before = clock.replace(tzinfo=zone, fold=1), clock.replace(tzinfo=zone)
    if _seconds(before.utcoffset()) < _seconds(at.utcoffset()):  # the clocks leave it out
        at = before
    return _seconds(at.utcoffset()), _seconds(at.dst())


def _own(zone: tzinfo) -> int:
    now = datetime.now(zone)
    return _seconds(now.utcoffset()) - _seconds(now.dst())


def _seconds(difference: timedelta | None) -> int:
    return 0 if difference is None else difference.days * 86_400 + difference.seconds
