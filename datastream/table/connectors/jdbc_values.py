"""Values of databases as values of tables, and the other way round."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.codegen.user_calls import FromPython, ToPython
from datastream.table.functions.types import NUMBER
from datastream.table.types.logical_types import (
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    LocalZonedTimestampType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.type_text import summary
from datastream.table.types.values import Origin

#: A value that is not NULL -> another one.
Convert = Callable[[Any], Any]
_MIDNIGHT = dt.datetime(1970, 1, 1)


def reader_of(kind: DataType, zone: str, what: str) -> Convert:
    """A function: a value of a driver -> the value inside.

    Args:
        kind: The column's type.
        zone: The session's time zone.
        what: Names the column in errors.

    Raises:
        ValidationError: Databases have no such type.
    """
    return _Reader(_python(kind, what), FromPython(kind, zone, what, Origin.READ), kind, what)


def writer_of(kind: DataType, zone: str, what: str) -> Convert:
    """A function: a value inside -> the value that a driver takes; see `reader_of`."""
    _python(kind, what)
    return ToPython(kind, zone)


class _Reader:
    """A function: a value of a driver -> the value inside."""

    def __init__(self, python: Convert, inside: Convert, kind: DataType, what: str) -> None:
        self._python, self._inside, self._kind, self._what = python, inside, kind, what

    def __call__(self, value: Any) -> Any:
        try:
            made = self._python(value)
        except (ValueError, TypeError, ArithmeticError):
            kind = summary(self._kind)
            raise ValidationError(f"{self._what}: the database has {cut(value)}, which is no {kind}") from None
        return self._inside(made)


def _python(kind: DataType, what: str) -> Convert:
    """A function: a value of a driver -> Python's value of a type. Databases without a type hold its text."""
    match kind:
        case BooleanType():
            return bool
        case DecimalType():
            return _decimal
        case FloatType() | DoubleType():
            return float
        case CharType() | VarCharType():
            return str
        case VarBinaryType():
            return bytes
        case DateType():
            return _date
        case TimeType():
            return _time
        case TimestampType() | LocalZonedTimestampType():
            return _timestamp
    if isinstance(kind, NUMBER):
        return int
    raise ValidationError(f"{what}: columns of a database are not {summary(kind)} here")


def _decimal(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _date(value: Any) -> dt.date:
    if isinstance(value, dt.datetime):
        return value.date()
    return value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value)[:10])


def _time(value: Any) -> dt.time:
    if isinstance(value, dt.timedelta):  # as MySQL's driver gives it
        return (_MIDNIGHT + value).time()
    return value if isinstance(value, dt.time) else dt.time.fromisoformat(str(value))


def _timestamp(value: Any) -> dt.datetime:
    return value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(str(value))
