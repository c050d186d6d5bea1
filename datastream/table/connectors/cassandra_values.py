"""Values of Cassandra as values of tables, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from datastream.errors import ValidationError, cut
from datastream.table.codegen.user_calls import FromPython, ToPython
from datastream.table.types.logical_types import (
    ArrayType,
    CharType,
    DataType,
    MapType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary
from datastream.table.types.type_traits import traits_of
from datastream.table.types.values import Origin
from datastream.types import Row
from datastream.types.row import values_of

#: A value that is not NULL -> another one.
Convert = Callable[[Any], Any]

_ZONE = "UTC"
_PARTS = re.compile(r"[<>,]|[^<>,\s]+")


class CqlType(NamedTuple):
    """A type of Cassandra.

    Attributes:
        name: Without ``frozen``.
        inside: The types between ``<`` and ``>``.
    """

    name: str
    inside: tuple[CqlType, ...] = ()


def cql_type(text: str) -> CqlType:
    """A type as Cassandra writes it, such as ``frozen<map<text, int>>``."""
    return _parsed(_PARTS.findall(text))


def _parsed(parts: list[str]) -> CqlType:
    name = parts.pop(0)
    inside: list[CqlType] = []
    if parts and parts[0] == "<":
        while parts.pop(0) != ">":
            inside.append(_parsed(parts))
    return inside[0] if name == "frozen" else CqlType(name, tuple(inside))


def reader_of(kind: DataType, what: str) -> Convert:
    """A function: a value of Cassandra in plain Python -> the value inside.

    Args:
        kind: The column's type.
        what: Names the column in errors.

    Raises:
        ValidationError: Cassandra has no such type.
    """
    return _Reader(kind, what)


class _Reader:
    """A function: a value of Cassandra in plain Python -> the value inside. It travels to the tasks."""

    def __init__(self, kind: DataType, what: str) -> None:
        self._kind, self._what = kind, what
        self._python = _python(kind, what)
        self._inside = FromPython(kind, _ZONE, what, Origin.READ)

    def __call__(self, value: Any) -> Any:
        try:
            made = self._python(value)
        except (ValueError, TypeError, ArithmeticError):
            raise ValidationError(
                f"{self._what}: Cassandra has {cut(value)}, which is no {summary(self._kind)}"
            ) from None
        return self._inside(made)

    def __reduce__(self) -> Any:
        return type(self), (self._kind, self._what)


def _python(kind: DataType, what: str) -> Convert:
    """A function: a value of Cassandra in plain Python -> Python's value of a type."""
    if isinstance(kind, ArrayType):
        element = _of_null(_python(kind.element_type, what))
        return lambda value: [element(each) for each in _in_order(value)]
    if isinstance(kind, MapType):
        key, of_key = _python(kind.key_type, what), _of_null(_python(kind.value_type, what))
        return lambda value: {key(each): of_key(other) for each, other in value.items()}
    if isinstance(kind, RowType):
        names = list(kind.names)
        fields = [_of_null(_python(each.data_type, what)) for each in kind.fields]
        return lambda value: tuple([read(each) for read, each in zip(fields, _fields(value, names), strict=True)])
    if isinstance(kind, CharType | VarCharType):
        return _text
    found = traits_of(kind).from_database
    if found is None:
        raise ValidationError(f"{what}: columns of Cassandra are not {summary(kind)}")
    return found


def _of_null(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _in_order(value: Iterable[Any]) -> Iterable[Any]:
    """The elements of a list or tuple, and those of a set by their size, as Cassandra keeps them."""
    if not isinstance(value, set | frozenset):
        if not isinstance(value, list | tuple):
            raise TypeError("it has no elements")
        return value
    return sorted(value, key=repr if any(isinstance(each, frozenset) for each in value) else None)


def _fields(value: Any, names: Sequence[str]) -> Sequence[Any]:
    """The fields of a tuple by their place, those of a user's type by their names."""
    if isinstance(value, dict):
        if missing := [name for name in names if name not in value]:
            raise ValueError(f"it has no field {missing[0]}")
        return [value[name] for name in names]
    if not isinstance(value, tuple):
        raise TypeError("it has no fields")
    return value


def _text(value: Any) -> str:
    if isinstance(value, bytes | list | tuple | set | dict):
        raise TypeError("it is no text")
    return str(value)


def check_written(kind: DataType, what: str) -> None:
    """See that Cassandra has columns for a type.

    Raises:
        ValidationError: It has not.
    """
    _python(kind, what)


def writer_of(kind: DataType, cql: str, what: str) -> Convert:
    """A function: a value inside -> the value that the driver takes for a column.

    Args:
        kind: The table's type.
        cql: The type in Cassandra.
        what: Names the column in errors.
    """
    python, driver = ToPython(kind, _ZONE), _of_driver(cql_type(cql))

    def write(value: Any) -> Any:
        made = python(value)
        try:
            return driver(made)
        except (ValueError, TypeError, ArithmeticError, AttributeError):
            raise ValidationError(f"{what}: Cassandra's column has the type {cql}, got {cut(made)}") from None

    return write


def _of_driver(cql: CqlType) -> Convert:
    """A function: Python's value -> the one that the driver takes for a type."""
    match cql:
        case CqlType("uuid" | "timeuuid"):
            return lambda value: UUID(value) if isinstance(value, str) else value
        case CqlType("timestamp"):
            return _in_millis
        case CqlType("varint"):
            return lambda value: int(value) if value == int(value) else value
        case CqlType("decimal"):
            return lambda value: value if isinstance(value, Decimal) else Decimal(str(value))
        case CqlType("list" | "set" | "vector", (kind, *_)):
            element = _of_null(_of_driver(kind))
            return lambda value: [element(each) for each in value]
        case CqlType("map", (key, kind)):
            of_key, of_value = _of_driver(key), _of_null(_of_driver(kind))
            return lambda value: {of_key(each): of_value(other) for each, other in value.items()}
        case CqlType("tuple", kinds):
            fields = [_of_null(_of_driver(each)) for each in kinds]
            return lambda value: tuple([give(each) for give, each in zip(fields, _row(value), strict=True)])
    return _row


def _in_millis(value: datetime) -> datetime:
    """A time of whole milliseconds: the driver drops what is below, and so keys might become the same."""
    if value.microsecond % 1000:
        raise ValueError("it has more digits than milliseconds")
    return value


def _row(value: Any) -> Any:
    """The fields of a row, as the driver takes them for a user's type; another value as it is."""
    return tuple(map(_row, values_of(value))) if isinstance(value, Row) else value
