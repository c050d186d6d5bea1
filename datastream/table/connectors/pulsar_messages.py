"""Messages of Pulsar as tuples of their content and metadata, and what messages of rows carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from datastream.connectors.pulsar import PulsarSource
from datastream.connectors.pulsar.message import PulsarMessage
from datastream.connectors.pulsar.reader import PulsarReader, Read
from datastream.connectors.pulsar.source_settings import SourceSettings
from datastream.errors import ValidationError
from datastream.formats import DeserializationSchema
from datastream.formats.schema import dead_letter_tags
from datastream.io import Produced, ReaderContext, SourceReader

from .messages import MapColumn, MessageRows, TextColumn


class TableMessages(MessageRows[PulsarMessage], DeserializationSchema):
    """Reads messages as tuples."""

    values = {
        "topic": lambda message: message.topic,
        "message_size": lambda message: len(message.data),
        "producer_name": lambda message: message.producer_name,
        "message_id": lambda message: message.message_id,
        "publish_time": lambda message: message.publish_time * 1000,
        "event_time": lambda message: None if message.event_time is None else message.event_time * 1000,
        "key": lambda message: message.key,
        "properties": lambda message: dict(message.properties),
    }

    @staticmethod
    def named(message: PulsarMessage, origin: str) -> str:
        return f"a message of the topic {message.topic!r}"

    def deserialize(self, message: Any) -> Any:
        return self.row_of(message)


class TableTopics(PulsarSource):
    """Reads the messages of topics as tuples; its schema is a `TableMessages`."""

    @property
    def produced(self) -> Produced:
        return Produced(side_tags=dead_letter_tags(self.settings.schema), timestamps=True, lanes=True)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self.settings, context)


class _Reader(PulsarReader):
    """Reads messages as tuples."""

    def __init__(self, settings: SourceSettings, context: ReaderContext) -> None:
        super().__init__(settings, context)
        self._whole = True
        assert isinstance(settings.schema, TableMessages)
        self._messages = settings.schema

    def _block(self, messages: list[Read], lane: str) -> list[Any]:
        return [row for row in self._rows(messages, lane) if row is not None]

    def _record(self, read: Read, lane: str) -> Any:
        return self._rows([read], lane)[0]

    def _rows(self, messages: list[Read], lane: str) -> list[Any]:
        return self._messages.rows_of([PulsarMessage.of(message, lane) for message, _ in messages], lane)


class RowFields:
    """Gives what the message of a row carries beside its content.

    Args:
        columns: Index of the column of each metadata that is written, by its key.
    """

    def __init__(self, columns: Mapping[str, int]) -> None:
        self._key = TextColumn(columns["key"], "") if "key" in columns else None
        self._properties = MapColumn(columns["properties"]) if "properties" in columns else None
        self._event_time = columns.get("event_time")

    def __call__(self, row: Sequence[Any]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self._key is not None and (key := self._key(row)):
            fields["partition_key"] = key
        if self._properties is not None and (properties := self._properties(row)):
            fields["properties"] = properties
        if self._event_time is not None and row[self._event_time] is not None:
            fields["event_timestamp"] = row[self._event_time] // 1000
            if fields["event_timestamp"] < 0:
                raise ValidationError("a message of Pulsar cannot have an event time before 1970; write NULL instead")
        return fields
