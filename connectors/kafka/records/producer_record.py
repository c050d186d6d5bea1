"""A record as Kafka keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from datastream.stored_types import stored_as


@stored_as("kafka_producer_record")
@dataclass(frozen=True)
class ProducerRecord:
    """What `KafkaRecordSerializationSchema.serialize` returns for one record.

    Attributes:
        topic: Where it goes.
        value: Its bytes; None is a tombstone, which deletes the key from a compacted topic.
        key: Its key; records with equal keys go to the same partition. Default: none.
        partition: Which partition, from 0. Default: by the hash of the key, as Java's clients do, or any without one.
        timestamp: In ms since 1970. Default: when it is written.
        headers: Pairs of a name and bytes; a name may come twice. Default: none.
    """

    topic: str
    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    timestamp: int | None = None
    headers: Sequence[tuple[str, bytes | None]] | None = None
