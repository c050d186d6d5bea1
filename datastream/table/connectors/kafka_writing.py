"""Rows of a table into Kafka's records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from datastream.connectors.kafka import KafkaRecordSerializationSchema
from datastream.connectors.kafka.records.record_serializer import Message, PartitionCount, messages_of, only_topic

from .picked_columns import UPDATE_AFTER, UPDATE_BEFORE, Pick


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
