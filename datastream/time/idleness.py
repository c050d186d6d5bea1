"""Splits that have nothing to say for a while no longer hold back the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.time.duration import Duration
from datastream.time.watermark_generator import WatermarkGenerator, WatermarkOutput


class IdlenessTimer:
    """Decides whether there was no activity for longer than a time.

    As in Flink the time starts with the first look that finds nothing new, not with the last record: what a
    slow look missed never makes a split idle.

    Args:
        idle_timeout: The time; a split is idle when it is exceeded.
    """

    def __init__(self, idle_timeout: Duration) -> None:
        self.idle_timeout = idle_timeout
        self._active = False
        self._quiet_since: int | None = None

    def activity(self) -> None:
        """Note that a record came."""
        self._active = True

    def is_idle(self, now: int) -> bool:
        """Look whether the time is over.

        Args:
            now: The clock's time in ms.
        """
        if self._active:
            self._active = False
            self._quiet_since = None
            return False
        if self._quiet_since is None:
            self._quiet_since = now
            return False
        return (now - self._quiet_since) * 1_000_000 > self.idle_timeout.nanos


class WatermarksWithIdleness(WatermarkGenerator):
    """Another generator's watermarks, and idle when no record came for a time.

    Args:
        watermarks: The other generator.
        idle_timeout: The time, above zero.
        clock: Returns the time in ms; a function that can be pickled by name.

    Raises:
        ValidationError: The time is not a `Duration`, or not above zero.
    """

    def __init__(self, watermarks: WatermarkGenerator, idle_timeout: Duration, clock: Callable[[], int]) -> None:
        if not isinstance(idle_timeout, Duration) or idle_timeout.nanos <= 0:
            raise ValidationError(f"idle_timeout must be a Duration above zero: got {cut(idle_timeout)}.")
        self.watermarks = watermarks
        self._timer = IdlenessTimer(idle_timeout)
        self._clock = clock
        self._idle = False

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Hand the record to the other generator and start waiting anew."""
        self.watermarks.on_event(event, event_timestamp, output)
        self._timer.activity()
        self._idle = False

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Mark the split idle once it is; else let the other generator emit, which makes it active."""
        if not self._timer.is_idle(self._clock()):
            self.watermarks.on_periodic_emit(output)
        elif not self._idle:
            output.mark_idle()
            self._idle = True
