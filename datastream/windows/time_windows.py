"""What assigners of time windows share: by the records' timestamps, or by the machine's clock."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from datastream.types import TypeSerializer
from datastream.windows.checks import require_timestamp
from datastream.windows.time_window import TimeWindow, TimeWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.triggers.event_time import EventTimeTrigger
from datastream.windows.triggers.processing_time import ProcessingTimeTrigger
from datastream.windows.window_assigner import MergingWindowAssigner, WindowAssigner


class TimeWindows(WindowAssigner[Any, TimeWindow]):
    """Windows of event time or processing time."""

    def get_window_serializer(self) -> TypeSerializer[Any]:
        """Return a `TimeWindowSerializer`."""
        return TimeWindowSerializer()

    @abstractmethod
    def _time(self, timestamp: int, context: WindowAssigner.WindowAssignerContext) -> int:
        """The time in ms that decides to which windows a record belongs."""


class EventTimeWindows(TimeWindows):
    """The records' timestamps decide."""

    def _time(self, timestamp: int, context: WindowAssigner.WindowAssignerContext) -> int:
        return require_timestamp(type(self).__name__, timestamp)

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return an `EventTimeTrigger`."""
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        """Return True."""
        return True


class ProcessingTimeWindows(TimeWindows):
    """The machine's clock decides."""

    def _time(self, timestamp: int, context: WindowAssigner.WindowAssignerContext) -> int:
        return context.get_current_processing_time()

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return a `ProcessingTimeTrigger`."""
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        """Return False."""
        return False


class MergingTimeWindows(TimeWindows, MergingWindowAssigner[Any, TimeWindow]):
    """Windows that become one where they overlap or touch."""

    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        """Report the windows that overlap or touch."""
        TimeWindow.merge_windows(windows, callback)
