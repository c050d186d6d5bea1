"""Numbers as text for people: counts, rates, times, sizes."""

from __future__ import annotations

from datetime import datetime

UNKNOWN = "-"
_UNITS = (("G", 1e9), ("M", 1e6), ("k", 1e3))


def count(value: float | None) -> str:
    """``12``, ``1.5k``, ``27.0M``."""
    if value is None:
        return UNKNOWN
    for unit, size in _UNITS:
        if abs(value) >= 10 * size or (unit != "k" and abs(value) >= size):
            return f"{value / size:.1f}{unit}"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 10 else f"{value:.1f}"


def size(value: float | None) -> str:
    """``12 B``, ``1.5 kB``, ``27.0 MB``."""
    if value is None:
        return UNKNOWN
    for unit, step in _UNITS:
        if abs(value) >= step:
            return f"{value / step:.1f} {unit}B"
    return f"{value:,.0f} B"


def percent(value: float | None) -> str:
    """A share."""
    return UNKNOWN if value is None else f"{100 * value:.0f} %"


def duration(ms: float | None) -> str:
    """``350 ms``, ``4.2 s``, ``3m 05s``, ``2h 03m``, ``5d 04h``."""
    if ms is None:
        return UNKNOWN
    if abs(ms) < 1000:
        return f"{ms:.0f} ms"
    seconds = ms / 1000
    if abs(seconds) < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02}s"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours}h {minutes:02}m"
    days, hours = divmod(hours, 24)
    return f"{days}d {hours:02}h"


def moment(ms: float | None) -> str:
    """A time since 1970, in the local zone."""
    if ms is None:
        return UNKNOWN
    try:
        return datetime.fromtimestamp(ms / 1000).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):  # the end of event time
        return "end"
