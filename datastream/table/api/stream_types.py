"""Data types of the DataStream API's types."""

from __future__ import annotations

from datastream.errors import ValidationError
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType, LocalZonedTimestampType, TimestampType, is_nullable
from datastream.table.types.row_type import RowField
from datastream.types import (
    BasicArrayTypeInfo,
    DecimalTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)

_SIMPLE: dict[TypeInformation, DataType] = {
    Types.BOOLEAN(): DataTypes.BOOLEAN(),
    Types.BYTE(): DataTypes.TINYINT(),
    Types.SHORT(): DataTypes.SMALLINT(),
    Types.INT(): DataTypes.INT(),
    Types.LONG(): DataTypes.BIGINT(),
    Types.FLOAT(): DataTypes.FLOAT(),
    Types.DOUBLE(): DataTypes.DOUBLE(),
    Types.STRING(): DataTypes.STRING(),
    Types.CHAR(): DataTypes.CHAR(1),
    Types.BIG_DEC(): DataTypes.DECIMAL(38, 18),
    Types.BIG_INT(): DataTypes.DECIMAL(38, 0),
    Types.SQL_DATE(): DataTypes.DATE(),
    Types.SQL_TIME(): DataTypes.TIME(),
    Types.SQL_TIMESTAMP(): DataTypes.TIMESTAMP(9),
    Types.INSTANT(): DataTypes.TIMESTAMP_LTZ(9),
    Types.PRIMITIVE_ARRAY(Types.BYTE()): DataTypes.BYTES(),
}


#: Java's types of which a tuple, or a record that is one value, has no null.
_PRIMITIVE = {
    *(Types.BOOLEAN(), Types.BYTE(), Types.SHORT(), Types.INT(), Types.LONG(), Types.FLOAT(), Types.DOUBLE()),
}


def in_milliseconds(kind: DataType) -> DataType:
    """A type whose times have the precision that columns by expressions have."""
    match kind:
        case TimestampType():
            return TimestampType(3, is_nullable(kind))
        case LocalZonedTimestampType():
            return LocalZonedTimestampType(3, is_nullable(kind))
    return kind


def not_null_of(kind: TypeInformation) -> DataType:
    """The data type of a tuple's field, or of a record that is one value: numbers and truth values are never NULL."""
    found = data_type_of(kind)
    return found.not_null() if kind in _PRIMITIVE else found


def data_type_of(kind: TypeInformation) -> DataType:
    """The data type of the values of a type.

    Raises:
        ValidationError: there is none, as of records that are pickled.
    """
    found = _SIMPLE.get(kind)
    if found is not None:
        return found
    match kind:
        case DecimalTypeInfo(precision=precision, scale=scale):
            return DataTypes.DECIMAL(precision, scale)
        case RowTypeInfo(field_names=names, field_types=kinds):
            pairs = zip(names, kinds, strict=True)
            return DataTypes.ROW([RowField(name, data_type_of(each)) for name, each in pairs])
        case TupleTypeInfo(field_types=kinds):
            return DataTypes.ROW([RowField(f"f{i}", not_null_of(each)) for i, each in enumerate(kinds)])
        case MapTypeInfo():
            return DataTypes.MAP(data_type_of(kind.key_type), data_type_of(kind.value_type))
        case ListTypeInfo():
            return DataTypes.ARRAY(data_type_of(kind.elem_type))
        case BasicArrayTypeInfo() | PrimitiveArrayTypeInfo() | ObjectArrayTypeInfo():
            return DataTypes.ARRAY(data_type_of(kind.element_type))
    raise ValidationError(
        f"columns cannot be of the type {kind!r}: give the stream a type such as Types.ROW_NAMED(...) by map(..., type)"
    )
