"""Data types of Python's type hints, for functions that declare their results by them."""

from __future__ import annotations

import datetime as dt
import types
import typing
from collections import abc
from decimal import Decimal
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField
from datastream.time import Instant

_SIMPLE: dict[Any, DataType] = {
    bool: DataTypes.BOOLEAN(),
    int: DataTypes.BIGINT(),
    float: DataTypes.DOUBLE(),
    str: DataTypes.STRING(),
    bytes: DataTypes.BYTES(),
    Decimal: DataTypes.DECIMAL(38, 18),
    dt.date: DataTypes.DATE(),
    dt.time: DataTypes.TIME(),
    dt.datetime: DataTypes.TIMESTAMP(),
    dt.timedelta: DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND()),
    Instant: DataTypes.TIMESTAMP_LTZ(),
}
_MANY = (abc.Iterable, abc.Iterator, abc.Generator, list)


def returned_type(function: Any) -> DataType | None:
    """The type that a function's hint gives for its result; None: it has none.

    Raises:
        ValidationError: the hint has no data type.
    """
    hint = _hint(function)
    return None if hint is None else type_of_hint(hint, function)


def yielded_type(function: Any) -> DataType | None:
    """The type of the rows that a table function's hint gives; None: it has none.

    Raises:
        ValidationError: the hint has no data type.
    """
    hint = _hint(function)
    if hint is None:
        return None
    hint = _bare(hint)
    if typing.get_origin(hint) in _MANY and typing.get_args(hint):
        hint = typing.get_args(hint)[0]
    return type_of_hint(hint, function)


def type_of_hint(hint: Any, where: Any) -> DataType:
    """The data type of a hint such as ``int``, ``list[str]`` or ``tuple[int, str]``.

    Raises:
        ValidationError: there is none.
    """
    hint = _bare(hint)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is list and args:
        return DataTypes.ARRAY(type_of_hint(args[0], where))
    if origin is dict and args:
        return DataTypes.MAP(type_of_hint(args[0], where), type_of_hint(args[1], where))
    if origin is tuple and args and Ellipsis not in args:
        return DataTypes.ROW([RowField(f"f{i}", type_of_hint(each, where)) for i, each in enumerate(args)])
    raise ValidationError(f"{cut(where)}: there is no data type for the type hint {cut(hint)}: give result_type")


def _bare(hint: Any) -> Any:
    """A hint without ``| None``: every column may be NULL."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        rest = [each for each in typing.get_args(hint) if each is not type(None)]
        if len(rest) == 1:
            return rest[0]
    return hint


def _hint(function: Any) -> Any:
    target = function if hasattr(function, "__annotations__") else function.__call__
    try:
        hint = typing.get_type_hints(target).get("return")
    except (NameError, TypeError):
        return None
    return None if hint in (None, Any, type(None)) else hint
