"""Makes another trigger fire after a time at the latest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.state import ValueStateDescriptor
from datastream.time import Duration, Time
from datastream.types import Types
from datastream.windows.checks import millis, require_above_zero
from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult

#: When the time of a window is up.
_TIMEOUT = ValueStateDescriptor("timeout", Types.LONG())


@dataclass(frozen=True)
class ProcessingTimeoutTrigger(Trigger[Any, Any]):
    """Fires when another trigger does, and else a time after a window's first record by the machine's clock.

    As in Flink, every timer makes it fire, those of the other trigger too. It cannot merge windows.
    Flink has it in Java, PyFlink does not.

    Args:
        nested_trigger: The other trigger.
        interval: The time in ms, above 0.
        reset_timer_on_new_record: Whether each record makes the time start anew.
        should_clear_on_timeout: Whether the other trigger forgets its state when a timer fires.

    Raises:
        ValidationError: `nested_trigger` is not a trigger, or the interval is out of range.
    """

    nested_trigger: Trigger[Any, Any]
    interval: int
    reset_timer_on_new_record: bool = False
    should_clear_on_timeout: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.nested_trigger, Trigger):
            raise ValidationError(f"ProcessingTimeoutTrigger needs another Trigger: got {cut(self.nested_trigger)}.")
        require_above_zero("ProcessingTimeoutTrigger", "timeout", self.interval)

    @staticmethod
    def of(
        nested_trigger: Trigger[Any, Any],
        timeout: Time | Duration,
        reset_timer_on_new_record: bool = False,
        should_clear_on_timeout: bool = True,
    ) -> ProcessingTimeoutTrigger:
        """Return a trigger with a time limit.

        Args:
            nested_trigger: The other trigger.
            timeout: The time.
            reset_timer_on_new_record: Whether each record makes the time start anew.
            should_clear_on_timeout: Whether the other trigger forgets its state when a timer fires.

        Raises:
            ValidationError: `nested_trigger` is not a trigger, or the time is not above zero.
        """
        interval = millis("ProcessingTimeoutTrigger", "timeout", timeout)
        return ProcessingTimeoutTrigger(nested_trigger, interval, reset_timer_on_new_record, should_clear_on_timeout)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire if the other trigger does; else see that the time runs."""
        result = self.nested_trigger.on_element(element, timestamp, window, ctx)
        if result.is_fire():
            self.clear(window, ctx)
            return result
        timeout = ctx.get_partitioned_state(_TIMEOUT)
        due = timeout.value()
        if due is not None and self.reset_timer_on_new_record:
            ctx.delete_processing_time_timer(due)
            due = None
        if due is None:
            due = ctx.get_current_processing_time() + self.interval
            timeout.update(due)
            ctx.register_processing_time_timer(due)
        return result

    def on_processing_time(self, time: int, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire; purge if the other trigger says so."""
        return self._fire(self.nested_trigger.on_processing_time(time, window, ctx), window, ctx)

    def on_event_time(self, time: int, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Fire; purge if the other trigger says so."""
        return self._fire(self.nested_trigger.on_event_time(time, window, ctx), window, ctx)

    def on_merge(self, window: Any, ctx: Trigger.OnMergeContext) -> None:
        """Refuse: `can_merge` is False.

        Raises:
            ValidationError: Always.
        """
        raise ValidationError("ProcessingTimeoutTrigger cannot merge windows: use it on windows that do not merge.")

    def clear(self, window: Any, ctx: Trigger.TriggerContext) -> None:
        """Take back the timer, and have the other trigger clear."""
        timeout = ctx.get_partitioned_state(_TIMEOUT)
        due = timeout.value()
        if due is not None:
            ctx.delete_processing_time_timer(due)
            timeout.clear()
        self.nested_trigger.clear(window, ctx)

    def _fire(self, nested: TriggerResult, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        if self.should_clear_on_timeout:
            self.clear(window, ctx)
        return TriggerResult.FIRE_AND_PURGE if nested.is_purge() else TriggerResult.FIRE
