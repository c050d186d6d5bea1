"""What goes on downstream may be changed there; what is kept must not change by it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from datastream.graph.slots import EVENT_TIME, PROCESSING_TIME
from datastream.state import ListStateDescriptor, MapStateDescriptor, StateDescriptor
from datastream.types import (
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TypeInformation,
)
from datastream.types.pickles import dumps, loads
from datastream.types.sql_time import LocalTimeTypeInfo

_FIXED = frozenset({int, float, bool, str, bytes, type(None), complex})
_FIXED_OR_TUPLE = _FIXED | {tuple}
_TIMERS = (EVENT_TIME, PROCESSING_TIME)


def all_fixed(values: Iterable[Any]) -> bool:
    """Whether none of the values can be changed in place; about 10 ns a value or field."""
    values = list(values)
    kinds = set(map(type, values))
    if kinds <= _FIXED:
        return True
    if not kinds <= _FIXED_OR_TUPLE:
        return False
    tuples = values if kinds == {tuple} else [value for value in values if type(value) is tuple]
    return set(map(type, chain.from_iterable(tuples))) <= _FIXED


def _is_fixed(value: Any) -> bool:
    """Whether a value cannot be changed in place."""
    kind = type(value)
    return kind in _FIXED or (kind is tuple and _FIXED.issuperset(map(type, value)))


def may_change(descriptor: StateDescriptor) -> bool:
    """Whether a state of this type may keep objects that can be changed in place."""
    kind = descriptor.type_info
    if isinstance(descriptor, ListStateDescriptor) and isinstance(kind, ListTypeInfo):
        return not _is_fixed_type(kind.elem_type)
    if isinstance(descriptor, MapStateDescriptor) and isinstance(kind, MapTypeInfo):
        return not _is_fixed_type(kind.value_type)
    return not _is_fixed_type(kind)


def _is_fixed_type(kind: TypeInformation) -> bool:
    return isinstance(kind, (BasicTypeInfo, DateTypeInfo, TimeTypeInfo, TimestampTypeInfo, LocalTimeTypeInfo))


def apart(result: Any) -> Any:
    """A result as it is now, whatever its function does to it later."""
    return result if _is_fixed(result) else loads(dumps(result))


def detached(records: list[Any], contents: Iterable[dict[Any, Any]]) -> list[Any]:
    """The records, as copies where they could be, or hold, objects that some of the contents keep.

    Copies what is given and not what is kept: a key may keep much more than it gave.

    Args:
        records: What a function gave.
        contents: Those of the keys that it was called for since the last time.
    """
    if all_fixed(records) or all(
        all_fixed(stored for slot, stored in content.items() if slot not in _TIMERS) for content in contents
    ):
        return records
    copies: list[Any] = loads(dumps(records))
    return copies
