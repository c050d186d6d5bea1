"""Families of data types, the type that several have in common, and the types of DECIMAL arithmetic, as in Flink."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
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
    is_nullable,
)
from datastream.table.types.row_type import RowField, RowType

#: A rule of the type that several have in common; None: there is none.
Common = Callable[[Iterable[DataType]], DataType | None]
LONGEST = 2**31 - 1
_MOST_DIGITS = 38
_LEAST_SCALE = 6

WHOLE = (TinyIntType, SmallIntType, IntType, BigIntType)
APPROXIMATE = (FloatType, DoubleType)
NUMBER = (*WHOLE, DecimalType, *APPROXIMATE)
STRING = (CharType, VarCharType)
BYTES = (BinaryType, VarBinaryType)
TIMESTAMP = (TimestampType, LocalZonedTimestampType)
TIME = (DateType, TimeType, *TIMESTAMP)
INTERVAL = (DayTimeIntervalType, YearMonthIntervalType)

_DIGITS = {TinyIntType: 3, SmallIntType: 5, IntType: 10, BigIntType: 19}
_BITS = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}


def with_nullability(data_type: DataType, nullable: bool) -> DataType:
    """The same type, which may be NULL or not."""
    if is_nullable(data_type) == nullable or isinstance(data_type, NullType):
        return data_type
    return data_type.nullable() if nullable else data_type.not_null()


def whole_range(data_type: DataType) -> tuple[int, int]:
    """The least and the greatest value of a type of whole numbers."""
    half = 1 << _BITS[type(data_type)] - 1  # type: ignore[index]
    return -half, half - 1


def string_type() -> VarCharType:
    """STRING."""
    return VarCharType(LONGEST)


def as_decimal(data_type: DataType) -> DecimalType:
    """The DECIMAL that holds all values of a type of whole numbers; a DECIMAL itself."""
    return data_type if isinstance(data_type, DecimalType) else DecimalType(_DIGITS[type(data_type)], 0)  # type: ignore[index]


def _adjusted(precision: int, scale: int) -> DecimalType:
    """The DECIMAL of this number of digits; beyond 38 the fraction loses digits, but keeps six."""
    if precision <= _MOST_DIGITS:
        return DecimalType(precision, scale)
    kept = max(_MOST_DIGITS - (precision - scale), min(scale, _LEAST_SCALE))
    return DecimalType(_MOST_DIGITS, kept)


def decimal_sum(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of ``left + right`` and ``left - right``."""
    scale = max(left.scale, right.scale)
    return _adjusted(max(left.precision - left.scale, right.precision - right.scale) + scale + 1, scale)


def decimal_product(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of ``left * right``."""
    return _adjusted(left.precision + right.precision + 1, left.scale + right.scale)


def decimal_quotient(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of ``left / right``."""
    scale = max(_LEAST_SCALE, left.scale + right.precision + 1)
    return _adjusted(left.precision - left.scale + right.scale + scale, scale)


def decimal_remainder(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of ``left % right``."""
    scale = max(left.scale, right.scale)
    return _adjusted(min(left.precision - left.scale, right.precision - right.scale) + scale, scale)


def decimal_rounded(argument: DecimalType, places: int) -> DecimalType:
    """The type of ``ROUND(argument, places)``."""
    if places >= argument.scale:
        return argument
    digits = 1 + argument.precision - argument.scale + max(places, 0)
    return DecimalType(min(_MOST_DIGITS, digits), max(places, 0))


def sum_type(argument: DataType) -> DataType:
    """The type of SUM."""
    return DecimalType(_MOST_DIGITS, argument.scale) if isinstance(argument, DecimalType) else argument


def average_type(argument: DataType) -> DataType:
    """The type of AVG and its variants: whole numbers stay whole."""
    if isinstance(argument, DecimalType):
        return DecimalType(_MOST_DIGITS, max(argument.scale, _LEAST_SCALE))
    return argument


def common_type(types: Iterable[DataType]) -> DataType | None:
    """The type of CASE, arrays, sets of queries and computations with values of several types; None: there is none.

    It may be NULL where one of them may.
    """
    return _folded(types, _common)


def branch_type(types: Iterable[DataType]) -> DataType | None:
    """The type of CASE and IF in SQL; None: there is none. Of FLOAT and DOUBLE it is the first one, as in Flink."""
    return _folded(types, _of_branches)


def merged_type(types: Iterable[DataType]) -> DataType | None:
    """The type of COALESCE, GREATEST and functions like them; None: there is none.

    It differs from `common_type`, as in Flink: a TIMESTAMP becomes a DATE or a TIME where one of them is beside it, and
    a DECIMAL before a FLOAT becomes one.
    """
    return _folded(types, _merged)


def _folded(types: Iterable[DataType], pair: Callable[[DataType, DataType], DataType | None]) -> DataType | None:
    given = list(types)
    found = [each for each in given if not isinstance(each, NullType)]
    if not found:
        return NullType() if given else None
    common: DataType | None = found[0]
    for each in found[1:]:
        if common is None:
            return None
        common = pair(common, each)
    if common is None:
        return None
    return with_nullability(common, any(map(is_nullable, given)))


def _common(left: DataType, right: DataType) -> DataType | None:
    if with_nullability(left, True) == with_nullability(right, True):
        return left
    if isinstance(left, NUMBER) and isinstance(right, NUMBER):
        return _common_number(left, right)
    for family, varying in ((STRING, VarCharType), (BYTES, VarBinaryType)):
        if isinstance(left, family) and isinstance(right, family):
            return varying(max(left.length, right.length))
    if isinstance(left, TIME) and isinstance(right, TIME):
        return _common_time(left, right)
    for interval in INTERVAL:
        if isinstance(left, interval) and isinstance(right, interval):
            return _common_interval(left, right)
    return _common_nested(left, right)


def _common_number(left: DataType, right: DataType) -> DataType:
    if isinstance(left, APPROXIMATE) or isinstance(right, APPROXIMATE):
        if any(isinstance(each, (DoubleType, DecimalType)) for each in (left, right)):
            return DoubleType()
        return FloatType()
    if isinstance(left, WHOLE) and isinstance(right, WHOLE):
        return max((left, right), key=lambda each: _BITS[type(each)])
    one, other = as_decimal(left), as_decimal(right)
    scale = max(one.scale, other.scale)
    digits = max(one.precision - one.scale, other.precision - other.scale)
    return DecimalType(min(_MOST_DIGITS, digits + scale), min(scale, max(_MOST_DIGITS - digits, 0)))


def _common_time(left: DataType, right: DataType) -> DataType | None:
    kinds = {type(left), type(right)}
    precision = max(getattr(left, "precision", 0), getattr(right, "precision", 0))
    if DateType in kinds:
        return None
    if kinds == {TimeType}:
        return TimeType(precision)
    if TimeType in kinds:
        return None
    # Flink's own rule of two kinds: the first one of equal precisions, else the second one.
    chosen = left if left.precision == right.precision else right  # type: ignore[attr-defined]
    return TimestampType(precision) if isinstance(chosen, TimestampType) else LocalZonedTimestampType(precision)


def _merged(left: DataType, right: DataType) -> DataType | None:
    kinds = {type(left), type(right)}
    if kinds == {TimestampType, LocalZonedTimestampType}:
        return LocalZonedTimestampType(max(left.precision, right.precision))  # type: ignore[attr-defined]
    if kinds in ({DateType, TimestampType}, {TimeType, TimestampType}):
        return right if isinstance(left, TimestampType) else left
    if isinstance(left, DecimalType) and isinstance(right, FloatType):
        return right
    return _common(left, right)


def _of_branches(left: DataType, right: DataType) -> DataType | None:
    return left if isinstance(left, APPROXIMATE) and isinstance(right, APPROXIMATE) else _common(left, right)


def _common_interval(left: Any, right: Any) -> DataType:
    if isinstance(left, YearMonthIntervalType):
        return YearMonthIntervalType(
            YearMonthIntervalType.YearMonthResolution.YEAR_TO_MONTH, max(left.precision, right.precision)
        )
    return DayTimeIntervalType(
        DayTimeIntervalType.DayTimeResolution.DAY_TO_SECOND,
        max(left.day_precision, right.day_precision),
        max(left.fractional_precision, right.fractional_precision),
    )


def _common_nested(left: DataType, right: DataType) -> DataType | None:
    match left, right:
        case (ArrayType(), ArrayType()):
            inner = common_type((left.element_type, right.element_type))
            return inner and ArrayType(inner)
        case (MultisetType(), MultisetType()):
            inner = common_type((left.element_type, right.element_type))
            return inner and MultisetType(inner)
        case (MapType(), MapType()):
            key = common_type((left.key_type, right.key_type))
            value = common_type((left.value_type, right.value_type))
            return MapType(key, value) if key and value else None
        case (RowType(), RowType()) if len(left) == len(right):
            return _common_row(left, right)
    return None


def _common_row(left: RowType, right: RowType) -> RowType | None:
    fields: list[RowField] = []
    pairs: Sequence[tuple[RowField, RowField]] = list(zip(left, right, strict=True))
    for one, other in pairs:
        data_type = common_type((one.data_type, other.data_type))
        if data_type is None:
            return None
        fields.append(RowField(one.name, data_type))
    return RowType(fields)
