"""The names by which objects of our classes are pickled.

A pickle holds the name of a function in this module, and plain values for it. So a class can move to another module,
or get another name, and pickles of its objects are still read: those in the state of jobs, and those that users keep.

A name, once released, stays; what its function takes may only grow by arguments with defaults.
"""

from __future__ import annotations

import copyreg
import dataclasses
import importlib
from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from typing import Any, TypeVar

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

#: The modules that define what the names stand for; imported when a pickle names one.
HOMES = {
    "count_window": "datastream.windows.count_window",
    "dead_letter": "datastream.formats.dead_letters",
    "duration": "datastream.time.duration",
    "global_window": "datastream.windows.global_window",
    "instant": "datastream.time.instant",
    "kafka_dead_record": "datastream.connectors.kafka.records.dead_records",
    "kafka_producer_record": "datastream.connectors.kafka.records.producer_record",
    "kafka_record": "datastream.connectors.kafka.records.consumer_record",
    "kafka_timestamp_type": "datastream.connectors.kafka.records.consumer_record",
    "kafka_topic_partition": "datastream.connectors.kafka.client.topic_partition",
    "named_row": "datastream.types.row",
    "output_tag": "datastream.functions.output_tag",
    "pickled_key": "datastream.runtime.pickled_keys",
    "protobuf_class": "datastream.formats.protobuf.message_class",
    "protobuf_message": "datastream.formats.protobuf.message_class",
    "row": "datastream.types.row",
    "row_kind": "datastream.types.row_kind",
    "row_of_kind": "datastream.types.row",
    "serialized": "datastream.types.pickles",
    "spilled_list": "datastream.runtime.keyed_state.spilled_list",
    "spilled_map": "datastream.runtime.keyed_state.spilled_map",
    "time": "datastream.time.time",
    "time_domain": "datastream.time.time_domain",
    "time_window": "datastream.windows.time_window",
    "timestamped_value": "datastream.windows.evictors.evictor",
}


_classes: dict[str, type] = {}


def reader(name: str) -> Callable[[F], F]:
    """Let pickles call a function by a name; for the `__reduce__` of a class.

    Args:
        name: A key of `HOMES`.
    """

    def register(function: F) -> F:
        function.__module__, function.__name__, function.__qualname__ = __name__, name, name
        globals()[name] = function
        return function

    return register


def stored_as(name: str, values: Callable[[Any], tuple[Any, ...]] | None = None) -> Callable[[C], C]:
    """Pickle the objects of exactly this class by a name.

    Args:
        name: A key of `HOMES`.
        values: What to keep of an object: the arguments to make it of. Default: the name of an enum's member, else
            the fields of a dataclass.
    """

    def register(cls: C) -> C:
        members: Any = cls
        if issubclass(cls, Enum):
            make = reader(name)(lambda member: members[member])
            take: Callable[[Any], tuple[Any, ...]] = values or (lambda member: (member.name,))
        else:
            make = reader(name)(lambda *fields: cls(*fields))
            take = values or _fields(cls)
        copyreg.pickle(cls, lambda value: (make, take(value)))
        _classes[name] = cls
        return cls

    return register


def named(name: str) -> Any:
    """The class that is stored by a name, or the function that `reader` gave it to.

    Raises:
        AttributeError: There is none.
    """
    function = globals().get(name) or __getattr__(name)
    return _classes.get(name, function)


def _fields(cls: type) -> Callable[[Any], tuple[Any, ...]]:
    names = [field.name for field in dataclasses.fields(cls)]
    if len(names) > 1:
        several: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
        return several
    return lambda value: tuple(getattr(value, name) for name in names)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"this version of datastream knows no type of stored values by the name '{name}'")
    importlib.import_module(HOMES[name])
    return globals()[name]
