"""Windows of one length that start at regular intervals, and so may overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from datastream.errors import ValidationError
from datastream.time import Duration, Time
from datastream.windows.checks import millis, require_above_zero
from datastream.windows.time_window import TimeWindow
from datastream.windows.time_windows import EventTimeWindows, ProcessingTimeWindows, TimeWindows
from datastream.windows.window_assigner import WindowAssigner


@dataclass(frozen=True)
class _SlidingWindows(TimeWindows):
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

    @classmethod
    def of(cls, size: Time | Duration, slide: Time | Duration, offset: Time | Duration | None = None) -> Self:
        """Return windows of this length.

        Args:
            size: The length.
            slide: The time from one start to the next.
            offset: How far the starts are moved; default none.

        Raises:
            ValidationError: One of them is out of range or not an amount of time.
        """
        name = cls.__name__
        moved = 0 if offset is None else millis(name, "offset", offset)
        return cls(millis(name, "size", size), millis(name, "slide", slide), moved)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the windows that hold the record's time, the latest first.

        Raises:
            ValidationError: Timestamps decide, and the record has none.
        """
        time = self._time(timestamp, context)
        last = TimeWindow.get_window_start_with_offset(time, self.offset, self.slide)
        return [TimeWindow(start, start + self.size) for start in range(last, time - self.size, -self.slide)]


class SlidingEventTimeWindows(EventTimeWindows, _SlidingWindows):
    """Windows by the records' timestamps that start at regular intervals.

    Args:
        size: The length in ms, above 0.
        slide: The time in ms from one start to the next, above 0.
        offset: How far in ms the starts are moved from multiples of the slide; shorter than the slide, of either sign.

    Raises:
        ValidationError: One of them is out of range.
    """


class SlidingProcessingTimeWindows(ProcessingTimeWindows, _SlidingWindows):
    """Windows by the machine's clock that start at regular intervals. Arguments as `SlidingEventTimeWindows`."""
