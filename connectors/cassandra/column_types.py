"""Types of columns, and their values as plain objects of Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from datastream.types import TypeInformation, Types

from .library import cassandra

_TYPES: dict[str, Callable[[], TypeInformation]] = {
    "ascii": Types.STRING,
    "bigint": Types.LONG,
    "blob": lambda: Types.PRIMITIVE_ARRAY(Types.BYTE()),
    "boolean": Types.BOOLEAN,
    "counter": Types.LONG,
    "date": Types.SQL_DATE,
    "decimal": Types.BIG_DEC,
    "double": Types.DOUBLE,
    "float": Types.FLOAT,
    "inet": Types.STRING,
    "int": Types.INT,
    "smallint": Types.SHORT,
    "text": Types.STRING,
    "time": Types.SQL_TIME,
    "timestamp": Types.SQL_TIMESTAMP,
    "tinyint": Types.BYTE,
    "varchar": Types.STRING,
    "varint": Types.BIG_INT,
}
#: Types whose values the driver returns as they are declared here.
_PLAIN = _TYPES.keys() - {"date", "time"} | {"uuid", "timeuuid"}
_PARTS = re.compile(r"[<>,]|[^<>,\s]+")


def type_of(cql: str) -> TypeInformation:
    """The type of a column: by ``LIST``, ``MAP`` and ``TUPLE``; a set, a UUID, a user's type as any object.

    Args:
        cql: Such as ``frozen<map<text, int>>``.
    """
    return _parsed(_PARTS.findall(cql))


def is_plain(cql: str) -> bool:
    """Whether the driver's values are as they should be."""
    return cql in _PLAIN


def plain(value: Any) -> Any:
    """A value of the driver without the driver's own classes: they would have to be known where it travels to."""
    util = cassandra().util
    if isinstance(value, util.Date):
        return value.date()
    if isinstance(value, util.Time):
        return value.time()
    if isinstance(value, util.Duration):
        return value.months, value.days, value.nanoseconds
    if isinstance(value, (util.SortedSet, set, frozenset)):
        return {_hashable(plain(item)) for item in value}
    if isinstance(value, (util.OrderedMap, dict)):
        return {_hashable(plain(key)): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):  # a user's type
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, list):
        return list(map(plain, value))
    return value


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, dict):
        return tuple((key, _hashable(item)) for key, item in value.items())
    return value


def _parsed(parts: list[str]) -> TypeInformation:
    name = parts.pop(0)
    inside: list[TypeInformation] = []
    if parts and parts[0] == "<":
        while parts.pop(0) != ">":
            # The second of a vector is its length.
            inside.append(Types.VOID() if parts[0].isdigit() and parts.pop(0) else _parsed(parts))
    match name, inside:
        case "frozen", [kind]:
            return kind
        case "list" | "vector", [kind, *_]:
            return Types.LIST(kind)
        case "map", [key, kind]:
            return Types.MAP(key, kind)
        case "tuple", kinds if kinds:
            return Types.TUPLE(kinds)
    return _TYPES[name]() if name in _TYPES and not inside else Types.PICKLED_BYTE_ARRAY()
