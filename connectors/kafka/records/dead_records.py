"""Kafka records that a deserializer of the user's cannot read go aside instead of failing the job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError
from datastream.formats.dead_letters import DeadLetter, checked_tag
from datastream.formats.schema import dead_letter_tags, records_fit
from datastream.functions import OutputTag
from datastream.stored_types import stored_as
from datastream.types import TypeInformation

from .consumer_record import ConsumerRecord, KafkaRecordDeserializationSchema


@stored_as("kafka_dead_record")
@dataclass(frozen=True)
class DeadRecord(DeadLetter):
    """A Kafka record that could not be read.

    Attributes:
        record: The whole of it, with key, headers and timestamp.
    """

    record: ConsumerRecord | None = None


class DeadRecordSchema(KafkaRecordDeserializationSchema):
    """A deserializer whose failures become pairs (tag, DeadRecord), which the engine sends to the tag's side output."""

    def __init__(self, deserializer: KafkaRecordDeserializationSchema, tag: OutputTag) -> None:
        self._deserializer = deserializer
        self._tag = checked_tag(tag)
        self._records_fit = records_fit(deserializer)

    def deserialize(self, record: ConsumerRecord) -> Any:
        try:
            return self._deserializer.deserialize(record)
        except Exception as error:  # a user's deserializer may raise anything
            why = str(error) if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
            return self._tag, DeadRecord(
                record.value or b"", why, record.topic, record.partition, record.offset, record
            )

    def get_produced_type(self) -> TypeInformation:
        return self._deserializer.get_produced_type()

    @property
    def _dead_letter_tags(self) -> tuple[OutputTag, ...]:
        return (*dead_letter_tags(self._deserializer), self._tag)
