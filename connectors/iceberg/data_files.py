"""Parquet files of an epoch on their way into a table of Apache Iceberg."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.partition_files import Layout, split_by

from .location import IcebergLocation
from .partitioning import partition_columns

_CODECS = {"uncompressed": "none"}


@dataclass(frozen=True)
class WrittenFile:
    """A file that is written and not yet in the table.

    Attributes:
        path: Where it is.
        size: Bytes.
        data_file: What the table's manifests say of it; None: it has changes that wait to be merged.
        nulls: The columns in which a row has None.
    """

    path: str
    size: int
    data_file: Any = None
    nulls: tuple[str, ...] = ()


class _StoredFiles(Layout[WrittenFile]):
    """Files in the store of a table."""

    def __init__(self, location: IcebergLocation, table: Any, schema: Any) -> None:
        self._location, self._io = location, table.io
        self.table, self.schema = location.name, schema
        properties = table.properties
        codec = properties.get("write.parquet.compression-codec", "zstd").lower()
        level = properties.get("write.parquet.compression-level")
        self.options = {
            "compression": _CODECS.get(codec, codec),
            "compression_level": int(level) if level not in (None, "null") else None,
            "write_page_checksum": True,
            "store_decimal_as_integer": True,
            "store_schema": False,
        }

    def remove(self, paths: list[str]) -> None:
        remove_files(self._io, paths)

    def reaching(self) -> AbstractContextManager[None]:
        return self._location.reaching()


class TableLayout(_StoredFiles):
    """How a table of Apache Iceberg lays its files out.

    Args:
        location: The table.
        table: The same, opened.
        schema: The Arrow schema of the rows that are added.
        name: What the files' names begin with.
    """

    def __init__(self, location: IcebergLocation, table: Any, schema: Any, name: str) -> None:
        from pyiceberg.io.pyarrow import schema_to_pyarrow
        from pyiceberg.schema import sanitize_column_names

        super().__init__(location, table, schema)
        self._table, self._name = table, name
        self._columns, self._spec = table.schema(), table.spec()
        self._in_files = sanitize_column_names(self._columns)
        self.stored = schema_to_pyarrow(self._in_files)

    def split(self, rows: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
        whole = in_table_columns(rows, self._columns)
        partitions = partition_columns(whole, self._columns, self._spec)
        stored = whole.rename_columns(self.stored.names).cast(self.stored)
        for at, part in split_by(stored, partitions):
            yield tuple(column[at].as_py() for column in partitions), part

    def new_file(self, partition: tuple[Any, ...]) -> tuple[str, Any]:
        key = self._key(partition) if self._spec.fields else None
        path = self._table.location_provider().new_data_location(f"{self._name}-{uuid.uuid4().hex}.parquet", key)
        return path, self._io.new_output(path).create()

    def finished(self, path: str, partition: Any, size: int, metadata: Any, nulls: frozenset[str]) -> WrittenFile:
        from pyiceberg.io.pyarrow import (
            compute_statistics_plan,
            data_file_statistics_from_parquet_metadata,
            parquet_path_to_id_mapping,
        )
        from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
        from pyiceberg.typedef import Record

        found = data_file_statistics_from_parquet_metadata(
            metadata,
            compute_statistics_plan(self._in_files, self._table.properties),
            parquet_path_to_id_mapping(self._in_files),
        )
        made = DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=path,
            file_format=FileFormat.PARQUET,
            partition=self._key(partition).partition if self._spec.fields else Record(),
            file_size_in_bytes=size,
            sort_order_id=None,
            spec_id=self._spec.spec_id,
            equality_ids=None,
            key_metadata=None,
            **found.to_serialized_dict(),
        )
        made.spec_id = self._spec.spec_id
        names = dict(zip(self.stored.names, (field.name for field in self._columns.fields), strict=True))
        return WrittenFile(path, size, made, tuple(sorted(names[name] for name in nulls)))

    def _key(self, partition: tuple[Any, ...]) -> Any:
        from pyiceberg.partitioning import PartitionFieldValue, PartitionKey

        values = [PartitionFieldValue(field, value) for field, value in zip(self._spec.fields, partition, strict=True)]
        return PartitionKey(values, self._spec, self._columns)


class StagedLayout(_StoredFiles):
    """One file of changes, which waits in a folder beside the table's data.

    Args:
        location: The table.
        table: The same, opened.
        schema: The Arrow schema of the changes.
        folder: The folder, relative to the table, with ``/`` at its end.
        name: What the file's name begins with.
    """

    def __init__(self, location: IcebergLocation, table: Any, schema: Any, folder: str, name: str) -> None:
        super().__init__(location, table, schema)
        self.stored = schema
        self._path = f"{table.location().rstrip('/')}/{folder}{name}-{uuid.uuid4().hex}.parquet"

    def split(self, rows: Any) -> Iterator[tuple[Any, Any]]:
        yield (), rows

    def new_file(self, partition: Any) -> tuple[str, Any]:
        return self._path, self._io.new_output(self._path).create()

    def finished(self, path: str, partition: Any, size: int, metadata: Any, nulls: frozenset[str]) -> WrittenFile:
        return WrittenFile(path, size)


def in_table_columns(rows: Any, schema: Any) -> Any:
    """An Arrow table with the columns of a table's schema, in their order; those that it does not have are None."""
    import pyarrow as pa
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    wanted = schema_to_pyarrow(schema, include_field_ids=False)
    columns = [
        rows[field.name].cast(field.type) if field.name in rows.column_names else pa.nulls(rows.num_rows, field.type)
        for field in wanted
    ]
    return pa.table(columns, names=wanted.names)


def remove_files(io: Any, paths: list[str]) -> None:
    """Remove files; those that cannot be removed stay until orphan files are removed."""
    for path in paths:
        with suppress(Exception):
            io.delete(path)
