"""Slices of time: the spans of which windows are whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

#: A slice that is stored apart has how many of its windows have ended in the last digits of its end, in µs: windows are
#: of whole ms.
MOST_WINDOWS = 1000


def slice_length(window: str, size: int, slide: int) -> int:
    """The length of the slices of tumbling, hopping and cumulating windows, in the unit of the arguments."""
    if window == "tumble":
        return size
    return gcd(size, slide) if window == "hop" else slide


def slice_text(length: int, offset: int) -> str:
    """The expression of the end of the slice that the time ``t`` is in."""
    return f"t - (t{f' - {offset}' if offset else ''}) % {length} + {length}"


def stored_by_slice(window: str, size: int, slide: int, zone: str) -> bool:
    """Whether accumulators from before the exchange are stored slice by slice, and not key by key.

    Args:
        window: ``tumble``, ``hop`` or ``cumulate``.
        size: Of a window.
        slide: From window to window.
        zone: Whose clock windows are of.
    """
    return window == "tumble" or (not zone and -(-size // slide) < MOST_WINDOWS)


@dataclass(frozen=True)
class Slicing:
    """Which windows a slice is in; all times are ends, in one unit.

    Attributes:
        window: ``tumble``, ``hop`` or ``cumulate``.
        size: Of a window.
        step: From window to window.
        offset: Of the windows' starts.
        length: Of a slice.
    """

    window: str
    size: int
    step: int
    offset: int
    length: int

    @staticmethod
    def of(window: str, size: int, slide: int, offset: int) -> Slicing:
        """The slices of windows; `slide` counts for nothing where they do not overlap."""
        step = size if window == "tumble" else slide
        return Slicing(window, size, step, offset, slice_length(window, size, slide))

    def first(self, end: int) -> int:
        """The end of the first window that a slice is in."""
        if self.window != "hop":
            return end
        start = end - self.size - self.offset
        return -(-start // self.step) * self.step + self.offset + self.size

    def last(self, end: int) -> int:
        """The end of the last one."""
        if self.window == "tumble":
            return end
        if self.window == "cumulate":
            return self.start(end) + self.size
        start = end - self.length
        return start - (start - self.offset) % self.step + self.size

    def start(self, end: int) -> int:
        """The start of a window that ends there."""
        if self.window != "cumulate":
            return end - self.size
        return end - 1 - (end - 1 - self.offset) % self.size

    def inside(self, end: int) -> range:
        """The slices of a window."""
        return range(self.start(end) + self.length, end + 1, self.length)
