"""Records that are text."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.schema import DeserializationSchema, SerializationSchema


class SimpleStringSchema(SerializationSchema, DeserializationSchema):
    """Writes and reads str records.

    Args:
        charset: The encoding, by a name Python knows.

    Raises:
        ValidationError: Python knows no such encoding.
    """

    def __init__(self, charset: str = "UTF-8") -> None:
        try:
            "".encode(charset)
        except LookupError:
            raise ValidationError(f"SimpleStringSchema: unknown charset {charset!r}.") from None
        self._charset = charset

    def serialize(self, value: Any) -> bytes:
        """Return the encoded text.

        Raises:
            ValidationError: The record is no str.
        """
        if not isinstance(value, str):
            raise ValidationError(
                f"SimpleStringSchema writes str, got {type(value).__name__}: {cut(value)}. Map the stream to str first."
            )
        return value.encode(self._charset)

    def deserialize(self, data: bytes) -> str:
        """Return the decoded text; bytes that are no text in the charset become U+FFFD."""
        return data.decode(self._charset, "replace")
