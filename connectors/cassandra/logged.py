"""What a write-ahead log holds, as plain data: its tables are on a server where others may write, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

import msgspec
import numpy

from datastream.errors import CheckpointDamaged, CheckpointError, ValidationError, cut
from datastream.types import Row

from .library import cassandra
from .statement import values_of

_LONG = 1 << 63


class Part(msgspec.Struct, frozen=True, array_like=True):
    """What a task has kept of an epoch.

    Attributes:
        name: Differs for each attempt.
        chunks: How many there are.
    """

    name: str
    chunks: int


def parts_as_bytes(parts: Sequence[Part]) -> bytes:
    return msgspec.msgpack.encode(parts)


def parts_of(data: bytes, name: str) -> list[Part]:
    """The parts that a log names.

    Raises:
        CheckpointError: It is not what a sink of this version has written.
    """
    try:
        return msgspec.msgpack.decode(data, type=list[Part])
    except msgspec.MsgspecError as error:
        raise _foreign(name, error) from error


def records_as_bytes(records: Sequence[Any]) -> bytes:
    """The fields of records.

    Raises:
        ValidationError: A field holds what no column takes.
    """
    rows = [[_plain(value, record) for value in values_of(record)] for record in records]
    try:
        return msgspec.msgpack.encode(rows)
    except UnicodeEncodeError as error:
        raise ValidationError(f"CassandraSink: a text with half a character cannot be written: {error}") from None


def records_of(data: bytes, name: str) -> list[tuple[Any, ...]]:
    """The fields of the records of a chunk, each as a tuple.

    Raises:
        CheckpointError: It is not what a sink of this version has written.
    """
    try:
        rows: list[list[Any]] = msgspec.msgpack.decode(data, type=list[list[Any]])
        return [tuple(map(_value, row)) for row in rows]
    except (msgspec.MsgspecError, ValueError, TypeError, ArithmeticError, LookupError, RecursionError) as error:
        raise _foreign(name, error) from error


def _foreign(name: str, error: Exception) -> CheckpointError:
    return CheckpointDamaged(
        f"CassandraSink: the log of {name!r} holds what this version of the sink has not written ({error}): let the "
        "job end by the version that began it, or delete the log's rows and restore what the sink has written"
    )


#: What MessagePack has no form of, by the letter that stands before it.
_WRITE: dict[type, tuple[str, Callable[[Any], Any]]] = {
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    time: ("time", time.isoformat),
    timedelta: ("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    Decimal: ("decimal", str),
    UUID: ("uuid", str),
    IPv4Address: ("ip4", str),
    IPv6Address: ("ip6", str),
}
_READ: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda parts: timedelta(*parts),
    "decimal": Decimal,
    "uuid": UUID,
    "ip4": IPv4Address,
    "ip6": IPv6Address,
    "list": lambda items: list(map(_value, items)),
    "tuple": lambda items: tuple(map(_value, items)),
    "set": lambda items: set(map(_value, items)),
    "dict": lambda items: {_value(key): _value(value) for key, value in items},
    "duration": lambda parts: cassandra().util.Duration(*parts),
    "days": lambda days: cassandra().util.Date(int(days)),
    "nanoseconds": lambda count: cassandra().util.Time(int(count)),
    "row": lambda items: Row(**{key: _value(value) for key, value in items}),
}


def _plain(value: Any, record: Any) -> Any:
    """A value of a column as MessagePack has it; a list begins with the name of what it stands for."""
    cls = type(value)
    if value is None or cls in (bool, float, str, bytes):
        return value
    if isinstance(value, int):
        return int(value) if -_LONG <= value < _LONG else ["int", str(int(value))]
    for known, (name, write) in _WRITE.items():
        if isinstance(value, known):
            return [name, write(value)]
    if isinstance(value, Row) and value._fields is not None:
        return ["row", [[key, _plain(item, record)] for key, item in zip(value._fields, value, strict=True)]]
    if isinstance(value, Mapping):
        return ["dict", [[_plain(key, record), _plain(item, record)] for key, item in value.items()]]
    if isinstance(value, Row):
        value = tuple(value)
    if isinstance(value, (list, tuple, Set)):
        name = "list" if isinstance(value, list) else "tuple" if isinstance(value, tuple) else "set"
        return [name, [_plain(item, record) for item in value]]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, numpy.generic):
        return _plain(value.item(), record)
    util = cassandra().util
    if isinstance(value, util.Duration):
        return ["duration", [value.months, value.days, value.nanoseconds]]
    if isinstance(value, util.Date):
        return ["days", value.days_from_epoch]
    if isinstance(value, util.Time):
        return ["nanoseconds", value.nanosecond_time]
    raise ValidationError(
        f"CassandraSink: with a write-ahead log fields are texts, numbers, bytes, dates, times, UUIDs, addresses, and "
        f"lists, sets, maps, tuples and rows of them; got {type(value).__name__} in {cut(record)}"
    )


def _value(told: Any) -> Any:
    if not isinstance(told, list):
        return told
    name, content = told
    return _READ[name](content)
