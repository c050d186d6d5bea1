"""Sessions with a gap by record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from datastream.errors import ValidationError, cut
from datastream.windows.checks import require_above_zero
from datastream.windows.time_window import TimeWindow
from datastream.windows.time_windows import EventTimeWindows, MergingTimeWindows, ProcessingTimeWindows
from datastream.windows.window_assigner import WindowAssigner


class SessionWindowTimeGapExtractor(ABC):
    """Extracts the gap after a record."""

    @abstractmethod
    def extract(self, element: Any) -> int:
        """Return the time in ms without records that ends a session after `element`, above 0."""


@dataclass(frozen=True)
class _DynamicSessionWindows(MergingTimeWindows):
    """A record's window reaches from its time the record's gap on; windows that overlap or touch become one."""

    session_window_time_gap_extractor: SessionWindowTimeGapExtractor

    def __post_init__(self) -> None:
        if not callable(getattr(self.session_window_time_gap_extractor, "extract", None)):
            raise ValidationError(
                f"{type(self).__name__} needs a SessionWindowTimeGapExtractor: "
                f"got {cut(self.session_window_time_gap_extractor)}."
            )

    @classmethod
    def with_dynamic_gap(cls, extractor: SessionWindowTimeGapExtractor) -> Self:
        """Return sessions with the gaps of this extractor.

        Raises:
            ValidationError: The extractor has no `extract`.
        """
        return cls(extractor)

    def assign_windows(
        self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext
    ) -> list[TimeWindow]:
        """Return the session of this record alone.

        Raises:
            ValidationError: Timestamps decide, and the record has none; or its gap is not above zero.
        """
        start = self._time(timestamp, context)
        gap = self.session_window_time_gap_extractor.extract(element)
        require_above_zero(type(self).__name__, "gap in ms from its extractor", gap)
        return [TimeWindow(start, start + gap)]


class DynamicEventTimeSessionWindows(EventTimeWindows, _DynamicSessionWindows):
    """Sessions by the records' timestamps, with a gap by record.

    Args:
        session_window_time_gap_extractor: Extracts the gap.

    Raises:
        ValidationError: The extractor has no `extract`.
    """


class DynamicProcessingTimeSessionWindows(ProcessingTimeWindows, _DynamicSessionWindows):
    """Sessions by the machine's clock, with a gap by record. Arguments as `DynamicEventTimeSessionWindows`."""
