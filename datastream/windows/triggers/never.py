"""Never fires."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult
from datastream.windows.window import Window


@dataclass(frozen=True)
class NeverTrigger(Trigger[Any, Any]):
    """Never fires: the default of `GlobalWindows`."""

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Do nothing."""
        return TriggerResult.CONTINUE

    def on_merge(self, window: Window, ctx: Trigger.OnMergeContext) -> None:
        """Do nothing."""

    def clear(self, window: Window, ctx: Trigger.TriggerContext) -> None:
        """Do nothing."""
