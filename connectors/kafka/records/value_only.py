"""Records from the values of Kafka records alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.errors import FormatError
from datastream.formats import DeserializationSchema
from datastream.formats.schema import ContentSchema, checked_schema

from .consumer_record import ConsumerRecord, KafkaRecordDeserializationSchema, unreadable


class ValueOnly(ContentSchema, KafkaRecordDeserializationSchema):
    """Reads values a block at a time."""

    def __init__(self, schema: DeserializationSchema) -> None:
        super().__init__(checked_schema(schema, "KafkaRecordDeserializationSchema.value_only"))
        self._one_by_one = False

    def deserialize(self, record: ConsumerRecord) -> Any:
        return None if record.value is None else self._schema.deserialize(record.value)

    def _kafka_records(self, messages: Sequence[Any], topic: str, partition: int) -> list[Any]:
        return self._block(_values(messages), messages, topic, partition)

    def _timed_kafka_records(
        self, messages: Sequence[Any], topic: str, partition: int
    ) -> tuple[list[Any], list[int | None]]:
        values = _values(messages)
        if None in values:
            messages = [message for message in messages if message.value() is not None]
            values = _values(messages)
        times = [message.timestamp()[1] for message in messages]
        if -1 in times:
            times = [None if message.timestamp()[0] == 0 else message.timestamp()[1] for message in messages]
        if not self._one_by_one:
            found = self._block(values, messages, topic, partition)
            if len(found) == len(times):
                return found, times
            # The schema drops messages, and a block does not tell which ones.
            self._one_by_one = True
        kept: list[Any] = []
        kept_times: list[int | None] = []
        for message, value, time in zip(messages, values, times, strict=True):
            one = self._block([value], [message], topic, partition)
            kept += one
            kept_times += [time] * len(one)
        return kept, kept_times

    def _block(self, values: list[Any], messages: Sequence[Any], topic: str, partition: int) -> list[Any]:
        def position(index: int) -> tuple[str | None, int | None, int | None]:
            return topic, partition, messages[index].offset()

        try:
            return self._schema.deserialize_block(values, position)
        except Exception as error:  # the first message that cannot be read, whatever the schema raised
            raise self._placed(error, values, messages, topic, partition) from error

    def _placed(
        self, error: Exception, values: list[Any], messages: Sequence[Any], topic: str, partition: int
    ) -> Exception:
        for value, message in zip(values, messages, strict=True):
            if value is None:
                continue
            try:
                self._schema.deserialize(value)
            except Exception as found:
                return unreadable(found, topic, partition, message.offset(), value)
        first, last = messages[0].offset(), messages[-1].offset()
        return FormatError(
            f"topic {topic!r}, partition {partition}, offsets {first} to {last} cannot be read as a block, "
            f"though each message alone can: {type(error).__name__}: {error}"
        )


def _values(messages: Sequence[Any]) -> list[Any]:
    # A third faster than a call by name for each.
    return list(map(type(messages[0]).value, messages)) if messages else []
