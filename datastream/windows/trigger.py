"""When windows give their results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic

from datastream.windows.trigger_result import TriggerResult
from datastream.windows.window import T, W

if TYPE_CHECKING:
    from datastream.state import StateDescriptor


class Trigger(ABC, Generic[T, W]):
    """Says when the windows of an operator give their results and when their contents go.

    One trigger serves all keys and windows: what it has to remember of one of them it keeps in the state that the
    context provides. Timers and state belong to the key and window at hand.
    """

    class TriggerContext(ABC):
        """Valid only during the call it is given to. All times are in ms since 1970-01-01T00:00:00Z."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """Return the time of the machine's clock."""

        @abstractmethod
        def get_metric_group(self) -> Any:
            """Return the metric group of the operator."""

        @abstractmethod
        def get_current_watermark(self) -> int:
            """Return the watermark of the operator."""

        @abstractmethod
        def register_processing_time_timer(self, time: int) -> None:
            """Have `on_processing_time` called when the clock passes `time`; twice for one time is once."""

        @abstractmethod
        def register_event_time_timer(self, time: int) -> None:
            """Have `on_event_time` called when the watermark passes `time`; twice for one time is once."""

        @abstractmethod
        def delete_processing_time_timer(self, time: int) -> None:
            """Take back the processing-time timer of `time`, if there is one."""

        @abstractmethod
        def delete_event_time_timer(self, time: int) -> None:
            """Take back the event-time timer of `time`, if there is one."""

        @abstractmethod
        def get_partitioned_state(self, state_descriptor: StateDescriptor) -> Any:
            """Return the state of this descriptor for the key and window at hand; it does not fail with the task."""

    class OnMergeContext(TriggerContext):
        """The context of windows that become one."""

        @abstractmethod
        def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
            """Move this state of the merged windows to the window that takes their place.

            The descriptor is one of a list, reducing or aggregating state.
            """

    @abstractmethod
    def on_element(self, element: T, timestamp: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Decide when a record was added to a window.

        Args:
            element: The record.
            timestamp: Its timestamp in ms.
            window: The window that it was added to.
            ctx: Provides timers and state.
        """

    @abstractmethod
    def on_processing_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Decide when a processing-time timer fires.

        Args:
            time: The time that the timer was set for, in ms.
            window: The window that it was set for.
            ctx: Provides timers and state.
        """

    @abstractmethod
    def on_event_time(self, time: int, window: W, ctx: Trigger.TriggerContext) -> TriggerResult:
        """Decide when an event-time timer fires.

        Args:
            time: The time that the timer was set for, in ms.
            window: The window that it was set for.
            ctx: Provides timers and state.
        """

    def can_merge(self) -> bool:
        """Return whether `on_merge` is there, as the windows of a `MergingWindowAssigner` need it; default False."""
        return False

    @abstractmethod
    def on_merge(self, window: W, ctx: Trigger.OnMergeContext) -> None:
        """Merge the state of windows that become one and set the timers of that one.

        Those of the merged windows are taken back by `clear`, which is called for each of them afterwards.

        Args:
            window: The window that takes their place.
            ctx: Provides timers and state of that window.
        """

    @abstractmethod
    def clear(self, window: W, ctx: Trigger.TriggerContext) -> None:
        """Take back the timers and clear the state of a window that goes away."""
