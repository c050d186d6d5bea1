"""Parquet files of an epoch on their way into a table of Delta Lake."""

from __future__ import annotations

import datetime as dt
import json
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.partition_files import Layout, split_by

from .location import DeltaLocation
from .partitions import partition_folder, partition_text

#: Characters of a text's bounds.
_BOUND = 32


@dataclass(frozen=True)
class DataFile:
    """A file that is written and not yet in the table's log.

    Attributes:
        path: Relative to the table.
        size: Bytes.
        partition: The values of the partition columns, as the log has them.
        modified: ms since 1970.
        stats: What the log says of its rows, as JSON.
        nulls: The columns in which a row has None.
    """

    path: str
    size: int
    partition: tuple[tuple[str, str | None], ...]
    modified: int
    stats: str
    nulls: tuple[str, ...] = ()


class DeltaLayout(Layout[DataFile]):
    """How a table of Delta Lake lays its files out.

    Args:
        location: The table.
        schema: Of the rows that are added.
        partition_by: The partition columns, which are not in the files.
        name: What the files' names begin with, after the folder.
        folder: Where they lie below the table.
    """

    options = {"compression": "snappy", "write_page_checksum": True, "store_schema": False}

    def __init__(
        self, location: DeltaLocation, schema: Any, partition_by: Sequence[str], name: str, folder: str = ""
    ) -> None:
        import pyarrow as pa

        self._location, self._partition_by, self._name, self._folder = location, tuple(partition_by), name, folder
        self.table, self.schema = location.path, schema
        self.stored = pa.schema([field for field in schema if field.name not in self._partition_by])
        location.make_folder()
        self._files = location.files()

    def split(self, rows: Any) -> Iterator[tuple[tuple[str | None, ...], Any]]:
        rest = rows.drop_columns(list(self._partition_by)) if self._partition_by else rows
        for at, part in split_by(rest, [rows[name] for name in self._partition_by]):
            yield tuple(partition_text(rows[name][at].as_py()) for name in self._partition_by), part

    def new_file(self, partition: tuple[str | None, ...]) -> tuple[str, Any]:
        folder = self._folder + partition_folder(dict(zip(self._partition_by, partition, strict=True)))
        path = f"{folder}{self._name}-{uuid.uuid4().hex}.parquet"
        return path, self._files.open_output_stream(path)

    def finished(self, path: str, partition: Any, size: int, metadata: Any, nulls: frozenset[str]) -> DataFile:
        values = tuple(zip(self._partition_by, partition, strict=True))
        stats = json.dumps(stats_of(metadata), separators=(",", ":"))
        gone = sorted({*nulls, *(name for name, value in values if value is None)})
        return DataFile(path, size, values, time.time_ns() // 1_000_000, stats, tuple(gone))

    def remove(self, paths: list[str]) -> None:
        self._location.remove(paths)

    def reaching(self) -> AbstractContextManager[None]:
        return self._location.reaching()


def stats_of(metadata: Any) -> dict[str, Any]:
    """What the log says of a file: its rows, and bounds of the columns whose values have an exact text."""
    nulls: dict[str, int] = {}
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    without: set[str] = set()
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            column = metadata.row_group(group).column(index)
            name, found = column.path_in_schema, column.statistics
            if (
                metadata.schema.column(index).max_definition_level > 1
                or metadata.schema.column(index).max_repetition_level
            ):
                continue  # inside of a struct, a list or a map
            if found is None or not found.has_null_count:
                without.add(name)
                continue
            nulls[name] = nulls.get(name, 0) + found.null_count
            if found.has_min_max and _is_bound(found.min) and "." not in name:
                low[name] = min(low.get(name, found.min), found.min)
                high[name] = max(high.get(name, found.max), found.max)
            elif found.num_values:
                without.add(name)
    kept = [name for name in low if name not in without]
    return {
        "numRecords": metadata.num_rows,
        "minValues": {name: _bound(low[name]) for name in kept},
        "maxValues": {name: _bound(high[name]) for name in kept if not _is_long(high[name])},
        "nullCount": {name: count for name, count in nulls.items() if name not in without},
    }


def _is_bound(value: Any) -> bool:
    return isinstance(value, (int, str, dt.date)) and not isinstance(value, (bool, dt.datetime))


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > _BOUND


def _bound(value: Any) -> Any:
    return value.isoformat() if isinstance(value, dt.date) else value[:_BOUND] if isinstance(value, str) else value
