"""Functions that take parts out of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from datastream.time.timestamp_assigner import BlockTimestampAssigner


def no_key(row: Any) -> tuple[()]:
    """The key of all rows where there are no keys."""
    return ()


def key_selector(indexes: list[int]) -> Any:
    """A function: row -> its key: a value of a single column, or a tuple."""
    return itemgetter(*indexes) if indexes else no_key


@dataclass
class RowTime(BlockTimestampAssigner):
    """Timestamps by a column, in µs.

    Args:
        index: The column's.
        name: Its name, for errors.
    """

    index: int
    name: str = field(compare=False)

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """The time of a row, in ms."""
        time = value[self.index]
        if time is None:
            raise ValueError(f"the time attribute '{self.name}' must not be NULL")
        found: int = time // 1000
        return found

    def timestamps_of(self, values: Sequence[Any]) -> list[int | None]:
        """Those of rows."""
        index = self.index
        return [value[index] // 1000 for value in values]


#: The time of a row that is deleted by its key alone: no watermark follows from it.
_LONG_AGO = -(1 << 62)
_DELETE = 3


@dataclass
class TimeOfChange(RowTime):
    """The same of rows with their kind in front, of which those that are deleted may have no time."""

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """The time of a row, in ms."""
        if value[0] == _DELETE and value[self.index] is None:
            return _LONG_AGO
        return super().extract_timestamp(value, record_timestamp)

    def timestamps_of(self, values: Sequence[Any]) -> list[int | None]:
        """Those of rows."""
        return [self.extract_timestamp(value, _LONG_AGO) for value in values]
