"""Fires again and again while the machine's clock goes on."""

from __future__ import annotations

from typing import Any

from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult
from datastream.windows.triggers.continuous import ContinuousTrigger
from datastream.windows.window import Window


class ContinuousProcessingTimeTrigger(ContinuousTrigger):
    """Fires whenever the machine's clock passes a multiple of `interval`, from a window's first record to its end.

    Args:
        interval: The time in ms, above 0.

    Raises:
        ValidationError: The interval is out of range.
    """

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Set the timer of the next multiple, unless one is set."""
        self._begin(ctx.get_current_processing_time(), window, ctx)
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at a multiple, whereupon the next is due."""
        # Flink sets the timer at the window's end again. For a window of event time that lies behind the clock it
        # would fire without an end; so there a record has to come before the window fires again.
        return self._at_multiple(time, window, ctx, goes_on=time < window.max_timestamp())

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def _set_timer(self, time: int, ctx: Trigger.TriggerContext) -> None:
        ctx.register_processing_time_timer(time)

    def _delete_timer(self, time: int, ctx: Trigger.TriggerContext) -> None:
        ctx.delete_processing_time_timer(time)
