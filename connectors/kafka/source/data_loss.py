"""What happens when records that a job still has to read are gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from datastream.errors import ValidationError, cut

from ..client.errors import DataLoss
from ..client.log import LOGGER
from ..client.topic_partition import KafkaTopicPartition

Policy = Literal["fail", "earliest", "latest"]

_POLICIES: dict[str, Policy] = {
    "beginning": "earliest",
    "earliest": "earliest",
    "end": "latest",
    "error": "fail",
    "largest": "latest",
    "latest": "latest",
    "none": "fail",
    "smallest": "earliest",
}


def policy_of(properties: Mapping[str, Any]) -> Policy:
    """What ``auto.offset.reset`` says. Default: the job fails.

    Raises:
        ValidationError: it is no value of that property.
    """
    value = str(properties.get("auto.offset.reset", "none"))
    if value.lower() not in _POLICIES:
        raise ValidationError(f"auto.offset.reset: expected earliest, latest or none, got {cut(value)}")
    return _POLICIES[value.lower()]


def lost(policy: Policy, at: KafkaTopicPartition, wanted: int, first: int, end: int) -> int:
    """Where to go on when `wanted` is not there; with a warning.

    Args:
        policy: What the user chose.
        at: The partition.
        wanted: Offset of the next record to read.
        first: The first offset that is there.
        end: The partition's end.

    Raises:
        DataLoss: the user chose nothing.
    """
    what = (
        f"topic {at.topic!r}, partition {at.partition}: the job wants to go on at offset {wanted}, "
        f"but available are offsets {first} to {end}"
    )
    if policy == "fail":
        why = "they have expired (the topic's retention.ms or retention.bytes), or were deleted"
        if wanted > end:
            why = "the topic was deleted and made anew, or its brokers lost records"
        raise DataLoss(
            f"Kafka: {what}: {why}. To go on without these records set the property auto.offset.reset to earliest or "
            "latest; to read anew start the job with another checkpoint directory"
        )
    chosen = first if policy == "earliest" else end
    LOGGER.warning("%s: records are lost; going on at offset %d, as auto.offset.reset=%s says", what, chosen, policy)
    return chosen
