"""All records of a key in one window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.types import TypeSerializer
from datastream.windows.global_window import GlobalWindow, GlobalWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.triggers.never import NeverTrigger
from datastream.windows.window_assigner import WindowAssigner


@dataclass(frozen=True)
class GlobalWindows(WindowAssigner[Any, GlobalWindow]):
    """Puts all records of a key into one window, which never ends: give it a trigger of your own."""

    @staticmethod
    def create() -> GlobalWindows:
        """Return the assigner."""
        return GlobalWindows()

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[GlobalWindow]:
        """Return the window."""
        return [GlobalWindow.get()]

    def get_default_trigger(self, env: Any) -> Trigger[Any, GlobalWindow]:
        """Return a `NeverTrigger`."""
        return NeverTrigger()

    def get_window_serializer(self) -> TypeSerializer[Any]:
        """Return a `GlobalWindowSerializer`."""
        return GlobalWindowSerializer()

    def is_event_time(self) -> bool:
        """Return False: no record is ever late for the window."""
        return False
