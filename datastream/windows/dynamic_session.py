"""Sessions whose gap each record tells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.types import TypeSerializer
from datastream.windows.checks import require_above_zero, require_timestamp
from datastream.windows.time_window import TimeWindow, TimeWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.triggers.event_time import EventTimeTrigger
from datastream.windows.triggers.processing_time import ProcessingTimeTrigger
from datastream.windows.window_assigner import MergingWindowAssigner, WindowAssigner


class SessionWindowTimeGapExtractor(ABC):
    """Tells the gap after a record."""

    @abstractmethod
    def extract(self, element: Any) -> int:
        """Return the time in ms without records that ends a session after `element`, above 0."""


@dataclass(frozen=True)
class _DynamicSessionWindows(MergingWindowAssigner[Any, TimeWindow]):
    """A record's window reaches from its time the record's gap on; windows that overlap or touch become one."""

    session_window_time_gap_extractor: SessionWindowTimeGapExtractor

    def __post_init__(self) -> None:
        if not callable(getattr(self.session_window_time_gap_extractor, "extract", None)):
            raise ValidationError(
                f"{type(self).__name__} needs a SessionWindowTimeGapExtractor: "
                f"got {cut(self.session_window_time_gap_extractor)}."
            )

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        """Report the windows that overlap or touch."""
        TimeWindow.merge_windows(windows, callback)

    def get_window_serializer(self) -> TypeSerializer:
        """Return a `TimeWindowSerializer`."""
        return TimeWindowSerializer()

    def _session(self, element: Any, start: int) -> TimeWindow:
        gap = self.session_window_time_gap_extractor.extract(element)
        require_above_zero(type(self).__name__, "gap in ms from its extractor", gap)
        return TimeWindow(start, start + gap)


class DynamicEventTimeSessionWindows(_DynamicSessionWindows):
    """Sessions by the records' timestamps, whose gap each record tells.

    Args:
        session_window_time_gap_extractor: Tells the gap.

    Raises:
        ValidationError: The extractor has no `extract`.
    """

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicEventTimeSessionWindows:
        """Return sessions with the gaps of this extractor.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return DynamicEventTimeSessionWindows(extractor)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the session of this record alone.

        Raises:
            ValidationError: The record has no timestamp, or its gap is not above zero.
        """
        return [self._session(element, require_timestamp("DynamicEventTimeSessionWindows", timestamp))]

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return an `EventTimeTrigger`."""
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        """Return True."""
        return True


class DynamicProcessingTimeSessionWindows(_DynamicSessionWindows):
    """Sessions by the machine's clock, whose gap each record tells.

    Args:
        session_window_time_gap_extractor: Tells the gap.

    Raises:
        ValidationError: The extractor has no `extract`.
    """

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicProcessingTimeSessionWindows:
        """Return sessions with the gaps of this extractor.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return DynamicProcessingTimeSessionWindows(extractor)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the session of this record alone.

        Raises:
            ValidationError: The record's gap is not above zero.
        """
        return [self._session(element, context.get_current_processing_time())]

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return a `ProcessingTimeTrigger`."""
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        """Return False."""
        return False
