"""The builder of a KafkaShareSource."""

from __future__ import annotations

from typing import Self

from datastream.errors import ValidationError

from ..records.consumer_record import KafkaRecordDeserializationSchema
from ..source.reading_builder import KafkaClientBuilder
from ..source.subscriber import TopicList
from .source import KafkaShareSource


class KafkaShareSourceBuilder(KafkaClientBuilder):
    """Builds a `KafkaShareSource`. It needs brokers, topics, a group and a deserializer."""

    _built = "KafkaShareSource"

    def __init__(self) -> None:
        super().__init__()
        self._topics: TopicList | None = None

    def set_bootstrap_servers(self, bootstrap_servers: str) -> Self:
        """Set the brokers to ask first: ``host:port``, several with commas."""
        return self.set_property("bootstrap.servers", bootstrap_servers)

    def set_topics(self, *topics: str) -> Self:
        """Read these topics.

        Raises:
            ValidationError: no name is given.
        """
        self._topics = TopicList.of(topics)
        return self

    def set_group_id(self, group_id: str) -> Self:
        """Set the share group.

        Raises:
            ValidationError: it is empty.
        """
        if not group_id:
            raise ValidationError("KafkaShareSource.set_group_id: expected a name, got an empty one")
        return self.set_property("group.id", group_id)

    def set_deserializer(self, record_deserializer: KafkaRecordDeserializationSchema) -> Self:
        """Set how whole Kafka records become the job's: keys, headers, timestamps and offsets too.

        Raises:
            ValidationError: it is no KafkaRecordDeserializationSchema.
        """
        return self._deserialize_by(record_deserializer)

    def build(self) -> KafkaShareSource:
        """The source.

        Raises:
            ValidationError: something is missing, or a property cannot be translated.
        """
        if self._topics is None:
            raise ValidationError("KafkaShareSource: call set_topics")
        return KafkaShareSource(self._topics, self._checked_deserializer(), self._properties)
