"""Records that are text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.schema import DeserializationSchema, Position, SerializationSchema
from datastream.types import TypeInformation, Types


class SimpleStringSchema(SerializationSchema, DeserializationSchema):
    """Writes and reads str records.

    Args:
        charset: The encoding, by a name Python knows.

    Raises:
        ValidationError: Python knows no such encoding.
    """

    _records_fit = True

    def __init__(self, charset: str = "UTF-8") -> None:
        try:
            "".encode(charset)
            b"".decode(charset, "replace")
        except (LookupError, TypeError, ValueError):
            raise ValidationError(
                f"SimpleStringSchema: unknown charset {charset!r}; use a name such as UTF-8 or ISO-8859-1."
            ) from None
        self._charset = charset

    def serialize(self, value: Any) -> bytes:
        """Return the encoded text.

        Raises:
            FormatError: The record is no str, or the charset has no form for a character of it.
        """
        if not isinstance(value, str):
            raise FormatError(
                f"SimpleStringSchema writes str, got {type(value).__name__}: {cut(value)}. Map the stream to str first."
            )
        try:
            return value.encode(self._charset)
        except UnicodeError as error:
            raise FormatError(f"the text {cut(value)} cannot be written in {self._charset}: {error}.") from None

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """Return the encoded texts."""
        charset = self._charset
        if {*map(type, values)} <= {str}:
            with suppress(UnicodeError):  # `serialize` names the text
                return [value.encode(charset) for value in values]
        return super().serialize_block(values)

    def deserialize(self, data: bytes) -> str:
        """Return the decoded text; bytes that are no text in the charset become U+FFFD, as in Java."""
        return data.decode(self._charset, "replace")

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[str]:
        """Return the decoded texts; those that are None are no records."""
        charset = self._charset
        return [data.decode(charset, "replace") for data in messages if data is not None]

    def get_produced_type(self) -> TypeInformation:
        """Return the type STRING."""
        return Types.STRING()
