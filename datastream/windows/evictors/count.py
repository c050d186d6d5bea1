"""Keeps the last records."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.windows.checks import require_above_zero
from datastream.windows.evictors.built_in import BuiltInEvictor
from datastream.windows.evictors.evictor import TimestampedValue


@dataclass(frozen=True)
class CountEvictor(BuiltInEvictor):
    """Keeps the last `max_count` records that came into a window.

    Args:
        max_count: The number of records, above 0.
        do_evict_after: Whether the others go after the window function has seen them; default before.

    Raises:
        ValidationError: The number is out of range.
    """

    max_count: int
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        require_above_zero("CountEvictor", "max_count", self.max_count)

    @staticmethod
    def of(max_count: int, do_evict_after: bool = False) -> CountEvictor:
        """Return an evictor that keeps this number of records.

        Raises:
            ValidationError: The number is out of range.
        """
        return CountEvictor(max_count, do_evict_after)

    def kept(self, elements: list[TimestampedValue]) -> list[TimestampedValue]:
        """Return the last records."""
        return elements[-self.max_count :]
