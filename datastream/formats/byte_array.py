"""Records that are bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.errors import FormatError, cut
from datastream.formats.schema import DeserializationSchema, Position, SerializationSchema
from datastream.types import TypeInformation, Types


class ByteArraySchema(SerializationSchema, DeserializationSchema):
    """Writes and reads bytes records as they are."""

    _records_fit = True

    def serialize(self, value: Any) -> bytes:
        """Return the record's bytes.

        Raises:
            FormatError: The record is not bytes, a bytearray or another buffer.
        """
        if type(value) is bytes:
            return value
        try:
            return bytes(memoryview(value))
        except (TypeError, ValueError, BufferError):
            raise FormatError(
                f"expected bytes, found {type(value).__name__} {cut(value)}: map the stream to bytes first."
            ) from None

    def deserialize(self, data: bytes) -> bytes:
        """Return the bytes."""
        return data

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[bytes]:
        """Return the bytes of messages; those that are None are no records."""
        return [data for data in messages if data is not None]

    def get_produced_type(self) -> TypeInformation:
        """Return the type PRIMITIVE_ARRAY(BYTE)."""
        return Types.PRIMITIVE_ARRAY(Types.BYTE())
