"""Which windows a record belongs to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from datastream.windows.window import T, W, Window

if TYPE_CHECKING:
    from datastream.functions import RuntimeContext
    from datastream.types import TypeSerializer
    from datastream.windows.trigger import Trigger

W2 = TypeVar("W2", bound=Window)


class WindowAssigner(ABC, Generic[T, W]):
    """Says which windows a record belongs to. One assigner serves all keys."""

    class WindowAssignerContext(ABC):
        """Valid only during the call it is given to."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """Return the time of the machine's clock in ms since 1970-01-01T00:00:00Z."""

        @abstractmethod
        def get_runtime_context(self) -> RuntimeContext:
            """Return the task's facts, and the state of the record's key."""

    @abstractmethod
    def assign_windows(
        self, element: T, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> Collection[W]:
        """Return the windows of a record; none drops it.

        Args:
            element: The record.
            timestamp: Its timestamp in ms; `NO_TIMESTAMP` when it has none.
            context: Provides the time and the state.
        """

    @abstractmethod
    def get_default_trigger(self, env: Any) -> Trigger[T, W]:
        """Return the trigger of windows whose user names none.

        Args:
            env: The job's environment.
        """

    @abstractmethod
    def get_window_serializer(self) -> TypeSerializer[Any]:
        """Return what writes the windows to state."""

    @abstractmethod
    def is_event_time(self) -> bool:
        """Return whether windows end by the watermark; else they end by the machine's clock."""


class MergingWindowAssigner(WindowAssigner[T, W]):
    """An assigner whose windows become one where they meet, as sessions do."""

    class MergeCallback(ABC, Generic[W2]):
        """Called for windows that are merged into one."""

        @abstractmethod
        def merge(self, to_be_merged: Iterable[W2], merge_result: W2) -> None:
            """Take note of one merge.

            Args:
                to_be_merged: Two or more windows.
                merge_result: The window that takes their place.
            """

    @abstractmethod
    def merge_windows(self, windows: Iterable[W], callback: MergingWindowAssigner.MergeCallback[W]) -> None:
        """Find out which windows become one.

        Args:
            windows: All windows of a key.
            callback: Called for each merge.
        """
