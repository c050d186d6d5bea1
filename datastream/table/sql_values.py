"""Values as PyFlink hands them to Java: `DataType.to_sql_type` and `from_sql_type`."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Mapping
from typing import Any

from datastream.table.intervals import DayTimeIntervalType
from datastream.table.logical_types import (
    ArrayType,
    DataType,
    DateType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    TimestampType,
    TimeType,
    ZonedTimestampType,
)
from datastream.table.row_type import RowType
from datastream.table.user_defined_type import UserDefinedType
from datastream.types import Row, RowKind

_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()
_US = dt.timedelta(microseconds=1)
_SECOND = dt.timedelta(seconds=1)
_CONVERTED = (
    *(DateType, TimeType, TimestampType, LocalZonedTimestampType, ZonedTimestampType, DayTimeIntervalType),
    *(RowType, UserDefinedType),
)


def needs_conversion(kind: DataType) -> bool:
    """Whether values have another form there."""
    match kind:
        case ArrayType(element_type=element) | MultisetType(element_type=element):
            return needs_conversion(element)
        case MapType(key_type=key, value_type=value):
            return needs_conversion(key) or needs_conversion(value)
    return isinstance(kind, _CONVERTED)


def to_sql(kind: DataType, value: Any) -> Any:
    """A value of Python's as PyFlink hands it to Java.

    Raises:
        ValueError: It is no row where one is wanted.
    """
    if value is None or not needs_conversion(kind):
        return value
    match kind:
        case DateType():
            return value.toordinal() - _EPOCH_DAY
        case TimeType():
            offset = value.utcoffset() or dt.timedelta()
            moment = dt.timedelta(
                hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
            )
            return (moment - offset) // _US
        case TimestampType() | LocalZonedTimestampType():
            return int(time.mktime(value.timetuple()) if value.tzinfo is None else value.timestamp()) * 10**6 + (
                value.microsecond
            )
        case ZonedTimestampType():
            offset = (value if value.tzinfo else value.astimezone()).utcoffset() // _SECOND
            return int(value.replace(microsecond=0).timestamp() + offset) * 10**6 + value.microsecond, offset
        case DayTimeIntervalType():
            return value // _US
        case ArrayType(element_type=element) | MultisetType(element_type=element):
            return value and [to_sql(element, each) for each in value]
        case MapType(key_type=key, value_type=of_value):
            return value and {to_sql(key, each): to_sql(of_value, other) for each, other in value.items()}
        case RowType():
            return _row_to_sql(kind, value)
        case UserDefinedType():
            return to_sql(kind.sql_type(), kind.serialize(value))
    return value


def from_sql(kind: DataType, value: Any) -> Any:
    """A value of Python's from the form that PyFlink hands to Java."""
    if value is None or not needs_conversion(kind):
        return value
    match kind:
        case DateType():
            return dt.date.fromordinal(value + _EPOCH_DAY)
        case TimeType():
            return (dt.datetime.min + value * _US).time()
        case TimestampType() | LocalZonedTimestampType():
            return dt.datetime.fromtimestamp(value // 10**6).replace(microsecond=value % 10**6)
        case ZonedTimestampType():
            clock, offset = value
            zone = dt.timezone(offset * _SECOND)
            return (dt.datetime(1970, 1, 1) + clock * _US).replace(tzinfo=zone)
        case DayTimeIntervalType():
            return value * _US
        case ArrayType(element_type=element) | MultisetType(element_type=element):
            return value and [from_sql(element, each) for each in value]
        case MapType(key_type=key, value_type=of_value):
            return value and {from_sql(key, each): from_sql(of_value, other) for each, other in value.items()}
        case RowType():
            if isinstance(value, Row):
                return value
            values = [from_sql(field.data_type, each) for field, each in zip(kind.fields, value, strict=False)]
            return Row(**dict(zip(kind.names, values, strict=False)))
        case UserDefinedType():
            return kind.deserialize(from_sql(kind.sql_type(), value))
    return value


def _row_to_sql(kind: RowType, value: Any) -> tuple[Any, ...]:
    """The number of the row's kind, and its values."""
    change = RowKind.INSERT
    if isinstance(value, Mapping):
        values = [value.get(name) for name in kind.names]
    elif isinstance(value, Row):
        change = value.get_row_kind()
        values = [value[name] for name in kind.names] if value._fields is not None else list(value)
    elif isinstance(value, (tuple, list)):
        values = list(value)
    elif hasattr(value, "__dict__"):
        values = [value.__dict__.get(name) for name in kind.names]
    else:
        raise ValueError(f"Unexpected tuple {value!r} with RowType")
    fields = [*kind.field_types(), *([None] * (len(values) - len(kind)))]
    made = [each if of is None else to_sql(of, each) for of, each in zip(fields, values, strict=False)]
    return (change.value, *made)
