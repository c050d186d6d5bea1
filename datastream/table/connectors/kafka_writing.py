"""Rows of a table into Kafka's records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from datastream.connectors.kafka import KafkaRecordSerializationSchema
from datastream.connectors.kafka.records.record_serializer import Message, PartitionCount
from datastream.formats import SerializationSchema

from .files_writing import Pick

INSERT, UPDATE_AFTER = 0, 2


class PickedColumns(SerializationSchema):
    """Writes some columns of rows.

    Args:
        inner: Writes tuples of these columns.
        pick: Gives them of a row.
        upserts: Whether the rows' kind stands in front, and only those that are added have bytes: others are
            tombstones.
    """

    def __init__(self, inner: SerializationSchema, pick: Pick, upserts: bool = False) -> None:
        self._inner, self._pick, self._upserts = inner, pick, upserts

    def serialize(self, value: Any) -> bytes:
        return self.serialize_block([value])[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        pick = self._pick
        if not self._upserts:
            return self._inner.serialize_block([pick(row) for row in values])
        added = [row[0] == INSERT or row[0] == UPDATE_AFTER for row in values]
        rows = [pick(row) for row, is_added in zip(values, added, strict=True) if is_added]
        made = iter(self._inner.serialize_block(rows))
        return [next(made) if is_added else None for is_added in added]  # type: ignore[misc]


class HeadersColumn:
    """Gives the headers of a row: those of the map at an index."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __call__(self, row: Sequence[Any]) -> dict[str, bytes | None] | None:
        found: dict[str, bytes | None] | None = row[self._index]
        return found


class TopicColumn:
    """Gives the topic of a row."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __call__(self, row: Sequence[Any]) -> str:
        topic: str = row[self._index]
        return topic


class RoundRobin:
    """Chooses one partition after the other."""

    def __init__(self) -> None:
        self._next = 0

    def __call__(self, record: Any, key: Any, value: Any, topic: str, partitions: Sequence[int]) -> int:
        self._next += 1
        return partitions[self._next % len(partitions)]


class TimedRows(KafkaRecordSerializationSchema):
    """A serializer whose records have the timestamps that a column gives, in µs, or else the time of writing."""

    def __init__(self, inner: KafkaRecordSerializationSchema, index: int | None) -> None:
        super().__init__()
        self._inner, self._index = inner, index

    @property
    def topic(self) -> str | None:
        return self._inner.topic

    def messages(
        self, records: Sequence[Any], times: Sequence[int | None] | None, partitions: PartitionCount
    ) -> Iterator[Message]:
        index = self._index
        if index is None:
            return self._inner.messages(records, None, partitions)
        given = [None if row[index] is None else row[index] // 1000 for row in records]
        return self._inner.messages(records, given, partitions)
