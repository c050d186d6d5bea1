"""Records of Kinesis into tuples of their content and metadata, and partition keys of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from datastream.connectors.kinesis import KinesisDeserializationSchema, KinesisRecord
from datastream.table.types.logical_types import DataType

from .formats.csv_writing import text_of
from .messages import MessageRows

#: The longest partition key.
_MOST = 256


class TableRecords(MessageRows[KinesisRecord], KinesisDeserializationSchema):
    """Reads records as tuples."""

    values = {
        "timestamp": lambda record: record.arrival * 1000,
        "sequence-number": lambda record: record.sequence_number,
        "shard-id": lambda record: record.shard,
    }

    @staticmethod
    def named(message: KinesisRecord, origin: str) -> str:
        return f"the record {message.sequence_number} of the shard {message.shard} of the stream {origin!r}"

    def records_of(self, records: Sequence[KinesisRecord]) -> list[Any]:
        return self.rows_of(records, records[0].stream) if records else []

    def deserialize(
        self,
        record_value: bytes,
        partition_key: str,
        seq_num: str,
        approx_arrival_timestamp: int,
        stream: str,
        shard_id: str,
    ) -> Any:
        return self.row_of(
            KinesisRecord(record_value, partition_key, seq_num, approx_arrival_timestamp, stream, shard_id)
        )


class ColumnsKey:
    """Makes the partition key of a row: the values of some of its columns, as texts. That of NULL is ``null``.

    Args:
        columns: Index in the row and type of each.
        delimiter: Between their values.
    """

    def __init__(self, columns: Sequence[tuple[int, DataType]], delimiter: str) -> None:
        self._columns, self._delimiter = tuple(columns), delimiter

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": self._columns, "_delimiter": self._delimiter}

    @cached_property
    def _texts(self) -> list[tuple[int, Callable[[Any], str]]]:
        return [(index, text_of(kind)) for index, kind in self._columns]

    def __call__(self, row: Sequence[Any]) -> str:
        values = ["null" if row[index] is None else text(row[index]) for index, text in self._texts]
        return self._delimiter.join(values)[:_MOST] or "null"
