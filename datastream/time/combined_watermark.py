"""The watermark of several inputs: the splits of a source, or the inputs of an operator.

For the subtasks in front of one input see `datastream.time.watermark_valve`, which differs in what it does with
an input that wakes up after the others.
"""

from __future__ import annotations

from collections.abc import Hashable

from datastream.time.watermark import MIN_WATERMARK
from datastream.time.watermark_generator import WatermarkOutput


class InputWatermark(WatermarkOutput):
    """The watermark of one input, which never goes back.

    Attributes:
        watermark: In ms; `MIN_WATERMARK` before the first.
        idle: Whether the input no longer counts.
    """

    __slots__ = ("idle", "watermark")

    def __init__(self, watermark: int = MIN_WATERMARK, idle: bool = False) -> None:
        self.watermark = watermark
        self.idle = idle

    def emit_watermark(self, timestamp: int) -> None:
        """Go up to `timestamp`, in ms; one that is lower leaves the watermark. The input is active in either case."""
        self.idle = False
        if timestamp > self.watermark:
            self.watermark = timestamp

    def mark_idle(self) -> None:
        """Count no longer."""
        self.idle = True

    def mark_active(self) -> None:
        """Count again."""
        self.idle = False


class CombinedWatermark:
    """The lowest watermark of the inputs that are not idle. It never goes back.

    An input that is added, or wakes up, after it holds it where it is until it has caught up. When all inputs are
    idle, or there are none, it stays.

    Attributes:
        watermark: In ms; `MIN_WATERMARK` before every active input had one.
        idle: Whether all inputs are idle; False without any input.
        inputs: The inputs by name. Change one, then call `update`.
    """

    def __init__(self, watermark: int = MIN_WATERMARK) -> None:
        self.watermark = watermark
        self.idle = False
        self.inputs: dict[Hashable, InputWatermark] = {}

    def add(self, name: Hashable) -> InputWatermark:
        """Add an input, active and without a watermark, and return it."""
        added = self.inputs[name] = InputWatermark()
        return added

    def remove(self, name: Hashable) -> None:
        """Remove an input; it no longer holds back the others.

        Raises:
            KeyError: There is none of this name.
        """
        del self.inputs[name]

    def update(self) -> bool:
        """Take in what changed.

        Returns:
            Whether the watermark went up.
        """
        active = [one.watermark for one in self.inputs.values() if not one.idle]
        if not active:
            self.idle = bool(self.inputs)
            return False
        self.idle = False
        lowest = min(active)
        if lowest <= self.watermark:
            return False
        self.watermark = lowest
        return True
