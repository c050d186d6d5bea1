"""What a task sends: blocks, numbered in the order in which they were made."""

from __future__ import annotations

from .blocks import BLOCK_BYTES, Block


class Outbox:
    """Gathers the blocks of one task.

    Args:
        origin: Who makes them: level << 32 | subtask.

    Attributes:
        sent: Bytes of all blocks so far.
    """

    def __init__(self, origin: int) -> None:
        self._origin = origin
        self._sequence = 0
        self._blocks: list[Block] = []
        self._bytes = self.sent = 0

    def emit(self, slot: int, channel: int, count: int, data: bytes) -> None:
        """Make a block of records and send it."""
        self.pass_on(Block(slot, channel, self._origin, self._sequence, count, data))
        self._sequence += 1

    def pass_on(self, block: Block) -> None:
        """Send a block that is there."""
        self._blocks.append(block)
        self._bytes += len(block.data)
        self.sent += len(block.data)

    @property
    def full(self) -> bool:
        """Whether some megabytes are ready."""
        return self._bytes > 4 * BLOCK_BYTES

    def take(self) -> list[Block]:
        """What is ready."""
        blocks, self._blocks, self._bytes = self._blocks, [], 0
        return blocks
