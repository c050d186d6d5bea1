"""The records of one CSV file: header, columns that stand elsewhere, blank lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.errors import FormatError, cut
from datastream.formats.csv import CsvSchema
from datastream.formats.csv.records import RecordReader, columns_of
from datastream.formats.csv.splitting import Fields

from .formats import in_blocks


def reader_of(schema: CsvSchema) -> RecordReader:
    """What reads a schema's records.

    Raises:
        FormatError: a column's type has no form in CSV.
    """
    kind = schema.row_type
    return RecordReader(kind, columns_of(kind, schema.dialects(), reading=True))


class RowsOfFields:
    """Makes records of lists of fields.

    Attributes:
        heads: How many records at the file's start, not seen yet, are no data: the header and a skipped one.
        mark: The null literal, if it could be a value's text too.
    """

    def __init__(self, schema: CsvSchema, heads: int) -> None:
        self._schema = schema
        self._reader = reader_of(schema)
        self._header_next = schema.use_header and heads > 0
        self._header: Fields | None = None
        self._places: list[int] | None = None
        self.heads = heads
        self.mark = self._reader.mark

    def blocks(self, rows: list[Fields]) -> list[list[Any]]:
        """The records of rows of fields; after an error nothing has changed but the rows.

        Raises:
            FormatError: a row does not fit the schema.
        """
        rows = self.without_blanks(rows)
        before = self.heads, self._header_next
        try:
            skip = min(self.heads, len(rows))
            for row in rows[:skip]:
                self.take_head(row)
            return [self._records(block) for block in in_blocks(rows[skip:])]
        except FormatError:
            self.heads, self._header_next = before
            raise

    def without_blanks(self, rows: list[Fields]) -> list[Fields]:
        """The rows without those of blank lines, which count where there is one column."""
        return list(filter(None, rows)) if self._schema.size() > 1 and [] in rows else rows

    def take_head(self, row: Fields) -> None:
        """Take a record that is no data.

        Raises:
            FormatError: it is the header, and has not the columns of the schema.
        """
        if self._header_next:
            self._places = self._places_in(row)
            self._header = row
        self._header_next = False
        self.heads -= 1

    def _records(self, rows: list[Fields]) -> list[Any]:
        rows = list(self._arranged(rows))
        found: list[Any] = []
        try:
            return self._reader.records(rows, found=found)
        except FormatError as error:
            raise FormatError(f"{error}; the record is {cut(rows[len(found)])}") from error

    def _arranged(self, rows: list[Fields]) -> list[Fields] | Iterator[Fields]:
        longer = self._schema.any_property_name is not None
        if self._places is not None:
            return _in_places(rows, self._places, len(self._header or ()), longer)
        size = self._schema.size()
        return [row[:size] for row in rows] if longer else rows

    def _places_in(self, header: Fields) -> list[int] | None:
        """Where each column of the schema is; None: in their order."""
        schema = self._schema
        names = [column.name for column in schema.columns]
        if schema.strict_headers and (set(header) != set(names) if schema.reorder_columns else header != names):
            raise FormatError(f"expected a header of the columns {cut(names)}, found {cut(header)}")
        if not schema.reorder_columns:
            return None
        for name in names:
            if header.count(name) != 1:
                raise FormatError(f"expected one column {name!r} in the header, found {header.count(name)}")
        return [header.index(name) for name in names]


def _in_places(rows: list[Fields], places: list[int], width: int, longer: bool) -> Iterator[Fields]:
    for row in rows:
        if not row:  # a blank line, which only counts as a field where there is one column
            if width > 1:
                continue
            row = [""]
        if len(row) < width or (len(row) > width and not longer):
            raise FormatError(f"expected {width} fields, as in the header, found {len(row)}: {cut(row)}")
        yield [row[i] for i in places]
