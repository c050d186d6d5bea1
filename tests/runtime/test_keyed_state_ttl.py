"""When values of states expire, as in Flink."""

from __future__ import annotations

import pytest

from datastream.functions import ReduceFunction
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time
from tests.support.keyed_harness import ANY, Keyed, Sum


class Add(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


def expiring(descriptor, on_read=False, give_expired=False, ttl=10):
    builder = StateTtlConfig.new_builder(Time.milliseconds(ttl))
    if on_read:
        builder.update_ttl_on_read_and_write()
    if give_expired:
        builder.return_expired_if_not_cleaned_up()
    descriptor.enable_time_to_live(builder.build())
    return descriptor


def value(**ttl):
    return expiring(ValueStateDescriptor("value", ANY), **ttl)


def list_of(**ttl):
    return expiring(ListStateDescriptor("list", ANY), **ttl)


def map_of(**ttl):
    return expiring(MapStateDescriptor("map", ANY, ANY), **ttl)


def test_a_value_expires_when_its_time_is_up():
    keyed = Keyed()
    state = keyed.states.get_state(value())
    keyed.at("a")
    state.update(1)
    keyed.now = 9
    assert state.value() == 1
    keyed.now = 10
    assert state.value() is None
    assert keyed.states.cell.content == {}


def test_reading_starts_the_time_anew_only_if_so_configured():
    keyed = Keyed()
    state = keyed.states.get_state(value(on_read=True))
    keyed.at("a")
    state.update(1)
    for keyed.now in (9, 18, 27):
        assert state.value() == 1
    keyed.now = 37
    assert state.value() is None


def test_an_expired_value_may_be_given_once():
    keyed = Keyed()
    state = keyed.states.get_state(value(give_expired=True))
    keyed.at("a")
    state.update(1)
    keyed.now = 10
    assert state.value() == 1
    assert state.value() is None


def test_disabled_time_to_live():
    keyed = Keyed()
    descriptor = ValueStateDescriptor("value", ANY)
    disabled = StateTtlConfig.UpdateType.Disabled
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.milliseconds(1)).set_update_type(disabled).build())
    state = keyed.states.get_state(descriptor)
    keyed.at("a")
    state.update(1)
    keyed.now = 10**9
    assert state.value() == 1


@pytest.mark.parametrize("give_expired", [False, True])
def test_elements_of_a_list_expire_one_by_one(give_expired):
    keyed = Keyed()
    state = keyed.states.get_list_state(list_of(give_expired=give_expired))
    keyed.at("a")
    state.add(1)
    keyed.now = 5
    state.add_all([2, 3])
    keyed.now = 10
    assert list(state) == ([1, 2, 3] if give_expired else [2, 3])
    assert list(state) == [2, 3]
    keyed.now = 15
    assert list(state) == ([2, 3] if give_expired else [])
    assert list(state) == []
    assert keyed.states.cell.content == {}


def test_reading_a_list_touches_what_has_not_expired():
    keyed = Keyed()
    state = keyed.states.get_list_state(list_of(on_read=True))
    keyed.at("a")
    state.add(1)
    keyed.now = 5
    state.add(2)
    keyed.now = 12
    assert list(state) == [2]
    keyed.now = 21
    assert list(state) == [2]
    state.update([3])
    keyed.now = 30
    assert list(state) == [3]


@pytest.mark.parametrize("give_expired", [False, True])
def test_entries_of_a_map_expire_one_by_one(give_expired):
    keyed = Keyed()
    state = keyed.states.get_map_state(map_of(give_expired=give_expired))
    keyed.at("a")
    state.put_all({"x": 1, "y": None})
    keyed.now = 5
    state["z"] = 3
    assert "y" in state
    keyed.now = 10
    assert ("x" in state) == give_expired
    assert "x" not in state
    assert dict(state.items()) == ({"y": None, "z": 3} if give_expired else {"z": 3})
    assert list(state) == ["z"]
    keyed.now = 15
    assert state.is_empty() == (not give_expired)
    assert list(state.values()) == ([3] if give_expired else [])
    assert state.is_empty()


def test_reading_a_map_touches_what_is_read():
    keyed = Keyed()
    state = keyed.states.get_map_state(map_of(on_read=True))
    keyed.at("a")
    state.put_all({"x": 1, "y": 2, "z": 3})
    keyed.now = 5
    assert state["x"] == 1
    assert "y" in state
    keyed.now = 14
    assert sorted(state) == ["x", "y"]
    keyed.now = 23
    assert sorted(state) == ["x", "y"]


@pytest.mark.parametrize("give_expired", [False, True])
def test_aggregates_begin_anew_when_they_have_expired(give_expired):
    """As Flink's TtlReduceFunction: one that may be seen is added to."""
    keyed = Keyed()
    ttl = {"give_expired": give_expired}
    reducing = keyed.states.get_reducing_state(expiring(ReducingStateDescriptor("r", Add(), ANY), **ttl))
    aggregating = keyed.states.get_aggregating_state(expiring(AggregatingStateDescriptor("a", Sum(), ANY), **ttl))
    keyed.at("a")
    reducing.add(1)
    aggregating.add(1)
    keyed.now = 10
    reducing.add(2)
    aggregating.add(2)
    assert (reducing.get(), aggregating.get()) == ((3, "3") if give_expired else (2, "2"))
    keyed.now = 20
    assert (reducing.get(), aggregating.get()) == ((3, "3") if give_expired else (None, None))
    assert (reducing.get(), aggregating.get()) == (None, None)


def test_a_page_that_is_written_drops_what_expired_in_it():
    keyed = Keyed(groups=1)
    states = [
        keyed.states.get_state(value()),
        keyed.states.get_list_state(list_of()),
        keyed.states.get_map_state(map_of()),
    ]
    keyed.at("a")
    states[0].update(1)
    states[1].add(1)
    states[2].put(1, 1)
    keyed.next_epoch()
    keyed.now = 10
    keyed.at("b")
    states[0].update(2)
    keyed.next_epoch()
    assert [key for key, _ in keyed.states.cell.pages.items([0])] == ["b"]
