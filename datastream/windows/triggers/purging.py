"""Makes another trigger purge whenever it fires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult


@dataclass(frozen=True)
class PurgingTrigger(Trigger[Any, Any]):
    """Another trigger, after whose firing the contents of the window go.

    Args:
        nested_trigger: The other trigger.

    Raises:
        ValidationError: It is not a trigger.
    """

    nested_trigger: Trigger[Any, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.nested_trigger, Trigger):
            raise ValidationError(f"PurgingTrigger needs another Trigger: got {cut(self.nested_trigger)}.")

    @staticmethod
    def of(nested_trigger: Trigger[Any, Any]) -> PurgingTrigger:
        """Return the purging form of a trigger.

        Raises:
            ValidationError: It is not a trigger.
        """
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Ask the other trigger."""
        return _purging(self.nested_trigger.on_element(element, timestamp, window, ctx))

    def on_processing_time(self, time: int, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Ask the other trigger."""
        return _purging(self.nested_trigger.on_processing_time(time, window, ctx))

    def on_event_time(self, time: int, window: Any, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Ask the other trigger."""
        return _purging(self.nested_trigger.on_event_time(time, window, ctx))

    def can_merge(self) -> bool:
        """Return whether the other trigger can."""
        return self.nested_trigger.can_merge()

    def on_merge(self, window: Any, ctx: Trigger.OnMergeContext) -> None:
        """Have the other trigger merge."""
        self.nested_trigger.on_merge(window, ctx)

    def clear(self, window: Any, ctx: Trigger.TriggerContext) -> None:
        """Have the other trigger clear."""
        self.nested_trigger.clear(window, ctx)


def _purging(result: TriggerResult) -> TriggerResult:
    return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result
