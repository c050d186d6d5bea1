"""Windows of one length that follow each other."""

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
class _TumblingWindows(WindowAssigner[Any, TimeWindow]):
    """Windows of `size` ms whose starts are multiples of it, moved by `offset` ms of either sign."""

    size: int
    offset: int

    def __post_init__(self) -> None:
        name = type(self).__name__
        require_above_zero(name, "size", self.size)
        if abs(self.offset) >= self.size:
            raise ValidationError(
                f"{name} needs an offset shorter than the size: got {self.offset} ms and {self.size} ms."
            )

    def get_window_serializer(self) -> TypeSerializer:
        """Return a `TimeWindowSerializer`."""
        return TimeWindowSerializer()

    def _window_at(self, timestamp: int) -> TimeWindow:
        start = TimeWindow.get_window_start_with_offset(timestamp, self.offset, self.size)
        return TimeWindow(start, start + self.size)


class TumblingEventTimeWindows(_TumblingWindows):
    """Windows of one length by the records' timestamps, without gaps.

    Args:
        size: The length in ms, above 0.
        offset: How far in ms the starts are moved from multiples of the size; shorter than the size, of either sign.

    Raises:
        ValidationError: One of them is out of range.
    """

    @staticmethod
    def of(size: Time | Duration, offset: Time | Duration | None = None) -> TumblingEventTimeWindows:
        """Return windows of this length.

        Args:
            size: The length.
            offset: How far the starts are moved; default none. `Time.hours(-8)` gives days of UTC+8.

        Raises:
            ValidationError: One of them is out of range or not an amount of time.
        """
        name = "TumblingEventTimeWindows"
        return TumblingEventTimeWindows(
            millis(name, "size", size), 0 if offset is None else millis(name, "offset", offset)
        )

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the window of the record's timestamp.

        Raises:
            ValidationError: The record has no timestamp.
        """
        return [self._window_at(require_timestamp("TumblingEventTimeWindows", timestamp))]

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return an `EventTimeTrigger`."""
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        """Return True."""
        return True


class TumblingProcessingTimeWindows(_TumblingWindows):
    """Windows of one length by the machine's clock, without gaps.

    Args:
        size: The length in ms, above 0.
        offset: How far in ms the starts are moved from multiples of the size; shorter than the size, of either sign.

    Raises:
        ValidationError: One of them is out of range.
    """

    @staticmethod
    def of(size: Time | Duration, offset: Time | Duration | None = None) -> TumblingProcessingTimeWindows:
        """Return windows of this length.

        Args:
            size: The length.
            offset: How far the starts are moved; default none. `Time.hours(-8)` gives days of UTC+8.

        Raises:
            ValidationError: One of them is out of range or not an amount of time.
        """
        name = "TumblingProcessingTimeWindows"
        return TumblingProcessingTimeWindows(
            millis(name, "size", size), 0 if offset is None else millis(name, "offset", offset)
        )

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the window of the clock's time."""
        return [self._window_at(context.get_current_processing_time())]

    def get_default_trigger(self, env: Any) -> Trigger[Any, TimeWindow]:
        """Return a `ProcessingTimeTrigger`."""
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        """Return False."""
        return False
