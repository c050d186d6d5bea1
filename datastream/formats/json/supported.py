"""Which types have a form in JSON."""

from __future__ import annotations

from datastream.errors import FormatError
from datastream.types import (
    BasicArrayTypeInfo,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    LocalTimeTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)

from .map_keys import can_be_key


def check_supported(kind: TypeInformation, reading: bool, path: str = "") -> None:
    """See that every type inside a type can be read, or written.

    Raises:
        FormatError: one cannot; the message says which field.
    """
    match kind:
        case PickledBytesTypeInfo():
            if reading:
                raise FormatError(
                    f"{_at(path)}a pickled value is not read from JSON, since unpickling runs what the bytes say: "
                    "declare its type, or read it as Types.STRING()"
                )
        case BasicTypeInfo() | DateTypeInfo() | TimeTypeInfo() | TimestampTypeInfo() | LocalTimeTypeInfo():
            pass
        case PrimitiveArrayTypeInfo(element) | BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element):
            check_supported(element, reading, f"{path}[]")
        case ListTypeInfo(element):
            check_supported(element, reading, f"{path}[]")
        case MapTypeInfo(key, value):
            if not can_be_key(key):
                raise FormatError(f"{_at(path)}keys of type {key} have no text for the names of a JSON object: map "
                                  "them to Types.STRING() first")  # fmt: skip
            check_supported(value, reading, f"{path}[]")
        case TupleTypeInfo(fields):
            for i, field in enumerate(fields):
                check_supported(field, reading, f"{path}[{i}]")
        case RowTypeInfo():
            for name, field in zip(kind.get_field_names(), kind.field_types, strict=True):
                check_supported(field, reading, f"{path}.{name}" if path else name)
        case _:
            raise FormatError(f"{_at(path)}values of type {kind} have no form in JSON: declare it by Types")


def _at(path: str) -> str:
    return f"field {path}: " if path else ""
