"""Generic records, the dicts that an Avro schema describes, as rows and back.

They go through Avro's own bytes: defaults, the checks of each type and the classes of values are then Avro's, at some
4 us a record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.avro import (
    AvroDeserializationSchema,
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    AvroSchema,
    AvroSerializationSchema,
    to_row_type,
)
from datastream.types import (
    BasicArrayTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    RowTypeInfo,
    TypeInformation,
)

#: From a block of records to a block of rows, or the reverse.
Convert = Callable[[list[Any]], list[Any]]


def avro_row_type(schema: AvroSchema, where: str) -> RowTypeInfo:
    """The row type of a schema's records.

    Raises:
        ValidationError: the schema is no record, or holds what is no column: a union of several types, or a record
            inside itself.
    """
    row_type = to_row_type(schema)
    if _has_any(row_type):
        raise ValidationError(
            f"{where}: a union of several types and a record inside itself are no columns; "
            f"leave such fields out of the schema, got {cut(str(schema))}"
        )
    return row_type


def _has_any(kind: TypeInformation) -> bool:
    match kind:
        case PickledBytesTypeInfo():
            return True
        case RowTypeInfo(fields):
            return any(map(_has_any, fields))
        case ListTypeInfo(inner) | BasicArrayTypeInfo(inner) | ObjectArrayTypeInfo(inner) | MapTypeInfo(_, inner):
            return _has_any(inner)
    return False


def to_rows(schema: AvroSchema) -> Convert:
    """What makes rows of generic records; it raises FormatError for one that the schema cannot hold."""
    records, rows = AvroSerializationSchema.for_generic(schema), AvroRowDeserializationSchema(None, str(schema))
    return lambda found: rows.deserialize_block(records.serialize_block(found))


def to_records(schema: AvroSchema) -> Convert:
    """What makes generic records of rows; it raises FormatError for one that the schema cannot hold."""
    rows, records = AvroRowSerializationSchema(None, str(schema)), AvroDeserializationSchema.for_generic(schema)
    return lambda found: records.deserialize_block(rows.serialize_block(found))
