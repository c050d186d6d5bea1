"""Slices of time: the spans of which windows are whole numbers."""

from __future__ import annotations

from math import gcd


def slice_length(window: str, size: int, slide: int) -> int:
    """The length of the slices of tumbling, hopping and cumulating windows, in the unit of the arguments."""
    if window == "tumble":
        return size
    return gcd(size, slide) if window == "hop" else slide


def slice_text(length: int, offset: int) -> str:
    """The expression of the end of the slice that the time ``t`` is in."""
    return f"t - (t{f' - {offset}' if offset else ''}) % {length} + {length}"
