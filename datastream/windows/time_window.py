"""A span of time."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from struct import Struct
from typing import TYPE_CHECKING

from datastream.errors import FormatError
from datastream.stored_types import stored_as
from datastream.types import TypeSerializer
from datastream.windows.window import Window

if TYPE_CHECKING:
    from datastream.windows.window_assigner import MergingWindowAssigner

_BOUNDS = Struct(">qq")


@stored_as("time_window", lambda window: (window.start, window.end))
class TimeWindow(Window):
    """The timestamps from `start` up to, but without, `end`; both in ms since 1970-01-01T00:00:00Z.

    Windows sort by their start, then by their end.
    """

    # Not a frozen dataclass: one is made for each record and window, and setting its attributes takes half as long.
    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    def max_timestamp(self) -> int:
        """Return the last ms of the window: its end - 1."""
        return self.end - 1

    def intersects(self, other: TimeWindow) -> bool:
        """Return whether the windows overlap or touch, so that sessions of theirs are one."""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: TimeWindow) -> TimeWindow:
        """Return the smallest window that holds both."""
        return TimeWindow(min(self.start, other.start), max(self.end, other.end))

    @staticmethod
    def get_window_start_with_offset(timestamp: int, offset: int, window_size: int) -> int:
        """Return the start of the window that holds a timestamp, where windows follow each other without gaps.

        Args:
            timestamp: In ms, of either sign.
            offset: How far, in ms, the windows are moved from 1970-01-01T00:00:00Z, of either sign.
            window_size: The length of a window in ms.
        """
        return timestamp - (timestamp - offset) % window_size

    @staticmethod
    def merge_windows(windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]) -> None:
        """Find the windows that overlap or touch, and report each group of two or more, the earliest group first.

        Args:
            windows: The windows, in any order; equal ones count once.
            callback: Notified of each group, its windows in order of start, with the window that covers them.
        """
        ordered = sorted(set(windows))
        groups: list[tuple[TimeWindow, list[TimeWindow]]] = []
        for window in ordered:
            if groups and groups[-1][0].intersects(window):
                covering, members = groups[-1]
                members.append(window)
                groups[-1] = (covering.cover(window), members)
            else:
                groups.append((window, [window]))
        for covering, members in groups:
            if len(members) > 1:
                callback.merge(members, covering)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimeWindow) and self.start == other.start and self.end == other.end

    def __lt__(self, other: TimeWindow) -> bool:
        if not isinstance(other, TimeWindow):
            return NotImplemented
        return (self.start, self.end) < (other.start, other.end)

    def __le__(self, other: TimeWindow) -> bool:
        if not isinstance(other, TimeWindow):
            return NotImplemented
        return (self.start, self.end) <= (other.start, other.end)

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    def __repr__(self) -> str:
        return f"TimeWindow(start={self.start}, end={self.end})"


class TimeWindowSerializer(TypeSerializer[TimeWindow]):
    """Writes a `TimeWindow` as its start and end, 8 bytes each, the high byte first."""

    def serialize(self, element: TimeWindow, stream: BytesIO) -> None:
        """Write a window."""
        stream.write(_BOUNDS.pack(element.start, element.end))

    def deserialize(self, stream: BytesIO) -> TimeWindow:
        """Read a window.

        Raises:
            FormatError: The stream ends inside it.
        """
        data = stream.read(_BOUNDS.size)
        if len(data) != _BOUNDS.size:
            raise FormatError(f"expected {_BOUNDS.size} bytes of a TimeWindow, found {len(data)}: the stream ends.")
        return TimeWindow(*_BOUNDS.unpack(data))
