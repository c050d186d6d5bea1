"""The row type of a protobuf message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.types import RowTypeInfo, TypeInformation, Types

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

_TIMESTAMP = "google.protobuf.Timestamp"
_MOST = 20_000

#: By FieldDescriptor.cpp_type; of whole numbers without sign, the next wider type.
_TYPES = {
    1: Types.INT(),
    2: Types.LONG(),
    3: Types.LONG(),
    4: Types.BIG_INT(),
    5: Types.DOUBLE(),
    6: Types.FLOAT(),
    7: Types.BOOLEAN(),
    8: Types.STRING(),
    9: Types.STRING(),
}
_BYTES = 12


def row_type(descriptor: Descriptor) -> RowTypeInfo:
    """The type of a message's rows: its fields, by their order in the definition.

    Enums are STRING, bytes PRIMITIVE_ARRAY(BYTE), uint32 LONG, uint64 BIG_INT, repeated fields LIST, maps MAP,
    google.protobuf.Timestamp INSTANT, other messages ROW_NAMED; a message inside itself is PICKLED_BYTE_ARRAY, and
    a row all the same.

    Raises:
        ValidationError: it would hold more than 20,000 types, or the message is google.protobuf.Timestamp itself.
    """
    if descriptor.full_name == _TIMESTAMP:
        raise ValidationError(
            f"{_TIMESTAMP} as the whole message has no row, since it is an INSTANT: read and write it with "
            "ProtobufDeserializationSchema and ProtobufSerializationSchema, or put it into a message as a field"
        )
    found = _Types().message(descriptor, ())
    assert isinstance(found, RowTypeInfo)
    return found


class _Types:
    def __init__(self) -> None:
        self._left = _MOST

    def message(self, descriptor: Descriptor, inside: tuple[str, ...]) -> TypeInformation:
        if descriptor.full_name == _TIMESTAMP:
            return Types.INSTANT()
        if descriptor.full_name in inside:
            return Types.PICKLED_BYTE_ARRAY()
        self._left -= len(descriptor.fields) + 1
        if self._left < 0:
            raise ValidationError(f"the rows of {descriptor.full_name} would hold more than {_MOST:,} types")
        deeper = (*inside, descriptor.full_name)
        names = [field.name for field in descriptor.fields]
        return Types.ROW_NAMED(names, [self.field(field, deeper) for field in descriptor.fields])

    def field(self, field: FieldDescriptor, inside: tuple[str, ...]) -> TypeInformation:
        if is_map(field):
            entry = field.message_type.fields_by_name
            return Types.MAP(single_type(entry["key"]), self._value(entry["value"], inside))
        kind = self._value(field, inside)
        return Types.LIST(kind) if field.is_repeated else kind

    def _value(self, field: FieldDescriptor, inside: tuple[str, ...]) -> TypeInformation:
        return single_type(field) if field.message_type is None else self.message(field.message_type, inside)


def single_type(field: FieldDescriptor) -> TypeInformation:
    """The type of one value of a field that holds no messages."""
    return Types.PRIMITIVE_ARRAY(Types.BYTE()) if field.type == _BYTES else _TYPES[field.cpp_type]


def is_map(field: FieldDescriptor) -> bool:
    """Whether a field is a map."""
    message: Any = field.message_type
    return field.is_repeated and message is not None and message.GetOptions().map_entry


def is_timestamp(field: FieldDescriptor) -> bool:
    """Whether a field's values are points in time."""
    return field.message_type is not None and field.message_type.full_name == _TIMESTAMP
