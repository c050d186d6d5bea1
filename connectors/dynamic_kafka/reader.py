"""Reads splits of several clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from datastream.connectors.kafka import KafkaRecordDeserializationSchema
from datastream.connectors.kafka.source.data_loss import policy_of
from datastream.connectors.kafka.source.reader import KafkaReader
from datastream.io import Batch, ReaderContext, SourceReader

from .enumerator import DynamicKafkaSplit


class DynamicKafkaReader(SourceReader):
    """A `KafkaReader` for each cluster.

    Args:
        deserializer: How Kafka's records become the job's.
        context: The place.
    """

    def __init__(self, deserializer: KafkaRecordDeserializationSchema, context: ReaderContext) -> None:
        self._deserializer, self._context = deserializer, context
        self._made: dict[str, tuple[Mapping[str, Any], KafkaReader]] = {}

    def read(self, split: DynamicKafkaSplit) -> Iterator[Batch]:
        known = self._made.get(split.cluster)
        if known is not None and known[0] != split.properties:  # a password has changed, say
            known[1].close()
            known = None
        if known is None:
            policy = policy_of(split.properties)
            made = KafkaReader(split.properties, self._deserializer, policy, self._context)
            known = self._made[split.cluster] = split.properties, made
        yield from known[1].read(split.split)

    def idle(self) -> None:
        for _, reader in self._made.values():
            reader.idle()

    def close(self) -> None:
        for _, reader in self._made.values():
            reader.close()
