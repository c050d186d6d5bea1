"""Formats of files that hold one record after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datastream.formats.schema import SerializationSchema


class Encoder(ABC):
    """Writes one record of a file."""

    def file_header(self) -> bytes:
        """Return the bytes every file starts with; none by default."""
        return b""

    @abstractmethod
    def encode(self, value: Any) -> bytes:
        """Return the bytes of one record, with the newline where the format has one."""

    def encode_block(self, values: Sequence[Any]) -> bytes:
        """Return the bytes of records, one after the other unless the format has a quicker way."""
        return b"".join(map(self.encode, values))

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> Encoder:
        """Return an encoder that writes a line of text: of records of a declared type Java's, else `str(value)`."""
        from datastream.formats.text_lines import TextLines

        return TextLines(charset_name)

    @staticmethod
    def json_lines() -> Encoder:
        """Return an encoder that writes one JSON value a line, in UTF-8.

        Named rows become objects, other rows arrays. Dates and times are written in ISO 8601,
        decimals as text. An addition to PyFlink's names.
        """
        from datastream.formats.json_lines import JsonLines

        return JsonLines()

    @staticmethod
    def lines(schema: SerializationSchema) -> Encoder:
        """Return an encoder that writes the bytes a schema returns for a record, and a newline.

        ``StreamFormat.lines`` reads such files. A record of no bytes is an empty line, which that one skips. Bytes
        that end with a newline get no second one.

        Args:
            schema: Writes one record, such as a `JsonRowSerializationSchema`.

        Raises:
            ValidationError: It is no SerializationSchema.

        An addition to PyFlink's names.
        """
        from datastream.formats.encoded_lines import EncodedLines

        return EncodedLines(schema)

    @staticmethod
    def csv(delimiter: str = ",", header: Sequence[str] | None = None) -> Encoder:
        """Return an encoder that writes one line of delimited values a record, in UTF-8.

        Args:
            delimiter: One character.
            header: The column names: each file's first line, and the order in which dicts and
                named rows are written. None writes no header, and the fields in their own order.

        Raises:
            ValidationError: The delimiter is not one character.

        An addition to PyFlink's names.
        """
        from datastream.formats.csv_lines import CsvLines

        return CsvLines(delimiter, header)
