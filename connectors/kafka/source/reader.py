"""Reads splits, and fetches ahead what is likely to be read next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from datastream.formats.dead_letters import dead_letters_in
from datastream.formats.schema import dead_letter_tags
from datastream.io import Batch, ReaderContext, SourceReader

from ..records.consumer_record import KafkaRecordDeserializationSchema, read_block, read_timed_block
from .data_loss import Policy
from .partition_reader import PartitionReader, Place
from .splits import KafkaSplit

MOST = 4
"""Consumers that a reader keeps."""


class KafkaReader(SourceReader):
    """Some consumers, each assigned to one partition at a time; those used last are at the end.

    Args:
        properties: Of the client.
        deserializer: How Kafka's records become the job's.
        policy: What happens when records are gone.
        context: The place.
    """

    def __init__(
        self,
        properties: Mapping[str, Any],
        deserializer: KafkaRecordDeserializationSchema,
        policy: Policy,
        context: ReaderContext,
    ) -> None:
        self._properties = properties
        self._deserializer = deserializer
        self._policy: Policy = policy
        self._timestamps = context.timestamps
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if dead_letter_tags(deserializer) else None
        self._consumers: list[PartitionReader] = []

    def read(self, split: KafkaSplit) -> Iterator[Batch]:
        place = (split.topic, split.partition, split.start)
        ahead = split.ahead[: MOST - 1]
        consumer = self._assigned(place, ahead)
        for next_place in ahead:
            self._assigned(next_place, (place, *ahead))
        try:
            for messages in consumer.messages(split, self._policy):
                self._bytes.inc(sum(map(len, messages)))
                if self._timestamps:
                    batch = Batch(*read_timed_block(self._deserializer, messages, split.topic, split.partition))
                else:
                    batch = Batch(read_block(self._deserializer, messages, split.topic, split.partition))
                if self._dead is not None:
                    self._dead.inc(dead_letters_in(batch.records))
                yield batch
        except BaseException:  # it is not known how far it has read
            if consumer in self._consumers:
                self._consumers.remove(consumer)
                consumer.close()
            raise

    def places(self) -> list[Place]:
        """What is fetched before it is read."""
        return [consumer.place for consumer in self._consumers if consumer.place is not None]

    def idle(self) -> None:
        # A consumer that is assigned asks its broker some hundred times a second, also when nothing is read.
        for consumer in self._consumers:
            consumer.unassign()

    def close(self) -> None:
        consumers, self._consumers = self._consumers, []
        for consumer in consumers:
            consumer.close()

    def _assigned(self, place: Place, keep: tuple[Place, ...]) -> PartitionReader:
        """A consumer that fetches from a place on.

        It is the one that is there already, else one that is not assigned, else a new one, or where these are enough,
        the one that was used longest ago.

        Args:
            place: Where.
            keep: Places whose consumers are not to be taken.
        """
        known = self._consumers
        chosen = next((one for one in known if one.place == place), None)
        if chosen is None:
            chosen = next((one for one in known if one.place is None), None)
        if chosen is None and len(known) >= MOST:
            chosen = next((one for one in known if one.place not in keep), None)
        if chosen is None:
            chosen = PartitionReader(self._properties)
        else:
            known.remove(chosen)
        known.append(chosen)
        chosen.begin(place)
        return chosen
