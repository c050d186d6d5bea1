"""Reads rows of files of a table, by the numbers of their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from datastream.connectors.lakehouse.rows_of_files import FilesReader, RowsOfFile, groups_of, opened_file
from datastream.errors import JobError
from datastream.io import Batch, Predicate, ReaderContext

from .deletes import deleted_rows
from .location import OpenedCatalog
from .planned import PlannedFile
from .read_settings import IcebergReadSettings
from .schema import fit_of


class IcebergReader(FilesReader):
    """Reads splits.

    Args:
        source: The settings.
        context: Where the bytes are counted.
    """

    def __init__(self, source: IcebergReadSettings, context: ReaderContext) -> None:
        super().__init__(source, context)
        self._source, self._location = source, source.location
        self._table: Any = None

    def read(self, split: list[RowsOfFile]) -> Iterator[Batch]:
        for part in split:
            try:
                with self._location.reaching():
                    yield from self._rows(part)
            except FileNotFoundError:
                raise JobError(
                    f"the file {part.file.path} of the table {self._location.name} is gone: its snapshot has expired "
                    "before it was read; keep snapshots for longer"
                ) from None

    def _rows(self, part: RowsOfFile) -> Iterator[Batch]:
        table = self._opened(part.file.schema_id)
        name = f"the file {part.file.path} of the table {self._location.name}"
        with table.io.new_input(part.file.path).open() as stream:
            file = opened_file(stream, name, part.file.rows, "the table")
            columns = _Columns(file.schema_arrow, table, part.file, self._source)
            gone = deleted_rows(table.io, part.file)
            for rows in groups_of(file.metadata, part, columns.predicates):
                if not self._source.wanted:
                    first = rows.first + rows.start
                    yield Batch([()] * len(gone.kept(first, rows.end - rows.start)))
                    continue
                self._bytes.inc(rows.size)
                for first, batch in rows.batches(file, columns.stored):
                    kept = gone.kept(first, batch.num_rows)
                    if len(kept):
                        yield self.batch(columns.batch(batch if len(kept) == batch.num_rows else batch.take(kept)))

    def _opened(self, schema_id: int) -> Any:
        if self._table is None or schema_id not in self._table.schemas():
            catalog = OpenedCatalog(self._location)
            try:
                self._table = catalog.there()
            finally:
                catalog.close()
        return self._table


class _Columns:
    """The declared columns of a file's batches, found by the numbers of the table's fields.

    Attributes:
        stored: The columns of the file that are needed.
        predicates: The conditions, on columns of the file.
    """

    def __init__(self, found: Any, table: Any, file: PlannedFile, source: IcebergReadSettings) -> None:
        from pyiceberg.io.pyarrow import pyarrow_to_schema, schema_to_pyarrow
        from pyiceberg.schema import Schema

        from datastream.types.arrow import to_arrow_schema

        self._wanted = to_arrow_schema(source.row_type)
        schema = table.schemas()[file.schema_id]
        self._schema = Schema(*(schema.find_field(name) for name in self._wanted.names))
        in_file = pyarrow_to_schema(found, table.name_mapping(), True, table.format_version)
        numbers = {field.field_id: field for field in in_file.fields}
        used = [numbers[each.field_id] for each in self._schema.fields if each.field_id in numbers]
        # Without a column of its own, any one says how many rows there are.
        self._in_file = Schema(*(used or in_file.fields[:1]))
        self.stored = [field.name for field in self._in_file.fields]
        self._missing = {
            field.field_id: file.partition[field.field_id]
            for field in self._schema.fields
            if field.field_id not in numbers and field.field_id in file.partition
        }
        self.predicates: list[Predicate] = []
        for each in source.predicates:
            field = numbers.get(schema.find_field(each.column).field_id)
            if field is not None:
                self.predicates.append(replace(each, column=field.name))
        projected = schema_to_pyarrow(self._schema, include_field_ids=False)
        self._fits = [fit_of(projected.field(field.name).type, field.type, field.name) for field in self._wanted]
        self._types = projected.types

    def batch(self, read: Any) -> Any:
        """An Arrow batch of the declared columns."""
        import pyarrow as pa
        from pyiceberg.io.pyarrow import ArrowAccessor, ArrowProjectionVisitor
        from pyiceberg.schema import visit_with_partner

        visitor = ArrowProjectionVisitor(
            self._in_file, True, projected_missing_fields=self._missing, allow_timestamp_tz_mismatch=True
        )
        found = visit_with_partner(self._schema, read, visitor, ArrowAccessor(self._in_file))
        columns = [
            fit(column.cast(kind)) for fit, column, kind in zip(self._fits, found.flatten(), self._types, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._wanted)
