"""No watermarks at all."""

from __future__ import annotations

from typing import Any

from datastream.time.watermark_generator import WatermarkGenerator, WatermarkOutput


class NoWatermarks(WatermarkGenerator):
    """Never emits: event time does not advance until bounded input ends."""

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Do nothing."""

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Do nothing."""
