"""Blocks: what travels between stages. Spark sees five small integers and opaque bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

#: Channels of blocks that carry no records: to the next level, and to the commit.
CONTROL = -1
REPORT = -2

#: Records a block holds at most, unless they are large.
BLOCK_RECORDS = 4096
#: Bytes that a block should not exceed by much.
BLOCK_BYTES = 1 << 20


class Block(NamedTuple):
    """One row between two stages.

    Attributes:
        slot: Subtask that must get it.
        channel: Id of the graph edge it travels on, or CONTROL or REPORT.
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
