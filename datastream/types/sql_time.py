"""Types of `datetime.date`, `datetime.time` and `datetime.datetime` values: of SQL, and Java's local ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from datastream.types.type_information import TypeInformation


@dataclass(frozen=True, repr=False)
class DateTypeInfo(TypeInformation):
    """Type of a `datetime.date`."""

    #: The number that Python gives the first day of 1970.
    EPOCH_ORDINAL: ClassVar[int] = 719163

    def __repr__(self) -> str:
        return "DateTypeInfo"


@dataclass(frozen=True, repr=False)
class TimeTypeInfo(TypeInformation):
    """Type of a `datetime.time`."""

    #: What midnight counts from.
    EPOCH_ORDINAL: ClassVar[int] = 0

    def __repr__(self) -> str:
        return "TimeTypeInfo"


@dataclass(frozen=True, repr=False)
class TimestampTypeInfo(TypeInformation):
    """Type of a `datetime.datetime`."""

    def __repr__(self) -> str:
        return "TimestampTypeInfo"


class LocalTimeKind(Enum):
    """What of a local date and time a value holds, valued with the names they are printed as."""

    LOCAL_DATE = "LocalDate"
    LOCAL_TIME = "LocalTime"
    LOCAL_DATE_TIME = "LocalDateTime"


@dataclass(frozen=True, init=False, repr=False)
class LocalTimeTypeInfo(TypeInformation):
    """Type of a `datetime.date`, `datetime.time` or `datetime.datetime` without a time zone (FLIP-130)."""

    TimeType: ClassVar[type[LocalTimeKind]] = LocalTimeKind

    kind: LocalTimeKind

    def __init__(self, time_type: LocalTimeKind) -> None:
        object.__setattr__(self, "kind", time_type)

    def __repr__(self) -> str:
        return self.kind.value
