"""`CsvRowDeserializationSchema`: a message of one line into a row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, cut
from datastream.formats.positions import one_by_one
from datastream.formats.schema import DeserializationSchema, Position
from datastream.types import TypeInformation

from .options import CsvOptions
from .records import RecordReader, columns_of, record_type
from .splitting import Splitter


class CsvRowDeserializationSchema(DeserializationSchema):
    """Reads a record from a message that holds one line of CSV, with or without its line end.

    Make one with `Builder`. The records are rows, with names where the type has some, or tuples.
    """

    _records_fit = True

    def __init__(self, type_info: TypeInformation, options: CsvOptions, ignore_parse_errors: bool) -> None:
        self._type = type_info
        self._options = options
        self._drops_unreadable = ignore_parse_errors
        _ = self._codec  # errors of the type come at once

    @cached_property
    def _codec(self) -> tuple[Splitter, RecordReader]:
        kind = record_type(self._type)
        reader = RecordReader(kind, columns_of(kind, [self._options] * len(kind.field_types), reading=True))
        return Splitter(self._options, reader.mark), reader

    def deserialize(self, data: bytes) -> Any:
        """The record in a message; None: it is a comment, or an error that is ignored.

        Raises:
            FormatError: it is not one record of the type.
        """
        try:
            return self._read_one(data)
        except FormatError:
            if self._drops_unreadable:
                return None
            raise

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The records of messages, without those that are None, comments, or errors that are ignored.

        Raises:
            FormatError: one is not a record of the type.
        """
        try:
            return self._records([data for data in messages if data is not None] if None in messages else messages)
        except (FormatError, UnicodeDecodeError):
            return one_by_one(self.deserialize, messages, position)

    def _records(self, messages: Sequence[Any]) -> list[Any]:
        splitter, reader = self._codec
        texts = list(map(bytes.decode, messages))
        joined = "".join(texts)
        return reader.records(splitter.messages(texts, joined), joined.isascii() and "_" not in joined)

    def _read_one(self, data: bytes) -> Any:
        try:
            records = self._records((data,))
            return records[0] if records else None
        except UnicodeDecodeError as error:
            reason = f"the bytes are not UTF-8: {error.reason} at {error.start}"
        except FormatError as error:
            reason = str(error)
        raise FormatError(f"{reason}; the message is {cut(data)}")

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        return self._type

    class Builder:
        """Builds a `CsvRowDeserializationSchema`. Each method returns the builder.

        Args:
            type_info: The type of the records: `Types.ROW_NAMED`, `Types.ROW` or `Types.TUPLE`.

        Raises:
            FormatError: it is another type.
        """

        def __init__(self, type_info: TypeInformation) -> None:
            self._type = record_type(type_info)
            self._options: dict[str, Any] = {}
            self._ignore = False

        def set_field_delimiter(self, delimiter: str) -> CsvRowDeserializationSchema.Builder:
            """Set the text between two fields: one character. Default: a comma."""
            return self._set(delimiter=delimiter)

        def set_allow_comments(self, allow_comments: bool) -> CsvRowDeserializationSchema.Builder:
            """Set whether lines that begin with # are skipped. Default: no."""
            return self._set(comments=allow_comments)

        def set_array_element_delimiter(self, delimiter: str) -> CsvRowDeserializationSchema.Builder:
            """Set the text between the elements of an array, or the fields of a nested row. Default: a semicolon."""
            return self._set(array_delimiter=delimiter)

        def set_quote_character(self, c: str) -> CsvRowDeserializationSchema.Builder:
            """Set the quotes around fields that hold delimiters, quotes or line ends. Default: a double quote."""
            return self._set(quote=c)

        def set_escape_character(self, c: str) -> CsvRowDeserializationSchema.Builder:
            """Set the character that escapes a special character. Default: none.

            As in Flink, n, r, t and 0 after it mean LF, CR, tab and NUL.
            """
            return self._set(escape=c)

        def set_null_literal(self, null_literal: str) -> CsvRowDeserializationSchema.Builder:
            """Set the text of None.

            Default: none; an empty field is then None where it is no value of the field's type. In quotes the
            literal is a value, if it is the text of one.
            """
            return self._set(null=null_literal)

        def set_ignore_parse_errors(self, ignore_parse_errors: bool) -> CsvRowDeserializationSchema.Builder:
            """Set whether messages that cannot be read are skipped instead of failing the job. Default: no."""
            self._ignore = ignore_parse_errors
            return self

        def _set(self, **options: Any) -> CsvRowDeserializationSchema.Builder:
            self._options.update(options)
            return self

        def build(self) -> CsvRowDeserializationSchema:
            """Make the schema.

            Raises:
                ValidationError: two of the special characters are the same, or the null literal holds one.
                FormatError: a field's type has no form in CSV.
            """
            return CsvRowDeserializationSchema(self._type, CsvOptions(**self._options), self._ignore)
