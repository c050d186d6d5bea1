"""Types of `datetime.date`, `datetime.time` and `datetime.datetime` values."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.types.type_information import TypeInformation


@dataclass(frozen=True, repr=False)
class DateTypeInfo(TypeInformation):
    """Type of a `datetime.date`."""

    def __repr__(self) -> str:
        return "DateTypeInfo"


@dataclass(frozen=True, repr=False)
class TimeTypeInfo(TypeInformation):
    """Type of a `datetime.time`."""

    def __repr__(self) -> str:
        return "TimeTypeInfo"


@dataclass(frozen=True, repr=False)
class TimestampTypeInfo(TypeInformation):
    """Type of a `datetime.datetime`."""

    def __repr__(self) -> str:
        return "TimestampTypeInfo"
