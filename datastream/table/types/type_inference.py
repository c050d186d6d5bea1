"""Data types of Python's values, as `from_elements` and `lit` give them to columns and constants."""

from __future__ import annotations

import array
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from typing import Any

from datastream.errors import ValidationError, WrongType, cut
from datastream.table.types.data_types import DataTypes
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import ArrayType, BinaryType, CharType, DataType, MapType, NullType
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_text import summary
from datastream.time import Instant
from datastream.types import Row

_SIMPLE: dict[type, DataType] = {
    type(None): DataTypes.NULL(),
    bool: DataTypes.BOOLEAN(),
    int: DataTypes.BIGINT(),
    float: DataTypes.DOUBLE(),
    str: DataTypes.STRING(),
    bytes: DataTypes.BYTES(),
    bytearray: DataTypes.BYTES(),
    Decimal: DataTypes.DECIMAL(38, 18),
    dt.date: DataTypes.DATE(),
    dt.datetime: DataTypes.TIMESTAMP_LTZ(),
    dt.time: DataTypes.TIME(),
    dt.timedelta: DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND()),
    Instant: DataTypes.TIMESTAMP_LTZ(),
}
_UNKNOWN: DataType = DataTypes.NULL()
_ARRAYS = {
    "b": DataTypes.TINYINT(False),
    **dict.fromkeys("Bh", DataTypes.SMALLINT(False)),
    **dict.fromkeys("Hi", DataTypes.INT(False)),
    **dict.fromkeys("IlLqQ", DataTypes.BIGINT(False)),
    "f": DataTypes.FLOAT(False),
    "d": DataTypes.DOUBLE(False),
    "u": DataTypes.STRING(False),
}


def type_of(value: Any) -> DataType:
    """The type of a value in a row.

    Raises:
        ValidationError: values of its class have none.
    """
    if hasattr(value, "__UDT__"):
        return value.__UDT__  # type: ignore[no-any-return]
    found = _SIMPLE.get(type(value))
    if found is not None:
        return found
    if isinstance(value, array.array):
        return DataTypes.ARRAY(_ARRAYS[value.typecode])
    if isinstance(value, Mapping):
        pairs = [(key, each) for key, each in value.items() if key is not None and each is not None]
        if not pairs:
            return DataTypes.MAP(DataTypes.NULL(), DataTypes.NULL())
        return DataTypes.MAP(type_of(pairs[0][0]).not_null(), type_of(pairs[0][1]))
    if isinstance(value, list):
        return DataTypes.ARRAY(reduce(_merged, map(type_of, value), _UNKNOWN))
    if isinstance(value, (tuple, Row)) or hasattr(value, "__dict__"):
        return row_of(value)
    raise WrongType(f"there is no data type for {cut(value)} of type {type(value).__name__}: give the schema")


def row_of(value: Any, names: Sequence[str] | None = None) -> RowType:
    """The type of a row; columns without a name are ``_1``, ``_2`` ...

    Raises:
        ValidationError: it is no row.
    """
    if isinstance(value, Mapping):
        items = sorted(value.items())
    elif isinstance(value, Row) and value._fields is not None:
        items = list(zip(value._fields, value, strict=False))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        items = list(zip(value._fields, value, strict=True))
    elif isinstance(value, (tuple, list, Row)):
        known = list(names or ())
        items = [(known[i] if i < len(known) else f"_{i + 1}", each) for i, each in enumerate(value)]
    elif hasattr(value, "__dict__") and value.__dict__:
        items = sorted(value.__dict__.items())
    else:
        raise WrongType(
            f"from_elements needs rows (tuples, lists, dicts or Rows), got {cut(value)}; for a table of one column "
            "give the column's data type as the schema"
        )
    return DataTypes.ROW([RowField(str(name), type_of(each)) for name, each in items])


def schema_of(rows: Iterable[Any], names: Sequence[str] | None = None) -> RowType:
    """The type that all rows fit.

    Names are those of fields without one: of tuples, lists, and Rows without names.

    Raises:
        ValidationError: there is no row, rows differ, or the type of a column cannot be known.
    """
    found: DataType | None = None
    for row in rows:
        kind = row_of(row, names)
        found = kind if found is None else _merged(found, kind)
    if found is None:
        raise ValidationError("from_elements: no type can be inferred from no rows; give the schema")
    assert isinstance(found, RowType)
    for field in found:
        if _has_null(field.data_type):
            raise ValidationError(f"from_elements: column {field.name!r} is None in all rows: give the schema")
    return found


def literal_type(value: Any) -> DataType:
    """The type of a constant, which is as narrow as Flink's of the same value.

    Raises:
        ValidationError: values of its class are no constants.
    """
    match value:
        case None:
            return DataTypes.NULL()
        case bool():
            return DataTypes.BOOLEAN(False)
        case int():
            if not -(1 << 63) <= value < 1 << 63:
                return DataTypes.DECIMAL(len(str(abs(value))), 0, False)
            return DataTypes.INT(False) if -(1 << 31) <= value < 1 << 31 else DataTypes.BIGINT(False)
        case float():
            return DataTypes.DOUBLE(False)
        case str():
            return CharType(len(value), False)
        case bytes() | bytearray():
            return BinaryType(len(value), False)
        case Decimal():
            _, digits, exponent = value.as_tuple()
            if not isinstance(exponent, int):
                raise ValidationError(f"lit: {value} is not a decimal number")
            scale = max(-exponent, 0)
            return DataTypes.DECIMAL(max(len(digits) + max(exponent, 0), scale, 1), scale, False)
        case dt.datetime():
            digits_of_second = 6 if value.microsecond % 1000 else 3 if value.microsecond else 0
            if value.tzinfo is not None:
                return DataTypes.TIMESTAMP_LTZ(digits_of_second, False)
            return DataTypes.TIMESTAMP(digits_of_second, False)
        case dt.date():
            return DataTypes.DATE(False)
        case dt.time():
            return DataTypes.TIME(6 if value.microsecond % 1000 else 3 if value.microsecond else 0, False)
        case Instant():
            return DataTypes.TIMESTAMP_LTZ(6, False)
        case dt.timedelta():
            return DayTimeIntervalType(DayTimeIntervalType.DayTimeResolution.DAY_TO_SECOND, nullable=False)
    raise ValidationError(
        f"lit: {cut(value)} of type {type(value).__name__} is no constant of SQL; use array, map_, row"
    )


def _merged(left: DataType, right: DataType) -> DataType:
    """The type of values of both; columns that rows lack are NULL in them."""
    if isinstance(left, NullType) or left == right:
        return right
    if isinstance(right, NullType):
        return left
    if isinstance(left, RowType) and isinstance(right, RowType):
        others = {field.name: field.data_type for field in right}
        fields = [RowField(f.name, _merged(f.data_type, others.get(f.name, DataTypes.NULL()))) for f in left]
        fields += [field for field in right if field.name not in left.names]
        return DataTypes.ROW(fields)
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        return DataTypes.ARRAY(_merged(left.element_type, right.element_type))
    if isinstance(left, MapType) and isinstance(right, MapType):
        return DataTypes.MAP(_merged(left.key_type, right.key_type), _merged(left.value_type, right.value_type))
    raise WrongType(
        f"rows have different types in one place, {summary(left)} and {summary(right)}: give the schema, or make them "
        "the same"
    )


def _has_null(kind: DataType) -> bool:
    match kind:
        case NullType():
            return True
        case ArrayType(element_type=element):
            return _has_null(element)
        case MapType(key_type=key, value_type=value):
            return _has_null(key) or _has_null(value)
        case RowType(fields=fields):
            return any(_has_null(field.data_type) for field in fields)
    return False
