"""How many records of a source run through its chain at a time: few where each becomes large."""

from __future__ import annotations

from .blocks import BLOCK_BYTES

_FIRST = 256
_MOST = 1 << 20
_BYTES = 8 * BLOCK_BYTES


class Slices:
    """Learns the size of slices from what leaves a task; with each task anew, so that a replay cuts as before.

    Attributes:
        size: Records of the next slice.
    """

    def __init__(self) -> None:
        self.size = _FIRST

    def sent(self, records: int, size: int) -> None:
        """A slice of this number of records made the task send this number of bytes."""
        if size > _BYTES:
            self.size = max(1, min(self.size, records * _BYTES // size))
        elif records >= self.size:
            self.size = min(self.size * 4, _MOST)
