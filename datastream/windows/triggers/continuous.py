"""What triggers share that fire at each multiple of an interval."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

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
class ContinuousTrigger(Trigger[Any, Any]):
    """Fires at multiples of `interval` ms, of event time or processing time; they count from 1970-01-01T00:00:00Z."""

    interval: int

    def __post_init__(self) -> None:
        require_above_zero(type(self).__name__, "interval", self.interval)

    @classmethod
    def of(cls, interval: Time | Duration) -> Self:
        """Return a trigger of this interval.

        Raises:
            ValidationError: The interval is not above zero or not an amount of time.
        """
        return cls(millis(cls.__name__, "interval", interval))

    def can_merge(self) -> bool:
        """Return True."""
        return True

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Set the timer of the earliest time at which one of the merged windows would fire."""
        ctx.merge_partitioned_state(_FIRE_TIME)
        next_time = ctx.get_partitioned_state(_FIRE_TIME).get()
        if next_time is not None:
            self._set_timer(next_time, ctx)

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Take back the timer of the next multiple."""
        fire_time = ctx.get_partitioned_state(_FIRE_TIME)
        next_time = fire_time.get()
        if next_time is not None:
            self._delete_timer(next_time, ctx)
            fire_time.clear()

    def register_next_fire_timestamp(
        self, time: int, window: Window, ctx: Trigger.TriggerContext, fire_timestamp_state: ReducingState[int]
    ) -> None:
        """Set the timer one interval after `time`, but at the window's end at the latest."""
        next_time = min(time + self.interval, window.max_timestamp())
        fire_timestamp_state.add(next_time)
        self._set_timer(next_time, ctx)

    def _begin(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> None:
        """A record came: set the timer of the next multiple after `time`, unless one is set."""
        fire_time = ctx.get_partitioned_state(_FIRE_TIME)
        if fire_time.get() is None:
            self.register_next_fire_timestamp(time - time % self.interval, window, ctx, fire_time)

    def _at_multiple(self, time: int, window: Window, ctx: Trigger.TriggerContext, goes_on: bool) -> TriggerResult:
        """Fire if the timer is the one of a multiple, whereupon the next is due."""
        fire_time = ctx.get_partitioned_state(_FIRE_TIME)
        if fire_time.get() != time:
            return TriggerResult.CONTINUE
        fire_time.clear()
        if goes_on:
            self.register_next_fire_timestamp(time, window, ctx, fire_time)
        return TriggerResult.FIRE

    @abstractmethod
    def _set_timer(self, time: int, ctx: Trigger.TriggerContext) -> None:
        """Set a timer of the clock that this trigger goes by."""

    @abstractmethod
    def _delete_timer(self, time: int, ctx: Trigger.TriggerContext) -> None:
        """Take it back."""
