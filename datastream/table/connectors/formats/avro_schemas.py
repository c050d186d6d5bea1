"""The Avro schema of a table's columns, as Flink makes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from datastream.errors import ValidationError
from datastream.formats.avro import AvroSchema
from datastream.table.types.logical_types import (
    ArrayType,
    CharType,
    DataType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    TimestampType,
    VarCharType,
    is_nullable,
)
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_text import summary
from datastream.table.types.type_traits import traits_of

from .format import Layout

_NAME = "org.apache.flink.avro.generated.record"


def avro_schema(layout: Layout, names: Sequence[str], legacy: bool) -> AvroSchema:
    """The schema of a record of some columns.

    Args:
        layout: The columns.
        names: Which.
        legacy: Whether TIMESTAMP is ``timestamp-millis``, and TIMESTAMP_LTZ has no form, as in Flink unless told else.

    Raises:
        ValidationError: a column's type has no form, or its name is none in Avro.
    """
    fields = [_field(name, layout.type_of(name), _NAME, legacy, layout.of) for name in names]
    try:
        return AvroSchema(json.dumps({"type": "record", "name": _NAME, "fields": fields}))
    except ValidationError as error:
        raise ValidationError(f"{layout.of}: {error}") from None


def row_of(layout: Layout, names: Sequence[str]) -> RowType:
    """The row type of some columns, with TIMESTAMP for TIMESTAMP_LTZ: the engine reads both as times without a zone."""
    return RowType([RowField(name, _without_zone(layout.type_of(name))) for name in names])


def _without_zone(kind: DataType) -> DataType:
    match kind:
        case LocalZonedTimestampType():
            return TimestampType(kind.precision, is_nullable(kind))
        case ArrayType():
            return ArrayType(_without_zone(kind.element_type), is_nullable(kind))
        case MapType():
            return MapType(kind.key_type, _without_zone(kind.value_type), is_nullable(kind))
        case RowType():
            return RowType([RowField(each.name, _without_zone(each.data_type)) for each in kind], is_nullable(kind))
    return kind


def _field(name: str, kind: DataType, record: str, legacy: bool, of: str) -> dict[str, Any]:
    content = _schema(kind, f"{record}_{name}", name, legacy, of)
    return {"name": name, "type": content, **({"default": None} if is_nullable(kind) else {})}


def _schema(kind: DataType, record: str, place: str, legacy: bool, of: str) -> Any:
    found = _not_null(kind, record, place, legacy, of)
    return ["null", found] if is_nullable(kind) else found


def _not_null(kind: DataType, record: str, place: str, legacy: bool, of: str) -> Any:
    match kind:
        case ArrayType():
            return {"type": "array", "items": _schema(kind.element_type, record, place, legacy, of)}
        case MapType() if isinstance(kind.key_type, CharType | VarCharType):
            return {"type": "map", "values": _schema(kind.value_type, record, place, legacy, of)}
        case MultisetType() if isinstance(kind.element_type, CharType | VarCharType):
            return {"type": "map", "values": "int"}
        case RowType():
            fields = [_field(each.name, each.data_type, record, legacy, of) for each in kind]
            return {"type": "record", "name": record, "fields": fields}
    try:
        found = traits_of(kind).avro(legacy)
    except ValueError as error:
        raise ValidationError(f"{of}: column {place}: {error}") from None
    if found is None:
        raise ValidationError(f"{of}: column {place}: {summary(kind)} has no form in Avro")
    return found
