"""PyFlink's builder of a KafkaSource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema

from ..client.topic_partition import KafkaTopicPartition
from ..records.consumer_record import KafkaRecordDeserializationSchema
from .kafka_source import KafkaSource
from .offsets_initializer import KafkaOffsetsInitializer
from .subscriber import PartitionList, Subscriber, TopicList, checked_pattern


class KafkaSourceBuilder:
    """Builds a `KafkaSource`. It needs brokers, topics (or a pattern, or partitions) and a deserializer.

    Defaults: from the earliest offsets, without end, without a consumer group.
    """

    def __init__(self) -> None:
        self._subscriber: Subscriber | None = None
        self._starting = KafkaOffsetsInitializer.earliest()
        self._stopping: KafkaOffsetsInitializer | None = None
        self._bounded: bool | None = None
        self._deserializer: KafkaRecordDeserializationSchema | None = None
        self._properties: dict[str, Any] = {}

    def set_bootstrap_servers(self, bootstrap_servers: str) -> KafkaSourceBuilder:
        """Set the brokers to ask first: ``host:port``, several with commas."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_group_id(self, group_id: str) -> KafkaSourceBuilder:
        """Set the consumer group that offsets are committed to. Reading itself needs none.

        Raises:
            ValidationError: it is empty.
        """
        if not group_id:
            raise ValidationError("KafkaSource.set_group_id: expected a name, got an empty one; leave it out for none")
        return self.set_property("group.id", group_id)

    def set_topics(self, *topics: str) -> KafkaSourceBuilder:
        """Read all partitions of these topics.

        Raises:
            ValidationError: no name is given, or the partitions are set already.
        """
        if not topics or not all(isinstance(topic, str) and topic for topic in topics):
            raise ValidationError(f"set_topics: expected names of topics, got {cut(topics)}")
        return self._subscribe(TopicList(tuple(dict.fromkeys(topics))), "set_topics")

    def set_topic_pattern(self, topic_pattern: str) -> KafkaSourceBuilder:
        """Read all topics whose whole name matches a regular expression; also those that are made later.

        Raises:
            ValidationError: it is no regular expression, or the partitions are set already.
        """
        return self._subscribe(checked_pattern(topic_pattern), "set_topic_pattern")

    def set_partitions(self, partitions: Iterable[KafkaTopicPartition]) -> KafkaSourceBuilder:
        """Read these partitions and no others.

        Raises:
            ValidationError: there is none, one is no KafkaTopicPartition, or the partitions are set already.
        """
        chosen = tuple(partitions)
        if not chosen or not all(isinstance(one, KafkaTopicPartition) for one in chosen):
            raise ValidationError(f"set_partitions: expected KafkaTopicPartitions, got {cut(chosen)}")
        return self._subscribe(PartitionList(tuple(sorted(set(chosen)))), "set_partitions")

    def set_starting_offsets(self, starting_offsets_initializer: KafkaOffsetsInitializer) -> KafkaSourceBuilder:
        """Set where a new job starts; one with a checkpoint goes on where it was. Default: the earliest offsets."""
        self._starting = _checked(starting_offsets_initializer, "set_starting_offsets")
        return self

    def set_unbounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> KafkaSourceBuilder:
        """Stop at these offsets, found out when the job starts, though it counts as a source without end.

        Raises:
            ValidationError: `set_bounded` was called.
        """
        return self._stop(stopping_offsets_initializer, False, "set_unbounded")

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> KafkaSourceBuilder:
        """Stop at these offsets, found out when the job starts; batch mode may read such a source.

        Raises:
            ValidationError: `set_unbounded` was called.
        """
        return self._stop(stopping_offsets_initializer, True, "set_bounded")

    def set_value_only_deserializer(self, deserialization_schema: DeserializationSchema) -> KafkaSourceBuilder:
        """Set how values become records; keys are not looked at, and tombstones are no records.

        Raises:
            ValidationError: it is no DeserializationSchema.
        """
        self._deserializer = KafkaRecordDeserializationSchema.value_only(deserialization_schema)
        return self

    def set_deserializer(self, record_deserializer: KafkaRecordDeserializationSchema) -> KafkaSourceBuilder:
        """Set how whole Kafka records become the job's: keys, headers, timestamps and offsets too. Java's name.

        Raises:
            ValidationError: it is no KafkaRecordDeserializationSchema.
        """
        found: object = record_deserializer
        if not isinstance(found, KafkaRecordDeserializationSchema):
            hint = ""
            if isinstance(found, DeserializationSchema):
                hint = "; set_value_only_deserializer takes a DeserializationSchema"
            raise ValidationError(
                f"set_deserializer: expected a KafkaRecordDeserializationSchema, got {type(found).__name__}{hint}"
            )
        self._deserializer = record_deserializer
        return self

    def set_client_id_prefix(self, prefix: str) -> KafkaSourceBuilder:
        """Set what the client's name in the brokers' logs and metrics begins with. Default: librdkafka's own."""
        return self.set_property("client.id.prefix", prefix)

    def set_property(self, key: str, value: str) -> KafkaSourceBuilder:
        """Set a property of the client: Kafka's Java client's or librdkafka's name.

        Raises:
            ValidationError: the name is no str.
        """
        if not isinstance(key, str) or not key:
            raise ValidationError(f"set_property: expected the name of a property, got {cut(key)}")
        self._properties[key] = value
        return self

    def set_properties(self, props: Mapping[str, Any]) -> KafkaSourceBuilder:
        """Set several properties of the client."""
        for key, value in props.items():
            self.set_property(key, value)
        return self

    def build(self) -> KafkaSource:
        """The source.

        Raises:
            ValidationError: something is missing, or a property cannot be translated.
        """
        if self._subscriber is None:
            raise ValidationError("KafkaSource: call one of set_topics, set_topic_pattern and set_partitions")
        if self._deserializer is None:
            raise ValidationError("KafkaSource: call set_value_only_deserializer or set_deserializer")
        if not self._properties.get("group.id"):
            for initializer in (self._starting, self._stopping):
                if initializer is not None and initializer.kind == "committed":
                    raise ValidationError("KafkaSource: committed_offsets() needs set_group_id")
        return KafkaSource(
            self._subscriber,
            self._starting,
            self._stopping,
            bool(self._bounded),
            self._deserializer,
            self._properties,
        )

    def _subscribe(self, subscriber: Subscriber, call: str) -> KafkaSourceBuilder:
        if self._subscriber is not None:
            raise ValidationError(f"{call}: the partitions to read are set already: {cut(self._subscriber)}")
        self._subscriber = subscriber
        return self

    def _stop(self, stopping: KafkaOffsetsInitializer, bounded: bool, call: str) -> KafkaSourceBuilder:
        if self._bounded is not None and self._bounded is not bounded:
            raise ValidationError(f"{call}: call either set_bounded or set_unbounded, not both")
        self._stopping, self._bounded = _checked(stopping, call), bounded
        return self


def _checked(found: object, call: str) -> KafkaOffsetsInitializer:
    if not isinstance(found, KafkaOffsetsInitializer):
        raise ValidationError(
            f"{call}: expected a KafkaOffsetsInitializer such as KafkaOffsetsInitializer.earliest(), "
            f"got {type(found).__name__} {cut(found)}"
        )
    return found
