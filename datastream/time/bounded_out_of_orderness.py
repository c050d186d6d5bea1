"""Watermarks a fixed time below the highest timestamp."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut
from datastream.time.duration import Duration
from datastream.time.watermark import MIN_WATERMARK
from datastream.time.watermark_generator import WatermarkGenerator, WatermarkOutput


class BoundedOutOfOrdernessWatermarks(WatermarkGenerator):
    """The watermark is the highest timestamp so far, less the bound, less 1 ms.

    1 ms less, since another record may still come with the same timestamp.

    Args:
        max_out_of_orderness: How much later than younger records a record may come; parts of a ms count as none.

    Attributes:
        max_timestamp: The highest timestamp so far, in ms.

    Raises:
        ValidationError: The bound is not a `Duration`, or negative.
    """

    def __init__(self, max_out_of_orderness: Duration) -> None:
        if not isinstance(max_out_of_orderness, Duration) or max_out_of_orderness.nanos < 0:
            raise ValidationError(
                f"max_out_of_orderness must be a Duration of zero or more: got {cut(max_out_of_orderness)}."
            )
        self.out_of_orderness_millis = max_out_of_orderness.to_millis()
        # Before any record the watermark is then exactly the lowest there is.
        self.max_timestamp = MIN_WATERMARK + self.out_of_orderness_millis + 1

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Remember the timestamp if it is the highest."""
        if event_timestamp > self.max_timestamp:
            self.max_timestamp = event_timestamp

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emit the watermark of the highest timestamp."""
        output.emit_watermark(self.max_timestamp - self.out_of_orderness_millis - 1)


class MonotonousTimestampsWatermarks(BoundedOutOfOrdernessWatermarks):
    """The watermark is the highest timestamp so far, less 1 ms: for timestamps that never go down in a split."""

    def __init__(self) -> None:
        super().__init__(Duration(0))
