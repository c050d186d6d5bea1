"""What one task reads of one partition in an epoch."""

from __future__ import annotations

from dataclasses import dataclass


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
