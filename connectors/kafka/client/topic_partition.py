"""A partition of a topic, by PyFlink's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from datastream.errors import ValidationError, cut
from datastream.stored_types import stored_as


@stored_as("kafka_topic_partition")
@dataclass(frozen=True, order=True)
class KafkaTopicPartition:
    """A partition of a topic.

    Attributes:
        topic: The topic's name.
        partition: The partition's number, from 0.

    Raises:
        ValidationError: no name, or a number below 0.
    """

    topic: str
    partition: int

    def __post_init__(self) -> None:
        if not isinstance(self.topic, str) or not self.topic:
            raise ValidationError(f"KafkaTopicPartition: expected a topic's name, got {cut(self.topic)}")
        if not isinstance(self.partition, int) or isinstance(self.partition, bool) or self.partition < 0:
            raise ValidationError(f"KafkaTopicPartition: expected a number from 0, got {cut(self.partition)}")

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


Offsets = dict[KafkaTopicPartition, int]


def to_json(offsets: Mapping[KafkaTopicPartition, int]) -> dict[str, dict[str, int]]:
    """Offsets as JSON: topic -> partition -> offset, in order."""
    found: dict[str, dict[str, int]] = {}
    for at in sorted(offsets):
        found.setdefault(at.topic, {})[str(at.partition)] = offsets[at]
    return found


def from_json(offsets: Mapping[str, Mapping[str, int]]) -> Offsets:
    """What `to_json` took."""
    return dict(_pairs(offsets))


def _pairs(offsets: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[KafkaTopicPartition, int]]:
    for topic, partitions in offsets.items():
        for partition, offset in partitions.items():
            yield KafkaTopicPartition(topic, int(partition)), offset
