"""PyFlink's builder of a DynamicKafkaSource."""

from __future__ import annotations

from collections.abc import Collection
from typing import Self

from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaRecordDeserializationSchema
from datastream.connectors.kafka.source.reading_builder import KafkaReadingBuilder, checked_offsets
from datastream.errors import ValidationError, cut

from .metadata import KafkaMetadataService
from .source import DynamicKafkaSource
from .subscriber import KafkaStreamSetSubscriber, KafkaStreamSubscriber, StreamPatternSubscriber


class DynamicKafkaSourceBuilder(KafkaReadingBuilder):
    """Builds a `DynamicKafkaSource`. It needs streams, a metadata service and a deserializer.

    Defaults: from the earliest offsets, without end, without a consumer group; the service is asked once, when the job
    starts. What is found later is read from its first record. Properties are those of the clients of all clusters, and
    of discovery; those of a cluster are put over them.
    """

    _built = "DynamicKafkaSource"

    def __init__(self) -> None:
        super().__init__()
        self._subscriber: KafkaStreamSubscriber | None = None
        self._service: KafkaMetadataService | None = None

    def set_stream_ids(self, stream_ids: Collection[str]) -> Self:
        """Read the streams of these names.

        Raises:
            ValidationError: There is none, one is no str, or the streams are set already.
        """
        return self._subscribe(KafkaStreamSetSubscriber(stream_ids), "set_stream_ids")

    def set_stream_pattern(self, stream_pattern: str) -> Self:
        """Read all streams whose whole name matches a regular expression.

        Raises:
            ValidationError: It is no regular expression, or the streams are set already.
        """
        return self._subscribe(StreamPatternSubscriber(stream_pattern), "set_stream_pattern")

    def set_kafka_stream_subscriber(self, kafka_stream_subscriber: KafkaStreamSubscriber) -> Self:
        """Read the streams that a subscriber chooses.

        Raises:
            ValidationError: It is no KafkaStreamSubscriber, or the streams are set already.
        """
        _check(kafka_stream_subscriber, KafkaStreamSubscriber, "set_kafka_stream_subscriber")
        return self._subscribe(kafka_stream_subscriber, "set_kafka_stream_subscriber")

    def set_kafka_metadata_service(self, kafka_metadata_service: KafkaMetadataService) -> Self:
        """Set what says where streams are.

        Raises:
            ValidationError: It is no KafkaMetadataService.
        """
        _check(kafka_metadata_service, KafkaMetadataService, "set_kafka_metadata_service")
        self._service = kafka_metadata_service
        return self

    def set_deserializer(self, deserializer: KafkaRecordDeserializationSchema) -> Self:
        """Set how whole Kafka records become the job's: keys, headers, timestamps and offsets too.

        Raises:
            ValidationError: It is no KafkaRecordDeserializationSchema.
        """
        return self._deserialize_by(deserializer)

    def set_bounded(self, stopping_offsets_initializer: KafkaOffsetsInitializer) -> Self:
        """Stop at these offsets, found out when the job starts; batch mode may read such a source.

        Raises:
            ValidationError: It is no KafkaOffsetsInitializer.
        """
        self._stopping = checked_offsets(stopping_offsets_initializer, "set_bounded")
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
        return DynamicKafkaSource(
            self._subscriber,
            self._service,
            self._starting,
            self._stopping,
            self._checked_deserializer(),
            self._properties,
        )

    def _subscribe(self, subscriber: KafkaStreamSubscriber, call: str) -> Self:
        if self._subscriber is not None:
            raise ValidationError(f"{call}: the streams to read are set already: {self._subscriber}")
        self._subscriber = subscriber
        return self


def _check(found: object, kind: type, call: str) -> None:
    if not isinstance(found, kind):
        raise ValidationError(f"{call}: expected a {kind.__name__}, got {type(found).__name__} {cut(found)}")
