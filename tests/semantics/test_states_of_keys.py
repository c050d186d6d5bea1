"""State of keys. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

import os

import pytest

from datastream import FunctionError, KeyedCoProcessFunction, KeyedProcessFunction
from datastream.functions import AggregateFunction, ReduceFunction
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from datastream.testing import case
from datastream.types import Types

ANY = Types.PICKLED_BYTE_ARRAY()


def first(event):
    return event[0]


class Counts(KeyedProcessFunction):
    """Two states with names of their own."""

    def open(self, runtime_context):
        self.one = runtime_context.get_state(ValueStateDescriptor("one", Types.INT()))
        self.ten = runtime_context.get_state(ValueStateDescriptor("ten", Types.INT()))

    def process_element(self, value, ctx):
        self.one.update((self.one.value() or 0) + 1)
        self.ten.update((self.ten.value() or 0) + 10)
        yield ctx.get_current_key(), self.one.value(), self.ten.value()


@case
def test_state_belongs_to_a_key_and_a_name(env):
    got = yield env.from_collection([("a",), ("b",), ("a",)]).key_by(first).process(Counts())
    assert sorted(got) == [("a", 1, 10), ("a", 2, 20), ("b", 1, 10)]


class Shared(KeyedCoProcessFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", ANY))

    def process_element1(self, value, ctx):
        self.seen.add(value)
        yield ctx.get_current_key(), len(list(self.seen.get()))

    process_element2 = process_element1


@case
def test_both_streams_of_a_keyed_connect_share_state(env):
    one, two = env.from_collection([("a", 1), ("a", 2)]), env.from_collection([("a", 3), ("b", 4)])
    got = yield one.connect(two).key_by(first, first).process(Shared())
    assert sorted(got) == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]


class Add(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


class Mean(AggregateFunction):
    def create_accumulator(self):
        return (0, 0)

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class Everything(KeyedProcessFunction):
    """Tells what all kinds of states have, fills them, and clears them at None."""

    def open(self, runtime_context):
        self.value = runtime_context.get_state(ValueStateDescriptor("value", Types.INT()))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.INT()))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.INT(), Types.INT()))
        self.sum = runtime_context.get_reducing_state(ReducingStateDescriptor("sum", Add(), Types.INT()))
        self.mean = runtime_context.get_aggregating_state(AggregatingStateDescriptor("mean", Mean(), ANY))

    def process_element(self, value, ctx):
        number = value[1]
        yield (
            self.value.value(),
            list(self.list.get() or ()),
            dict(self.map.items()),
            self.map.is_empty(),
            self.map.get(number),
            self.sum.get(),
            self.mean.get(),
        )
        if number is None:
            for state in (self.value, self.list, self.map, self.sum, self.mean):
                state.clear()
        else:
            self.value.update(number)
            self.map.put(number, -number)
            for state in (self.list, self.sum, self.mean):
                state.add(number)


EMPTY = (None, [], {}, True, None, None, None)


@case
def test_what_states_give_before_anything_is_put_in_and_after_clear(env):
    events = [("a", 1), ("a", 2), ("a", None), ("a", 2)]
    got = yield env.from_collection(events).key_by(first).process(Everything())
    full = (2, [1, 2], {1: -1, 2: -2}, False, None, 3, 1.5)
    assert got == [EMPTY, (1, [1], {1: -1}, False, None, 1, 1.0), full, EMPTY]


class InOpen(KeyedProcessFunction):
    def open(self, runtime_context):
        runtime_context.get_state(ValueStateDescriptor("value", Types.INT())).value()

    def process_element(self, value, ctx):
        return None


def test_state_can_only_be_used_while_a_key_is_in_hand(run):
    with pytest.raises(FunctionError, match="(?s)belong to the key of a record.*InOpen.open"):
        run.collect(run.environment().from_collection([("a", 1)]).key_by(first).process(InOpen()))


class Large(KeyedProcessFunction):
    def __init__(self, size):
        self.data = os.urandom(size)

    def process_element(self, value, ctx):
        yield len(self.data)


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_keyed_function_may_be_large(env):
    size = 3 << 20
    got = yield env.from_collection([("a",), ("b",)]).key_by(first).process(Large(size))
    assert got == [size, size]
