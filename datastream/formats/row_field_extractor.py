"""One field of a row, which holds bytes, as the whole record."""

from __future__ import annotations

from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.formats.schema import SerializationSchema


class RowFieldExtractorSchema(SerializationSchema):
    """Writes one field of a row, bytes, as they are; for a key or value that is made elsewhere.

    Args:
        field_index: The field's position, from 0.

    Raises:
        ValidationError: It is no int of 0 or more.
    """

    def __init__(self, field_index: int) -> None:
        if type(field_index) is not int or field_index < 0:
            raise ValidationError(
                f"RowFieldExtractorSchema: field_index is an int of 0 or more, got {cut(field_index)}."
            )
        self._index = field_index

    def serialize(self, value: Any) -> bytes:
        """Return the field's bytes; of None, none.

        Raises:
            FormatError: The record has no such field, or it is not bytes.
        """
        try:
            field = value[self._index]
        except (TypeError, LookupError):
            raise FormatError(
                f"expected a row with more than {self._index} fields, found {type(value).__name__} {cut(value)}."
            ) from None
        if field is None:
            return b""
        if isinstance(field, (bytes, bytearray)):
            return bytes(field)
        raise FormatError(f"field {self._index}: expected bytes, found {type(field).__name__} {cut(field)}.")
