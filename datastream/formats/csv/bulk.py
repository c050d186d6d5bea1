"""`CsvBulkWriters`: files of CSV."""

from __future__ import annotations

from typing import Any, BinaryIO

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory

from .faults import NoText
from .quoting import Quoting
from .records import RecordWriter, columns_of
from .schema import CsvSchema

_BLOCK = 1024


class CsvBulkWriters:
    """Creates what ``FileSink.for_bulk_format`` needs to write CSV."""

    @staticmethod
    def for_schema(schema: CsvSchema) -> BulkWriterFactory:
        """Return a factory of writers of rows, in UTF-8; with a header where the schema uses one.

        Raises:
            ValidationError: it is not a `CsvSchema`.
            FormatError: a column's type has no form in CSV.
        """
        if not isinstance(schema, CsvSchema):
            raise ValidationError(f"CsvBulkWriters: expected a CsvSchema, got {cut(schema)}")
        _writer_of(schema)  # errors of the columns come at once
        return _CsvWriterFactory(schema, _header(schema) if schema.use_header else b"")


def _writer_of(schema: CsvSchema) -> RecordWriter:
    kind = schema.row_type
    return RecordWriter(kind, columns_of(kind, schema.dialects(), reading=False), schema.options)


class _CsvWriterFactory(BulkWriterFactory):
    def __init__(self, schema: CsvSchema, header: bytes) -> None:
        self._schema = schema
        self._header = header

    def create(self, stream: BinaryIO) -> BulkWriter:
        stream.write(self._header)
        return _CsvWriter(_writer_of(self._schema), stream)


class _CsvWriter(BulkWriter):
    def __init__(self, writer: RecordWriter, stream: BinaryIO) -> None:
        self._lines = writer.lines
        self._stream = stream
        self._records: list[Any] = []

    def add_element(self, value: Any) -> None:
        self._records.append(value)
        if len(self._records) >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        self._stream.write(b"".join(self._lines(self._records)))
        self._records.clear()

    def finish(self) -> None:
        self.flush()


def _header(schema: CsvSchema) -> bytes:
    options, quoting = schema.options, Quoting(schema.options)
    try:
        names = [quoting.field(c.name, None, i == 0) for i, c in enumerate(schema.columns)]
    except NoText as error:
        raise FormatError(f"CsvBulkWriters: the name of a column: {error.reason}") from None
    return (options.delimiter.join(names) + options.line_end).encode()
