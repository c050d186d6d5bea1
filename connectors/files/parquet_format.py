"""Parquet files as a source, and all names of ``pyflink.datastream.formats.parquet``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from datastream.errors import FormatError
from datastream.formats.columnar.row_types import readable_row_type
from datastream.formats.parquet import AvroParquetWriters, ParquetBulkWriters
from datastream.io import Predicate
from datastream.types import RowTypeInfo

from .columnar_format import ColumnarRowFormat, open_columns
from .formats import StreamFormat
from .parts import FilePart
from .remote.location import is_remote

if TYPE_CHECKING:
    from datastream.formats.avro.schema import AvroSchema

_BUFFER = 64 * 1024
"""Bytes of each column that are read at a time; a page that is larger is read whole."""

__all__ = ["AvroParquetReaders", "AvroParquetWriters", "ParquetBulkWriters", "ParquetColumnarRowInputFormat"]


class ParquetColumnarRowInputFormat(ColumnarRowFormat):
    """Reads the rows of Parquet files, for `FileSource.for_bulk_file_format`.

    Only the columns of the row type are read, by name. A column that a file does not have is None; a file that has
    none of them is refused. A column of another type is read where that loses nothing (int32 as LONG, float as
    DOUBLE) and refused otherwise. Large files are shared by several tasks, a row group (at its first byte) at a
    time; a task holds a page of each column and a batch of rows.

    Args:
        row_type: `Types.ROW_NAMED(...)`; a row without names reads the columns f0, f1, ...
        hadoop_config: A `Configuration`, or a dict of str. Checked, without effect.
        batch_size: Rows of a batch. Default: 2048.
        is_utc_timestamp: SQL_TIMESTAMP of a column that holds points in time (INT96 too) is in UTC. Default: in the
            time zone of the machine that reads. Columns of wall clock times are read as they are.
        is_case_sensitive: Whether upper and lower case differ in names. Default: they do.

    Raises:
        ValidationError: the row type is none, or has no fields; the batch size is not positive;
            or an option is unknown.
        FormatError: the row type has a field that cannot be read, such as PICKLED_BYTE_ARRAY.
    """

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        """The rows of the row groups that start in the part.

        Raises:
            FormatError: the file is damaged, or a column does not fit.
        """
        return _read(
            part,
            self._row_type,
            self._batch_size,
            self._utc,
            self._any_case,
            predicates=self.predicates,
            tuples=self.tuples,
        )


class AvroParquetReaders:
    """Makes the formats of Parquet files of records that an Avro schema describes."""

    @staticmethod
    def for_generic_record(schema: AvroSchema) -> StreamFormat:
        """A format that reads a row as a dict, for `FileSource.for_record_stream_format`.

        Args:
            schema: The schema of a record; its fields are the columns that are read.

        Raises:
            ValidationError: the schema is no record.
        """
        return _AvroParquetFormat(schema)


class _AvroParquetFormat(StreamFormat):
    """See `AvroParquetReaders.for_generic_record`."""

    splittable = True

    def __init__(self, schema: AvroSchema) -> None:
        from datastream.formats.columnar.avro_rows import avro_row_type

        self._schema = schema
        self._row_type = readable_row_type(
            avro_row_type(schema, "AvroParquetReaders.for_generic_record"), "AvroParquetReaders"
        )

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        from datastream.formats.columnar.avro_rows import to_records

        return _read(part, self._row_type, 2048, True, False, to_records(self._schema))


def _read(
    part: FilePart,
    row_type: RowTypeInfo,
    batch_size: int,
    utc: bool,
    any_case: bool,
    convert: Callable[[list[Any]], list[Any]] = list,
    predicates: Sequence[Predicate] = (),
    tuples: bool = False,
) -> Iterator[list[Any]]:
    from datastream.formats.columnar.reading import naming

    with open_columns(part) as source:
        blocks = _blocks(source, part, row_type, batch_size, utc, any_case, predicates, tuples)
        yield from naming(part.path, "Parquet", map(convert, blocks))


def _blocks(
    source: Any,
    part: FilePart,
    row_type: RowTypeInfo,
    batch_size: int,
    utc: bool,
    any_case: bool,
    predicates: Sequence[Predicate],
    tuples: bool,
) -> Iterator[list[Any]]:
    from pyarrow.parquet import ParquetFile

    from datastream.connectors.row_groups import may_hold
    from datastream.formats.columnar.columns import Times
    from datastream.formats.columnar.reading import RowsOfColumns

    # No threads: the worker processes are forks. A buffer: without it a whole column of a group is in memory.
    # Of a remote file: each request takes its time, and a column of a group is one.
    # INT96 in nanoseconds would silently be wrong outside the years 1678 to 2261.
    file = ParquetFile(
        source,
        pre_buffer=False,
        buffer_size=0 if is_remote(part.path) else _BUFFER,
        page_checksum_verification=True,
        coerce_int96_timestamp_unit="us",
    )
    groups = [i for i in range(file.metadata.num_row_groups) if _is_in(part, file.metadata.row_group(i))]
    if not groups:
        return
    legacy = {
        c.path.split(".")[0] for c in map(file.schema.column, range(len(file.schema))) if c.physical_type == "INT96"
    }
    columns = RowsOfColumns(file.schema_arrow, row_type, lambda name: Times(utc, name in legacy), any_case, tuples)
    for group in (each for each in groups if may_hold(file.metadata.row_group(each), predicates)):
        missing = file.metadata.row_group(group).num_rows
        for batch in file.iter_batches(batch_size, [group], columns.names, use_threads=False):
            missing -= batch.num_rows
            yield columns.rows(batch)
        if missing:
            raise FormatError(f"row group {group} says that it has {missing} more rows than are there")


def _is_in(part: FilePart, group: Any) -> bool:
    """Whether a row group's first byte is in the part; one that says it is outside the file counts at its edges."""
    if not group.num_columns:
        return part.start == 0
    column = group.column(0)
    first: int = min(column.dictionary_page_offset or column.data_page_offset, column.data_page_offset)
    return part.start <= min(max(first, 0), part.size - 1) < part.end
