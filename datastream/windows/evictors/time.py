"""Keeps the youngest records."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.time import Duration, Time
from datastream.windows.checks import millis, require_above_zero
from datastream.windows.evictors.built_in import BuiltInEvictor
from datastream.windows.evictors.evictor import TimestampedValue


@dataclass(frozen=True)
class TimeEvictor(BuiltInEvictor):
    """Keeps the records whose timestamp is less than `window_size` below the highest in the window.

    If the first record has no timestamp, it keeps all.

    Args:
        window_size: The time in ms, above 0.
        do_evict_after: Whether the others go after the window function has seen them; default before.

    Raises:
        ValidationError: The time is out of range.
    """

    window_size: int
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        require_above_zero("TimeEvictor", "window_size", self.window_size)

    @staticmethod
    def of(window_size: Time | Duration, do_evict_after: bool = False) -> TimeEvictor:
        """Return an evictor that keeps records of this time.

        Raises:
            ValidationError: The time is not above zero or not an amount of time.
        """
        return TimeEvictor(millis("TimeEvictor", "window_size", window_size), do_evict_after)

    def kept(self, elements: list[TimestampedValue]) -> list[TimestampedValue]:
        """Return the youngest records."""
        if elements[0].timestamp is None:
            return elements
        cutoff = max(e.timestamp for e in elements if e.timestamp is not None) - self.window_size
        return [e for e in elements if e.timestamp is not None and e.timestamp > cutoff]
