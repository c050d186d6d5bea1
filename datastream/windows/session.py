"""Windows of activity: a gap without records ends one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from datastream.time import Duration, Time
from datastream.windows.checks import millis, require_above_zero
from datastream.windows.dynamic_session import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    SessionWindowTimeGapExtractor,
)
from datastream.windows.time_window import TimeWindow
from datastream.windows.time_windows import EventTimeWindows, MergingTimeWindows, ProcessingTimeWindows
from datastream.windows.window_assigner import WindowAssigner


@dataclass(frozen=True)
class _SessionWindows(MergingTimeWindows):
    """A record's window reaches from its time `session_gap` ms on; windows that overlap or touch become one."""

    session_gap: int

    def __post_init__(self) -> None:
        require_above_zero(type(self).__name__, "gap", self.session_gap)

    @classmethod
    def with_gap(cls, size: Time | Duration) -> Self:
        """Return sessions that end with this gap.

        Raises:
            ValidationError: The gap is not above zero or not an amount of time.
        """
        return cls(millis(cls.__name__, "size", size))

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the session of this record alone.

        Raises:
            ValidationError: Timestamps decide, and the record has none.
        """
        start = self._time(timestamp, context)
        return [TimeWindow(start, start + self.session_gap)]


class EventTimeSessionWindows(EventTimeWindows, _SessionWindows):
    """Sessions by the records' timestamps.

    Args:
        session_gap: The time in ms without records that ends a session, above 0. Records exactly so far apart are
            still one session.

    Raises:
        ValidationError: The gap is out of range.
    """

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicEventTimeSessionWindows:
        """Return sessions with a gap by record.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return DynamicEventTimeSessionWindows(extractor)


class ProcessingTimeSessionWindows(ProcessingTimeWindows, _SessionWindows):
    """Sessions by the machine's clock. Arguments as `EventTimeSessionWindows`."""

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicProcessingTimeSessionWindows:
        """Return sessions with a gap by record.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return DynamicProcessingTimeSessionWindows(extractor)
