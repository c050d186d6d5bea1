"""Where reading starts and stops, by PyFlink's names, and the offsets that this stands for at a moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from datastream.errors import ValidationError, cut

from ..client.cluster import Cluster
from ..client.log import LOGGER
from ..client.topic_partition import KafkaTopicPartition, Offsets

Kind = Literal["earliest", "latest", "timestamp", "committed", "offsets"]


class KafkaOffsetResetStrategy(Enum):
    """Where to read a partition for which no offset is known, or one that is no longer there.

    Values:
        LATEST: At the end of the partition.
        EARLIEST: At its first record.
        NONE: Nowhere: that is an error.
    """

    LATEST = 0
    EARLIEST = 1
    NONE = 2


@dataclass(frozen=True)
class KafkaOffsetsInitializer:
    """Which offset of each partition a job starts, or stops, at. Made by its static methods.

    Attributes:
        kind: Which of them.
        at_ms: For ``timestamp``: ms since 1970.
        known: For ``offsets``: the offsets given.
        reset: What holds for partitions without an offset.
    """

    kind: Kind
    at_ms: int = 0
    known: tuple[tuple[KafkaTopicPartition, int], ...] = ()
    reset: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.NONE

    @staticmethod
    def earliest() -> KafkaOffsetsInitializer:
        """The first record that is still there."""
        return KafkaOffsetsInitializer("earliest")

    @staticmethod
    def latest() -> KafkaOffsetsInitializer:
        """The end of each partition when the job starts."""
        return KafkaOffsetsInitializer("latest")

    @staticmethod
    def timestamp(timestamp: int) -> KafkaOffsetsInitializer:
        """The first record with a timestamp not before `timestamp`; the end where there is none.

        Args:
            timestamp: ms since 1970.

        Raises:
            ValidationError: it is no int or below 0.
        """
        if not isinstance(timestamp, int) or isinstance(timestamp, bool) or timestamp < 0:
            raise ValidationError(f"timestamp: expected ms since 1970, got {cut(timestamp)}")
        return KafkaOffsetsInitializer("timestamp", timestamp)

    @staticmethod
    def committed_offsets(
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.NONE,
    ) -> KafkaOffsetsInitializer:
        """What the consumer group has committed.

        Args:
            offset_reset_strategy: For partitions for which it has committed nothing. Default: an error.
        """
        return KafkaOffsetsInitializer("committed", reset=_strategy(offset_reset_strategy))

    @staticmethod
    def offsets(
        offsets: Mapping[KafkaTopicPartition, int],
        offset_reset_strategy: KafkaOffsetResetStrategy = KafkaOffsetResetStrategy.EARLIEST,
    ) -> KafkaOffsetsInitializer:
        """Given offsets.

        Args:
            offsets: By partition. Others use what the consumer group has committed, if anything, as in Flink.
            offset_reset_strategy: For those that have neither. Default: their first record.

        Raises:
            ValidationError: a key is no KafkaTopicPartition, or a value no int from 0.
        """
        for partition, offset in offsets.items():
            if not isinstance(partition, KafkaTopicPartition):
                raise ValidationError(f"offsets: expected KafkaTopicPartition as key, got {cut(partition)}")
            if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
                raise ValidationError(f"offsets: expected an offset from 0 for {partition}, got {cut(offset)}")
        known = tuple(sorted(offsets.items()))
        return KafkaOffsetsInitializer("offsets", known=known, reset=_strategy(offset_reset_strategy))


def _strategy(found: object) -> KafkaOffsetResetStrategy:
    if not isinstance(found, KafkaOffsetResetStrategy):
        raise ValidationError(f"expected a KafkaOffsetResetStrategy, got {type(found).__name__} {cut(found)}")
    return found


def resolve(
    initializer: KafkaOffsetsInitializer,
    partitions: Iterable[KafkaTopicPartition],
    cluster: Cluster,
    group: str | None,
) -> Offsets:
    """An offset for each partition.

    Raises:
        ValidationError: there is no committed offset, and no reset strategy.
        KafkaFailure: brokers refuse to answer, or do not for too long.
    """
    wanted = list(partitions)
    match initializer.kind:
        case "earliest":
            return cluster.earliest(wanted)
        case "latest":
            return cluster.latest(wanted)
        case "timestamp":
            return cluster.at(wanted, initializer.at_ms)
    known = dict(initializer.known)
    found = {at: known[at] for at in wanted if at in known}
    rest = [at for at in wanted if at not in found]
    if group and rest:
        found |= cluster.committed(group, rest)
    return found | _reset(initializer.reset, [at for at in wanted if at not in found], cluster, group)


def within(initializer: KafkaOffsetsInitializer, offsets: Offsets, cluster: Cluster) -> Offsets:
    """Starting offsets that are there: those of records that are gone are reset, as the initializer says.

    Raises:
        ValidationError: an offset is not there, and the initializer has no reset strategy.
    """
    if initializer.kind not in ("committed", "offsets"):
        return offsets
    first, end = cluster.earliest(offsets), cluster.latest(offsets, committed=False)
    gone = [at for at in offsets if not first[at] <= offsets[at] <= end[at]]
    for at in gone:
        what = f"topic {at.topic!r}, partition {at.partition}: offset {offsets[at]} is not there"
        if initializer.reset is KafkaOffsetResetStrategy.NONE:
            raise ValidationError(
                f"Kafka: {what}; available are {first[at]} to {end[at]}. Start elsewhere, or give a "
                "KafkaOffsetResetStrategy of EARLIEST or LATEST"
            )
        LOGGER.warning("%s (available are %d to %d): %s", what, first[at], end[at], initializer.reset.name)
    return offsets | _reset(initializer.reset, gone, cluster, None)


def _reset(
    strategy: KafkaOffsetResetStrategy, partitions: list[KafkaTopicPartition], cluster: Cluster, group: str | None
) -> Offsets:
    if not partitions:
        return {}
    match strategy:
        case KafkaOffsetResetStrategy.EARLIEST:
            return cluster.earliest(partitions)
        case KafkaOffsetResetStrategy.LATEST:
            return cluster.latest(partitions)
    at = partitions[0]
    raise ValidationError(
        f"Kafka: consumer group {group!r} has committed no offset for topic {at.topic!r}, partition {at.partition}; "
        "commit one, or give KafkaOffsetsInitializer.committed_offsets a KafkaOffsetResetStrategy"
    )
