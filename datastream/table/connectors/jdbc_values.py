"""Values of databases as values of tables, and the other way round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.codegen.user_calls import FromPython, ToPython
from datastream.table.types.logical_types import (
    BigIntType,
    BooleanType,
    DataType,
    DoubleType,
    IntType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.type_text import summary
from datastream.table.types.type_traits import traits_of
from datastream.table.types.values import Origin

#: A value that is not NULL -> another one.
Convert = Callable[[Any], Any]

_NONE = type(None)
#: Type -> the class of its values, which are the same inside and in a driver.
_CLASSES: dict[type[DataType], type] = {
    BooleanType: bool,
    TinyIntType: int,
    SmallIntType: int,
    IntType: int,
    BigIntType: int,
    DoubleType: float,
    VarCharType: str,
    VarBinaryType: bytes,
}
_BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}


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


def read_column(values: Sequence[Any], read: Convert) -> Sequence[Any]:
    """A column of values of a driver as values inside; None stays None.

    Args:
        values: The values.
        read: Made by `reader_of`, or a function like it.
    """
    if isinstance(read, _Reader) and read.keeps(values):
        return values
    return [None if value is None else read(value) for value in values]


def rows_for_driver(rows: Sequence[Any], kinds: Sequence[DataType], writers: Sequence[Convert]) -> Sequence[Any]:
    """Tuples of values inside as tuples that a driver takes.

    Args:
        rows: The tuples.
        kinds: The types of their values.
        writers: Made by `writer_of`.
    """
    if all(type(kind) in _CLASSES for kind in kinds):
        return rows
    return [
        tuple([None if value is None else write(value) for value, write in zip(row, writers, strict=True)])
        for row in rows
    ]


class _Reader:
    """A function: a value of a driver -> the value inside."""

    def __init__(self, python: Convert, inside: Convert, kind: DataType, what: str) -> None:
        self._python, self._inside, self._kind, self._what = python, inside, kind, what

    def keeps(self, values: Sequence[Any]) -> bool:
        """Whether all values are the same inside, as they mostly are."""
        expected, bits = _CLASSES.get(type(self._kind)), _BITS.get(type(self._kind))
        found = set(map(type, values))
        if expected is None or not found <= {expected, _NONE}:
            return False
        if bits is None or found <= {_NONE}:
            return True
        numbers = [value for value in values if value is not None] if _NONE in found else values
        return bool(-(1 << bits - 1) <= min(numbers) and max(numbers) < 1 << bits - 1)

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
