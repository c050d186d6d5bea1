"""Types of columns in the form that Flink's SQL gateway writes them in."""

from __future__ import annotations

from typing import Any

from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    CharType,
    DataType,
    DecimalType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
    ZonedTimestampType,
    is_nullable,
)
from datastream.table.types.row_type import RowType

#: The names of Flink's roots of types, where they are not those of the types.
_ROOTS: dict[type[DataType], str] = {
    IntType: "INTEGER",
    TimeType: "TIME_WITHOUT_TIME_ZONE",
    TimestampType: "TIMESTAMP_WITHOUT_TIME_ZONE",
    LocalZonedTimestampType: "TIMESTAMP_WITH_LOCAL_TIME_ZONE",
    ZonedTimestampType: "TIMESTAMP_WITH_TIME_ZONE",
    YearMonthIntervalType: "INTERVAL_YEAR_MONTH",
    DayTimeIntervalType: "INTERVAL_DAY_TIME",
}

#: What PyFlink has for the description of a field that has none.
_NOT_SAID = "..."


def column(name: str, kind: DataType) -> dict[str, Any]:
    """A column of a result."""
    return {"name": name, "logicalType": logical_type(kind), "comment": None}


def logical_type(kind: DataType) -> dict[str, Any]:
    """A type: its root, whether it may be NULL, and what it is made with."""
    root = _ROOTS.get(type(kind)) or type(kind).type_name()
    return {"type": root, "nullable": is_nullable(kind), **_parts(kind)}


def _parts(kind: DataType) -> dict[str, Any]:
    match kind:
        case CharType() | VarCharType() | BinaryType() | VarBinaryType():
            return {"length": kind.length}
        case DecimalType():
            return {"precision": kind.precision, "scale": kind.scale}
        case TimeType() | TimestampType() | LocalZonedTimestampType() | ZonedTimestampType():
            return {"precision": kind.precision}
        case YearMonthIntervalType():
            return {"precision": kind.precision, "resolution": kind.resolution.name}
        case DayTimeIntervalType():
            return {
                "precision": kind.day_precision,
                "fractionalPrecision": kind.fractional_precision,
                "resolution": kind.resolution.name,
            }
        case ArrayType() | MultisetType():
            return {"elementType": logical_type(kind.element_type)}
        case MapType():
            return {"keyType": logical_type(kind.key_type), "valueType": logical_type(kind.value_type)}
        case RowType():
            return {"fields": [_field(field.name, field.data_type, field.description) for field in kind.fields]}
    return {}


def _field(name: str, kind: DataType, description: str) -> dict[str, Any]:
    said = {"name": name, "fieldType": logical_type(kind)}
    return said if description == _NOT_SAID else {**said, "description": description}
