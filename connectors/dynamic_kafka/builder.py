"""PyFlink's builder of a DynamicKafkaSource."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaRecordDeserializationSchema
from datastream.errors import ValidationError, cut
from datastream.formats import DeserializationSchema

from .metadata import KafkaMetadataService
from .source import DynamicKafkaSource
from .subscriber import KafkaStreamSetSubscriber, KafkaStreamSubscriber, StreamPatternSubscriber


class DynamicKafkaSourceBuilder:
    """Builds a `DynamicKafkaSource`. It needs streams, a metadata service and a deserializer.

    Defaults: from the earliest offsets, without end, without a consumer group; the service is asked once, when the job
    starts.
    """

    def __init__(self) -> None:
        self._subscriber: KafkaStreamSubscriber | None = None
        self._service: KafkaMetadataService | None = None
        self._stopping: KafkaOffsetsInitializer | None = None
        self._starting = KafkaOffsetsInitializer.earliest()
        self._deserializer: KafkaRecordDeserializationSchema | None = None
        self._properties: dict[str, Any] = {}

    def set_stream_ids(self, stream_ids: Collection[str]) -> DynamicKafkaSourceBuilder:
        """Read the streams of these names.

        Raises:
            ValidationError: There is none, one is no str, or the streams are set already.
        """
        return self._subscribe(KafkaStreamSetSubscriber(stream_ids), "set_stream_ids")

    def set_stream_pattern(self, stream_pattern: str) -> DynamicKafkaSourceBuilder:
        """Read all streams whose whole name matches a regular expression.

        Raises:
            ValidationError: It is no regular expression, or the streams are set already.
        """
        return self._subscribe(StreamPatternSubscriber(stream_pattern), "set_stream_pattern")

    def set_kafka_stream_subscriber(self, kafka_stream_subscriber: KafkaStreamSubscriber) -> DynamicKafkaSourceBuilder:
        """Read the streams that a subscriber chooses.

        Raises:
            ValidationError: It is no KafkaStreamSubscriber, or the streams are set already.
        """
        _check(kafka_stream_subscriber, KafkaStreamSubscriber, "set_kafka_stream_subscriber")
        return self._subscribe(kafka_stream_subscriber, "set_kafka_stream_subscriber")

    def set_kafka_metadata_service(self, kafka_metadata_service: KafkaMetadataService) -> DynamicKafkaSourceBuilder:
        """Set what says where streams are.

        Raises:
            ValidationError: It is no KafkaMetadataService.
        """
        _check(kafka_metadata_service, KafkaMetadataService, "set_kafka_metadata_service")
        self._service = kafka_metadata_service
        return self

    def set_deserializer(self, deserializer: KafkaRecordDeserializationSchema) -> DynamicKafkaSourceBuilder:
        """Set how whole Kafka records become the job's: keys, headers, timestamps and offsets too.

        Raises:
            ValidationError: It is no KafkaRecordDeserializationSchema.
        """
        _check(deserializer, KafkaRecordDeserializationSchema, "set_deserializer")
        self._deserializer = deserializer
        return self

    def set_value_only_deserializer(self, deserialization_schema: DeserializationSchema) -> DynamicKafkaSourceBuilder:
        """Set how values become records; keys are not looked at, and tombstones are no records.

        Raises:
            ValidationError: It is no DeserializationSchema.
        """
        self._deserializer = KafkaRecordDeserializationSchema.value_only(deserialization_schema)
        return self

    def set_starting_offsets(self, starting_offsets_initializer: KafkaOffsetsInitializer) -> DynamicKafkaSourceBuilder:
        """Set where a new job starts. What is found later is read from its first record. Default: the earliest offsets.

        Raises:
            ValidationError: It is no KafkaOffsetsInitializer.
        """
        _check(starting_offsets_initializer, KafkaOffsetsInitializer, "set_starting_offsets")
        self._starting = starting_offsets_initializer
        return self

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> DynamicKafkaSourceBuilder:
        """Stop at these offsets, found out when the job starts; batch mode may read such a source.

        Raises:
            ValidationError: It is no KafkaOffsetsInitializer.
        """
        _check(stopping_offsets_initializer, KafkaOffsetsInitializer, "set_bounded")
        self._stopping = stopping_offsets_initializer
        return self

    def set_group_id(self, group_id: str) -> DynamicKafkaSourceBuilder:
        """Set the consumer group that offsets are committed to, in each cluster. Reading itself needs none."""
        return self.set_property("group.id", group_id)

    def set_client_id_prefix(self, prefix: str) -> DynamicKafkaSourceBuilder:
        """Set what the clients' names in the brokers' logs and metrics begin with. Default: librdkafka's own."""
        return self.set_property("client.id.prefix", prefix)

    def set_property(self, key: str, value: str) -> DynamicKafkaSourceBuilder:
        """Set a property of the clients of all clusters, or of discovery; those of a cluster are put over it.

        Raises:
            ValidationError: The name is no str.
        """
        if not isinstance(key, str) or not key:
            raise ValidationError(f"set_property: expected the name of a property, got {cut(key)}")
        self._properties[key] = value
        return self

    def set_properties(self, props: Mapping[str, Any]) -> DynamicKafkaSourceBuilder:
        """Set several properties."""
        for key, value in props.items():
            self.set_property(key, value)
        return self

    def build(self) -> DynamicKafkaSource:
        """The source.

        Raises:
            ValidationError: Something is missing, or a property cannot be translated.
        """
        if self._subscriber is None:
            raise ValidationError(
                "DynamicKafkaSource: call one of set_stream_ids, set_stream_pattern and set_kafka_stream_subscriber"
            )
        if self._service is None:
            raise ValidationError("DynamicKafkaSource: call set_kafka_metadata_service")
        if self._deserializer is None:
            raise ValidationError("DynamicKafkaSource: call set_value_only_deserializer or set_deserializer")
        return DynamicKafkaSource(
            self._subscriber, self._service, self._starting, self._stopping, self._deserializer, self._properties
        )

    def _subscribe(self, subscriber: KafkaStreamSubscriber, call: str) -> DynamicKafkaSourceBuilder:
        if self._subscriber is not None:
            raise ValidationError(f"{call}: the streams to read are set already: {self._subscriber}")
        self._subscriber = subscriber
        return self


def _check(found: object, kind: type, call: str) -> None:
    if not isinstance(found, kind):
        raise ValidationError(f"{call}: expected a {kind.__name__}, got {type(found).__name__} {cut(found)}")
