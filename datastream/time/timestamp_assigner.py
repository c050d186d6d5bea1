"""Assigns a timestamp to each record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class TimestampAssigner(ABC):
    """Returns the event time of a record."""

    @abstractmethod
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """Return the event time of `value` in ms since 1970-01-01T00:00:00Z.

        Args:
            value: The record.
            record_timestamp: The timestamp it has from its source, in ms; `NO_TIMESTAMP`, the lowest number of
                64 bits, when it has none.
        """


class BlockTimestampAssigner(TimestampAssigner):
    """One that can take many records at once, which is faster."""

    @abstractmethod
    def timestamps_of(self, values: Sequence[Any]) -> list[int | None]:
        """The timestamps of records, in ms.

        Raises:
            TypeError: A record has none; `extract_timestamp` of it raises what people read.
        """
