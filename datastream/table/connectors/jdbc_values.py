"""Values of databases as values of tables, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.codegen.user_calls import FromPython, ToPython
from datastream.table.types.logical_types import (
    DataType,
)
from datastream.table.types.type_text import summary
from datastream.table.types.type_traits import traits_of
from datastream.table.types.values import Origin

#: A value that is not NULL -> another one.
Convert = Callable[[Any], Any]


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
    found = traits_of(kind).from_database
    if found is None:
        raise ValidationError(f"{what}: columns of a database are not {summary(kind)} here")
    return found
