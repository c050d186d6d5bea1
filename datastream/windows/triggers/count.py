"""Fires after a number of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.state import ReducingStateDescriptor
from datastream.types import Types
from datastream.windows.checks import require_above_zero
from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult
from datastream.windows.window import Window


def _add(count: int, more: int) -> int:
    return count + more


#: How many records a window had since it fired. Of windows that become one, the sum counts.
_COUNT = ReducingStateDescriptor("count", _add, Types.LONG())


@dataclass(frozen=True)
class CountTrigger(Trigger[Any, Any]):
    """Fires each time that `window_size` more records were added to a window.

    Args:
        window_size: The number of records, above 0.

    Raises:
        ValidationError: The number is out of range.
    """

    window_size: int

    def __post_init__(self) -> None:
        require_above_zero("CountTrigger", "window_size", self.window_size)

    @staticmethod
    def of(window_size: int) -> CountTrigger:
        """Return a trigger of this number of records.

        Raises:
            ValidationError: The number is out of range.
        """
        return CountTrigger(window_size)

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Count the record, and fire if it is the last that was missing."""
        count = ctx.get_partitioned_state(_COUNT)
        count.add(1)
        if count.get() < self.window_size:
            return TriggerResult.CONTINUE
        count.clear()
        return TriggerResult.FIRE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        """Return True."""
        return True

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Add up the counts of the merged windows. Only the next record can fire, even if the sum is enough."""
        ctx.merge_partitioned_state(_COUNT)

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Forget the count."""
        ctx.get_partitioned_state(_COUNT).clear()
