"""`MqttSink`: records as messages of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from datastream.connectors.server_settings import checked_connection, checked_number
from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.io import Backoff, BatchingSink, WriterContext

from .connection import MqttConnection
from .publisher import Publication, Publisher, check_topic


class MqttSink(BatchingSink):
    """Publishes each record, at least once: it waits until the server has confirmed a batch.

    Made by `MqttSink.builder`. An epoch that runs again publishes its records again, with QoS 2, too.

    Attributes:
        publication: The settings.
        batch_size: Messages between two waits for confirmations.
        backoff: Tries of a batch, and pauses between them.
    """

    batch_size = 1000

    def __init__(self, publication: Publication) -> None:
        self.publication = publication

    @staticmethod
    def builder() -> MqttSinkBuilder:
        """A builder."""
        return MqttSinkBuilder()

    def __repr__(self) -> str:
        return f"MqttSink({self.publication.connection}, {cut(self.publication.topic)})"

    def validate(self) -> None:
        self.publication.connection.validate()

    def connect(self, context: WriterContext) -> Publisher:
        return Publisher(self.publication, context)

    def write(self, connection: Publisher, records: list[Any]) -> Sequence[Any]:
        return connection.publish(records)


class MqttSinkBuilder:
    """Builds an `MqttSink`. It needs a connection, a topic and a schema."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}
        self._backoff: Backoff | None = None

    def set_connection(self, connection: MqttConnection | str) -> Self:
        """Set the server: a connection, or a URL such as ``mqtt://user:password@host:1883``."""
        self._settings["connection"] = checked_connection(MqttConnection, connection, "MqttSink")
        return self

    def set_topic(self, topic: str | Callable[[Any], str]) -> Self:
        """Set the topic: a text, or a function of the record."""
        if not callable(topic):
            check_topic(topic, "MqttSink")
        self._settings["topic"] = topic
        return self

    def set_serializer(self, schema: SerializationSchema) -> Self:
        """Set how records become payloads."""
        if not isinstance(schema, SerializationSchema):
            raise ValidationError(
                f"MqttSink needs a SerializationSchema such as SimpleStringSchema(), got {cut(schema)}"
            )
        self._settings["serializer"] = schema
        return self

    def set_qos(self, qos: int) -> Self:
        """Set the quality of service: 0, 1 or 2. Default: 1.

        With 0 the server confirms nothing, and may lose messages. With 2 a message comes once over a connection; an
        epoch that runs again still publishes it again.
        """
        self._settings["qos"] = checked_number(qos, "MqttSink: qos", 0, 2)
        return self

    def set_retain(self, retain: bool) -> Self:
        """Set whether the server retains the last message of each topic for later subscribers. Default: False."""
        if not isinstance(retain, bool):
            raise ValidationError(f"MqttSink: retain must be True or False, got {cut(retain)}")
        self._settings["retain"] = retain
        return self

    def set_message_expiry(self, seconds: int) -> Self:
        """Set how long the server keeps a message for subscribers that are away. Default: for ever."""
        self._settings["message_expiry"] = checked_number(seconds, "MqttSink: message_expiry", 1, 2**32 - 1)
        return self

    def set_content_type(self, content_type: str) -> Self:
        """Set what subscribers are told about payloads, such as ``application/json``. Default: nothing."""
        if not isinstance(content_type, str) or not content_type:
            raise ValidationError(f"MqttSink: content_type must be a text, and not empty, got {cut(content_type)}")
        self._settings["content_type"] = content_type
        return self

    def set_user_properties(self, properties: Mapping[str, str] | Callable[[Any], Mapping[str, str]]) -> Self:
        """Set user properties: names and values, or a function of the record that returns them. Default: none."""
        if not callable(properties):
            if not isinstance(properties, Mapping):
                raise ValidationError(f"MqttSink: user_properties must be a dict or a function, got {cut(properties)}")
            properties = dict(properties)
        self._settings["user_properties"] = properties
        return self

    def set_backoff(self, backoff: Backoff) -> Self:
        """Set the tries of a batch and the pauses between them. Default: 8 tries more, after 100 ms to 5 s."""
        if not isinstance(backoff, Backoff):
            raise ValidationError(f"MqttSink: backoff must be a Backoff, got {cut(backoff)}")
        self._backoff = backoff
        return self

    def build(self) -> MqttSink:
        """The sink.

        Raises:
            ValidationError: Something is missing.
        """
        for name in ("connection", "topic", "serializer"):
            if name not in self._settings:
                raise ValidationError(f"MqttSink needs set_{name}")
        sink = MqttSink(Publication(**self._settings))
        if self._backoff is not None:
            sink.backoff = self._backoff
        return sink
