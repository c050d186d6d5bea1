"""Parquet files of an epoch on their way into a table: one a task and partition."""

from __future__ import annotations

import datetime as dt
import json
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError
from datastream.formats.columnar.parquet_groups import ParquetGroups
from datastream.formats.columnar.streams import KeptOpen

from .location import DeltaLocation
from .partitions import partition_folder, split_by_partition

#: Bytes of a row group at most, in Arrow's form: what a task holds in memory.
_GROUP_BYTES = 64 * 1024 * 1024
_OPTIONS = {"compression": "snappy", "write_page_checksum": True, "store_schema": False}
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


class _Stream:
    """What pyarrow's writer needs of a file of the store."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.size = 0

    def tell(self) -> int:
        return self.size

    def write(self, data: Any) -> int:
        self._file.write(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing: the store keeps a file as a whole."""

    def close(self) -> None:
        self._file.close()


class _OpenFile:
    def __init__(self, files: Any, path: str, schema: Any) -> None:
        self.path, self._metadata = path, []  # type: tuple[str, list[Any]]
        self._nulls: set[str] = set()
        self._stream = _Stream(files.open_output_stream(path))
        self._groups = ParquetGroups(
            KeptOpen(self._stream),  # type: ignore[arg-type]
            schema,
            {**_OPTIONS, "metadata_collector": self._metadata},
        )

    def write(self, table: Any) -> None:
        self._nulls |= {name for name in table.column_names if table[name].null_count}
        self._groups.write(table.to_batches())

    def finish(self, partition: tuple[tuple[str, str | None], ...]) -> DataFile:
        self._groups.close()
        self._stream.close()
        stats = json.dumps(stats_of(self._metadata[0]), separators=(",", ":"))
        nulls = {*self._nulls, *(name for name, value in partition if value is None)}
        now = time.time_ns() // 1_000_000
        return DataFile(self.path, self._stream.size, partition, now, stats, tuple(sorted(nulls)))


class PartitionFiles:
    """Writes Arrow batches of all columns, each row to the file of its partition.

    Args:
        location: The table.
        schema: Of the batches.
        partition_by: The partition columns, which are not in the files.
        name: What the files' names begin with, after the folder.
        folder: Where they lie below the table.
    """

    def __init__(
        self, location: DeltaLocation, schema: Any, partition_by: Sequence[str], name: str, folder: str = ""
    ) -> None:
        import pyarrow as pa

        self._location, self._schema = location, schema
        self._partition_by, self._name, self._folder = tuple(partition_by), name, folder
        self._kept = pa.schema([field for field in schema if field.name not in self._partition_by])
        location.make_folder()
        self._files = location.files()
        self._open: dict[tuple[str | None, ...], _OpenFile] = {}
        self._waiting: list[Any] = []
        self._bytes = 0

    def add(self, batch: Any) -> None:
        """Take an Arrow batch, which is written with others as a row group.

        Raises:
            FormatError: A column that is NOT NULL has a None.
        """
        self._waiting.append(batch)
        self._bytes += batch.nbytes
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        batches, self._waiting, self._bytes = self._waiting, [], 0
        if not batches:
            return
        table = pa.Table.from_batches(batches)
        for field in self._schema:
            if not field.nullable and table[field.name].null_count:
                raise FormatError(
                    f"column {field.name} of the table {self._location.path} is NOT NULL, and a row has None"
                )
        with self._location.reaching():
            for values, rows in split_by_partition(table.cast(self._schema), self._partition_by):
                if values not in self._open:
                    folder = self._folder + partition_folder(dict(zip(self._partition_by, values, strict=True)))
                    path = f"{folder}{self._name}-{uuid.uuid4().hex}.parquet"
                    self._open[values] = _OpenFile(self._files, path, self._kept)
                self._open[values].write(rows)

    def finish(self) -> list[DataFile]:
        """Write what waits, and finish the files."""
        self._flush()
        with self._location.reaching():
            return [
                file.finish(tuple(zip(self._partition_by, values, strict=True))) for values, file in self._open.items()
            ]

    def abort(self) -> None:
        """Remove the files."""
        for file in self._open.values():
            with suppress(Exception):
                file.finish(())
        self._location.remove([file.path for file in self._open.values()])


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
