"""`CsvRowSerializationSchema`: a row into a message of one line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from datastream.formats.schema import SerializationSchema
from datastream.types import TypeInformation

from .options import CsvOptions
from .records import RecordWriter, columns_of, record_type


class CsvRowSerializationSchema(SerializationSchema):
    """Writes a record as one line of CSV in UTF-8. Make one with `Builder`."""

    def __init__(self, type_info: TypeInformation, options: CsvOptions) -> None:
        self._type = type_info
        self._options = options
        _ = self._writer  # errors of the type come at once

    @cached_property
    def _writer(self) -> RecordWriter:
        kind = record_type(self._type)
        columns = columns_of(kind, [self._options] * len(kind.field_types), reading=False)
        return RecordWriter(kind, columns, self._options)

    def serialize(self, value: Any) -> bytes:
        """The line of a row or tuple.

        Raises:
            FormatError: a field cannot be written so that it is read again.
            TypeMismatch: it does not fit the type.
        """
        return self._writer.lines((value,))[0]

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """The lines of rows or tuples; see `serialize`."""
        return self._writer.lines(values)

    class Builder:
        """Builds a `CsvRowSerializationSchema`. Each method returns the builder.

        Args:
            type_info: The type of the records: `Types.ROW_NAMED`, `Types.ROW` or `Types.TUPLE`.

        Raises:
            FormatError: it is another type.
        """

        def __init__(self, type_info: TypeInformation) -> None:
            self._type = record_type(type_info)
            self._options: dict[str, Any] = {}

        def set_field_delimiter(self, c: str) -> CsvRowSerializationSchema.Builder:
            """Set the text between two fields: one character. Default: a comma."""
            return self._set(delimiter=c)

        def set_line_delimiter(self, delimiter: str) -> CsvRowSerializationSchema.Builder:
            r"""Set the end of a line: ``\n`` (default), ``\r``, ``\r\n`` or nothing."""
            return self._set(line_end=delimiter)

        def set_array_element_delimiter(self, delimiter: str) -> CsvRowSerializationSchema.Builder:
            """Set the text between the elements of an array, or the fields of a nested row. Default: a semicolon."""
            return self._set(array_delimiter=delimiter)

        def disable_quote_character(self) -> CsvRowSerializationSchema.Builder:
            """Quote nothing: special characters are escaped, or refused where there is no escape character."""
            return self._set(quote=None)

        def set_quote_character(self, c: str) -> CsvRowSerializationSchema.Builder:
            """Set the quotes around fields that hold special characters. Default: a double quote."""
            return self._set(quote=c)

        def set_escape_character(self, c: str) -> CsvRowSerializationSchema.Builder:
            """Set the character that escapes a special character. Default: none; quotes are doubled."""
            return self._set(escape=c)

        def set_null_literal(self, s: str) -> CsvRowSerializationSchema.Builder:
            """Set the text of None.

            Default: none; None is then an empty field, and refused where that is a value (text, bytes, arrays).
            A value whose text is the literal is put in quotes.
            """
            return self._set(null=s)

        def _set(self, **options: Any) -> CsvRowSerializationSchema.Builder:
            self._options.update(options)
            return self

        def build(self) -> CsvRowSerializationSchema:
            """Make the schema.

            Raises:
                ValidationError: two of the special characters are the same, or the null literal holds one.
                FormatError: a field's type has no form in CSV.
            """
            return CsvRowSerializationSchema(self._type, CsvOptions(**self._options))
