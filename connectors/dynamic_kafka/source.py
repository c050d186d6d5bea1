"""PyFlink's DynamicKafkaSource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaRecordDeserializationSchema
from datastream.connectors.kafka.client.log import LOGGER
from datastream.connectors.kafka.source.kafka_source import KafkaSource
from datastream.connectors.kafka.source.subscriber import TopicList
from datastream.errors import ValidationError
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator

from .discovery import Subscription
from .enumerator import DynamicKafkaEnumerator
from .metadata import KafkaMetadataService, Part
from .reader import DynamicKafkaReader
from .subscriber import KafkaStreamSubscriber, StreamPatternSubscriber

if TYPE_CHECKING:
    from .builder import DynamicKafkaSourceBuilder


class DynamicKafkaSource(Source):
    """Reads streams, wherever a metadata service says that they are. Exactly once, as `KafkaSource`.

    With ``stream-metadata-discovery-interval-ms`` above 0 the service is asked again and again, without a restart of
    the job: topics and clusters that come are read from their first record, those that go are left where the last epoch
    has read them, and read on from there if they come back. A bounded source asks once.

    Every partition is a lane with a watermark of its own, and records have Kafka's timestamps.
    """

    def __init__(
        self,
        subscriber: KafkaStreamSubscriber,
        service: KafkaMetadataService,
        starting: KafkaOffsetsInitializer,
        stopping: KafkaOffsetsInitializer | None,
        deserializer: KafkaRecordDeserializationSchema,
        properties: Mapping[str, Any],
    ) -> None:
        """Use `builder`.

        Args:
            subscriber: Which streams.
            service: Where they are.
            starting: Where a new job starts.
            stopping: Where reading stops; None: nowhere.
            deserializer: How Kafka's records become the job's.
            properties: Of clients of all clusters, and of discovery.

        Raises:
            ValidationError: A property is unknown or wrong.
        """
        self._subscription = Subscription.of(subscriber, service, properties)
        self._starting, self._stopping = starting, stopping
        self._deserializer = deserializer
        self.bounded = stopping is not None

    @staticmethod
    def builder() -> DynamicKafkaSourceBuilder:
        """A builder of a source."""
        from .builder import DynamicKafkaSourceBuilder

        return DynamicKafkaSourceBuilder()

    def _of(self, part: Part) -> KafkaSource:
        """The same of one cluster."""
        topics = TopicList(part.topics)
        return KafkaSource(topics, self._starting, self._stopping, self.bounded, self._deserializer, part.properties)

    @property
    def produced(self) -> Produced:
        return Produced.by(self._deserializer, timestamps=True, lanes=True)

    def validate(self) -> None:
        """Check that the service knows streams, that their brokers answer, and that topics are there.

        Raises:
            ValidationError: They refuse the credentials, or a stream or a topic is not there.
            KafkaFailure: The service fails, or brokers do not answer.
        """
        subscriber = self._subscription.subscriber
        parts = self._subscription.look()
        if not parts:
            service = type(self._subscription.service).__name__
            missing = f"DynamicKafkaSource: the metadata service {service} knows no {subscriber}"
            if not isinstance(subscriber, StreamPatternSubscriber) or self.bounded:
                raise ValidationError(missing)
            LOGGER.warning("%s; waiting for streams that do", missing)
        for part in parts.values():
            self._of(part).validate()

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return DynamicKafkaEnumerator(self._subscription, self._starting, self._stopping, context)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return DynamicKafkaReader(self._deserializer, context)
