"""Points in time, taken apart into the fields of Java's DateTimeFormatter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from datastream.table.functions import java_calendar as calendar
from datastream.table.functions.text_forms import SECOND


@dataclass(frozen=True)
class Moment:
    """A TIMESTAMP, taken apart."""

    year: int
    month: int
    day: int
    days: int
    second_of_day: int
    nano: int

    @property
    def hour(self) -> int:
        return self.second_of_day // 3600

    @property
    def weekday(self) -> int:
        return calendar.weekday_of(self.days)

    def number(self, name: str) -> int:
        """The value of a field of numbers."""
        return VALUES[name](self)


def moment_of(micros: int) -> Moment:
    """The fields of µs since 1970."""
    seconds, fraction = divmod(micros, SECOND)
    days, second_of_day = divmod(seconds, 86_400)
    return Moment(*calendar.date_of(days), days, second_of_day, fraction * 1000)


def _week(moment: Moment) -> tuple[int, int]:
    """The year that the week is of, and its number; weeks begin on Sunday, the first one has 1 January."""
    year = moment.year + (moment.days >= calendar.week_start(calendar.days_of(moment.year + 1, 1, 1)))
    return year, (moment.days - calendar.week_start(calendar.days_of(year, 1, 1))) // 7 + 1


VALUES: Mapping[str, Callable[[Moment], int]] = {
    "YOE": lambda m: m.year if m.year > 0 else 1 - m.year,
    "ERA": lambda m: int(m.year > 0),
    "YEAR": lambda m: m.year,
    "MONTH": lambda m: m.month,
    "QUARTER": lambda m: (m.month + 2) // 3,
    "DOY": lambda m: m.days - calendar.days_of(m.year, 1, 1) + 1,
    "DOM": lambda m: m.day,
    "DOW": lambda m: (m.weekday - 2) % 7 + 1,
    "LDOW": lambda m: m.weekday,
    "ADOW": lambda m: (m.day - 1) % 7 + 1,
    "HOD": lambda m: m.hour,
    "CHOD": lambda m: m.hour or 24,
    "HOAP": lambda m: m.hour % 12,
    "CHOAP": lambda m: m.hour % 12 or 12,
    "AMPM": lambda m: m.hour // 12,
    "MINUTE": lambda m: m.second_of_day // 60 % 60,
    "SECOND": lambda m: m.second_of_day % 60,
    "NANO": lambda m: m.nano,
    "MOD": lambda m: m.second_of_day * 1000 + m.nano // 1_000_000,
    "NOD": lambda m: m.second_of_day * 1_000_000_000 + m.nano,
    "MJD": lambda m: m.days + 40_587,
    "WEEK": lambda m: _week(m)[1],
    "WBY": lambda m: _week(m)[0],
    "WOM": lambda m: (m.days - calendar.week_start(calendar.days_of(m.year, m.month, 1))) // 7 + 1,
}
