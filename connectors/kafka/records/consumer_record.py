"""A Kafka record, and how it becomes a record of the job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from datastream.errors import FormatError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import ReadingSchema
from datastream.functions import OutputTag
from datastream.stored_types import stored_as


@stored_as("kafka_timestamp_type")
class TimestampType(Enum):
    """Who set a record's timestamp."""

    NO_TIMESTAMP_TYPE = 0
    CREATE_TIME = 1
    LOG_APPEND_TIME = 2


_TIMESTAMP_TYPES = tuple(TimestampType)


@stored_as("kafka_record", tuple)
class ConsumerRecord(NamedTuple):
    """A record as it is in Kafka. A tuple, as making one is the cost of each record.

    Attributes:
        topic: The topic.
        partition: The partition, from 0.
        offset: The offset in the partition.
        timestamp: ms since 1970, or None.
        timestamp_type: Who set it.
        key: The key's bytes, or None.
        value: The value's bytes; None: a tombstone.
        headers: Pairs of a name and bytes or None, in order; a name may come twice.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int | None
    timestamp_type: TimestampType
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


class KafkaRecordDeserializationSchema(ReadingSchema, ABC):
    """Reads a record of the job from a whole Kafka record. Java's name; PyFlink has it for values only.

    Subclass it for keys, headers, timestamps and offsets, or use `value_only`.
    """

    @abstractmethod
    def deserialize(self, record: ConsumerRecord) -> Any:
        """The job's record, or None: there is none.

        Raises:
            FormatError: the bytes are not in the format.
        """

    def with_dead_letters(self, tag: OutputTag) -> KafkaRecordDeserializationSchema:
        """This deserializer, but a record that it raises for goes to a side output as a `DeadRecord`.

        Args:
            tag: ``stream.get_side_output(tag)`` returns them. An addition to Flink's names.

        Raises:
            ValidationError: it is no OutputTag, or has a type of its own.
        """
        from .dead_records import DeadRecordSchema

        return DeadRecordSchema(self, tag)

    def _kafka_records(self, messages: Sequence[Any], topic: str, partition: int) -> list[Any]:
        """The records of a block of messages of one partition, as confluent-kafka returns them, without the Nones."""
        return [found for message in messages if (found := self._one(message, topic, partition)) is not None]

    def _timed_kafka_records(
        self, messages: Sequence[Any], topic: str, partition: int
    ) -> tuple[list[Any], list[int | None]]:
        """What `records` returns, and the timestamps of the messages that they come from."""
        found: list[Any] = []
        times: list[int | None] = []
        for message in messages:
            record = self._one(message, topic, partition)
            if record is not None:
                found.append(record)
                times.append(_time(message))
        return found, times

    def _one(self, message: Any, topic: str, partition: int) -> Any:
        kind, time = message.timestamp()
        headers = message.headers()
        record = ConsumerRecord(
            topic,
            partition,
            message.offset(),
            None if kind == 0 else time,
            _TIMESTAMP_TYPES[kind],
            message.key(),
            message.value(),
            tuple(headers) if headers else (),
        )
        try:
            return self.deserialize(record)
        except Exception as error:  # a user's schema may raise anything; where it happened is worth more
            raise unreadable(error, topic, partition, record.offset, record.value) from error

    @staticmethod
    def value_only(deserialization_schema: DeserializationSchema) -> KafkaRecordDeserializationSchema:
        """Reads values by a schema; tombstones are no records.

        Args:
            deserialization_schema: ``schema.with_dead_letters(tag)`` sends what it cannot read to a side output.

        Raises:
            ValidationError: it is no DeserializationSchema.
        """
        from .value_only import ValueOnly

        return ValueOnly(deserialization_schema)


# The connector's own parts of a deserializer: users' classes have attributes of any other name.


def read_block(
    deserializer: KafkaRecordDeserializationSchema, messages: Sequence[Any], topic: str, partition: int
) -> list[Any]:
    """The records of a block of messages of one partition, without the Nones."""
    return deserializer._kafka_records(messages, topic, partition)  # noqa: SLF001


def read_timed_block(
    deserializer: KafkaRecordDeserializationSchema, messages: Sequence[Any], topic: str, partition: int
) -> tuple[list[Any], list[int | None]]:
    """The same, and the timestamps of the messages that the records come from."""
    return deserializer._timed_kafka_records(messages, topic, partition)  # noqa: SLF001


def unreadable(error: Exception, topic: str, partition: int, offset: int, data: bytes | None) -> FormatError:
    """The error of a message that cannot be read: where it is, why, and what is in it."""
    reason = str(error) if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
    return FormatError(
        f"topic {topic!r}, partition {partition}, offset {offset} cannot be read: {reason}; its value: {cut(data)}; "
        "schema.with_dead_letters(tag) would send such messages to a side output"
    )


def _time(message: Any) -> int | None:
    kind, time = message.timestamp()
    return None if kind == 0 else int(time)
