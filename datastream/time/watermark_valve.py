"""The watermark of an operator's input that several upstream subtasks send to."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError, cut
from datastream.time.watermark import MIN_WATERMARK


@dataclass(slots=True)
class Channel:
    """What one upstream subtask said.

    Attributes:
        watermark: Its last watermark in ms.
        idle: Whether it is idle.
        aligned: Whether it counts: it is active and has caught up with what the valve gave on.
    """

    watermark: int = MIN_WATERMARK
    idle: bool = False
    aligned: bool = True


class WatermarkValve:
    """The lowest watermark of the aligned channels, by the rules of Flink's `StatusWatermarkValve`.

    - It never goes back. A channel's watermark that is not above its last one is ignored, and so is every one of an
      idle channel: it must become active first.
    - An idle channel does not count. When the last one becomes idle that held the watermark back, the watermark goes
      up to the highest of all channels: nothing else could let it go on.
    - A channel that becomes active behind the watermark counts once it has caught up; until then it does not hold
      back the others. (The inputs of a `CombinedWatermark` do.)

    Args:
        channels: How many there are at first.

    Attributes:
        watermark: In ms; `MIN_WATERMARK` before there is one.
        idle: Whether all channels are idle.
        channels: What each channel said.

    Raises:
        ValidationError: A negative number of channels.
    """

    def __init__(self, channels: int) -> None:
        if channels < 0:
            raise ValidationError(f"a watermark valve cannot have {cut(channels)} channels.")
        self.watermark = MIN_WATERMARK
        self.idle = False
        self.channels = [Channel() for _ in range(channels)]

    def add(self) -> int:
        """Add a channel, which holds back the watermark from now on; its number."""
        self.channels.append(Channel())
        self.idle = False
        return len(self.channels) - 1

    def advance(self, channel: int, watermark: int) -> bool:
        """Take a channel's watermark, in ms.

        Returns:
            Whether the valve's watermark went up.
        """
        said = self.channels[channel]
        if said.idle or watermark <= said.watermark:
            return False
        said.watermark = watermark
        if watermark >= self.watermark:
            said.aligned = True
        return self._raise_to_lowest()

    def mark_idle(self, channel: int) -> bool:
        """Take a channel's word that it is idle.

        Returns:
            Whether the valve's watermark went up.
        """
        said = self.channels[channel]
        if said.idle:
            return False
        said.idle, said.aligned = True, False
        held_back = said.watermark == self.watermark
        self.idle = all(other.idle for other in self.channels)
        if not held_back:
            return False
        return self._raise(max(c.watermark for c in self.channels)) if self.idle else self._raise_to_lowest()

    def mark_active(self, channel: int, hold: bool = False) -> None:
        """Take a channel's word that it is active again. The watermark stays.

        Args:
            channel: Its number.
            hold: It counts at once, though it be behind. (Flink's does not.)
        """
        said = self.channels[channel]
        if said.idle:
            said.idle = self.idle = False
            said.aligned = hold or said.watermark >= self.watermark

    def _raise_to_lowest(self) -> bool:
        aligned = [c.watermark for c in self.channels if c.aligned]
        return bool(aligned) and self._raise(min(aligned))

    def _raise(self, watermark: int) -> bool:
        if watermark <= self.watermark:
            return False
        self.watermark = watermark
        return True
