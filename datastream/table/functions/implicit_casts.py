"""Which values go into a column of another type by themselves, as in Flink."""

from __future__ import annotations

from datastream.table.functions import types
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    NullType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType

#: A column's type -> those of which values go into it, whatever their lengths and digits.
_TAKEN: dict[type[DataType], tuple[type[DataType], ...]] = {
    VarCharType: (CharType,),
    VarBinaryType: (BinaryType,),
    SmallIntType: (TinyIntType,),
    IntType: (TinyIntType, SmallIntType),
    BigIntType: (TinyIntType, SmallIntType, IntType),
    DecimalType: types.NUMBER,
    FloatType: (*types.WHOLE, DecimalType),
    DoubleType: types.NUMBER,
    DateType: (TimestampType,),
    TimeType: (TimestampType,),
    TimestampType: (LocalZonedTimestampType,),
    LocalZonedTimestampType: (TimestampType,),
}


def fits(source: DataType, target: DataType) -> bool:
    """Whether values of a type are written as another one without a cast in the query."""
    if isinstance(source, NullType):
        return True
    if isinstance(source, _TAKEN.get(type(target), ())):
        return True
    match source, target:
        case ArrayType(), ArrayType():
            return fits(source.element_type, target.element_type)
        case MultisetType(), MultisetType():
            return fits(source.element_type, target.element_type)
        case MapType(), MapType():
            return fits(source.key_type, target.key_type) and fits(source.value_type, target.value_type)
        case RowType(), RowType():
            pairs = zip(source.fields, target.fields, strict=False)
            return len(source) == len(target) and all(fits(one.data_type, other.data_type) for one, other in pairs)
    return type(source) is type(target)
