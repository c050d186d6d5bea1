"""PyFlink's builder of a KafkaRecordSerializationSchema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema

from .record_serializer import (
    BuiltSerializer,
    HeaderProvider,
    KafkaRecordSerializationSchema,
    KafkaTopicSelector,
    Partitioner,
)

_NAME = "KafkaRecordSerializationSchemaBuilder"


class KafkaRecordSerializationSchemaBuilder:
    """Puts a schema together: a topic or a topic selector, and a schema of the values, at least."""

    def __init__(self) -> None:
        self._topic: str | Callable[[Any], str] | None = None
        self._key: SerializationSchema | None = None
        self._value: SerializationSchema | None = None
        self._partitioner: Partitioner | None = None
        self._headers: HeaderProvider | None = None

    def set_topic(self, topic: str) -> Self:
        """Set the one topic that all records go to."""
        if not isinstance(topic, str) or not topic:
            raise ValidationError(
                f"{_NAME}.set_topic: expected a topic's name, got {type(topic).__name__} {cut(topic)}"
            )
        self._topic = self._once(topic)
        return self

    def set_topic_selector(self, topic_selector: Callable[[Any], str] | KafkaTopicSelector) -> Self:
        """Set what chooses a record's topic: a function of the record, or a `KafkaTopicSelector`."""
        selector = topic_selector.apply if isinstance(topic_selector, KafkaTopicSelector) else topic_selector
        self._topic = self._once(_callable(selector, "set_topic_selector", "record -> topic"))
        return self

    def set_key_serialization_schema(self, key_serialization_schema: SerializationSchema) -> Self:
        """Set how a record's key is made, from the whole record. Default: records have no key."""
        self._key = _schema(key_serialization_schema, "set_key_serialization_schema")
        return self

    def set_value_serialization_schema(self, value_serialization_schema: SerializationSchema) -> Self:
        """Set how a record's value is made."""
        self._value = _schema(value_serialization_schema, "set_value_serialization_schema")
        return self

    def set_partitioner(self, partitioner: Partitioner) -> Self:
        """Set what chooses a record's partition. Default: the hash of its key, as Java's clients do, or any.

        Args:
            partitioner: (record, key, value, topic, partitions) -> one of the partitions, which are a range of numbers.
                Of Flink's Java API, not of PyFlink's.
        """
        self._partitioner = _callable(partitioner, "set_partitioner", "(record, key, value, topic, partitions) -> int")
        return self

    def set_header_provider(self, header_provider: HeaderProvider) -> Self:
        """Set what makes a record's headers. Default: none.

        Args:
            header_provider: record -> pairs of a name and bytes, or a dict, or None. Of Flink's Java API.
        """
        self._headers = _callable(header_provider, "set_header_provider", "record -> [(name, bytes), ...]")
        return self

    def build(self) -> KafkaRecordSerializationSchema:
        """The schema.

        Raises:
            ValidationError: no topic, or no schema of values.
        """
        if self._topic is None:
            raise ValidationError(f"{_NAME}: no topic: call set_topic or set_topic_selector")
        if self._value is None:
            raise ValidationError(f"{_NAME}: no values: call set_value_serialization_schema")
        return BuiltSerializer(self._topic, self._value, self._key, self._partitioner, self._headers)

    def _once(self, topic: str | Callable[[Any], str]) -> str | Callable[[Any], str]:
        if self._topic is not None:
            raise ValidationError(f"{_NAME}: the topic is set already: call one of set_topic, set_topic_selector, once")
        return topic


def _schema(found: object, method: str) -> SerializationSchema:
    if not isinstance(found, SerializationSchema):
        raise ValidationError(
            f"{_NAME}.{method}: expected a SerializationSchema such as SimpleStringSchema(), "
            f"got {type(found).__name__} {cut(found)}"
        )
    return found


def _callable(found: Any, method: str, expected: str) -> Any:
    if not callable(found):
        raise ValidationError(
            f"{_NAME}.{method}: expected a function {expected}, got {type(found).__name__} {cut(found)}"
        )
    return found
