"""Windows of one length that follow each other."""

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
class _TumblingWindows(TimeWindows):
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

    @classmethod
    def of(cls, size: Time | Duration, offset: Time | Duration | None = None) -> Self:
        """Return windows of this length.

        Args:
            size: The length.
            offset: How far the starts are moved; default none. `Time.hours(-8)` makes days of UTC+8.

        Raises:
            ValidationError: One of them is out of range or not an amount of time.
        """
        name = cls.__name__
        return cls(millis(name, "size", size), 0 if offset is None else millis(name, "offset", offset))

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the window of the record's time.

        Raises:
            ValidationError: Timestamps decide, and the record has none.
        """
        start = TimeWindow.get_window_start_with_offset(self._time(timestamp, context), self.offset, self.size)
        return [TimeWindow(start, start + self.size)]


class TumblingEventTimeWindows(EventTimeWindows, _TumblingWindows):
    """Windows of one length by the records' timestamps, without gaps.

    Args:
        size: The length in ms, above 0.
        offset: How far in ms the starts are moved from multiples of the size; shorter than the size, of either sign.

    Raises:
        ValidationError: One of them is out of range.
    """


class TumblingProcessingTimeWindows(ProcessingTimeWindows, _TumblingWindows):
    """Windows of one length by the machine's clock, without gaps. Arguments as `TumblingEventTimeWindows`."""
