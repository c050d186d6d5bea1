"""Which columns fit the fields of Protobuf messages, as in Flink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.errors import ValidationError
from datastream.formats.protobuf.row_types import is_map
from datastream.table.plan.errors import missing_name
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DoubleType,
    FloatType,
    IntType,
    MapType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

ENUM, BYTES = 8, 12
#: By FieldDescriptor.cpp_type: the types of columns, the first one for errors. Of whole numbers without a sign those
#: with the same bits, as Java has no others.
_TYPES: dict[int, tuple[type[DataType], ...]] = {
    1: (IntType,),
    2: (BigIntType,),
    3: (IntType,),
    4: (BigIntType,),
    5: (DoubleType,),
    6: (FloatType,),
    7: (BooleanType,),
    ENUM: (VarCharType, CharType, IntType),
    9: (VarCharType, CharType),
}
_TYPES_OF_BYTES = (VarBinaryType, BinaryType)
_NAMES: dict[type[DataType], str] = {VarCharType: "STRING", VarBinaryType: "BYTES"}


def check_fields(descriptor: Descriptor, kind: RowType, of: str, path: str) -> None:
    """Look whether the fields of rows fit those of messages.

    Args:
        descriptor: Of the messages.
        kind: Of the rows.
        of: The table, for errors.
        path: Of the rows, with a dot behind it.

    Raises:
        ValidationError: one does not.
    """
    for each in kind:
        field = descriptor.fields_by_name.get(each.name)
        if field is None:
            names = list(descriptor.fields_by_name)
            raise ValidationError(
                f"{of}: column {path}{each.name}: {missing_name(f'field of {descriptor.full_name}', each.name, names)}"
            )
        _check(field, each.data_type, of, f"{path}{each.name}")


def _check(field: FieldDescriptor, kind: DataType, of: str, path: str) -> None:
    if is_map(field):
        if not isinstance(kind, MapType):
            raise _wrong(of, path, "a map", "a MAP", kind)
        entry = field.message_type.fields_by_name
        _check_one(entry["key"], kind.key_type, of, f"{path} key")
        _check_one(entry["value"], kind.value_type, of, f"{path}[]")
    elif field.is_repeated:
        if not isinstance(kind, ArrayType):
            raise _wrong(of, path, "repeated", "an ARRAY", kind)
        _check_one(field, kind.element_type, of, f"{path}[]")
    else:
        _check_one(field, kind, of, path)


def _check_one(field: FieldDescriptor, kind: DataType, of: str, path: str) -> None:
    if field.message_type is not None:
        if not isinstance(kind, RowType):
            raise _wrong(of, path, f"a message {field.message_type.full_name}", "a ROW", kind)
        check_fields(field.message_type, kind, of, f"{path}.")
        return
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto

    fitting = _TYPES_OF_BYTES if field.type == BYTES else _TYPES[field.cpp_type]
    if not isinstance(kind, fitting):
        names = [_NAMES.get(each, each.__name__.removesuffix("Type").upper()) for each in fitting]
        what = "an enum" if field.cpp_type == ENUM else FieldDescriptorProto.Type.Name(field.type)[5:].lower()
        raise _wrong(of, path, what, " or ".join(name for name in names if name not in ("CHAR", "BINARY")), kind)


def _wrong(of: str, path: str, what: str, expected: str, kind: DataType) -> ValidationError:
    return ValidationError(f"{of}: column {path} is {summary(kind)}, but the field is {what}: declare it {expected}")
