"""Records of one value, as its bytes alone: the ``raw`` format of Flink's tables."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from datastream.errors import FormatError, TypeMismatch, ValidationError, cut
from datastream.formats.byte_array import ByteArraySchema
from datastream.formats.schema import DeserializationSchema, SerializationSchema
from datastream.formats.simple_string import SimpleStringSchema
from datastream.types import TypeInformation, Types
from datastream.types.conversion import fit

_CODES = {
    Types.BYTE(): "b",
    Types.SHORT(): "h",
    Types.INT(): "i",
    Types.LONG(): "q",
    Types.FLOAT(): "f",
    Types.DOUBLE(): "d",
}
_ORDERS = {"big-endian": ">", "little-endian": "<"}
_BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())


class _Raw:
    def __init__(self, type_info: TypeInformation, charset: str, endianness: str) -> None:
        if endianness not in _ORDERS:
            raise ValidationError(f"{type(self).__name__}: endianness is one of {list(_ORDERS)}, got {cut(endianness)}")
        if type_info not in (Types.STRING(), Types.BOOLEAN(), _BYTES, *_CODES):
            raise ValidationError(
                f"{type(self).__name__} takes STRING, BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE and "
                f"PRIMITIVE_ARRAY(BYTE), got {cut(type_info)}"
            )
        self._type = type_info
        self._is_bytes = type_info == _BYTES
        self._is_text = type_info == Types.STRING()
        self._code = _ORDERS[endianness] + _CODES.get(type_info, "?")
        self._text = SimpleStringSchema(charset)


class RawDeserializationSchema(_Raw, DeserializationSchema):
    """Reads a record of one value from its bytes. An addition to PyFlink's names.

    Args:
        type_info: STRING, BOOLEAN (one byte, 0 or else), BYTE, SHORT, INT, LONG, FLOAT, DOUBLE or
            PRIMITIVE_ARRAY(BYTE).
        charset: Of STRING. Default: UTF-8. Bytes that are no text in it become U+FFFD, as in Java.
        endianness: Of numbers: ``big-endian`` (default) or ``little-endian``.

    Raises:
        ValidationError: for any other type, charset or order.
    """

    _records_fit = True

    def __init__(self, type_info: TypeInformation, charset: str = "UTF-8", endianness: str = "big-endian") -> None:
        super().__init__(type_info, charset, endianness)

    def deserialize(self, data: bytes) -> Any:
        """The value in `data`.

        Raises:
            FormatError: it has not as many bytes as the type.
        """
        if self._is_bytes:
            return data
        if self._is_text:
            return self._text.deserialize(data)
        try:
            return struct.unpack(self._code, data)[0]
        except struct.error:
            size = struct.calcsize(self._code)
            raise FormatError(f"expected a {self._type} of {size} bytes, found {len(data)}: {cut(data)}") from None

    def get_produced_type(self) -> TypeInformation:
        """The type of the values."""
        return self._type


class RawSerializationSchema(_Raw, SerializationSchema):
    """Writes a record of one value as its bytes; see `RawDeserializationSchema`."""

    def __init__(self, type_info: TypeInformation, charset: str = "UTF-8", endianness: str = "big-endian") -> None:
        super().__init__(type_info, charset, endianness)

    def serialize(self, value: Any) -> bytes:
        """The bytes of a value.

        Raises:
            FormatError: it is not of the type.
        """
        if self._is_bytes:
            return ByteArraySchema().serialize(value)
        if self._is_text:
            return self._text.serialize(value)
        try:
            return struct.pack(self._code, fit(value, self._type))
        except TypeMismatch as error:
            raise FormatError(str(error)) from None

    def serialize_block(self, values: Sequence[Any]) -> list[bytes]:
        """The bytes of each value."""
        return self._text.serialize_block(values) if self._is_text else super().serialize_block(values)
