"""Methods of `Expression` on times and intervals."""

from __future__ import annotations

from typing import Self

from datastream.table.dsl.base import BaseExpression, microseconds, months, symbol
from datastream.table.dsl.units import TimeIntervalUnit
from datastream.table.plan import expressions as plan
from datastream.table.types.data_types import DataTypes


class TimeMethods(BaseExpression):
    """Times and intervals."""

    __slots__ = ()

    @property
    def to_date(self) -> Self:
        """A text as a DATE."""
        return self._with(plan.Cast(self.node, DataTypes.DATE()))

    @property
    def to_time(self) -> Self:
        """A text as a TIME."""
        return self._with(plan.Cast(self.node, DataTypes.TIME()))

    @property
    def to_timestamp(self) -> Self:
        """A text as a TIMESTAMP(3)."""
        return self._with(plan.Cast(self.node, DataTypes.TIMESTAMP(3)))

    def extract(self, time_interval_unit: TimeIntervalUnit) -> Self:
        """A part of a time, as a number."""
        return self._with(plan.Call("extract", (symbol(time_interval_unit), self.node)))

    def floor(self, time_interval_unit: TimeIntervalUnit | None = None) -> Self:
        """Rounded down: a number to a whole one, a time to a unit."""
        return self._call("floor", *([] if time_interval_unit is None else [time_interval_unit]))

    def ceil(self, time_interval_unit: TimeIntervalUnit | None = None) -> Self:
        """Rounded up: a number to a whole one, a time to a unit."""
        return self._call("ceil", *([] if time_interval_unit is None else [time_interval_unit]))

    @property
    def rowtime(self) -> Self:
        """Of a window: its time as event time. Of a column of a stream: it becomes event time."""
        return self._call("rowtime")

    @property
    def proctime(self) -> Self:
        """Of a window: the machine's time. Of a new column of a stream: the machine's time."""
        return self._call("proctime")

    @property
    def start(self) -> Self:
        """When a window starts."""
        return self._call("windowStart")

    @property
    def end(self) -> Self:
        """When a window ends, which is not part of it."""
        return self._call("windowEnd")

    @property
    def year(self) -> Self:
        """An interval of this number of years; the number is a constant."""
        return self._with(months(self, 12))

    @property
    def years(self) -> Self:
        """An interval of this number of years; the number is a constant."""
        return self._with(months(self, 12))

    @property
    def quarter(self) -> Self:
        """An interval of this number of quarters; the number is a constant."""
        return self._with(months(self, 3))

    @property
    def quarters(self) -> Self:
        """An interval of this number of quarters; the number is a constant."""
        return self._with(months(self, 3))

    @property
    def month(self) -> Self:
        """An interval of this number of months; the number is a constant."""
        return self._with(months(self, 1))

    @property
    def months(self) -> Self:
        """An interval of this number of months; the number is a constant."""
        return self._with(months(self, 1))

    @property
    def week(self) -> Self:
        """An interval of this number of weeks; the number is a constant."""
        return self._with(microseconds(self, 604_800_000_000))

    @property
    def weeks(self) -> Self:
        """An interval of this number of weeks; the number is a constant."""
        return self._with(microseconds(self, 604_800_000_000))

    @property
    def day(self) -> Self:
        """An interval of this number of days; the number is a constant."""
        return self._with(microseconds(self, 86_400_000_000))

    @property
    def days(self) -> Self:
        """An interval of this number of days; the number is a constant."""
        return self._with(microseconds(self, 86_400_000_000))

    @property
    def hour(self) -> Self:
        """An interval of this number of hours; the number is a constant."""
        return self._with(microseconds(self, 3_600_000_000))

    @property
    def hours(self) -> Self:
        """An interval of this number of hours; the number is a constant."""
        return self._with(microseconds(self, 3_600_000_000))

    @property
    def minute(self) -> Self:
        """An interval of this number of minutes; the number is a constant."""
        return self._with(microseconds(self, 60_000_000))

    @property
    def minutes(self) -> Self:
        """An interval of this number of minutes; the number is a constant."""
        return self._with(microseconds(self, 60_000_000))

    @property
    def second(self) -> Self:
        """An interval of this number of seconds; the number is a constant."""
        return self._with(microseconds(self, 1_000_000))

    @property
    def seconds(self) -> Self:
        """An interval of this number of seconds; the number is a constant."""
        return self._with(microseconds(self, 1_000_000))

    @property
    def milli(self) -> Self:
        """An interval of this number of millis; the number is a constant."""
        return self._with(microseconds(self, 1_000))

    @property
    def millis(self) -> Self:
        """An interval of this number of millis; the number is a constant."""
        return self._with(microseconds(self, 1_000))
