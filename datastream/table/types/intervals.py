"""Data types of intervals, and the units that they are made of."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, ClassVar

from datastream.errors import ValidationError
from datastream.table.types.logical_types import AtomicType

_US = dt.timedelta(microseconds=1)


@dataclass(frozen=True)
class Resolution:
    """A unit of an interval.

    Attributes:
        unit: The unit.
        precision: Digits of days or years, or of a second's fraction; -1: the unit has none.
    """

    class IntervalUnit(Enum):
        """The units."""

        SECOND = 0
        MINUTE = 1
        HOUR = 2
        DAY = 3
        MONTH = 4
        YEAR = 5

    unit: IntervalUnit
    precision: int = -1

    def __str__(self) -> str:
        return f"{self.unit}({self.precision})"


class YearMonthIntervalType(AtomicType):
    """An interval of years and months.

    Args:
        resolution: From which unit to which.
        precision: Digits of the years, 1 to 4.
        nullable: Whether the column may be NULL.
    """

    class YearMonthResolution(IntEnum):
        """From which unit to which."""

        YEAR = 1
        MONTH = 2
        YEAR_TO_MONTH = 3

    DEFAULT_PRECISION: ClassVar[int] = 2

    resolution: YearMonthResolution
    precision: int

    def __init__(
        self, resolution: YearMonthResolution, precision: int = DEFAULT_PRECISION, nullable: bool = True
    ) -> None:
        super().__init__(nullable)
        if not 1 <= precision <= 4:
            raise ValidationError(f"DataTypes.YEAR: precision must be from 1 to 4, got {precision}")
        self.resolution, self.precision = resolution, precision

    def _arguments(self) -> tuple[Any, ...]:
        return self.resolution, self.precision

    def __repr__(self) -> str:
        return f"YearMonthIntervalType({str(self._nullable).lower()})"


class DayTimeIntervalType(AtomicType):
    """An interval of days, hours, minutes and seconds.

    Args:
        resolution: From which unit to which.
        day_precision: Digits of the days, 1 to 6.
        fractional_precision: Digits of the second's fraction, 0 to 9.
        nullable: Whether the column may be NULL.
    """

    class DayTimeResolution(Enum):
        """From which unit to which."""

        DAY = 1
        DAY_TO_HOUR = 2
        DAY_TO_MINUTE = 3
        DAY_TO_SECOND = 4
        HOUR = 5
        HOUR_TO_MINUTE = 6
        HOUR_TO_SECOND = 7
        MINUTE = 8
        MINUTE_TO_SECOND = 9
        SECOND = 10

    DEFAULT_DAY_PRECISION: ClassVar[int] = 2
    DEFAULT_FRACTIONAL_PRECISION: ClassVar[int] = 6

    resolution: DayTimeResolution
    day_precision: int
    fractional_precision: int

    def __init__(
        self,
        resolution: DayTimeResolution,
        day_precision: int = DEFAULT_DAY_PRECISION,
        fractional_precision: int = DEFAULT_FRACTIONAL_PRECISION,
        nullable: bool = True,
    ) -> None:
        super().__init__(nullable)
        if not 1 <= day_precision <= 6:
            raise ValidationError(f"DataTypes.DAY: precision must be from 1 to 6, got {day_precision}")
        if not 0 <= fractional_precision <= 9:
            raise ValidationError(f"DataTypes.SECOND: precision must be from 0 to 9, got {fractional_precision}")
        self.resolution = resolution
        self.day_precision, self.fractional_precision = day_precision, fractional_precision

    def _arguments(self) -> tuple[Any, ...]:
        return self.resolution, self.day_precision, self.fractional_precision

    def _converts(self) -> bool:
        return True

    def _to_sql(self, value: Any) -> Any:
        return value // _US

    def _from_sql(self, value: Any) -> Any:
        return value * _US

    def __repr__(self) -> str:
        return f"DayTimeIntervalType({str(self._nullable).lower()})"


def sql_interval(unit: str) -> DayTimeIntervalType | YearMonthIntervalType:
    """The type that SQL has for all intervals of years and months, or of days to seconds.

    Args:
        unit: Any of theirs, such as ``DAY``.
    """
    if unit in ("YEAR", "QUARTER", "MONTH"):
        return YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution.MONTH)
    return DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.SECOND, fractional_precision=3)


def interval_of(upper: Resolution, lower: Resolution | None) -> DayTimeIntervalType | YearMonthIntervalType:
    """The type of intervals from one unit down to another.

    Raises:
        ValidationError: there is no such interval.
    """
    name = upper.unit.name if lower is None else f"{upper.unit.name}_TO_{lower.unit.name}"
    units = {resolution.unit: resolution.precision for resolution in (upper, *filter(None, [lower]))}
    if name in YearMonthIntervalType.YearMonthResolution.__members__:
        years = units.get(Resolution.IntervalUnit.YEAR, YearMonthIntervalType.DEFAULT_PRECISION)
        return YearMonthIntervalType(YearMonthIntervalType.YearMonthResolution[name], years)
    if name in DayTimeIntervalType.DayTimeResolution.__members__:
        days = units.get(Resolution.IntervalUnit.DAY, DayTimeIntervalType.DEFAULT_DAY_PRECISION)
        seconds = units.get(Resolution.IntervalUnit.SECOND, DayTimeIntervalType.DEFAULT_FRACTIONAL_PRECISION)
        return DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution[name], days, seconds)
    raise ValidationError(
        f"DataTypes.INTERVAL: there is no interval {name.replace('_', ' ')}; "
        "years go to months, and days, hours, minutes to anything smaller down to seconds"
    )
