"""What a source reads, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError
from datastream.formats import DeserializationSchema

from .cursors import StartCursor, StopCursor
from .properties import Properties
from .service import Service

#: As in Flink: new partitions are looked for every 5 minutes.
_DISCOVERY_MS = 300_000


@dataclass(frozen=True)
class SourceSettings:
    """What is read, and how.

    Attributes:
        service: The cluster.
        topics: Names of topics, or of their partitions.
        subscription: The name of the subscription whose position follows the job.
        schema: How contents become records.
        start: Where a new job starts.
        stop: Where reading stops.
        consumer: What the brokers call the consumers; None: they choose.
        queue: Messages that are fetched before they are read, for each partition.
        discovery_ms: How often new partitions are looked for, in ms; 0: never.
    """

    service: Service
    topics: tuple[str, ...]
    subscription: str
    schema: DeserializationSchema
    start: StartCursor
    stop: StopCursor
    consumer: str | None
    queue: int
    discovery_ms: int


def source_settings(
    given: Mapping[str, Any], properties: Mapping[str, Any], what: str = "PulsarSource"
) -> SourceSettings:
    """The settings of a source.

    Args:
        given: What the builder's methods have set, by name.
        properties: PyFlink's properties.
        what: The source, for errors.

    Raises:
        ValidationError: Something is missing, wrong or unknown.
    """
    known = Properties(
        properties,
        what,
        ("pulsar.client.", "pulsar.admin.", "pulsar.source.", "pulsar.consumer.", "pulsar.subscription."),
    )
    subscription = given.get("subscription") or known.text("pulsar.consumer.subscriptionName")
    if not subscription:
        raise ValidationError(f"{what} needs set_subscription_name")
    if not given.get("topics"):
        raise ValidationError(f"{what} needs set_topics")
    found = SourceSettings(
        known.service(given.get("url"), given.get("admin_url"), given.get("authentication")),
        given["topics"],
        subscription,
        given["schema"],
        given.get("start", StartCursor.default_start_cursor()),
        given.get("stop", StopCursor.default_stop_cursor()),
        given.get("consumer") or known.text("pulsar.consumer.consumerName"),
        known.number("pulsar.consumer.receiverQueueSize", 1000, 1),
        known.number("pulsar.source.partitionDiscoveryIntervalMs", _DISCOVERY_MS, -1),
    )
    known.end()
    return found
