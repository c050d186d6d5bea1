"""Values as the texts that printed results show: those of CAST to STRING."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from datastream.table.functions.text_forms import time_text
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    TimestampType,
    TimeType,
    VarBinaryType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.values import EPOCH_UTC, to_python
from datastream.types.java_text import double_text, float_text

Text = Callable[[Any], str]

_US = dt.timedelta(microseconds=1)


def cell_text(kind: DataType, zone: dt.tzinfo, null: str = "<NULL>") -> Text:
    """A function: a value inside -> its text.

    Args:
        kind: Its type.
        zone: In which TIMESTAMP_LTZ is shown.
        null: The text of NULL.
    """
    text = _text(kind, zone)
    return lambda value: null if value is None else text(value)


def _text(kind: DataType, zone: dt.tzinfo) -> Text:
    match kind:
        case BooleanType():
            return lambda value: str(value).upper()
        case FloatType():
            return float_text
        case DoubleType():
            return double_text
        case DecimalType():
            return lambda value: format(value, "f")
        case BinaryType() | VarBinaryType():
            return lambda value: f"x'{value.hex()}'"
        case DateType():
            date = to_python(kind)
            return lambda value: str(date(value))
        case TimeType(precision=precision):
            return lambda value: time_text(value, precision)
        case LocalZonedTimestampType(precision=precision):
            return lambda value: _moment((EPOCH_UTC + value * _US).astimezone(zone), value, precision)
        case TimestampType(precision=precision):
            timestamp = to_python(kind)
            return lambda value: _moment(timestamp(value), value, precision)
        case DayTimeIntervalType():
            return _day_time
        case YearMonthIntervalType():
            return lambda value: f"{'-' if value < 0 else '+'}{abs(value) // 12}-{abs(value) % 12:02}"
        case ArrayType(element_type=element):
            each = cell_text(element, zone, "NULL")
            return lambda value: f"[{', '.join(map(each, value))}]"
        case MapType(key_type=key, value_type=value):
            of_key, of_value = cell_text(key, zone, "NULL"), cell_text(value, zone, "NULL")
            return lambda value: f"{{{', '.join(f'{of_key(k)}={of_value(v)}' for k, v in value.items())}}}"
        case MultisetType(element_type=element):
            each = cell_text(element, zone, "NULL")
            return lambda value: f"{{{', '.join(f'{each(k)}={n}' for k, n in value.items())}}}"
        case RowType(fields=fields):
            texts = [cell_text(field.data_type, zone, "NULL") for field in fields]
            return lambda value: f"({', '.join(text(v) for text, v in zip(texts, value, strict=True))})"
    return str


def _moment(moment: dt.datetime, us: int, precision: int) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0") + _fraction(us, precision)


def _fraction(us: int, precision: int) -> str:
    return f".{us % 1_000_000:06}000"[: precision + 1] if precision else ""


def _day_time(us: int) -> str:
    sign, us = ("-" if us < 0 else "+"), abs(us)
    seconds, rest = divmod(us, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days} {hours:02}:{minutes:02}:{seconds:02}.{rest // 1000:03}"
