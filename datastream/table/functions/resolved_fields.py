"""The point in time that the fields of a text are, as Java resolves them."""

from __future__ import annotations

from datastream.table.functions import java_calendar as calendar
from datastream.table.functions.formatter_parts import Fields
from datastream.table.functions.moments import VALUES, Moment
from datastream.table.functions.text_forms import DAY, SECOND

_MOST = {"MONTH": 12, "DOM": 31, "DOY": 366, "HOD": 23, "CHOD": 24, "HOAP": 11, "CHOAP": 12, "MINUTE": 59, "SECOND": 59}
_MOST |= {"WEEK": 53, "WOM": 6, "NANO": 999_999_999, "MOD": 86_399_999, "NOD": 86_399_999_999_999}


def resolve(fields: Fields) -> int | None:
    """The µs since 1970 of what was read, as Java resolves it; None: the fields do not go together."""
    try:
        days = _resolved_date(fields)
        more, second, nano = _resolved_time(fields)
        if days is not None:
            moment = Moment(*calendar.date_of(days), days, second or 0, nano)
            timed = second is not None
            for name, value in fields.items():
                if name in VALUES and (timed or name not in _OF_TIME) and VALUES[name](moment) != value:
                    return None
            days += more
        else:
            month, day = fields.get("MONTH", 1), fields.get("DOM", 1)
            year = fields.get("YEAR", 1970)
            if not 1 <= month <= 12 or not 1 <= day <= calendar.month_length(year, month):
                return None
            days = calendar.days_of(year, month, day)
        if second is None:
            second = fields.get("HOD", 0) * 3600 + fields.get("MINUTE", 0) * 60 + fields.get("SECOND", 0)
        return days * DAY + second * SECOND + nano // 1000
    except ValueError:
        return None


_OF_TIME = frozenset(("HOD", "CHOD", "HOAP", "CHOAP", "AMPM", "MINUTE", "SECOND", "NANO", "MOD", "NOD"))


def _checked(name: str, value: int, least: int = 0) -> int:
    if not least <= value <= _MOST[name]:
        raise ValueError(name)
    return value


def _agreed(fields: Fields, name: str, value: int) -> None:
    if fields.setdefault(name, value) != value:
        raise ValueError(name)


def _resolved_date(fields: Fields) -> int | None:
    if "MJD" in fields:
        return fields["MJD"] - 40_587
    if "YOE" in fields:
        year = fields.pop("YOE")
        if year < 1:
            raise ValueError("YOE")
        era = fields.pop("ERA", None)
        before = era == 0 or (era is None and fields.get("YEAR", 1) <= 0)
        _agreed(fields, "YEAR", 1 - year if before else year)
    year = fields.get("YEAR", 0)
    if {"YEAR", "MONTH", "DOM"} <= fields.keys():
        month, day = _checked("MONTH", fields.pop("MONTH"), 1), _checked("DOM", fields.pop("DOM"), 1)
        return calendar.days_of(year, month, min(day, calendar.month_length(year, month)))
    if {"YEAR", "DOY"} <= fields.keys():
        day = _checked("DOY", fields["DOY"], 1)
        if day == 366 and not calendar.is_leap(year):
            raise ValueError("DOY")
        return calendar.days_of(year, 1, 1) + day - 1
    weekday = fields.get("LDOW", fields["DOW"] % 7 + 1 if "DOW" in fields else None)
    if weekday is None:
        return None
    if not 1 <= weekday <= 7:
        raise ValueError("LDOW")
    if {"WBY", "WEEK"} <= fields.keys():
        week_year, week, *_ = _taken(fields, "WBY", "WEEK", "DOW", "LDOW")
        begin, end = (calendar.week_start(calendar.days_of(week_year + more, 1, 1)) for more in (0, 1))
        # A week after the last one of its year is the last one.
        return begin + weekday - 1 + 7 * (min(_checked("WEEK", week, 1), (end - begin) // 7) - 1)
    if {"YEAR", "MONTH", "WOM"} <= fields.keys():
        _, month, week, *_ = _taken(fields, "YEAR", "MONTH", "WOM", "DOW", "LDOW")
        first = calendar.days_of(year, _checked("MONTH", month, 1), 1)
        return calendar.week_start(first) + weekday - 1 + 7 * (_checked("WOM", week) - 1)
    return None


def _taken(fields: Fields, *names: str) -> list[int]:
    """The values of fields that a date is made of, which then is not compared with them."""
    return [fields.pop(name) for name in names if name in fields]


def _resolved_time(fields: Fields) -> tuple[int, int | None, int]:
    """Days, second of the day, nanosecond; None: the hour is not known."""
    for name, plain, cycle in (("CHOD", "HOD", 24), ("CHOAP", "HOAP", 12)):
        if name in fields:
            _agreed(fields, plain, _checked(name, fields.pop(name)) % cycle)
    if "AMPM" in fields and "HOAP" in fields:
        _agreed(fields, "HOD", fields.pop("AMPM") * 12 + _checked("HOAP", fields.pop("HOAP")))
    for name, unit in (("NOD", 1), ("MOD", 1_000_000)):
        if name in fields:
            nanos = _checked(name, fields.pop(name)) * unit
            _agreed(fields, "HOD", nanos // 3_600_000_000_000)
            _agreed(fields, "MINUTE", nanos // 60_000_000_000 % 60)
            _agreed(fields, "SECOND", nanos // 1_000_000_000 % 60)
            _agreed(fields, "NANO", nanos % 1_000_000_000)
    period = fields.pop("PERIOD", None)
    if period is not None and "HOAP" in fields:
        hour = _checked("HOAP", fields.pop("HOAP"))
        _agreed(fields, "HOD", hour + (12 if _covers(period, (hour + 12) * 60 + fields.get("MINUTE", 0)) else 0))
        period = None
    hour_known = "HOD" in fields
    if not hour_known and not fields.keys() & {"MINUTE", "SECOND", "NANO"}:
        if period is not None:
            middle = (0, 90, 540, 720, 900, 1170)[period]
            return 0, middle * 60, 0
        if "AMPM" in fields:
            return 0, (fields.pop("AMPM") * 12 + 6) * 3600, 0
    hour, minute, second, nano = (fields.get(name, 0) for name in ("HOD", "MINUTE", "SECOND", "NANO"))
    if hour == 24 and hour_known and not minute and not second and not nano:
        del fields["HOD"]
        return 1, 0, 0
    for name in ("HOD", "MINUTE", "SECOND", "NANO", "HOAP"):
        if name in fields:
            _checked(name, fields[name])
    given = fields.keys()
    gap = ("MINUTE" not in given and given & {"SECOND", "NANO"}) or ("SECOND" not in given and "NANO" in given)
    if not hour_known or gap:
        return 0, None, nano
    found = hour * 3600 + minute * 60 + second
    if period is not None and not _covers(period, found // 60):
        raise ValueError("PERIOD")
    return 0, found, nano


def _covers(period: int, minute: int) -> bool:
    ranges = ((0, 1), (1260, 1800), (360, 720), (720, 721), (720, 1080), (1080, 1260))
    start, end = ranges[period]
    return start <= minute < end or start <= minute + 1440 < end
