"""Types of columns of tables of Apache Iceberg, as types of SQL."""

from __future__ import annotations

from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType


def data_type(kind: Any, nullable: bool) -> DataType:
    """The type of SQL of a type of pyiceberg.

    Raises:
        UnsupportedOperation: There is none.
    """
    from pyiceberg import types

    match kind:
        case types.DecimalType():
            return DataTypes.DECIMAL(kind.precision, kind.scale, nullable)
        case types.FixedType():
            return DataTypes.BINARY(len(kind), nullable)
        case types.ListType():
            return DataTypes.ARRAY(data_type(kind.element_type, not kind.element_required), nullable)
        case types.MapType():
            value = data_type(kind.value_type, not kind.value_required)
            return DataTypes.MAP(data_type(kind.key_type, False), value, nullable)
        case types.StructType():
            fields = [DataTypes.FIELD(each.name, data_type(each.field_type, not each.required)) for each in kind.fields]
            return DataTypes.ROW(fields, nullable)
    simple: dict[type, Any] = {
        types.BooleanType: DataTypes.BOOLEAN,
        types.IntegerType: DataTypes.INT,
        types.LongType: DataTypes.BIGINT,
        types.FloatType: DataTypes.FLOAT,
        types.DoubleType: DataTypes.DOUBLE,
        types.StringType: DataTypes.STRING,
        types.BinaryType: DataTypes.BYTES,
        types.DateType: DataTypes.DATE,
        types.TimeType: lambda null: DataTypes.TIME(0, null),
        types.TimestampType: lambda null: DataTypes.TIMESTAMP(6, null),
        types.TimestamptzType: lambda null: DataTypes.TIMESTAMP_LTZ(6, null),
    }
    for known, made in simple.items():
        if isinstance(kind, known):
            found: DataType = made(nullable)
            return found
    raise UnsupportedOperation(f"SQL has no type for Iceberg's {kind}")
