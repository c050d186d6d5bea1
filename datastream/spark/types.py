"""Spark's data types for ours, and ours for Spark's."""

from __future__ import annotations

from pyspark.sql import types as spark

from datastream.errors import ValidationError, cut
from datastream.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    DecimalTypeInfo,
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

_BASIC: dict[BasicType, spark.DataType] = {
    BasicType.STRING: spark.StringType(),
    BasicType.CHAR: spark.StringType(),
    BasicType.BOOLEAN: spark.BooleanType(),
    BasicType.BYTE: spark.ByteType(),
    BasicType.SHORT: spark.ShortType(),
    BasicType.INT: spark.IntegerType(),
    BasicType.LONG: spark.LongType(),
    BasicType.FLOAT: spark.FloatType(),
    BasicType.DOUBLE: spark.DoubleType(),
    BasicType.BIG_INT: spark.DecimalType(38, 0),
    BasicType.BIG_DEC: spark.DecimalType(38, 18),
    BasicType.INSTANT: spark.TimestampType(),
    BasicType.VOID: spark.NullType(),
}
_DATE, _TIME, _TIMESTAMP = spark.DateType(), spark.TimeType(6), spark.TimestampNTZType()


def to_spark_type(kind: TypeInformation) -> spark.DataType:
    """The Spark type whose values stand for those of a type; everything may be null.

    A TIMESTAMP of Spark is a point in time and so is INSTANT; the timestamps without a zone are TIMESTAMP_NTZ.
    Rows and tuples without names have the fields f0, f1, ...

    Raises:
        ValidationError: there is none.
    """
    match kind:
        case DecimalTypeInfo():
            return spark.DecimalType(kind.precision, kind.scale)
        case BasicTypeInfo(basic):
            return _BASIC[basic]
        case DateTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE):
            return _DATE
        case TimeTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME):
            return _TIME
        case TimestampTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME):
            return _TIMESTAMP
        case PickledBytesTypeInfo():
            return spark.BinaryType()
        case PrimitiveArrayTypeInfo(element) if element == Types.BYTE():
            return spark.BinaryType()
        case (
            PrimitiveArrayTypeInfo(element)
            | BasicArrayTypeInfo(element)
            | ObjectArrayTypeInfo(element)
            | ListTypeInfo(element)
        ):
            return spark.ArrayType(to_spark_type(element))
        case MapTypeInfo(key, value):
            return spark.MapType(to_spark_type(key), to_spark_type(value))
        case RowTypeInfo(fields):
            return _struct(kind.get_field_names(), fields)
        case TupleTypeInfo(fields):
            return _struct([f"f{i}" for i in range(len(fields))], fields)
    raise ValidationError(f"{kind!r} has no Spark type; declare one of the types of docs/types.md")


def _struct(names: list[str], fields: tuple[TypeInformation, ...]) -> spark.StructType:
    return spark.StructType(
        [spark.StructField(name, to_spark_type(field)) for name, field in zip(names, fields, strict=True)]
    )


_SIMPLE: dict[type[spark.DataType], TypeInformation] = {
    spark.StringType: Types.STRING(),
    spark.CharType: Types.STRING(),
    spark.VarcharType: Types.STRING(),
    spark.BooleanType: Types.BOOLEAN(),
    spark.ByteType: Types.BYTE(),
    spark.ShortType: Types.SHORT(),
    spark.IntegerType: Types.INT(),
    spark.LongType: Types.LONG(),
    spark.FloatType: Types.FLOAT(),
    spark.DoubleType: Types.DOUBLE(),
    spark.DateType: Types.SQL_DATE(),
    spark.TimeType: Types.SQL_TIME(),
    spark.TimestampNTZType: Types.SQL_TIMESTAMP(),
    spark.TimestampType: Types.INSTANT(),
    spark.BinaryType: Types.PRIMITIVE_ARRAY(Types.BYTE()),
    spark.NullType: Types.VOID(),
}


def from_spark_type(kind: spark.DataType) -> TypeInformation:
    """The type that holds the values of a Spark type; of a struct, a named row.

    Raises:
        ValidationError: there is none, or two fields of a struct have one name.
    """
    simple = _SIMPLE.get(type(kind))
    if simple is not None:
        return simple
    if isinstance(kind, spark.DecimalType):
        if (kind.precision, kind.scale) != (38, 0) and (kind.precision - kind.scale > 20 or kind.scale > 18):
            raise ValidationError(
                f"Spark's {kind.simpleString()} may have more than 20 digits before the point or 18 after it; cast the "
                "column before, to decimal(38,18), or to decimal(38,0) if its numbers are whole"
            )
        # What BIG_INT becomes. Any other decimal is a number with a point.
        return Types.BIG_INT() if (kind.precision, kind.scale) == (38, 0) else Types.BIG_DEC()
    if isinstance(kind, spark.ArrayType):
        return Types.LIST(from_spark_type(kind.elementType))
    if isinstance(kind, spark.MapType):
        return Types.MAP(from_spark_type(kind.keyType), from_spark_type(kind.valueType))
    if isinstance(kind, spark.StructType):
        return Types.ROW_NAMED(kind.names, list(map(_type_of_column, kind.fields)))
    raise ValidationError(f"Spark's {kind.simpleString()} has no counterpart here; cast the column before")


def _type_of_column(field: spark.StructField) -> TypeInformation:
    try:
        return from_spark_type(field.dataType)
    except ValidationError as error:
        raise ValidationError(f"column {cut(field.name)}: {error}") from None
