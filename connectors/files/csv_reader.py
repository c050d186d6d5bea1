"""`CsvReaderFormat`: CSV files as rows of a schema.

Fields are cut by `str.split` where nothing is quoted, else by the csv module; then each column is converted at
once. pyarrow's reader was measured against that: where rows are Python objects in the end it gains little, and
it has rules of its own for malformed quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.csv import CsvSchema
from datastream.formats.csv.records import RecordReader, columns_of
from datastream.formats.csv.splitting import Fields, Splitter
from datastream.types import TypeInformation

from .formats import StreamFormat, in_blocks
from .parts import FilePart, line_chunks


class CsvReaderFormat(StreamFormat):
    """Reads CSV files in UTF-8 as named rows; for ``FileSource.for_record_stream_format``.

    Make one with `for_schema`. Lines end with LF, CR or CR LF. Blank lines are skipped, but of a schema of one
    column, where they are an empty field. Quoted fields may hold line ends, so a file is one split, unless the
    schema disables quotes and has no escape character, comments, header or row to skip.
    """

    def __init__(self, schema: CsvSchema) -> None:
        """Use `for_schema`."""
        options = schema.options
        self._schema = schema
        self._heads = schema.use_header + schema.skip_first_data_row
        self.splittable = not (options.quote or options.escape or options.comments or self._heads)

    @staticmethod
    def for_schema(schema: CsvSchema) -> CsvReaderFormat:
        """Return a format that reads the files of a schema.

        Raises:
            ValidationError: it is not a `CsvSchema`.
            FormatError: a column's type has no form in CSV.
        """
        if not isinstance(schema, CsvSchema):
            raise ValidationError(f"CsvReaderFormat: expected a CsvSchema, got {cut(schema)}")
        _reader_of(schema)  # errors of the columns come at once
        return CsvReaderFormat(schema)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records, a row with the columns' names."""
        return self._schema.row_type

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        """The records that start in the part.

        Raises:
            FormatError: a record does not fit the schema, or the file is not UTF-8, not CSV or has another header.
        """
        try:
            yield from self._blocks(part)
        except FormatError as error:
            raise FormatError(f"the file {part.path}: {error}") from error

    def _blocks(self, part: FilePart) -> Iterator[list[Any]]:
        schema = self._schema
        reader = _reader_of(schema)
        pieces = Splitter(schema.options, reader.mark).stream(_texts(part))
        if schema.size() > 1:
            pieces = map(_without_blanks, pieces)
        heads, pieces = _divided(pieces, 0 if part.start else self._heads)
        header = heads[0] if schema.use_header and heads else None
        places = None if header is None else self._places(header)
        for rows in pieces:
            for block in in_blocks(rows):
                if places is not None:
                    block = _arranged(block, places, len(header or ()), schema.any_property_name is not None)
                elif schema.any_property_name is not None:
                    block = [row[: schema.size()] for row in block]
                yield _records(reader, block)

    def _places(self, header: Fields) -> list[int] | None:
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


def _reader_of(schema: CsvSchema) -> RecordReader:
    kind = schema.row_type
    return RecordReader(kind, columns_of(kind, schema.dialects(), reading=True))


def _texts(part: FilePart) -> Iterator[str]:
    at_start = part.start == 0
    for data in line_chunks(part):
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            found = cut(data[error.start :][:20])
            raise FormatError(f"expected UTF-8, found {found} ({error.reason})") from error
        yield text.removeprefix("\ufeff") if at_start else text  # a byte order mark
        at_start = False


def _without_blanks(rows: list[Fields]) -> list[Fields]:
    return list(filter(None, rows)) if [] in rows else rows


def _divided(pieces: Iterator[list[Fields]], count: int) -> tuple[list[Fields], Iterator[list[Fields]]]:
    """The first rows, as many as there are, and the others."""
    first: list[Fields] = []
    while len(first) < count:
        rows = next(pieces, None)
        if rows is None:
            break
        need = count - len(first)
        first += rows[:need]
        if len(rows) > need:
            pieces = chain([rows[need:]], pieces)
    return first, pieces


def _arranged(rows: Iterable[Fields], places: list[int], width: int, longer: bool) -> list[Fields]:
    arranged = []
    for row in rows:
        if not row:  # a blank line, which only counts as a field where there is one column
            if width > 1:
                continue
            row = [""]
        if len(row) < width or (len(row) > width and not longer):
            raise FormatError(f"expected {width} fields, as in the header, found {len(row)}: {cut(row)}")
        arranged.append([row[i] for i in places])
    return arranged


def _records(reader: RecordReader, rows: list[Fields]) -> list[Any]:
    found: list[Any] = []
    try:
        return reader.records(rows, found=found)
    except FormatError as error:
        raise FormatError(f"{error}; the record is {cut(rows[len(found)])}") from error
