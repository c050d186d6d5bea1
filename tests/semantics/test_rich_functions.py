"""``open``, ``close`` and the runtime context."""

from __future__ import annotations

import pytest

from datastream import (
    Configuration,
    FilterFunction,
    FlatMapFunction,
    MapFunction,
    ProcessFunction,
    ReduceFunction,
    StreamExecutionEnvironment,
)
from datastream.config.settings import settings
from datastream.errors import FunctionError
from datastream.testing import case


class Opened(MapFunction, FilterFunction, FlatMapFunction, ProcessFunction, ReduceFunction):
    """Works only once it is open; what ``open`` makes could not be pickled."""

    def __init__(self):
        self.made = None

    def open(self, runtime_context):
        self.made = (n for n in range(10**9))

    def map(self, value):
        next(self.made)
        return value

    def filter(self, value):
        return next(self.made) >= 0

    def flat_map(self, value):
        next(self.made)
        yield value

    def process_element(self, value, ctx):
        yield from self.flat_map(value)

    def reduce(self, value1, value2):
        next(self.made)
        return value1 + value2


class Facts(MapFunction):
    def open(self, runtime_context):
        self.context = runtime_context
        self.index_at_open = runtime_context.get_index_of_this_subtask()

    def map(self, value):
        of = self.context
        return (
            of.get_task_name(),
            of.get_task_name_with_subtasks(),
            of.get_number_of_parallel_subtasks(),
            of.get_max_number_of_parallel_subtasks(),
            of.get_index_of_this_subtask(),
            of.get_job_parameter("greeting", "none"),
            of.get_job_parameter("absent", "none"),
        )


class IndexAtOpen(Facts):
    def map(self, value):
        return self.index_at_open, self.context.get_index_of_this_subtask()


@case
def test_each_kind_is_opened(env):
    numbers = env.from_collection(range(4))
    got = yield (
        numbers.map(Opened()),
        numbers.filter(Opened()),
        numbers.flat_map(Opened()),
        numbers.process(Opened()),
        numbers.key_by(lambda x: 0).reduce(Opened()),
        numbers.rebalance().map(Opened()).key_by(lambda x: x % 2).reduce(Opened()).map(Opened()),
    )
    assert [sorted(part) for part in got[:4]] == [[0, 1, 2, 3]] * 4
    assert got[4] == [0, 1, 3, 6]
    assert sorted(got[5]) == [0, 1, 2, 4]


@case
def test_one_object_in_two_places(env):
    function = Opened()
    got = yield env.from_collection([1, 2]).map(function).rebalance().map(function)
    assert sorted(got) == [1, 2]


@case(alone=True)
def test_runtime_context(env):
    env.get_config().set_global_job_parameters({"greeting": "hello"})
    got = yield env.from_collection(range(10)).rebalance().map(Facts()).name("Facts").set_max_parallelism(9)
    assert set(got) == {
        ("Facts", "Facts (1/2)", 2, 9, 0, "hello", "none"),
        ("Facts", "Facts (2/2)", 2, 9, 1, "hello", "none"),
    }


@case
def test_what_open_reads_is_true_for_each_subtask(env):
    got = yield env.from_collection(range(12)).rebalance().map(IndexAtOpen()).set_parallelism(3)
    assert sorted(set(got)) == [(0, 0), (1, 1), (2, 2)]


@case(alone=True)
def test_what_open_reads_stays_true_over_epochs(env):
    config = Configuration().set_integer("datastream.epoch.max-records", 10)
    env.configure(config)
    got = yield env.from_collection(range(40)).rebalance().map(IndexAtOpen()).set_parallelism(3)
    assert sorted(set(got)) == [(0, 0), (1, 1), (2, 2)]


@case
def test_one_object_in_two_operators_has_two_contexts(env):
    facts = Facts()
    one = env.from_collection([1]).map(facts).name("one")
    got = yield one.map(lambda f: f[0]), one.map(facts).name("two").map(lambda f: f[0])
    assert got == (["one"], ["two"])


class Notes(MapFunction):
    """Divides, and notes in a file which of its objects are open."""

    def __init__(self, path):
        self.path = path

    def note(self, what):
        with open(self.path, "a") as file:
            file.write(f"{what}\n")

    def open(self, runtime_context):
        self.note("open")

    def map(self, value):
        return 1 // value

    def close(self):
        self.note("close")


def test_functions_of_a_local_job_that_fails_are_closed(monkeypatch, tmp_path):
    """As Flink does; on Spark a worker whose task has failed keeps them, as other tasks of the job may follow."""
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    notes = tmp_path / "notes"
    env.from_collection([1, 0]).map(Notes(str(notes))).rebalance().map(Notes(str(notes))).print()
    with pytest.raises(FunctionError):
        env.execute()
    found = notes.read_text().split()
    assert found.count("open") == found.count("close") > 0
