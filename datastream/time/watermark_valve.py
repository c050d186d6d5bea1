"""The watermark of an operator's input that several upstream subtasks send to."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from datastream.errors import ValidationError, cut
from datastream.time.watermark import MIN_WATERMARK

_SMALL = 64


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

    A channel's word takes logarithmic time: there may be as many channels as a topic has partitions.

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
        self._lowest: list[tuple[int, int]] = []  # heap of (watermark, channel) of aligned ones, and of what is over
        self._active = channels
        self._index()

    @classmethod
    def restored(cls, channels: list[Channel], watermark: int, idle: bool) -> WatermarkValve:
        """A valve as it was."""
        valve = cls(0)
        valve.channels, valve.watermark, valve.idle = channels, watermark, idle
        valve._active = sum(not said.idle for said in channels)
        valve._index()
        return valve

    def add(self) -> int:
        """Add a channel, which holds back the watermark from now on; its number."""
        self.channels.append(Channel())
        self._active += 1
        self.idle = False
        self._note(len(self.channels) - 1)
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
        if said.aligned:
            self._note(channel)
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
        self._active -= 1
        self.idle = self._active == 0
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
            self._active += 1
            said.aligned = hold or said.watermark >= self.watermark
            if said.aligned:
                self._note(channel)

    def _raise_to_lowest(self) -> bool:
        while self._lowest:
            watermark, channel = self._lowest[0]
            said = self.channels[channel]
            if said.aligned and said.watermark == watermark:
                return self._raise(watermark)
            heappop(self._lowest)
        return False

    def _note(self, channel: int) -> None:
        """An aligned channel has this watermark from now on."""
        heappush(self._lowest, (self.channels[channel].watermark, channel))
        if len(self._lowest) > 2 * len(self.channels) + _SMALL:  # one holds back the others, which go on
            self._index()

    def _index(self) -> None:
        self._lowest = [(said.watermark, i) for i, said in enumerate(self.channels) if said.aligned]
        heapify(self._lowest)

    def _raise(self, watermark: int) -> bool:
        if watermark <= self.watermark:
            return False
        self.watermark = watermark
        return True
