"""Objects of our classes are pickled by names that stay, wherever their classes are."""

from __future__ import annotations

import copy
import pickle
import pickletools
from importlib import import_module

import pytest

from datastream import Row, stored_types
from datastream.connectors.kafka import ConsumerRecord, DeadRecord, TimestampType
from datastream.functions import OutputTag
from datastream.types import Types
from tests.golden.jobs.values import kept, told

OURS = [value for value in kept(3) if type(value).__module__.startswith("datastream")]
OURS += [
    DeadRecord(
        b"data", "why", "topic", record=ConsumerRecord("topic", 0, 1, None, TimestampType.CREATE_TIME, None, b"")
    ),
    OutputTag("typed", Types.STRING()),
    Row(),
]


def modules(data: bytes) -> set[str]:
    strings = [str(argument) for _, argument, _ in pickletools.genops(data) if isinstance(argument, str)]
    return {text for text in strings if text.startswith("datastream.")}


@pytest.mark.parametrize("value", OURS, ids=lambda value: type(value).__name__)
def test_a_value_is_pickled_by_a_name_that_stays(value: object) -> None:
    data = pickle.dumps(value, 5)
    typed = isinstance(value, OutputTag) and value.tag_id == "typed"  # its type is pickled as any object is
    assert typed or modules(data) == {"datastream.stored_types"}
    for same in (pickle.loads(data), copy.deepcopy(value), copy.copy(value)):
        assert type(same) is type(value)
        assert told(same) == told(value)
        assert same == value


@pytest.mark.parametrize("name", stored_types.HOMES)
def test_a_name_is_found_in_its_module(name: str) -> None:
    import_module(stored_types.HOMES[name])
    assert vars(stored_types)[name].__module__ == "datastream.stored_types"
    assert stored_types.named(name)


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(AttributeError, match="no type of stored values by the name 'later_thing'"):
        stored_types.named("later_thing")


class Named(Row):
    """A user's own kind of row."""


def test_a_class_made_of_ours_keeps_its_own_name() -> None:
    data = pickle.dumps(Named(a=1), 5)
    assert type(pickle.loads(data)) is Named
    assert b"test_stored_types" in data
