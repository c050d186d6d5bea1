"""Calls of user functions: arguments as Python objects, results tested and in the form that they have inside."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from datastream.errors import TypeMismatch
from datastream.table.functions.lookup import UserFunction
from datastream.table.types.logical_types import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    NullType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.values import EPOCH_UTC, Origin, row_to_inside, row_to_python, to_inside, to_python
from datastream.types import Row, RowKind

from .names import Names

_BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}
_EXACT: dict[type[DataType], str] = {
    BooleanType: "bool",
    DoubleType: "float",
    CharType: "str",
    VarCharType: "str",
    BinaryType: "bytes",
    VarBinaryType: "bytes",
}


class _Lazy:
    """A function that is made where it is first called, since it does not travel."""

    _run: Any = None

    def __call__(self, value: Any) -> Any:
        if self._run is None:
            self._run = self._made()
        return self._run(value)

    def _made(self) -> Any:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_run"}


@dataclass
class ToPython(_Lazy):
    """A function: a value inside, not NULL -> what a user's function gets.

    Args:
        kind: Its type.
        zone: The session's time zone.
    """

    kind: DataType
    zone: str = "UTC"

    def _made(self) -> Any:
        if isinstance(self.kind, LocalZonedTimestampType):
            zone, us = ZoneInfo(self.zone), dt.timedelta(microseconds=1)
            return lambda value: (EPOCH_UTC + value * us).astimezone(zone)
        return to_python(self.kind)


@dataclass
class ToRecord(_Lazy):
    """A function: a row inside -> a record of a stream.

    Args:
        kind: The record's type.
        updates: The row has its kind in front.
    """

    kind: RowType
    updates: bool

    def _made(self) -> Any:
        convert = row_to_python(self.kind)
        if not self.updates:
            return convert

        def with_kind(value: Any) -> Row:
            row = convert(value[1:])
            row.set_row_kind(RowKind(value[0]))
            return row

        return with_kind


@dataclass
class FromPython(_Lazy):
    """A function: a result of a user's function, or a value of a stream -> the value inside. NULL stays NULL.

    Args:
        kind: Its type.
        zone: The session's time zone.
        name: The function's name, for errors.
        origin: Where values come from.
    """

    kind: DataType
    zone: str = "UTC"
    name: str = field(default="the function", compare=False)
    origin: Origin = Origin.RETURNED

    @property
    def known_as(self) -> str:
        """What people know it as, in errors."""
        return self.name

    def _made(self) -> Any:
        convert = to_inside(self.kind.nullable(), ZoneInfo(self.zone), origin=self.origin)

        def checked(value: Any) -> Any:
            try:
                return convert(value)
            except TypeMismatch as error:
                raise TypeMismatch(error.path, error.expected, error.value, f"it was returned by {self.name}") from None

        return checked


@dataclass
class RowFromPython(_Lazy):
    """A function: a row that a user's function gave -> the tuple inside; also of a single value for one column.

    Args:
        kind: The row's type, or that of the only column.
        zone: The session's time zone.
    """

    kind: DataType
    zone: str = "UTC"

    def _made(self) -> Any:
        if isinstance(self.kind, RowType):
            return row_to_inside(self.kind, ZoneInfo(self.zone), origin=Origin.RETURNED)
        convert = to_inside(self.kind.nullable(), ZoneInfo(self.zone), origin=Origin.RETURNED)
        return lambda value: (convert(value),)


@dataclass
class RowsFromPython(_Lazy):
    """A function: the rows that a table aggregate function gave -> a tuple of tuples inside.

    Args:
        kind: The rows' type.
        zone: The session's time zone.
        known_as: The function's name, for errors.
    """

    kind: DataType
    zone: str = "UTC"
    known_as: str = "the function"

    def _made(self) -> Any:
        convert = RowFromPython(self.kind, self.zone)
        return lambda rows: () if rows is None else tuple([convert(row) for row in rows])


def stays(kind: DataType) -> bool:
    """Whether values of a type are in Python what they are inside."""
    return (
        type(kind) in _BITS or type(kind) in _EXACT or type(kind).__name__ in ("FloatType", "DecimalType", "NullType")
    )


def arguments(args: Sequence[tuple[Any, DataType]], names: Names, zone: str) -> str:
    """The text of a call's arguments: values inside -> what the function gets."""
    texts = []
    for code, kind in args:
        text = code.part
        if not stays(kind) and not isinstance(kind, NullType):
            convert = names.bind(ToPython(kind, zone))
            name = code.text if code.simple else names.variable()
            test = name if code.simple else f"({name} := {code.text})"
            text = f"None if {test} is None else {convert}({name})" if code.nullable else f"{convert}({code.text})"
        texts.append(text)
    return ", ".join(texts)


def user_call(function: UserFunction, args: Sequence[tuple[Any, DataType]], names: Names, zone: str) -> str:
    """The text of a call of a scalar function; its value may be None.

    Args:
        function: It.
        args: The code and the type of each argument.
        names: Of the code.
        zone: The session's time zone.
    """
    call = f"{names.bind(function.function.eval, 'u')}({arguments(args, names, zone)})"
    kind, result = function.result_type, names.variable()
    fit = names.bind(FromPython(kind, zone, function.name))
    bits = _BITS.get(type(kind))
    if bits is not None:
        half = 1 << bits - 1
        test = f"type({result} := {call}) is int and {-half} <= {result} <= {half - 1}"
    elif type(kind) in _EXACT:
        test = f"type({result} := {call}) is {_EXACT[type(kind)]}"
    else:
        return f"{fit}({call})"
    return f"{result} if {test} else None if {result} is None else {fit}({result})"
