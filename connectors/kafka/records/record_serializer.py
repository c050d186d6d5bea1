"""Records of a stream become records of Kafka."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError, UnsupportedOperation, cut
from datastream.formats import SerializationSchema
from datastream.time import MAX_WATERMARK

from .producer_record import ProducerRecord

if TYPE_CHECKING:
    from .serializer_builder import KafkaRecordSerializationSchemaBuilder

#: Arguments of `confluent_kafka.Producer.produce`, by position: topic, value, key, partition (-1: by key), two
#: callbacks (None), timestamp (0: now), headers.
Message = tuple[str, bytes | None, bytes | None, int, None, None, int, Any]

#: How many partitions a topic has.
PartitionCount = Callable[[str], int]

#: (record, key, value, topic, partitions) -> the partition; the parameters of Flink's FlinkKafkaPartitioner.
Partitioner = Callable[[Any, bytes | None, bytes | None, str, Sequence[int]], int]

#: record -> its headers; Flink's HeaderProvider.
HeaderProvider = Callable[[Any], "Sequence[tuple[str, bytes | None]] | dict[str, bytes | None] | None"]

_BYTES = {bytes, type(None)}


class KafkaTopicSelector(ABC):
    """Chooses the topic that a record goes to. A function of a record does as well."""

    @abstractmethod
    def apply(self, data: Any) -> str:
        """The name of the topic for a record."""


class KafkaRecordSerializationSchema:
    """Makes the records that a `KafkaSink` writes.

    `builder` puts one together from schemas of keys and values. A subclass with a `serialize` of its own decides on
    everything: topic, partition, timestamp and headers of each record.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            raise UnsupportedOperation(
                "KafkaRecordSerializationSchema takes no arguments (PyFlink's wraps an object of Java): use "
                "KafkaRecordSerializationSchema.builder(), or write a subclass with serialize(value, timestamp)"
            )

    @staticmethod
    def builder() -> KafkaRecordSerializationSchemaBuilder:
        """A builder for a schema of topic, key and value."""
        from .serializer_builder import KafkaRecordSerializationSchemaBuilder

        return KafkaRecordSerializationSchemaBuilder()

    @property
    def _only_topic(self) -> str | None:
        """The one topic that all records go to; None where records choose it."""
        return None

    def serialize(self, value: Any, timestamp: int | None) -> ProducerRecord | None:
        """The record to write for a record of the stream. Subclasses override it.

        Args:
            value: The record of the stream.
            timestamp: Its event time in ms since 1970, or None.

        Returns:
            None: nothing is written.
        """
        raise NotImplementedError(f"{type(self).__name__}.serialize(value, timestamp) is missing")

    def _kafka_messages(
        self, records: Sequence[Any], times: Sequence[int | None] | None, partitions: PartitionCount
    ) -> Iterator[Message]:
        """A block of records, ready to be produced.

        Args:
            records: Of the stream.
            times: Their event times, or None.
            partitions: Returns the number of partitions of a topic.

        Raises:
            FormatError: a record cannot be serialized; it names the record.
        """
        for record, time in zip(records, repeat(None) if times is None else times, strict=False):
            try:
                made = self.serialize(record, time)
            except Exception as error:
                raise _failed(type(self).__name__, record, error) from error
            if made is None:
                continue
            if not isinstance(made, ProducerRecord):
                raise _unfit(f"{type(self).__name__}.serialize", "a ProducerRecord or None", made, record)
            _checked(f"{type(self).__name__}.serialize", (record,), (made.value,), "bytes or None as value")
            _checked(f"{type(self).__name__}.serialize", (record,), (made.key,), "bytes or None as key")
            if not isinstance(made.topic, str) or not made.topic:
                raise _unfit(f"{type(self).__name__}.serialize", "a topic's name", made.topic, record)
            partition = -1 if made.partition is None else made.partition
            if type(partition) is not int or not -1 <= partition < 1 << 31:
                raise _unfit(f"{type(self).__name__}.serialize", "a partition's number or None", partition, record)
            if made.timestamp is not None and type(made.timestamp) is not int:
                raise _unfit(f"{type(self).__name__}.serialize", "a timestamp in ms or None", made.timestamp, record)
            try:
                headers = _pairs(made.headers)
            except Exception as error:
                raise _failed(f"{type(self).__name__}.serialize", record, error) from error
            yield made.topic, made.value, made.key, partition, None, None, _written(made.timestamp), headers


class BuiltSerializer(KafkaRecordSerializationSchema):
    """What the builder builds: topic, key, value, partition and headers each by a part of their own, whole blocks
    at a time."""

    def __init__(
        self,
        topic: str | Callable[[Any], str],
        value_schema: SerializationSchema,
        key_schema: SerializationSchema | None,
        partitioner: Partitioner | None,
        header_provider: HeaderProvider | None,
    ) -> None:
        super().__init__()
        self._topic = topic
        self._value_schema = value_schema
        self._key_schema = key_schema
        self._partitioner = partitioner
        self._header_provider = header_provider

    @property
    def _only_topic(self) -> str | None:
        return self._topic if isinstance(self._topic, str) else None

    def serialize(self, value: Any, timestamp: int | None) -> ProducerRecord:
        """The record to write for one record of the stream; its partition is left open."""
        unplaced = BuiltSerializer(self._topic, self._value_schema, self._key_schema, None, self._header_provider)
        [(topic, data, key, _, _, _, _, headers)] = messages_of(unplaced, [value], None, lambda topic: 1)
        return ProducerRecord(topic, data, key, None, timestamp, headers)

    def _kafka_messages(
        self, records: Sequence[Any], times: Sequence[int | None] | None, partitions: PartitionCount
    ) -> Iterator[Message]:
        values = _serialized(self._value_schema, records)
        keys: Iterable[bytes | None] = repeat(None)
        if self._key_schema is not None:
            keys = _serialized(self._key_schema, records)
        topics: Iterable[str] = repeat(self._topic) if isinstance(self._topic, str) else self._topics(records)
        chosen: Iterable[int] = repeat(-1)
        if self._partitioner is not None:
            chosen = self._chosen(records, keys, values, topics, partitions)
        headers: Iterable[Any] = repeat(None) if self._header_provider is None else self._headers(records)
        written = repeat(0) if times is None else map(_written, times)
        none = repeat(None)
        return zip(topics, values, keys, chosen, none, none, written, headers, strict=False)

    def _topics(self, records: Sequence[Any]) -> list[str]:
        topics = []
        for record in records:
            try:
                topic = self._topic(record)  # type: ignore[operator]
            except Exception as error:
                raise _failed("the topic selector", record, error) from error
            if not isinstance(topic, str) or not topic:
                raise _unfit("the topic selector", "a topic's name", topic, record)
            topics.append(topic)
        return topics

    def _chosen(
        self,
        records: Sequence[Any],
        keys: Iterable[bytes | None],
        values: Sequence[bytes | None],
        topics: Iterable[str],
        partitions: PartitionCount,
    ) -> list[int]:
        chosen = []
        for record, key, value, topic in zip(records, keys, values, topics, strict=False):
            count = partitions(topic)
            try:
                partition = self._partitioner(record, key, value, topic, range(count))  # type: ignore[misc]
            except Exception as error:
                raise _failed("the partitioner", record, error) from error
            if not isinstance(partition, int) or not 0 <= partition < count:
                expected = f"a partition of topic {topic!r}, 0 to {count - 1}"
                raise _unfit("the partitioner", expected, partition, record)
            chosen.append(int(partition))
        return chosen

    def _headers(self, records: Sequence[Any]) -> list[Any]:
        made = []
        for record in records:
            try:
                made.append(_pairs(self._header_provider(record)))  # type: ignore[misc]
            except Exception as error:
                raise _failed("the header provider", record, error) from error
        return made


def _serialized(schema: SerializationSchema, records: Sequence[Any]) -> Sequence[bytes | None]:
    try:
        made = schema.serialize_block(records)
    except Exception as error:
        raise _failed(type(schema).__name__, _first_failing(schema, records), error) from error
    _checked(f"{type(schema).__name__}.serialize", records, made, "bytes")
    return made


# The connector's own parts of a serializer: users' classes have attributes of any other name.


def only_topic(serializer: KafkaRecordSerializationSchema) -> str | None:
    """The one topic that all records go to; None where records choose it."""
    return serializer._only_topic  # noqa: SLF001


def messages_of(
    serializer: KafkaRecordSerializationSchema,
    records: Sequence[Any],
    times: Sequence[int | None] | None,
    partitions: PartitionCount,
) -> Iterator[Message]:
    """A block of records, ready to be produced.

    Args:
        serializer: Makes them.
        records: Of the stream.
        times: Their event times, or None.
        partitions: Returns the number of partitions of a topic.

    Raises:
        FormatError: a record cannot be serialized; it names the record.
    """
    return serializer._kafka_messages(records, times, partitions)  # noqa: SLF001


def _first_failing(schema: SerializationSchema, records: Sequence[Any]) -> Any:
    for record in records:
        try:
            schema.serialize(record)
        except Exception:  # the first error is the one to be told; this only looks for its record
            return record
    return records


def _checked(who: str, records: Sequence[Any], made: Sequence[bytes | None], expected: str) -> None:
    if set(map(type, made)) <= _BYTES:
        return
    at = next(i for i, value in enumerate(made) if type(value) not in _BYTES)
    raise _unfit(who, expected, made[at], records[at])


def _pairs(headers: Any) -> list[tuple[str, bytes | str | None]] | None:
    """Headers as the client takes them. It ends the process by a fault where a name has no form in UTF-8."""
    if headers is None:
        return None
    pairs = [(name, value) for name, value in (headers.items() if isinstance(headers, dict) else headers)]
    for name, value in pairs:
        name.encode()
        if not isinstance(value, bytes | str | None):
            raise TypeError(f"header {name!r}: expected bytes, str or None, got {type(value).__name__} {cut(value)}")
    return pairs


def _written(time: int | None) -> int:
    # As in Flink, no timestamp of before 1970 is written; nor the end of all time, which windows without an end give.
    # librdkafka takes 0 for now.
    return time if time is not None and 0 < time < MAX_WATERMARK else 0


def _failed(who: str, record: Any, error: Exception) -> FormatError:
    why = f"{error}" if isinstance(error, FormatError) else f"{type(error).__name__}: {error}"
    return FormatError(f"KafkaSink: {who} failed for the record {cut(record)}: {why}")


def _unfit(who: str, expected: str, found: Any, record: Any) -> FormatError:
    return FormatError(
        f"KafkaSink: {who} must give {expected}, got {type(found).__name__} {cut(found)} for the record {cut(record)}"
    )
