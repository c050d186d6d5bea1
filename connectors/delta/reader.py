"""Reads rows of files of a table, with the values of their partitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.connectors.lakehouse.rows_of_files import (
    BATCH_ROWS,
    FilesReader,
    GroupRows,
    RowsOfFile,
    groups_of,
    opened_file,
)
from datastream.errors import FormatError, JobError
from datastream.io import Batch, ReaderContext

from .partitions import partition_column
from .read_settings import DeltaReadSettings


class DeltaReader(FilesReader):
    """Reads splits.

    Args:
        source: The settings.
        context: Where the bytes are counted.
    """

    def __init__(self, source: DeltaReadSettings, context: ReaderContext) -> None:
        from datastream.types.arrow import to_arrow_schema

        super().__init__(source, context)
        self._source, self._location = source, source.location
        self._schema = to_arrow_schema(source.row_type)
        self._files: Any = None

    def read(self, split: list[RowsOfFile]) -> Iterator[Batch]:
        for part in split:
            try:
                with self._location.reaching():
                    yield from self._rows(part)
            except (FormatError, JobError, ConnectionError):
                raise
            except FileNotFoundError:
                raise JobError(
                    f"the file {part.file.key} of the table {self._location.path} is gone: VACUUM has removed "
                    "it before it was read; keep removed files for longer (delta.deletedFileRetentionDuration)"
                ) from None

    def _rows(self, part: RowsOfFile) -> Iterator[Batch]:
        import pyarrow as pa

        if self._is_pruned(part):
            return
        if self._files is None:
            self._files = self._location.files()
        name = f"the file {part.file.key} of the table {self._location.path}"
        stream = pa.PythonFile(self._files.open_input_file(part.file.key), mode="r")
        with opened_file(stream, name, part.file.rows, "the table's log") as file:
            columns = _Columns(file.schema_arrow, self._schema, part)
            for rows in groups_of(file.metadata, part, self._source.predicates):
                self._bytes.inc(rows.size)
                yield from self._of_group(file, rows, columns)

    def _is_pruned(self, part: RowsOfFile) -> bool:
        """Whether the values of a file's partition say that it has no row of those that are wanted."""
        for each in self._source.predicates:
            if each.column in part.file.partition:
                kind = self._schema.field(each.column).type
                (value,) = partition_column(part.file.partition[each.column], kind, 1).to_pylist()
                if not each.passes(value):
                    return True
        return False

    def _of_group(self, file: Any, rows: GroupRows, columns: _Columns) -> Iterator[Batch]:
        """Some rows of a row group."""
        count = rows.end - rows.start
        if not self._source.wanted:
            yield Batch([()] * count)
        elif not columns.stored:
            for low in range(0, count, BATCH_ROWS):
                yield self.batch(columns.batch(None, min(BATCH_ROWS, count - low)))
        else:
            for _, batch in rows.batches(file, columns.stored):
                yield self.batch(columns.batch(batch, batch.num_rows))


class _Columns:
    """The declared columns of a file's batches; one that the file does not have is None.

    Attributes:
        stored: The columns of the file that are needed.
    """

    def __init__(self, found: Any, wanted: Any, part: RowsOfFile) -> None:
        from datastream.formats.columnar.columns import Times, fitting

        self._wanted, self._partition = wanted, part.file.partition
        self._fits: dict[str, Any] = {}
        for field in wanted:
            if field.name not in self._partition and field.name in found.names:
                self._fits[field.name] = fitting(found.field(field.name).type, field.type, Times(), False, field.name)
        self.stored = list(self._fits)

    def batch(self, read: Any, count: int) -> Any:
        """An Arrow batch of the declared columns."""
        import pyarrow as pa

        columns = []
        for field in self._wanted:
            if field.name in self._fits:
                columns.append(self._fits[field.name](read.column(read.schema.names.index(field.name))))
            else:
                columns.append(partition_column(self._partition.get(field.name), field.type, count))
        return pa.RecordBatch.from_arrays(columns, schema=self._wanted)
