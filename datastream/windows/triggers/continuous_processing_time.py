"""Fires again and again while the machine's clock goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.state import ReducingState, ReducingStateDescriptor
from datastream.time import Duration, Time
from datastream.types import Types
from datastream.windows.checks import millis, require_above_zero
from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult
from datastream.windows.window import Window


def _earlier(one: int, other: int) -> int:
    return min(one, other)


#: When a window fires next. Of windows that become one, the earliest counts.
_FIRE_TIME = ReducingStateDescriptor("fire-time", _earlier, Types.LONG())


@dataclass(frozen=True)
class ContinuousProcessingTimeTrigger(Trigger[Any, Any]):
    """Fires whenever the machine's clock passes a multiple of `interval`, from a window's first record to its end.

    Args:
        interval: The time in ms, above 0.

    Raises:
        ValidationError: The interval is out of range.
    """

    interval: int

    def __post_init__(self) -> None:
        require_above_zero("ContinuousProcessingTimeTrigger", "interval", self.interval)

    @staticmethod
    def of(interval: Time | Duration) -> ContinuousProcessingTimeTrigger:
        """Return a trigger of this interval.

        Raises:
            ValidationError: The interval is not above zero or not an amount of time.
        """
        return ContinuousProcessingTimeTrigger(millis("ContinuousProcessingTimeTrigger", "interval", interval))

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Set the timer of the next multiple, unless one is set."""
        fire_time = ctx.get_partitioned_state(_FIRE_TIME)
        if fire_time.get() is None:
            now = ctx.get_current_processing_time()
            self.register_next_fire_timestamp(now - now % self.interval, window, ctx, fire_time)
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire at a multiple, whereupon the next is due."""
        fire_time = ctx.get_partitioned_state(_FIRE_TIME)
        if fire_time.get() != time:
            return TriggerResult.CONTINUE
        fire_time.clear()
        # Flink sets the timer at the window's end again. For a window of event time that lies behind the clock it
        # would fire without an end; so there a record has to come before the window fires again.
        if time < window.max_timestamp():
            self.register_next_fire_timestamp(time, window, ctx, fire_time)
        return TriggerResult.FIRE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        """Return True."""
        return True

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Set the timer of the earliest time at which one of the merged windows would fire."""
        ctx.merge_partitioned_state(_FIRE_TIME)
        next_time = ctx.get_partitioned_state(_FIRE_TIME).get()
        if next_time is not None:
            ctx.register_processing_time_timer(next_time)

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Take back the timer of the next multiple."""
        fire_time = ctx.get_partitioned_state(_FIRE_TIME)
        next_time = fire_time.get()
        if next_time is not None:
            ctx.delete_processing_time_timer(next_time)
            fire_time.clear()

    def register_next_fire_timestamp(
        self, time: int, window: Window, ctx: Trigger.TriggerContext, fire_timestamp_state: ReducingState[int]
    ) -> None:
        """Set the timer one interval after `time`, but at the window's end at the latest."""
        next_time = min(time + self.interval, window.max_timestamp())
        fire_timestamp_state.add(next_time)
        ctx.register_processing_time_timer(next_time)
