"""Windows of activity: a gap without records ends one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from datastream.time import Duration, Time
from datastream.types import TypeSerializer
from datastream.windows.checks import millis, require_above_zero, require_timestamp
from datastream.windows.dynamic_session import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    SessionWindowTimeGapExtractor,
)
from datastream.windows.time_window import TimeWindow, TimeWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.triggers.event_time import EventTimeTrigger
from datastream.windows.triggers.processing_time import ProcessingTimeTrigger
from datastream.windows.window_assigner import MergingWindowAssigner, WindowAssigner


@dataclass(frozen=True)
class _SessionWindows(MergingWindowAssigner[Any, TimeWindow]):
    """A record's window reaches from its time `session_gap` ms on; windows that overlap or touch become one."""

    session_gap: int

    def __post_init__(self) -> None:
        require_above_zero(type(self).__name__, "gap", self.session_gap)

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        """Report the windows that overlap or touch."""
        TimeWindow.merge_windows(windows, callback)

    def get_window_serializer(self) -> TypeSerializer:
        """Return a `TimeWindowSerializer`."""
        return TimeWindowSerializer()


class EventTimeSessionWindows(_SessionWindows):
    """Sessions by the records' timestamps.

    Args:
        session_gap: The time in ms without records that ends a session, above 0. Records exactly so far apart are
            still one session.

    Raises:
        ValidationError: The gap is out of range.
    """

    @staticmethod
    def with_gap(size: Time | Duration) -> EventTimeSessionWindows:
        """Return sessions that end with this gap.

        Raises:
            ValidationError: The gap is not above zero or not an amount of time.
        """
        return EventTimeSessionWindows(millis("EventTimeSessionWindows", "size", size))

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicEventTimeSessionWindows:
        """Return sessions whose gap each record tells.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return DynamicEventTimeSessionWindows(extractor)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the session of this record alone.

        Raises:
            ValidationError: The record has no timestamp.
        """
        start = require_timestamp("EventTimeSessionWindows", timestamp)
        return [TimeWindow(start, start + self.session_gap)]

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return an `EventTimeTrigger`."""
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        """Return True."""
        return True


class ProcessingTimeSessionWindows(_SessionWindows):
    """Sessions by the machine's clock.

    Args:
        session_gap: The time in ms without records that ends a session, above 0.

    Raises:
        ValidationError: The gap is out of range.
    """

    @staticmethod
    def with_gap(size: Time | Duration) -> ProcessingTimeSessionWindows:
        """Return sessions that end with this gap.

        Raises:
            ValidationError: The gap is not above zero or not an amount of time.
        """
        return ProcessingTimeSessionWindows(millis("ProcessingTimeSessionWindows", "size", size))

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicProcessingTimeSessionWindows:
        """Return sessions whose gap each record tells.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return DynamicProcessingTimeSessionWindows(extractor)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the session of this record alone."""
        start = context.get_current_processing_time()
        return [TimeWindow(start, start + self.session_gap)]

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return a `ProcessingTimeTrigger`."""
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        """Return False."""
        return False
