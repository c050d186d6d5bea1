"""One record's bytes, written by a schema of messages, a line."""

from __future__ import annotations

from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.encoder import Encoder
from datastream.formats.schema import SerializationSchema


class EncodedLines(Encoder):
    """See `Encoder.lines`."""

    def __init__(self, schema: SerializationSchema) -> None:
        if not isinstance(schema, SerializationSchema):
            raise ValidationError(
                "Encoder.lines: expected a SerializationSchema such as a JsonRowSerializationSchema, got "
                f"{type(schema).__name__} {cut(schema)}"
            )
        self._schema = schema

    def encode(self, value: Any) -> bytes:
        """Return the record's bytes and a newline.

        Raises:
            FormatError: it has no form in the schema, or its bytes hold a newline before their end.
        """
        data = self._schema.serialize(value).removesuffix(b"\n")
        if b"\n" in data:
            raise FormatError(
                f"Encoder.lines: the bytes of a record hold a newline, and would be read as two: {cut(data)}; "
                "use a format that escapes newlines, such as JSON"
            )
        return data + b"\n"
