"""Row groups of Parquet files."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyarrow import parquet

from datastream.formats.columnar.batches import GroupWriter
from datastream.formats.columnar.streams import KeptOpen
from datastream.types import TimestampTypeInfo, TypeInformation


class _Abandonable(parquet.ParquetWriter):  # type: ignore[misc]
    """A writer that writes nothing when it is dropped: its stream may be closed, the file gone.

    pyarrow's own writes the file's end then, in C++ too. A write that fails there makes it format a traceback in
    the middle of a garbage collection.
    """

    def __del__(self) -> None:
        self.where.cut_off()


class ParquetGroups(GroupWriter):
    """Writes row groups to a stream.

    Args:
        stream: Stays open.
        schema: Of the batches.
        options: Of pyarrow's writer.
    """

    def __init__(self, stream: KeptOpen, schema: Any, options: dict[str, Any]) -> None:
        self._schema = schema
        self._writer = _Abandonable(stream, schema, **options)

    def write(self, batches: list[Any]) -> None:
        table = pa.Table.from_batches(batches, self._schema)
        self._writer.write_table(table, row_group_size=table.num_rows)

    def close(self) -> None:
        self._writer.close()


def as_usual(arrow: Any, kind: TypeInformation) -> Any:
    """Every type as it is."""
    return arrow


def all_in_utc(arrow: Any, kind: TypeInformation) -> Any:
    """Every timestamp as a point in time."""
    return pa.timestamp("us", tz="UTC") if pa.types.is_timestamp(arrow) and arrow.tz is None else arrow


def sql_in_utc(arrow: Any, kind: TypeInformation) -> Any:
    """Only SQL_TIMESTAMP as a point in time: what Avro's timestamp is, other than its local-timestamp."""
    return all_in_utc(arrow, kind) if isinstance(kind, TimestampTypeInfo) else arrow
