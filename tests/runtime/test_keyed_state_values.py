"""What each state does."""

from __future__ import annotations

from datetime import datetime, time
from decimal import Decimal

import pytest

from datastream import Row, Types
from datastream.errors import ValidationError
from datastream.functions import ReduceFunction
from datastream.runtime.keyed_state import all_fixed, detached
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time, TimeDomain
from tests.support.keyed_harness import ANY, Keyed, MemoryStore, Sum


class Add(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


VALUE = ValueStateDescriptor("value", ANY)
LIST = ListStateDescriptor("list", ANY)
MAP = MapStateDescriptor("map", ANY, ANY)


def test_each_key_has_its_own_value_and_none_clears_it():
    keyed = Keyed()
    state = keyed.states.get_state(VALUE)
    keyed.at("a")
    assert state.value() is None
    state.update(0)
    keyed.at("b")
    assert state.value() is None
    state.update("b's")
    keyed.next_epoch()
    keyed.at("a")
    assert state.value() == 0
    state.update(None)
    keyed.next_epoch()
    keyed.at("a")
    assert state.value() is None
    keyed.at("b")
    assert state.value() == "b's"


def test_a_value_changed_in_place_is_changed():
    keyed = Keyed()
    state = keyed.states.get_state(VALUE)
    keyed.at("a")
    state.update([1])
    keyed.next_epoch()
    keyed.at("a")
    state.value().append(2)
    keyed.next_epoch()
    keyed.at("a")
    assert state.value() == [1, 2]


AS_PUT = [
    (Types.FLOAT(), 0.1),
    (Types.FLOAT(), 1e300),
    (Types.DOUBLE(), 3),
    (Types.INT(), 2**40),
    (Types.INT(), "text"),
    (Types.TUPLE([Types.INT(), Types.FLOAT()]), [1, 0.1]),
    (Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.FLOAT()]), Row(1, 0.1)),
    (Types.ROW([Types.INT(), Types.FLOAT()]), Row(a=1, b=0.1)),
    (Types.BIG_DEC(), Decimal("1.1234567890123456789012345678901234567890")),
    (Types.SQL_TIMESTAMP(), datetime(2024, 2, 29, 1, 2, 3, 456789)),
    (Types.SQL_TIME(), time(1, 2, 3, 456789)),
    (Types.LIST(Types.FLOAT()), (0.1, 0.2)),
    (Types.MAP(Types.FLOAT(), Types.FLOAT()), {0.1: 0.2}),
]


@pytest.mark.parametrize(("kind", "value"), AS_PUT, ids=repr)
@pytest.mark.parametrize("ttl", [False, True], ids=["", "ttl"])
def test_values_stay_as_they_were_put_whatever_the_type(kind, value, ttl):
    keyed = Keyed()
    descriptors = [
        ValueStateDescriptor("value", kind),
        ListStateDescriptor("list", kind),
        MapStateDescriptor("map", Types.FLOAT(), kind),
        ReducingStateDescriptor("reducing", lambda one, other: other, kind),
    ]
    for descriptor in descriptors if ttl else ():
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
    one, several, entries, reduced = map(keyed.states.state_of, descriptors)
    keyed.at("a")
    one.update(value)
    several.add(value)
    entries.put(0.1, value)
    reduced.add(value)
    for _ in range(2):
        assert repr(one.value()) == repr(reduced.get()) == repr(value)
        assert repr(list(several.get())) == repr([value])
        assert repr(list(entries.items())) == repr([(0.1, value)])
        keyed.next_epoch()
        keyed.at("a")


def test_reading_writes_nothing():
    keyed = Keyed()
    state = keyed.states.get_state(VALUE)
    keyed.at("a")
    state.update(["b", "c"])  # a set's bytes may differ each time that it is pickled
    keyed.next_epoch()
    keyed.store.written.clear()
    keyed.at("a")
    assert state.value() == ["b", "c"]
    keyed.next_epoch()
    assert keyed.store.written == []


def test_keys_without_content_leave_no_entries():
    keyed = Keyed()
    states = [keyed.states.get_state(VALUE), keyed.states.get_list_state(LIST), keyed.states.get_map_state(MAP)]
    keyed.at("a")
    states[0].update(1)
    states[1].add(1)
    states[2].put(1, 1)
    keyed.timers.register_event_time_timer(5)
    keyed.next_epoch()
    assert len(keyed.store.entries) == 2  # a page and the summary
    keyed.at("never there")
    keyed.at("a")
    for state in states:
        state.clear()
    keyed.timers.delete_event_time_timer(5)
    keyed.next_epoch()
    assert len(keyed.store.entries) == 1


def test_a_list():
    keyed = Keyed()
    state = keyed.states.get_list_state(LIST)
    keyed.at("a")
    assert list(state.get()) == []
    state.add_all([3, 1])
    state.add(None)
    before = state.get()
    state.add(2)
    assert list(state) == [3, 1, None, 2]
    assert list(before) == [3, 1, None]
    state.update([4])
    assert list(state) == [4]
    state.update([])
    assert list(state) == []


def test_a_map():
    keyed = Keyed()
    state = keyed.states.get_map_state(MAP)
    keyed.at("a")
    assert state.is_empty()
    state["x"] = 1
    state.put_all({"y": 2, "z": None})
    assert state["x"] == 1
    assert state.get("?") is None
    assert "z" in state
    assert "?" not in state
    del state["x"]
    state.remove("?")
    assert list(state.items()) == [("y", 2), ("z", None)]
    assert list(state) == list(state.keys()) == ["y", "z"]
    assert list(state.values()) == [2, None]
    for key in state:
        state.remove(key)
    assert state.is_empty()
    assert keyed.states.cell.content == {}


@pytest.mark.parametrize("function", [Add(), lambda a, b: a + b])
def test_reducing(function):
    keyed = Keyed()
    state = keyed.states.get_reducing_state(ReducingStateDescriptor("sum", function, ANY))
    keyed.at("a")
    assert state.get() is None
    for n in (1, 2, 3):
        state.add(n)
    assert state.get() == 6
    state.add(None)
    assert state.get() is None


def test_aggregating():
    keyed = Keyed()
    state = keyed.states.get_aggregating_state(AggregatingStateDescriptor("sum", Sum(), ANY))
    keyed.at("a")
    assert state.get() is None
    for n in (1, 2, 3):
        state.add(n)
    keyed.next_epoch()
    keyed.at("a")
    assert state.get() == "6"
    state.clear()
    assert state.get() is None


def test_one_handle_a_name_and_one_kind():
    keyed = Keyed()
    assert keyed.states.get_state(VALUE) is keyed.states.get_state(ValueStateDescriptor("value", ANY))
    with pytest.raises(ValidationError, match="state 'value' by a ValueStateDescriptor already"):
        keyed.states.get_list_state(ListStateDescriptor("value", ANY))
    with pytest.raises(ValidationError, match="needs a MapStateDescriptor: got a ValueStateDescriptor"):
        keyed.states.get_map_state(VALUE)


def test_a_state_of_another_kind_under_the_name():
    store = MemoryStore()
    keyed = Keyed(store)
    keyed.at("a")
    keyed.states.get_state(VALUE).update(1)
    keyed.next_epoch()
    keyed = Keyed(store)
    keyed.at("a")
    with pytest.raises(
        ValidationError, match="'value' is declared as a list, but this name already holds a value of type int"
    ):
        keyed.states.get_list_state(ListStateDescriptor("value", ANY)).get()


def test_state_without_a_key():
    keyed = Keyed()
    state = keyed.states.get_state(VALUE)
    for use in (state.value, state.clear, lambda: state.update(1), lambda: keyed.timers.register_event_time_timer(1)):
        with pytest.raises(ValidationError, match="belong to the key of a record or timer"):
            use()


# -- what goes on downstream ---------------------------------------------------------------------------


def test_what_is_given_is_copied_only_when_it_may_be_kept_too():
    kept = [1]
    content = {"value": kept, TimeDomain.EVENT_TIME.value: [5]}
    given = [kept, (kept, 2)]
    copies = detached(given, [{"n": 1}, content])
    assert copies == given
    assert copies[0] is not kept
    assert copies[0] is copies[1][0]
    fixed = [(1, "a"), 2.5, None]
    assert detached(fixed, [content]) is fixed
    assert detached(given, [{"n": 1, "t": (5, "x"), TimeDomain.EVENT_TIME.value: [5]}]) is given


def test_fixed_values():
    assert all_fixed([])
    assert all_fixed([1, "a", (1, None)])
    assert not all_fixed([1, [2]])
    assert not all_fixed([(1, [2])])
    assert not all_fixed([(1, (2,))])  # not looked into
