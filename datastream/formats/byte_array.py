"""Records that are bytes."""

from __future__ import annotations

from typing import Any

from datastream.formats.schema import DeserializationSchema, SerializationSchema


class ByteArraySchema(SerializationSchema, DeserializationSchema):
    """Writes and reads bytes records as they are."""

    def serialize(self, value: Any) -> bytes:
        """Return the record's bytes."""
        return bytes(memoryview(value))

    def deserialize(self, data: bytes) -> bytes:
        """Return the bytes."""
        return data
