"""PyFlink's builder of a KafkaSource."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from datastream.errors import ValidationError, cut

from ..client.topic_partition import KafkaTopicPartition
from ..records.consumer_record import KafkaRecordDeserializationSchema
from .kafka_source import KafkaSource
from .offsets_initializer import KafkaOffsetsInitializer
from .reading_builder import KafkaReadingBuilder, checked_offsets
from .subscriber import PartitionList, Subscriber, TopicList, checked_pattern


class KafkaSourceBuilder(KafkaReadingBuilder):
    """Builds a `KafkaSource`. It needs brokers, topics (or a pattern, or partitions) and a deserializer.

    Defaults: from the earliest offsets, without end, without a consumer group.
    """

    _built = "KafkaSource"

    def __init__(self) -> None:
        super().__init__()
        self._subscriber: Subscriber | None = None
        self._bounded: bool | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> Self:
        """Set the brokers to ask first: ``host:port``, several with commas."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_topics(self, *topics: str) -> Self:
        """Read all partitions of these topics.

        Raises:
            ValidationError: no name is given, or the partitions are set already.
        """
        return self._subscribe(TopicList.of(topics), "set_topics")

    def set_topic_pattern(self, topic_pattern: str) -> Self:
        """Read all topics whose whole name matches a regular expression; also those that are made later.

        Raises:
            ValidationError: it is no regular expression, or the partitions are set already.
        """
        return self._subscribe(checked_pattern(topic_pattern), "set_topic_pattern")

    def set_partitions(self, partitions: Iterable[KafkaTopicPartition]) -> Self:
        """Read these partitions and no others.

        Raises:
            ValidationError: there is none, one is no KafkaTopicPartition, or the partitions are set already.
        """
        chosen = tuple(partitions)
        if not chosen or not all(isinstance(one, KafkaTopicPartition) for one in chosen):
            raise ValidationError(f"set_partitions: expected KafkaTopicPartitions, got {cut(chosen)}")
        return self._subscribe(PartitionList(tuple(sorted(set(chosen)))), "set_partitions")

    def set_unbounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> Self:
        """Stop at these offsets, found out when the job starts, though it counts as a source without end.

        Raises:
            ValidationError: `set_bounded` was called.
        """
        return self._stop(stopping_offsets_initializer, False, "set_unbounded")

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> Self:
        """Stop at these offsets, found out when the job starts; batch mode may read such a source.

        Raises:
            ValidationError: `set_unbounded` was called.
        """
        return self._stop(stopping_offsets_initializer, True, "set_bounded")

    def set_deserializer(self, record_deserializer: KafkaRecordDeserializationSchema) -> Self:
        """Set how whole Kafka records become the job's: keys, headers, timestamps and offsets too. Java's name.

        Raises:
            ValidationError: it is no KafkaRecordDeserializationSchema.
        """
        return self._deserialize_by(record_deserializer)

    def build(self) -> KafkaSource:
        """The source.

        Raises:
            ValidationError: something is missing, or a property cannot be translated.
        """
        if self._subscriber is None:
            raise ValidationError("KafkaSource: call one of set_topics, set_topic_pattern and set_partitions")
        return KafkaSource(
            self._subscriber,
            self._starting,
            self._stopping,
            bool(self._bounded),
            self._checked_deserializer(),
            self._properties,
        )

    def _subscribe(self, subscriber: Subscriber, call: str) -> Self:
        if self._subscriber is not None:
            raise ValidationError(f"{call}: the partitions to read are set already: {cut(self._subscriber)}")
        self._subscriber = subscriber
        return self

    def _stop(self, stopping: KafkaOffsetsInitializer, bounded: bool, call: str) -> Self:
        if self._bounded is not None and self._bounded is not bounded:
            raise ValidationError(f"{call}: call either set_bounded or set_unbounded, not both")
        self._stopping, self._bounded = checked_offsets(stopping, call), bounded
        return self
