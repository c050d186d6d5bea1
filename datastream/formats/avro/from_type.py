"""The Avro schema of a row type."""

from __future__ import annotations

import json
import re
from typing import Any

from datastream.errors import ValidationError
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.to_type import BIG_INTEGER
from datastream.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    LocalTimeKind,
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
    Types,
)

#: The name that Flink gives the record of a table.
RECORD_NAME = "org.apache.flink.avro.generated.record"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_BASIC: dict[BasicType, Any] = {
    BasicType.STRING: "string",
    BasicType.CHAR: "string",
    BasicType.BOOLEAN: "boolean",
    BasicType.BYTE: "int",
    BasicType.SHORT: "int",
    BasicType.INT: "int",
    BasicType.LONG: "long",
    BasicType.FLOAT: "float",
    BasicType.DOUBLE: "double",
    BasicType.VOID: "null",
    # As Java's own Avro writes one: text of digits.
    BasicType.BIG_INT: {"type": "string", "java-class": BIG_INTEGER},
    BasicType.BIG_DEC: {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 18},
    BasicType.INSTANT: {"type": "long", "logicalType": "timestamp-micros"},
}
_DATE = {"type": "int", "logicalType": "date"}
_TIME = {"type": "long", "logicalType": "time-micros"}
_TIMESTAMP = {"type": "long", "logicalType": "local-timestamp-micros"}
_LOCAL = {
    LocalTimeKind.LOCAL_DATE: _DATE,
    LocalTimeKind.LOCAL_TIME: _TIME,
    LocalTimeKind.LOCAL_DATE_TIME: _TIMESTAMP,
}


def from_row_type(kind: RowTypeInfo, name: str = RECORD_NAME) -> AvroSchema:
    """The schema of a row type. Every field of a row, element of a list and value of a map may be null.

    Args:
        kind: The type. Rows without names, and tuples, get fields f0, f1, ...
        name: The full name of the record; records inside are named after it and their field.

    Raises:
        ValidationError: a field's name is no name in Avro, or a type has no form in it.
    """
    if not isinstance(kind, RowTypeInfo):
        raise ValidationError(f"An Avro record needs a row type, Types.ROW or Types.ROW_NAMED, got {kind!r}.")
    content = _schema(kind, name)
    _name_apart(content, set())
    return AvroSchema(json.dumps(content))


def _schema(kind: TypeInformation, name: str) -> Any:
    match kind:
        case BasicTypeInfo(basic):
            return _BASIC[basic]
        case DateTypeInfo():
            return _DATE
        case TimeTypeInfo():
            return _TIME
        case TimestampTypeInfo():
            return _TIMESTAMP
        case LocalTimeTypeInfo(local):
            return _LOCAL[local]
        case PickledBytesTypeInfo():
            return {"type": "bytes", "logicalType": "python-pickle"}
        case PrimitiveArrayTypeInfo(element):
            return "bytes" if element == Types.BYTE() else {"type": "array", "items": _schema(element, name)}
        case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
            return {"type": "array", "items": _or_null(element, name)}
        case MapTypeInfo(key, value) if key == Types.STRING():
            return {"type": "map", "values": _or_null(value, name)}
        case MapTypeInfo(key, value):
            entry = {"key": _schema(key, f"{name}_key"), "value": _or_null(value, f"{name}_value")}
            return {"type": "array", "items": _record(f"{name}_entry", entry)}
        case TupleTypeInfo(types):
            return _record(name, {f"f{i}": _schema(field, f"{name}_f{i}") for i, field in enumerate(types)})
        case RowTypeInfo():
            return _row(kind, name)
    raise ValidationError(f"{kind!r} has no form in Avro: use one of the types of Types.")


def _row(kind: RowTypeInfo, name: str) -> Any:
    found = {}
    for field, inner in zip(kind.get_field_names(), kind.field_types, strict=True):
        if not _NAME.match(field):
            raise ValidationError(
                f"The field {field!r} of {kind!r} cannot be written as Avro: a name is letters, digits and _, "
                "and does not start with a digit."
            )
        found[field] = _or_null(inner, f"{name}_{field}")
    return _record(name, found)


def _or_null(kind: TypeInformation, name: str) -> list[Any]:
    # A union of null alone for VOID: one byte an element, so that no length is without bytes after it.
    return ["null"] if kind == Types.VOID() else ["null", _schema(kind, name)]


def _record(name: str, fields: dict[str, Any]) -> Any:
    made = [
        {"name": field, "type": inner, **({"default": None} if isinstance(inner, list) else {})}
        for field, inner in fields.items()
    ]
    return {"type": "record", "name": name, "fields": made}


def _name_apart(content: Any, seen: set[str]) -> None:
    """Give records a name of their own: those of the fields a.b_c and a_b.c are named alike at first."""
    if isinstance(content, list):
        for branch in content:
            _name_apart(branch, seen)
    elif isinstance(content, dict):
        if content["type"] == "record":
            name, count = content["name"], 2
            while content["name"] in seen:
                content["name"] = f"{name}_{count}"
                count += 1
            seen.add(content["name"])
            for field in content["fields"]:
                _name_apart(field["type"], seen)
        _name_apart(content.get("items", content.get("values")), seen)
