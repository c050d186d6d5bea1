"""What makes watermarks out of the records of one split."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class WatermarkOutput(ABC):
    """Takes the watermarks of one split. One that is not above the last is left out."""

    @abstractmethod
    def emit_watermark(self, timestamp: int) -> None:
        """Say that no record at or before `timestamp`, in ms, is expected any more, and that the split is active."""

    @abstractmethod
    def mark_idle(self) -> None:
        """Stop holding back the watermark of the other splits."""

    @abstractmethod
    def mark_active(self) -> None:
        """Hold back the watermark of the other splits again."""


class WatermarkGenerator(ABC):
    """Makes the watermarks of one split, by the record or now and then.

    A generator is made anew for each split and epoch. What it emits below what it emitted before is left out.
    """

    @abstractmethod
    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """See a record, and emit a watermark if it calls for one.

        Args:
            event: The record.
            event_timestamp: Its timestamp in ms.
            output: Takes watermarks.
        """

    @abstractmethod
    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emit the watermark of what was seen so far; called after some records, and when there are none."""


class WatermarksOfRows(WatermarkGenerator):
    """Makes the watermarks of a table, each of its row alone."""

    @abstractmethod
    def of_row(self, row: Any) -> int | None:
        """The watermark of a row, in ms; None: it makes none."""

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        watermark = self.of_row(event)
        if watermark is not None:
            output.emit_watermark(watermark)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emit nothing more."""
