"""What `WindowedStream` and `AllWindowedStream` build, and what they refuse."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterable

import pytest

from datastream.api.environment import StreamExecutionEnvironment
from datastream.api.step import node_of
from datastream.api.windowed_stream import AllWindowedStream, WindowedStream
from datastream.errors import ValidationError
from datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    OutputTag,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    ReduceFunction,
    WindowFunction,
)
from datastream.graph.operators import Window as WindowOperator
from datastream.types import Types
from datastream.windows import (
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    NeverTrigger,
    TumblingEventTimeWindows,
)

TEN = TumblingEventTimeWindows(10, 0)
PAIR = Types.TUPLE([Types.STRING(), Types.INT()])


class Later(ReduceFunction):
    def reduce(self, value1, value2):
        return value2


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator) -> int:
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Apply(WindowFunction):
    def apply(self, key, window, inputs) -> Iterable[str]:
        yield key


class Process(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key


class ApplyAll(AllWindowFunction):
    def apply(self, window, inputs):
        yield window


class ProcessAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield 1


class Stubborn(NeverTrigger):
    def can_merge(self):
        return False


@pytest.fixture
def stream():
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.from_collection([("a", 1)], type_info=PAIR)


@pytest.fixture
def windows(stream):
    return WindowedStream(stream.key_by(lambda pair: pair[0]), TEN)


def operator(stream):
    return node_of(stream).operator


def test_the_settings_reach_the_operation(windows):
    late = OutputTag("late")
    trigger, evictor = CountTrigger(3), CountEvictor(2)
    made = windows.trigger(trigger).evictor(evictor).allowed_lateness(5).side_output_late_data(late)
    assert made is windows
    op = operator(windows.reduce(Later(), Process()))
    assert type(op) is WindowOperator
    operation = op.operation
    assert op.rich_function is operation
    assert (operation.assigner, operation.trigger, operation.evictor) == (TEN, trigger, evictor)
    assert (operation.allowed_lateness, operation.late_tag, operation.keyed) == (5, late, True)
    assert (type(operation.incremental), type(operation.function)) == (Later, Process)
    assert pickle.loads(pickle.dumps(operation)).allowed_lateness == 5


def test_the_settings_of_one_call_are_not_those_of_the_result_before(windows):
    before = operator(windows.apply(Apply())).operation
    windows.allowed_lateness(7)
    assert before.allowed_lateness == 0


def test_a_reduce_without_a_window_function_keeps_the_type(windows):
    assert windows.reduce(lambda one, other: one).get_type() == PAIR
    assert windows.reduce(lambda one, other: one, Process()).get_type() == Types.PICKLED_BYTE_ARRAY()
    assert windows.reduce(Later(), Process(), Types.STRING()).get_type() == Types.STRING()


def test_types_come_from_annotations(windows):
    assert windows.aggregate(Count()).get_type() == Types.LONG()
    assert windows.aggregate(Count(), Apply()).get_type() == Types.STRING()
    assert windows.apply(Apply()).get_type() == Types.STRING()
    assert windows.aggregate(Count(), accumulator_type=Types.LONG(), output_type=Types.INT()).get_type() == Types.INT()


def test_windows_know_their_stream(windows, stream):
    assert windows.get_execution_environment() is stream.get_execution_environment()
    assert windows.get_input_type() == PAIR


def test_all_windows_are_one_operator_with_parallelism_1(stream):
    result = AllWindowedStream(stream, TEN).aggregate(Count(), ProcessAll())
    op = operator(result)
    assert (type(op), op.parallelism, op.operation.keyed) == (WindowOperator, 1, False)
    (edge,) = [e for e in node_of(stream).builder.edges if e[1] == op.id]
    assert {edge[2].key(record) for record in (1, "a", None)} == {0}
    assert type(operator(AllWindowedStream(stream, TEN).apply(ApplyAll())).operation.function) is ApplyAll


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda w: w.trigger("soon"), "trigger needs a Trigger.*'soon'"),
        (lambda w: w.evictor(3), "evictor needs a Evictor.*got 3"),
        (lambda w: w.allowed_lateness(-1), "from 0 up: got -1"),
        (lambda w: w.side_output_late_data("late"), "needs an OutputTag: got 'late'"),
        (lambda w: w.reduce(3), "reduce needs a function"),
        (lambda w: w.reduce(lambda one: one), "2 arguments"),
        (lambda w: w.aggregate(lambda one, other: one), "needs a AggregateFunction"),
        (lambda w: w.aggregate(Count), r"pass an object: Count\(\)"),
        (lambda w: w.apply(Process()), "needs a WindowFunction: got"),
        (lambda w: w.process(Apply()), "needs a ProcessWindowFunction: got"),
        (lambda w: w.process(ProcessAll()), "needs a ProcessWindowFunction: got"),
        (lambda w: w.reduce(Later(), ApplyAll()), "needs a WindowFunction or ProcessWindowFunction: got"),
        (lambda w: w.reduce(Later(), Apply), r"pass an object: Apply\(\)"),
    ],
)
def test_what_does_not_fit_is_refused_where_it_is_written(windows, call, message):
    with pytest.raises(ValidationError, match=message):
        call(windows)


def test_a_trigger_that_cannot_merge_is_refused_with_windows_that_do(stream):
    windows = WindowedStream(stream.key_by(lambda pair: pair[0]), EventTimeSessionWindows(10))
    with pytest.raises(ValidationError, match="EventTimeSessionWindows merges windows"):
        windows.trigger(Stubborn())
    with pytest.raises(ValidationError, match="window needs a WindowAssigner"):
        WindowedStream(stream.key_by(lambda pair: pair[0]), 10)


def test_the_methods_are_those_of_pyflink():
    expected = {
        "get_execution_environment": [],
        "get_input_type": [],
        "trigger": ["trigger"],
        "allowed_lateness": ["time_ms"],
        "side_output_late_data": ["output_tag"],
        "reduce": ["reduce_function", "window_function", "output_type"],
        "aggregate": ["aggregate_function", "window_function", "accumulator_type", "output_type"],
        "apply": ["window_function", "output_type"],
        "process": ["process_window_function", "output_type"],
    }
    for windows in WindowedStream, AllWindowedStream:
        for method, arguments in expected.items():
            assert list(inspect.signature(getattr(windows, method)).parameters)[1:] == arguments
