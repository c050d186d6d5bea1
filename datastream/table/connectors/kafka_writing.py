"""Rows of a table into Kafka's records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from datastream.connectors.kafka import KafkaRecordSerializationSchema
from datastream.connectors.kafka.records.record_serializer import Message, PartitionCount, messages_of, only_topic
from datastream.formats import SerializationSchema

from .files_writing import Pick

INSERT, UPDATE_BEFORE, UPDATE_AFTER = 0, 1, 2


class PickedColumns(SerializationSchema):
    """Writes some columns of rows.

    Args:
        inner: Writes tuples of these columns.
        pick: Gives them of a row.
        upserts: Whether the rows' kind comes first, and only those that are added have bytes: others are
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


class TableRecords(KafkaRecordSerializationSchema):
    """A serializer whose records have the timestamps that a column gives, in µs, or else the time of writing.

    Args:
        inner: Makes the records.
        time: Index of the column; None: there is none.
        key: Of rows with their kind in front: gives the key of a row. A -U whose +U with the same key comes next is
            left out then, as the one record replaces the other.
    """

    def __init__(self, inner: KafkaRecordSerializationSchema, time: int | None, key: Pick | None) -> None:
        super().__init__()
        self._inner, self._time, self._key = inner, time, key

    @property
    def _only_topic(self) -> str | None:
        return only_topic(self._inner)

    def _kafka_messages(
        self, records: Sequence[Any], times: Sequence[int | None] | None, partitions: PartitionCount
    ) -> Iterator[Message]:
        if self._key is not None:
            records = _without_replaced(records, self._key)
        at = self._time
        given = None if at is None else [None if row[at] is None else row[at] // 1000 for row in records]
        return messages_of(self._inner, records, given, partitions)


def _without_replaced(rows: Sequence[Any], key: Pick) -> list[Any]:
    kept = []
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        replaced = row[0] == UPDATE_BEFORE and after is not None and after[0] == UPDATE_AFTER
        if not (replaced and key(row) == key(after)):
            kept.append(row)
    return kept
