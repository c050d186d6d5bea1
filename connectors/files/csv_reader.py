"""`CsvReaderFormat`: CSV files as rows of a schema.

Fields are cut by `str.split` where nothing is quoted, else by the csv module; then each column is converted at
once. pyarrow's reader was measured against that: where rows are Python objects in the end it gains little, and
it has rules of its own for malformed quotes. A piece of a file that has an error is read again, a record at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import chain
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats import DeadLetter
from datastream.formats.csv import CsvSchema
from datastream.formats.csv.splitting import Fields, Splitter
from datastream.formats.dead_letters import checked_tag
from datastream.functions import OutputTag
from datastream.types import TypeInformation

from .csv_rows import RowsOfFields, reader_of
from .formats import StreamFormat, in_blocks
from .part_reading import line_chunks
from .parts import FilePart
from .schema_lines import first_line

_BYTE_ORDER_MARK = "\ufeff"


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
        self._tag: OutputTag | None = None
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
        reader_of(schema)  # errors of the columns come at once
        return CsvReaderFormat(schema)

    def with_dead_letters(self, tag: OutputTag) -> CsvReaderFormat:
        """This format, but records that cannot be read go to a side output as a `DeadLetter` and fail nothing.

        Its data are the record's bytes without the line end, its topic is the file's path, its offset that of the
        record's first byte (in a compressed file, of the uncompressed data). After a quote in the wrong place
        reading goes on with the next line; a quote that is not closed takes all up to the file's end with it. A wrong
        header is an error all the same.

        Args:
            tag: ``stream.get_side_output(tag)`` returns them. An addition to PyFlink's names.

        Raises:
            ValidationError: it is no OutputTag, or has a type of its own.
        """
        found: CsvReaderFormat = copy(self)
        found._tag = checked_tag(tag)
        return found

    @property
    def produced_type(self) -> TypeInformation:
        return self._schema.row_type

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return () if self._tag is None else (self._tag,)

    def get_produced_type(self) -> TypeInformation:
        """The type of the records, a row with the columns' names."""
        return self._schema.row_type

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        """The records that start in the part.

        Raises:
            FormatError: a record does not fit the schema, or the file is not UTF-8, not CSV or has another header;
                the message names the file and the offset of the record's first byte.
        """
        rows = RowsOfFields(self._schema, 0 if part.start else self._heads)
        splitter = Splitter(self._schema.options, rows.mark)
        texts = _texts(part)
        first = next(texts, "")
        offset = first_line(part)
        if part.start == 0 and first.startswith(_BYTE_ORDER_MARK):
            first, offset = first[1:], 3
        for text, fields in splitter.stream(chain((first,), texts)):
            blocks, size = _fast(rows, text, fields)
            if blocks is None:
                blocks = in_blocks(list(self._one_by_one(rows, splitter, text, part.path, offset)))
                size = len(_bytes(text))
            yield from blocks
            offset += size

    def _one_by_one(self, rows: RowsOfFields, splitter: Splitter, text: str, path: str, offset: int) -> Iterator[Any]:
        """The records of a text, and those that cannot be read as pairs (tag, DeadLetter), or as an error."""
        before = 0
        for start, end, fields in splitter.located(text):
            offset += len(_bytes(text[before:start]))
            data = _bytes(text[start:end])
            before = start
            head = rows.heads > 0
            try:
                _check(data)
                if isinstance(fields, FormatError):
                    raise fields
                for block in rows.blocks([fields]):
                    yield from block
            except FormatError as error:
                if self._tag is None or head:
                    raise FormatError(f"the file {path}, record at byte {offset}: {error}") from error
                yield self._tag, DeadLetter(_without_end(data), str(error), path, None, offset)


def _fast(rows: RowsOfFields, text: str, fields: list[Fields] | None) -> tuple[Any, int]:
    """The records of a whole text, and its bytes; None: there is an error in it."""
    if fields is None:
        return None, 0
    try:
        size = len(text) if text.isascii() else len(text.encode())
        return rows.blocks(fields), size
    except (FormatError, UnicodeEncodeError):
        return None, 0


def _texts(part: FilePart) -> Iterator[str]:
    """The texts of whole lines; bytes that are not UTF-8 are half surrogate pairs, which UTF-8 cannot have."""
    for data in line_chunks(part):
        yield data.decode(errors="surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _check(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        found = cut(data[error.start :][:20])
        raise FormatError(f"expected UTF-8, found {found} ({error.reason})") from error


def _without_end(data: bytes) -> bytes:
    return data[:-2] if data.endswith(b"\r\n") else data[:-1] if data.endswith((b"\r", b"\n")) else data
