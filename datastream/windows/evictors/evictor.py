"""What leaves a window before or after its result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple

from datastream.stored_types import stored_as
from datastream.windows.window import T, W


@stored_as("timestamped_value", tuple)
class TimestampedValue(NamedTuple):
    """A record of a window.

    Attributes:
        value: The record.
        timestamp: Its timestamp in ms, or None without one.
    """

    value: Any
    timestamp: int | None


class Evictor(ABC, Generic[T, W]):
    """Removes records from a window when it fires. Flink has evictors in Java, PyFlink does not.

    A window with an evictor holds its records until it fires, even with a reduce or aggregate function.
    """

    class EvictorContext(ABC):
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
    def evict_before(
        self, elements: list[TimestampedValue], size: int, window: W, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove what the window function shall not see; it leaves the window for good.

        Args:
            elements: The records in the order they came in; change this list.
            size: How many there are.
            window: The window.
            evictor_context: Provides the time.
        """

    @abstractmethod
    def evict_after(
        self, elements: list[TimestampedValue], size: int, window: W, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove what the window shall not keep after the window function has run.

        Args:
            elements: The records in the order they came in; change this list.
            size: How many there are.
            window: The window.
            evictor_context: Provides the time.
        """
