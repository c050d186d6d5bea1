"""What tasks read of partitions in an epoch: ranges of offsets, and how its records are shared out among them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class KafkaSplit:
    """A range of offsets of a partition. It may hold fewer records: offsets have gaps.

    Attributes:
        topic: The topic.
        partition: The partition.
        start: Offset of the first record.
        end: Offset after the last one.
        ahead: Topic, partition and start of what the same task most likely reads next; to fetch it meanwhile.
    """

    topic: str
    partition: int
    start: int
    end: int
    ahead: tuple[tuple[str, int, int], ...] = ()

    @property
    def lane(self) -> str:
        """The partition, which has a watermark of its own."""
        return f"{self.topic}-{self.partition}"


def divide_budget(backlog: Mapping[K, int], budget: int) -> dict[K, int]:
    """How many records of each partition the next epoch should read, in proportion to its backlog.

    So all partitions catch up at the same time. Each with a backlog gets at least one record, so with more partitions
    than `budget` the sum is their number.

    Args:
        backlog: Records that wait, by partition. Partitions with none get none.
        budget: About how many records in all.
    """
    waiting = {key: count for key, count in backlog.items() if count > 0}
    total = sum(waiting.values())
    if total <= max(budget, len(waiting)):
        return waiting
    # One for each, and of the rest a share for what else waits: rounded down, so that a few are left over.
    rest = max(budget - len(waiting), 0)
    given = {key: 1 + (count - 1) * rest // (total - len(waiting)) for key, count in waiting.items()}
    left = len(waiting) + rest - sum(given.values())
    for key in sorted(waiting, key=lambda key: waiting[key], reverse=True)[:left]:
        given[key] += 1
    return given
