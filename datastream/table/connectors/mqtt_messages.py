"""Messages of MQTT as tuples of their payload, topic and properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.connectors.mqtt import MqttMessage, MqttSource
from datastream.connectors.mqtt.consumer import Subscription
from datastream.connectors.mqtt.reader import MqttReader
from datastream.formats import DeserializationSchema
from datastream.formats.schema import dead_letter_tags
from datastream.io import Produced, ReaderContext, SourceReader

from .messages import MessageRows


class TableMessages(MessageRows[MqttMessage], DeserializationSchema):
    """Reads messages as tuples."""

    values = {
        "topic": lambda message: message.topic,
        "qos": lambda message: message.qos,
        "retain": lambda message: message.retain,
        "user-properties": lambda message: dict(message.user_properties),
        "content-type": lambda message: message.content_type,
        "response-topic": lambda message: message.response_topic,
        "correlation-data": lambda message: message.correlation_data,
    }

    @staticmethod
    def named(message: MqttMessage, origin: str) -> str:
        return f"a message of the topic {message.topic!r}"

    @staticmethod
    def data(message: MqttMessage) -> bytes:
        return message.payload

    def deserialize(self, message: Any) -> Any:
        return self.row_of(message)


class TableTopics(MqttSource):
    """Reads the messages of topics as tuples.

    Args:
        subscription: The settings.
        messages: Makes the tuples.
    """

    def __init__(self, subscription: Subscription, messages: TableMessages) -> None:
        super().__init__(subscription, messages, None, None)
        self.messages = messages

    @property
    def produced(self) -> Produced:
        return Produced(side_tags=dead_letter_tags(self.messages))

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self, context)


class _Reader(MqttReader):
    """Reads messages that are kept, as tuples."""

    def __init__(self, source: TableTopics, context: ReaderContext) -> None:
        super().__init__(source, context)
        self._messages, self._origin = source.messages, ", ".join(source.subscription.topics)

    def _records(self, messages: Sequence[MqttMessage]) -> list[Any]:
        return [row for row in self._messages.rows_of(messages, self._origin) if row is not None]
