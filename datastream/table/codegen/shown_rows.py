"""Rows as errors show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from datastream.table.types.logical_types import (
    DataType,
    DateType,
    LocalZonedTimestampType,
    TimestampType,
    TimeType,
)
from datastream.table.types.type_traits import traits_of

_TIMES = (DateType, TimeType, TimestampType, LocalZonedTimestampType)


@dataclass(frozen=True)
class ShownRow:
    """A function: a row -> it with dates and times as texts, which are whole numbers inside.

    Attributes:
        width: How many values a row has; others are left as they are.
        times: Place and type of its dates and times.
        zone: In which points in time are shown.
    """

    width: int
    times: tuple[tuple[int, DataType], ...]
    zone: str

    def __call__(self, row: Any) -> Any:
        if not isinstance(row, tuple) or len(row) != self.width:
            return row
        shown, zone = list(row), ZoneInfo(self.zone)
        for place, kind in self.times:
            if isinstance(shown[place], int):
                shown[place] = traits_of(kind).shown(zone)(shown[place])
        return tuple(shown)


def shown_row(kinds: Sequence[DataType], first: int, zone: str) -> Callable[[Any], Any] | None:
    """What shows rows of columns; None: they have no times.

    Args:
        kinds: The columns' types.
        first: How many values stand before them.
        zone: In which points in time are shown.
    """
    times = tuple((place + first, kind) for place, kind in enumerate(kinds) if isinstance(kind, _TIMES))
    return ShownRow(len(kinds) + first, times, zone) if times else None
