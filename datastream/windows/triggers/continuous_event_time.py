"""Fires again and again while the watermark passes through a window."""

from __future__ import annotations

from typing import Any

from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult
from datastream.windows.triggers.continuous import ContinuousTrigger
from datastream.windows.window import Window


class ContinuousEventTimeTrigger(ContinuousTrigger):
    """Fires whenever the watermark passes a multiple of `interval` inside a window, and at the window's end.

    The multiples count from 1970-01-01T00:00:00Z; the first that counts is after the window's first record.

    Args:
        interval: The time in ms, above 0.

    Raises:
        ValidationError: The interval is out of range.
    """

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at once for a late record; else set the timers of the window's end and of the next multiple."""
        end = window.max_timestamp()
        if end <= ctx.get_current_watermark():
            return TriggerResult.FIRE
        ctx.register_event_time_timer(end)
        self._begin(timestamp, window, ctx)
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at the window's end, and at a multiple, whereupon the next is due."""
        if time == window.max_timestamp():
            return TriggerResult.FIRE
        return self._at_multiple(time, window, ctx, goes_on=True)

    def _set_timer(self, time: int, ctx: Trigger.TriggerContext) -> None:
        ctx.register_event_time_timer(time)

    def _delete_timer(self, time: int, ctx: Trigger.TriggerContext) -> None:
        ctx.delete_event_time_timer(time)
