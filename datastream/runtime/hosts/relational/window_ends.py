"""When windows end, in a time zone."""

from __future__ import annotations

from datastream.time.zones import ZoneClock

#: µs in a ms: watermarks and timers are in ms, rows in µs.
MS = 1000


class WindowEnds:
    """Ends of windows in µs of a zone's clock, and watermarks in ms.

    Args:
        zone: The time zone; empty: UTC.

    Attributes:
        zone: Its clock; None: UTC.
    """

    def __init__(self, zone: str) -> None:
        self.zone = ZoneClock(zone) if zone else None
        self._passed: tuple[int, int] | None = None

    def passed(self, watermark: int) -> int:
        """Windows that end here or before have ended at a watermark."""
        instant = (watermark + 1) * MS
        if self.zone is None:
            return instant
        if self._passed is None or self._passed[0] != instant:
            self._passed = instant, self.zone.passed(instant)
        return self._passed[1]

    def instant(self, end: int) -> int:
        """The point in time of an end, in µs."""
        return end if self.zone is None else self.zone.deadline(end)
