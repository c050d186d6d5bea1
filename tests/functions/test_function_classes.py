"""The classes that users subclass: how they are written in PyFlink's own examples."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterable

import pytest

import datastream.functions as functions
from datastream.errors import ValidationError
from datastream.functions import (
    AllWindowFunction,
    AsyncFunction,
    AsyncFunctionDescriptor,
    AsyncRetryStrategy,
    BaseBroadcastProcessFunction,
    BroadcastProcessFunction,
    Function,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from datastream.time import Time
from datastream.windows import TimeWindow


class Sum(WindowFunction[tuple, tuple, str, TimeWindow]):
    def apply(self, key: str, window: TimeWindow, inputs: Iterable[tuple]) -> Iterable[tuple]:
        return [(key, window.start, sum(number for _, number in inputs))]


class Count(ProcessWindowFunction[tuple, tuple, str, TimeWindow]):
    def process(
        self, key: str, context: ProcessWindowFunction.Context[TimeWindow], elements: Iterable[tuple]
    ) -> Iterable[tuple]:
        return [(key, len(list(elements)))]


class CountAll(ProcessAllWindowFunction[tuple, int, TimeWindow]):
    def process(self, context: ProcessAllWindowFunction.Context, elements: Iterable[tuple]) -> Iterable[int]:
        return [len(list(elements))]


class Rules(KeyedBroadcastProcessFunction[str, int, int, int]):
    def process_element(self, value, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext):
        yield value

    def process_broadcast_element(self, value, ctx: KeyedBroadcastProcessFunction.Context):
        yield value


class Lookup(AsyncFunction[int, int]):
    async def async_invoke(self, value: int) -> list[int]:
        return [value]


def test_window_functions_say_their_types_in_brackets():
    assert Sum().apply("k", TimeWindow(5, 6), [("k", 1), ("k", 2)]) == [("k", 5, 3)]
    assert Count().process("k", None, [1, 2]) == [("k", 2)]
    assert CountAll().process(None, [1, 2]) == [2]


def test_what_need_not_be_written():
    assert Count().clear(None) is None
    assert CountAll().clear(None) is None
    assert Rules().on_timer(5, None) is None
    assert Lookup().open(None) is None
    assert Lookup().close() is None


@pytest.mark.parametrize(
    "cls",
    [
        AllWindowFunction,
        AsyncFunction,
        BroadcastProcessFunction,
        KeyedBroadcastProcessFunction,
        ProcessAllWindowFunction,
        ProcessWindowFunction,
        WindowFunction,
    ],
)
def test_what_must_be_written_is_asked_for(cls):
    assert issubclass(cls, Function)
    with pytest.raises(TypeError, match="abstract method"):
        cls()


def test_broadcast_contexts_are_kinds_of_the_shared_ones():
    for cls in (BroadcastProcessFunction, KeyedBroadcastProcessFunction):
        assert issubclass(cls, BaseBroadcastProcessFunction)
        assert issubclass(cls.Context, BaseBroadcastProcessFunction.Context)
        assert issubclass(cls.ReadOnlyContext, BaseBroadcastProcessFunction.ReadOnlyContext)
    assert issubclass(KeyedBroadcastProcessFunction.OnTimerContext, KeyedBroadcastProcessFunction.ReadOnlyContext)
    assert issubclass(KeyedProcessFunction.OnTimerContext, KeyedProcessFunction.Context)


def test_an_async_function_that_takes_too_long_fails_unless_it_says_otherwise():
    with pytest.raises(TimeoutError, match="timed out for input: 'slow'"):
        Lookup().timeout("slow")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"async_function": len}, "async_function must be an AsyncFunction"),
        ({"timeout": 5}, "timeout must be a Time above zero"),
        ({"timeout": Time.seconds(0)}, "timeout must be a Time above zero"),
        ({"capacity": 0}, "capacity must be a whole number above zero"),
    ],
)
def test_how_an_async_function_runs_is_tested_when_it_is_written(change, text):
    right = {
        "async_function": Lookup(),
        "timeout": Time.seconds(1),
        "capacity": 10,
        "async_retry_strategy": AsyncRetryStrategy.no_restart(),
        "output_mode": AsyncFunctionDescriptor.OutputMode.ORDERED,
    }
    assert AsyncFunctionDescriptor(**right).capacity == 10
    with pytest.raises(ValidationError, match=text):
        AsyncFunctionDescriptor(**(right | change))


def test_functions_travel_by_name():
    assert isinstance(pickle.loads(pickle.dumps(Sum())), Sum)


def test_all_names_are_there_and_described():
    for name in functions.__all__:
        assert inspect.getdoc(getattr(functions, name)), name
