"""Windows of a number of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.state import ReducingStateDescriptor
from datastream.types import Types, TypeSerializer
from datastream.windows.checks import require_above_zero
from datastream.windows.count_window import CountWindow, CountWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.triggers.count import CountTrigger
from datastream.windows.triggers.purging import PurgingTrigger
from datastream.windows.window_assigner import WindowAssigner


def _add(count: int, more: int) -> int:
    return count + more


#: How many records a key had.
_COUNTER = ReducingStateDescriptor("assigner_counter", _add, Types.LONG())


class _CountWindows(WindowAssigner[Any, CountWindow]):
    """Numbers the records of a key, so that a record's windows follow from its number."""

    def get_window_serializer(self) -> TypeSerializer[Any]:
        """Return a `CountWindowSerializer`."""
        return CountWindowSerializer()

    def is_event_time(self) -> bool:
        """Return False: no record is ever late."""
        return False

    def _number(self, context: WindowAssigner.WindowAssignerContext) -> int:
        counter = context.get_runtime_context().get_reducing_state(_COUNTER)
        number = counter.get() or 0
        counter.add(1)
        return int(number)


def _when_full(window_size: int) -> Trigger[Any, CountWindow]:
    # PyFlink fires without a purge, and keeps the records of full windows for ever. They can never fire again, so
    # purging changes no result.
    return PurgingTrigger.of(CountTrigger.of(window_size))


@dataclass(frozen=True)
class CountTumblingWindowAssigner(_CountWindows):
    """Each `window_size` records of a key are a window. One that never fills emits no result.

    Args:
        window_size: The number of records, above 0.

    Raises:
        ValidationError: The number is out of range.
    """

    window_size: int

    def __post_init__(self) -> None:
        require_above_zero("CountTumblingWindowAssigner", "window_size", self.window_size)

    @staticmethod
    def of(window_size: int) -> CountTumblingWindowAssigner:
        """Return windows of this number of records.

        Raises:
            ValidationError: The number is out of range.
        """
        return CountTumblingWindowAssigner(window_size)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[CountWindow]:
        """Return the window that the record's number falls into, and count the record."""
        return [CountWindow(self._number(context) // self.window_size)]

    def get_default_trigger(self, env: Any) -> Trigger[Any, CountWindow]:
        """Return a trigger that fires and purges a window when it is full."""
        return _when_full(self.window_size)


@dataclass(frozen=True)
class CountSlidingWindowAssigner(_CountWindows):
    """A window of `window_size` records of a key begins with each `window_slide` th of them.

    As in PyFlink, and unlike Flink's `countWindow(size, slide)` in Java, a window emits its result once, when it is
    full: the first after `window_size` records.

    Args:
        window_size: The number of records of a window, above 0.
        window_slide: The number of records from one start to the next, above 0. Above the size, the records between
            windows belong to none.

    Raises:
        ValidationError: One of them is out of range.
    """

    window_size: int
    window_slide: int

    def __post_init__(self) -> None:
        require_above_zero("CountSlidingWindowAssigner", "window_size", self.window_size)
        require_above_zero("CountSlidingWindowAssigner", "window_slide", self.window_slide)

    @staticmethod
    def of(window_size: int, window_slide: int) -> CountSlidingWindowAssigner:
        """Return windows of this number of records.

        Raises:
            ValidationError: One of the numbers is out of range.
        """
        return CountSlidingWindowAssigner(window_size, window_slide)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[CountWindow]:
        """Return the windows that the record's number falls into, the latest first, and count the record."""
        number = self._number(context)
        latest = number // self.window_slide
        earliest = max(0, (number - self.window_size) // self.window_slide + 1)
        return [CountWindow(id) for id in range(latest, earliest - 1, -1)]

    def get_default_trigger(self, env: Any) -> Trigger[Any, CountWindow]:
        """Return a trigger that fires and purges a window when it is full."""
        return _when_full(self.window_size)
