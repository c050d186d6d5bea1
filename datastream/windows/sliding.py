"""Windows of one length that start at regular intervals, and so may overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError
from datastream.time import Duration, Time
from datastream.types import TypeSerializer
from datastream.windows.checks import millis, require_above_zero, require_timestamp
from datastream.windows.time_window import TimeWindow, TimeWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.triggers.event_time import EventTimeTrigger
from datastream.windows.triggers.processing_time import ProcessingTimeTrigger
from datastream.windows.window_assigner import WindowAssigner


@dataclass(frozen=True)
class _SlidingWindows(WindowAssigner[Any, TimeWindow]):
    """Windows of `size` ms that start each `slide` ms, moved by `offset` ms of either sign.

    Neither need be a multiple of the other. With a slide above the size records between windows belong to none.
    """

    size: int
    slide: int
    offset: int

    def __post_init__(self) -> None:
        name = type(self).__name__
        require_above_zero(name, "size", self.size)
        require_above_zero(name, "slide", self.slide)
        if abs(self.offset) >= self.slide:
            raise ValidationError(
                f"{name} needs an offset shorter than the slide: got {self.offset} ms and {self.slide} ms."
            )

    def get_window_serializer(self) -> TypeSerializer:
        """Return a `TimeWindowSerializer`."""
        return TimeWindowSerializer()

    def _windows_at(self, timestamp: int) -> list[TimeWindow]:
        last = TimeWindow.get_window_start_with_offset(timestamp, self.offset, self.slide)
        return [TimeWindow(start, start + self.size) for start in range(last, timestamp - self.size, -self.slide)]


class SlidingEventTimeWindows(_SlidingWindows):
    """Windows by the records' timestamps that start at regular intervals.

    Args:
        size: The length in ms, above 0.
        slide: The time in ms from one start to the next, above 0.
        offset: How far in ms the starts are moved from multiples of the slide; shorter than the slide, of either sign.

    Raises:
        ValidationError: One of them is out of range.
    """

    @staticmethod
    def of(
        size: Time | Duration, slide: Time | Duration, offset: Time | Duration | None = None
    ) -> SlidingEventTimeWindows:
        """Return windows of this length.

        Args:
            size: The length.
            slide: The time from one start to the next.
            offset: How far the starts are moved; default none.

        Raises:
            ValidationError: One of them is out of range or not an amount of time.
        """
        name = "SlidingEventTimeWindows"
        moved = 0 if offset is None else millis(name, "offset", offset)
        return SlidingEventTimeWindows(millis(name, "size", size), millis(name, "slide", slide), moved)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the windows that hold the record's timestamp, the latest first.

        Raises:
            ValidationError: The record has no timestamp.
        """
        return self._windows_at(require_timestamp("SlidingEventTimeWindows", timestamp))

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return an `EventTimeTrigger`."""
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        """Return True."""
        return True


class SlidingProcessingTimeWindows(_SlidingWindows):
    """Windows by the machine's clock that start at regular intervals.

    Args:
        size: The length in ms, above 0.
        slide: The time in ms from one start to the next, above 0.
        offset: How far in ms the starts are moved from multiples of the slide; shorter than the slide, of either sign.

    Raises:
        ValidationError: One of them is out of range.
    """

    @staticmethod
    def of(
        size: Time | Duration, slide: Time | Duration, offset: Time | Duration | None = None
    ) -> SlidingProcessingTimeWindows:
        """Return windows of this length.

        Args:
            size: The length.
            slide: The time from one start to the next.
            offset: How far the starts are moved; default none.

        Raises:
            ValidationError: One of them is out of range or not an amount of time.
        """
        name = "SlidingProcessingTimeWindows"
        moved = 0 if offset is None else millis(name, "offset", offset)
        return SlidingProcessingTimeWindows(millis(name, "size", size), millis(name, "slide", slide), moved)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the windows that hold the clock's time, the latest first."""
        return self._windows_at(context.get_current_processing_time())

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return a `ProcessingTimeTrigger`."""
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        """Return False."""
        return False
