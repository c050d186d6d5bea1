"""Keyed state in map, flat_map, filter and reduce on a keyed stream."""

from __future__ import annotations

import pytest

from datastream import FilterFunction, FlatMapFunction, MapFunction, ReduceFunction, UnsupportedOperation
from datastream.api.keyed_functions import may_keep_state
from datastream.api.step import node_of
from datastream.graph.operators import Filter, FlatMap, KeyedProcess, Map
from datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from datastream.testing import case
from datastream.types import Types

WORDS = ["a", "b", "a", "a"]


class Counting:
    """How often the key was met."""

    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.INT()))

    def count(self):
        self.seen.update((self.seen.value() or 0) + 1)
        return self.seen.value()


class CountingMap(Counting, MapFunction):
    def map(self, value):
        return value, self.count()


class CountingFlatMap(Counting, FlatMapFunction):
    def flat_map(self, value):
        for n in range(self.count()):
            yield value, n


class First(Counting, FilterFunction):
    def filter(self, value):
        return self.count() == 1


class WithCount(Counting, ReduceFunction):
    def reduce(self, value1, value2):
        return value1[0], value1[1] + value2[1], self.count()


class AllSoFar(MapFunction):
    """States of other forms, one of them large."""

    def open(self, runtime_context):
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.INT()))
        self.last = runtime_context.get_map_state(MapStateDescriptor("last", Types.STRING(), Types.INT()))

    def map(self, value):
        self.all.add(value)
        self.last.put("value", value)
        return sum(self.all.get()), self.last.get("value")


def keyed(env):
    return env.from_collection(WORDS).key_by(lambda word: word)


@case
def test_map(env):
    assert sorted((yield keyed(env).map(CountingMap()))) == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]


@case
def test_map_with_a_declared_type(env):
    stream = keyed(env).map(CountingMap(), output_type=Types.ROW_NAMED(["word", "n"], [Types.STRING(), Types.INT()]))
    got = yield stream.rebalance().map(lambda row: f"{row.word} {row.n}")
    assert sorted(got) == ["a 1", "a 2", "a 3", "b 1"]


@case
def test_flat_map(env):
    got = yield keyed(env).flat_map(CountingFlatMap())
    assert sorted(got) == [("a", 0)] * 3 + [("a", 1)] * 2 + [("a", 2), ("b", 0)]


@case
def test_filter(env):
    assert sorted((yield keyed(env).filter(First()))) == ["a", "b"]


@case
def test_reduce(env):
    got = yield env.from_collection([(w, 1) for w in WORDS]).key_by(lambda p: p[0]).reduce(WithCount())
    assert sorted(got) == [("a", 1), ("a", 2, 1), ("a", 3, 2), ("b", 1)]


@case(batch=True)
def test_reduce_in_batch_mode(env):
    got = yield env.from_collection([(w, 1) for w in WORDS]).key_by(lambda p: p[0]).reduce(WithCount())
    assert sorted(got) == [("a", 3, 2), ("b", 1)]


@case
def test_states_of_other_forms(env):
    got = yield env.from_collection(range(3000)).key_by(lambda n: n % 2).map(AllSoFar()).map(lambda pair: pair)
    assert max(got) == (sum(range(1, 3000, 2)), 2999)


@case
def test_two_operators_have_states_of_their_own(env):
    counted = keyed(env).map(CountingMap()).key_by(lambda pair: pair[0]).map(CountingMap())
    assert sorted((yield counted)) == [(("a", 1), 1), (("a", 2), 2), (("a", 3), 3), (("b", 1), 1)]


class Stateless(MapFunction):
    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()
        self.counter = runtime_context.get_metrics_group().counter("values")

    def map(self, value):
        return value


class Handing(MapFunction):
    def open(self, runtime_context):
        self.context = runtime_context

    def map(self, value):
        return value


class Captured(MapFunction):
    def open(self, runtime_context):
        self.state = lambda: runtime_context.get_state(ValueStateDescriptor("late", Types.INT()))

    def map(self, value):
        return value


class Nothing(MapFunction):
    def map(self, value):
        return value


@pytest.mark.parametrize(
    ("function", "found"),
    [(Stateless(), False), (Nothing(), False), (None, False), (Handing(), True), (Captured(), True),
     (CountingMap(), True), (First(), True)],
)  # fmt: skip
def test_which_functions_may_keep_state(function, found):
    assert may_keep_state(function) is found


def test_functions_without_state_stay_lines_of_a_chain(run):
    env = run.environment()
    stream = keyed(env)
    kinds = [
        type(node_of(made).operator)
        for made in (
            stream.map(str),
            stream.map(Stateless()),
            stream.flat_map(lambda word: [word]),
            stream.filter(bool),
            stream.map(CountingMap()),
        )
    ]
    assert kinds == [Map, Map, FlatMap, Filter, KeyedProcess]


def test_without_a_key_there_is_no_state(run):
    stream = run.environment().from_collection(WORDS).map(CountingMap())
    with pytest.raises(Exception) as caught:
        run.collect(stream)
    assert isinstance(caught.value.__cause__, UnsupportedOperation)
    assert "it needs a keyed stream (call key_by first)" in str(caught.value)


class Failing(Counting, MapFunction):
    def map(self, value):
        return self.count() // (value != "b")


def test_a_failure_names_function_and_record(run):
    with pytest.raises(Exception) as caught:
        run.collect(keyed(run.environment()).map(Failing()).name("failing"))
    assert "operator 'failing' failed: ZeroDivisionError" in str(caught.value)
    assert "Failing" in str(caught.value) and "'b'" in str(caught.value)
