"""The offsets that an initializer stands for, at this moment."""

from __future__ import annotations

from collections.abc import Iterable

from datastream.errors import ValidationError

from ..client.cluster import Cluster
from ..client.log import LOGGER
from ..client.topic_partition import KafkaTopicPartition, Offsets
from .offsets_initializer import KafkaOffsetResetStrategy, KafkaOffsetsInitializer


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
