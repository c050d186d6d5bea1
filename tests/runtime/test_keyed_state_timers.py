"""Timers: set once, fired in order, found without looking at every key."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from datastream.errors import ValidationError
from datastream.runtime import pages
from datastream.runtime.pages import SPLIT
from datastream.state import ValueStateDescriptor
from datastream.time import MAX_WATERMARK, TimeDomain
from tests.support.keyed_harness import ANY, Keyed, MemoryStore

EVENT, PROCESSING = TimeDomain.EVENT_TIME, TimeDomain.PROCESSING_TIME
VALUE = ValueStateDescriptor("value", ANY)


def test_what_time_it_is():
    keyed = Keyed(now=17)
    assert keyed.timers.current_processing_time() == 17
    assert keyed.timers.current_watermark() == -(2**63)
    keyed.timers.watermark = 5
    assert keyed.timers.current_watermark() == 5


@pytest.mark.parametrize("cut", [False, True])
def test_a_timer_set_twice_fires_once_and_at_its_time(cut):
    keyed = Keyed()
    keyed.at("a")
    for timestamp in (20, 10, 20, 10):
        keyed.timers.register_event_time_timer(timestamp)
    keyed.timers.register_processing_time_timer(10)
    if cut:
        keyed.next_epoch()
    assert keyed.fired(EVENT, 9) == []
    assert keyed.fired(EVENT, 10) == [(10, "a")]
    assert keyed.fired(EVENT, 19) == []
    assert keyed.fired(EVENT, 2**63 - 1) == [(20, "a")]
    assert keyed.fired(EVENT, 2**63 - 1) == []
    assert keyed.fired(PROCESSING, 10) == [(10, "a")]


@pytest.mark.parametrize("cut", [False, True])
def test_timers_fire_in_the_order_of_their_times(cut):
    keyed = Keyed()
    for n in range(300):
        keyed.at(f"key {n % 50}")
        keyed.timers.register_event_time_timer(n * 7919 % 1000)
    if cut:
        keyed.next_epoch()
    keyed.at("key 3")
    keyed.timers.register_event_time_timer(500)
    fired = keyed.fired(EVENT, 600) + keyed.fired(EVENT, 1000)
    assert [t for t, _ in fired] == sorted([n * 7919 % 1000 for n in range(300)] + [500])


def test_the_order_of_equal_times_is_the_same_in_a_replay():
    keyed = Keyed()
    for n in range(100):
        keyed.at(f"key {n}")
        keyed.timers.register_event_time_timer(n % 3)
    keyed.next_epoch()
    first = keyed.fired(EVENT, 5)
    keyed.begin()
    assert keyed.fired(EVENT, 5) == first


def test_timers_set_and_deleted_while_others_fire():
    keyed = Keyed()
    for key in ("a", "b"):
        keyed.at(key)
        for timestamp in (10, 12, 30):
            keyed.timers.register_event_time_timer(timestamp)
    keyed.next_epoch()
    fired = []
    for timestamp, key in keyed.states.fire(EVENT, 20):
        assert keyed.states.cell.key == key
        fired.append((timestamp, key))
        if (timestamp, key) == (10, "a"):
            keyed.timers.delete_event_time_timer(12)
            keyed.timers.register_event_time_timer(20)
            keyed.timers.register_event_time_timer(21)
            keyed.timers.register_event_time_timer(5)  # late: at once
    assert sorted(fired) == [(5, "a"), (10, "a"), (10, "b"), (12, "b"), (20, "a")]
    assert [t for t, _ in fired if _ == "a"] == [10, 5, 20]
    keyed.next_epoch()
    assert sorted(keyed.fired(EVENT, 100)) == [(21, "a"), (30, "a"), (30, "b")]


def test_a_timer_that_sets_itself_again():
    keyed = Keyed()
    keyed.at("a")
    keyed.timers.register_processing_time_timer(0)
    fired = []
    for timestamp, _ in keyed.states.fire(PROCESSING, 50):
        fired.append(timestamp)
        keyed.timers.register_processing_time_timer(timestamp + 10)
    assert fired == [0, 10, 20, 30, 40, 50]
    keyed.next_epoch()
    assert keyed.fired(PROCESSING, 60) == [(60, "a")]


def test_deleting_timers():
    keyed = Keyed()
    keyed.at("a")
    for timestamp in (1, 2, 3):
        keyed.timers.register_event_time_timer(timestamp)
    keyed.timers.delete_event_time_timer(1)
    keyed.timers.delete_event_time_timer(7)
    keyed.timers.delete_processing_time_timer(2)
    keyed.next_epoch()
    keyed.at("a")
    keyed.timers.delete_event_time_timer(3)
    assert keyed.fired(EVENT, 10) == [(2, "a")]
    keyed.next_epoch()
    assert list(keyed.states.cell.pages.items(range(8))) == []


@pytest.mark.parametrize("time", [1, 1.7, True, np.int64(1), np.float32(1.5), Decimal("1.5")])
def test_times_become_whole_numbers(time):
    keyed = Keyed()
    keyed.at("a")
    keyed.timers.register_event_time_timer(time)
    fired = keyed.fired(EVENT, 1)
    assert fired == [(1, "a")] and type(fired[0][0]) is int
    keyed.next_epoch()
    keyed.at("a")
    keyed.timers.register_event_time_timer(1)
    keyed.timers.delete_event_time_timer(time)
    assert keyed.fired(EVENT, 1) == []


@pytest.mark.parametrize("time", ["1", None, float("nan"), float("inf"), 1j, np.array([1, 2])])
def test_times_are_finite_numbers(time):
    keyed = Keyed()
    keyed.at("a")
    for call in (keyed.timers.register_event_time_timer, keyed.timers.delete_event_time_timer):
        with pytest.raises(ValidationError, match="must be an int, in ms: got "):
            call(time)


def many(store, keys=20_000, groups=4):
    keyed = Keyed(store, groups)
    names = [f"key {n}" for n in range(keys)]
    keyed.states.load(names)
    for n, name in enumerate(names):
        keyed.at(name)
        keyed.timers.register_event_time_timer(1000 + n)
    keyed.next_epoch()
    keyed.next_epoch()
    return keyed


def test_only_pages_with_due_timers_are_read_and_written(monkeypatch):
    monkeypatch.setattr(pages, "MOST_BITS", 10)
    keyed = many(MemoryStore())
    store = keyed.store
    assert len(store.entries) > 20_000 / SPLIT
    store.read.clear()
    assert keyed.fired(EVENT, 999) == []
    assert len(store.read) == 1  # the summary
    store.written.clear()
    assert keyed.fired(EVENT, 1002) == [(1000, "key 0"), (1001, "key 1"), (1002, "key 2")]
    keyed.next_epoch()
    assert len(store.read) <= 1 + 3 + 3  # the summary, heads and pages of three keys
    assert len(store.written) <= 1 + 3 + 3
    store.read.clear()
    assert keyed.fired(EVENT, 1002) == []
    assert len(store.read) == 1
    assert [t for t, _ in keyed.fired(EVENT, 10**6)] == list(range(1003, 21_000))
    keyed.next_epoch()
    assert len(store.entries) == 4 + 1  # heads that know the number of pages, and the summary


def test_timers_of_keys_in_runs(monkeypatch):
    monkeypatch.setattr(pages, "MOST_BITS", 4)
    keyed = many(MemoryStore())
    store = keyed.store
    assert len(store.entries) < 20_000 / SPLIT
    store.read.clear()
    assert keyed.fired(EVENT, 999) == []
    assert len(store.read) == 1  # the summary
    assert keyed.fired(EVENT, 1002) == [(1000, "key 0"), (1001, "key 1"), (1002, "key 2")]
    keyed.next_epoch()
    assert [t for t, _ in keyed.fired(EVENT, 15_000)] == list(range(1003, 15_001))
    keyed.next_epoch()
    assert [t for t, _ in keyed.fired(EVENT, 10**6)] == list(range(15_001, 21_000))
    keyed.next_epoch()
    assert len(store.entries) == 1  # the summary


@pytest.fixture(params=["pages", "runs"])
def form(request, monkeypatch):
    """Small key groups in either form."""
    monkeypatch.setattr(pages, "SPLIT", 4)
    monkeypatch.setattr(pages, "MOST_BITS", 0 if request.param == "runs" else 30)


def crowd(groups=1):
    """Fifty keys with a value; key 7 has a timer at 5, key 9 one at 5000. A later epoch has touched others."""
    keyed = Keyed(groups=groups)
    state = keyed.states.get_state(VALUE)
    for n in range(50):
        keyed.at(n)
        state.update(n)
        for key, time in ((7, 5), (9, 5000)):
            if n == key:
                keyed.timers.register_event_time_timer(time)
    keyed.next_epoch()
    keyed.at(100)
    state.update(100)
    keyed.next_epoch()
    return keyed


def test_a_timer_that_is_set_again_when_it_has_fired(form):
    keyed = crowd()
    assert keyed.fired(EVENT, 10) == [(5, 7)]
    keyed.at(7)
    keyed.timers.register_event_time_timer(5)
    keyed.next_epoch()
    assert keyed.fired(EVENT, 20) == [(5, 7)]
    keyed.next_epoch()
    assert keyed.fired(EVENT, 6000) == [(5000, 9)]
    keyed.states.flush()
    assert not keyed.states.awaits_event_time


def test_the_end_of_time(form):
    keyed = crowd()
    keyed.at(8)
    keyed.timers.register_event_time_timer(MAX_WATERMARK)
    keyed.at(11)
    keyed.timers.register_event_time_timer(1 << 70)
    keyed.at(12)
    keyed.timers.register_event_time_timer(-(1 << 70))
    keyed.next_epoch()
    keyed.at(101)
    keyed.states.get_state(VALUE).update(1)
    keyed.next_epoch()
    assert keyed.fired(EVENT, 0) == [(-(1 << 70), 12)]
    keyed.next_epoch()
    assert keyed.fired(EVENT, MAX_WATERMARK - 1) == [(5, 7), (5000, 9)]
    keyed.next_epoch()
    assert keyed.fired(EVENT, MAX_WATERMARK) == [(MAX_WATERMARK, 8)]
    keyed.states.flush()
    assert keyed.states.awaits_event_time


def test_other_key_groups_make_another_summary():
    store = MemoryStore()
    many(store, 500)
    half = Keyed(store, 4)
    half.begin(range(0, 2))
    fired = half.fired(EVENT, 10**6)
    half.begin(range(2, 4))
    fired += half.fired(EVENT, 10**6)
    assert sorted(t for t, _ in fired) == list(range(1000, 1500))


@pytest.mark.parametrize(("bits", "in_vain"), [(0, 1 << 30), (1, 1 << 30), (9, 1 << 30), (9, 100)])
def test_timers_stay_with_their_keys_when_pages_split(monkeypatch, bits, in_vain):
    monkeypatch.setattr(pages, "SPLIT", 4)
    monkeypatch.setattr(pages, "MOST_BITS", bits)
    monkeypatch.setattr(pages, "IN_VAIN", in_vain)
    keyed = Keyed(groups=2)
    state = keyed.states.get_state(VALUE)
    for epoch in range(20):
        for n in range(epoch * 5, epoch * 5 + 5):
            keyed.at(n)
            state.update(n)
            keyed.timers.register_event_time_timer(1000 - n)
        keyed.next_epoch()
    assert len(keyed.store.entries) > 20 or bits < 9 or in_vain == 100
    assert keyed.fired(EVENT, 1000) == [(1000 - n, n) for n in reversed(range(100))]


def test_pages_of_large_values_split_by_their_bytes(monkeypatch):
    monkeypatch.setattr(pages, "MOST_BITS", 10)
    monkeypatch.setattr(pages, "IN_VAIN", 1 << 30)
    keyed = Keyed(groups=1)
    state = keyed.states.get_state(VALUE)
    for n in range(100):
        keyed.at(n)
        state.update(b"x" * 10_000)
    keyed.next_epoch()
    assert max(map(len, keyed.store.entries.values())) < 2 * pages.PAGE_BYTES
    keyed.at(5)
    keyed.timers.register_event_time_timer(7)
    state.update(b"y" * 1_000_000)  # one that no split helps
    keyed.next_epoch()
    entries = len(keyed.store.entries)
    keyed.at(5)
    state.update(b"z" * 1_000_000)
    keyed.next_epoch()
    assert len(keyed.store.entries) == entries
    assert keyed.fired(EVENT, 7) == [(7, 5)]
