"""How long states live. Each rule of docs/contributing/semantics.md on both executors.

Functions sleep, and measure what time went by: what a test asserts holds however slow the machine is.
"""

from __future__ import annotations

import time

from datastream import KeyedProcessFunction
from datastream.functions import ReduceFunction
from datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.testing import case
from datastream.time import Time
from datastream.types import Types
from tests.support.timelines import timeline

TTL = 120


def lives(descriptor, ttl=TTL, on_read=False, give_expired=False):
    builder = StateTtlConfig.new_builder(Time.milliseconds(ttl))
    if on_read:
        builder.update_ttl_on_read_and_write()
    if give_expired:
        builder.return_expired_if_not_cleaned_up()
    descriptor.enable_time_to_live(builder.build())
    return descriptor


def now():
    return time.time_ns() // 1_000_000


def expire():
    """Wait until what was written before has expired."""
    end = now() + TTL
    while now() <= end:
        time.sleep(0.01)


class Value(KeyedProcessFunction):
    """Writes at the first record; at each of ten more looks, 20 ms apart, checks what should be there."""

    def __init__(self, on_read):
        self.on_read = on_read

    def open(self, runtime_context):
        descriptor = lives(ValueStateDescriptor("value", Types.INT()), on_read=self.on_read)
        self.value = runtime_context.get_state(descriptor)

    def process_element(self, value, ctx):
        self.value.update(7)
        alive_at_least, alive_at_most = now(), now()
        for _ in range(10):
            time.sleep(0.02)
            before = now()
            seen = self.value.value()
            after = now()
            if after < alive_at_least + TTL:
                yield "alive", seen == 7
            elif before > alive_at_most + TTL:
                yield "expired", seen is None
            if self.on_read and seen is not None:
                alive_at_least, alive_at_most = before, after
        expire()
        yield "expired", self.value.value() is None


@case
def test_reading_does_not_start_the_time_anew_by_default(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Value(False))
    assert {right for _, right in got} == {True}
    assert [what for what, _ in got] == sorted(what for what, _ in got), "once expired, for good"
    assert got.count(("expired", True)) >= 2


@case
def test_reading_starts_the_time_anew_if_so_configured(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Value(True))
    assert {right for _, right in got} == {True}
    assert got[-1] == ("expired", True)


class Rewritten(KeyedProcessFunction):
    def open(self, runtime_context):
        self.value = runtime_context.get_state(lives(ValueStateDescriptor("value", Types.INT())))

    def process_element(self, value, ctx):
        for n in range(8):
            begun = now()
            self.value.update(n)
            time.sleep(0.03)
            seen = self.value.value()
            if now() < begun + TTL:
                yield seen == n
        expire()
        yield self.value.value() is None


@case
def test_writing_starts_the_time_anew(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Rewritten())
    assert set(got) == {True}


class Expired(KeyedProcessFunction):
    def __init__(self, give_expired):
        self.give_expired = give_expired

    def open(self, runtime_context):
        descriptor = lives(ValueStateDescriptor("value", Types.INT()), give_expired=self.give_expired)
        self.value = runtime_context.get_state(descriptor)

    def process_element(self, value, ctx):
        self.value.update(7)
        expire()
        yield self.value.value(), self.value.value()


@case
def test_an_expired_value_is_never_returned_by_default(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Expired(False))
    assert got == [(None, None)]


@case
def test_an_expired_value_may_be_returned_until_it_is_cleaned_up(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Expired(True))
    assert got == [(7, None)], "reading it has cleaned it up"


class Parts(KeyedProcessFunction):
    """Old elements and entries, then new ones."""

    def open(self, runtime_context):
        any_type = Types.PICKLED_BYTE_ARRAY()
        # The new ones live long enough to be seen whatever the machine does meanwhile.
        self.list = runtime_context.get_list_state(lives(ListStateDescriptor("list", any_type), ttl=1500))
        self.map = runtime_context.get_map_state(lives(MapStateDescriptor("map", any_type, any_type), ttl=1500))

    def process_element(self, value, ctx):
        self.list.update([1, 2])
        self.map.put_all({"old": 1, "new": 1})
        end = now() + 1500
        time.sleep(0.8)
        self.list.add(3)
        self.map.put("new", 2)
        written = now()
        while now() <= end:
            time.sleep(0.01)
        seen = list(self.list.get()), dict(self.map.items()), self.map.contains("old"), self.map.get("old")
        yield seen if now() < written + 1400 else "too slow to tell"


@case
def test_elements_of_a_list_and_entries_of_a_map_expire_one_by_one(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Parts())
    assert got in ([([3], {"new": 2}, False, None)], ["too slow to tell"])


class Add(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


class Sum(KeyedProcessFunction):
    def open(self, runtime_context):
        self.sum = runtime_context.get_reducing_state(lives(ReducingStateDescriptor("sum", Add(), Types.INT())))

    def process_element(self, value, ctx):
        self.sum.add(1)
        expire()
        self.sum.add(2)
        yield self.sum.get()


@case
def test_an_expired_aggregate_begins_anew(env):
    got = yield env.from_collection(["a"]).key_by(str).process(Sum())
    assert got in ([2], [None]), "None if the machine took a nap between the last two lines"


class ByEventTime(KeyedProcessFunction):
    def open(self, runtime_context):
        self.value = runtime_context.get_state(lives(ValueStateDescriptor("value", Types.INT()), ttl=3_600_000))

    def process_element(self, value, ctx):
        seen = self.value.value()
        self.value.update(value[1])
        yield seen


@case
def test_the_time_to_live_goes_by_the_machines_clock(env):
    day = 24 * 3_600_000
    events = [("a", 0), day, ("a", 2 * day), 3 * day, ("a", 4 * day)]
    got = yield timeline(env, *events).key_by(lambda v: v[0]).process(ByEventTime())
    assert got == [None, 0, 2 * day], "days of event time are nothing"
