"""Blocks: what travels between stages, and what a task gathers to send. Spark sees five small integers and bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

#: Channels of blocks that carry no records: to the next level, and to the commit.
CONTROL = -1
REPORT = -2
_RESTORED = -3

#: Records a block holds at most, unless they are large.
BLOCK_RECORDS = 4096
#: Bytes that a block should not exceed by much.
BLOCK_BYTES = 1 << 20


def restored_channel(operator: int) -> int:
    """The channel of blocks with state that an operator had in a savepoint."""
    return _RESTORED - operator


def restored_operator(channel: int) -> int:
    """The operator whose restored state travels on a channel; negative: it is no such channel."""
    return _RESTORED - channel


class Block(NamedTuple):
    """One row between two stages.

    Attributes:
        slot: Subtask that must get it.
        channel: Id of the graph edge it travels on, CONTROL, REPORT, or one of `restored_channel`.
        origin: Who made it: level << 32 | subtask.
        sequence: Its number among the blocks of that origin in this epoch.
        size: Records inside.
        data: Pickled list of records; on a keyed channel a pair (keys, records).
    """

    slot: int
    channel: int
    origin: int
    sequence: int
    size: int
    data: bytes


def by_slot(blocks: Iterable[Block]) -> list[tuple[int, list[Block]]]:
    """The subtasks that get blocks, in order, each with its own: what an exchange does."""
    received: defaultdict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        received[block.slot].append(block)
    return sorted(received.items())


@dataclass
class TaskMetrics:
    """Counts of one task, by operator id."""

    records_in: dict[int, int] = field(default_factory=dict)
    records_out: dict[int, int] = field(default_factory=dict)

    def add(self, other: TaskMetrics) -> None:
        for mine, theirs in (
            (self.records_in, other.records_in),
            (self.records_out, other.records_out),
        ):
            for op, n in theirs.items():
                mine[op] = mine.get(op, 0) + n


class Outbox:
    """Gathers the blocks of one task, numbered in the order in which they were made.

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
