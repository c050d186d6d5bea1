"""Windows in jobs. The rules themselves are tested on the hosts, in tests/windows."""

from __future__ import annotations

import pytest

from datastream import FunctionError, OutputTag, ValidationError
from datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from datastream.state import ValueStateDescriptor
from datastream.testing import case
from datastream.time import Time
from datastream.types import Types
from datastream.windows import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tests.support.timelines import timeline

TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))
LATE = OutputTag("late", Types.PICKLED_BYTE_ARRAY())


def key(event):
    return event[0]


def add(a, b):
    return (a[0], b[1], a[2] + b[2])


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value[2]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Whole(WindowFunction):
    def apply(self, key, window, inputs):
        yield key, window.start, window.end, [value[2] for value in inputs]


class Told(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().end, context.current_watermark(), list(elements)

    def clear(self, context):
        return None


@case
def test_a_tumbling_reduce(env):
    got = (
        yield timeline(env, ("a", 1, 1), ("b", 2, 5), ("a", 9, 2), 9, ("a", 10, 4)).key_by(key).window(TEN).reduce(add)
    )
    assert sorted(got) == [("a", 9, 3), ("a", 10, 4), ("b", 2, 5)]


@case
def test_an_aggregate_with_a_window_function(env):
    stream = timeline(env, ("a", 1, 1), ("a", 9, 2), 9, ("a", 10, 4), 19)
    got = yield stream.key_by(key).window(TEN).aggregate(Sum(), Told())
    assert got == [("a", 10, 9, [3]), ("a", 20, 19, [4])]


@case
def test_sliding_windows(env):
    windows = SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(5))
    got = yield timeline(env, ("a", 1, 1), ("a", 7, 2), 30).key_by(key).window(windows).apply(Whole())
    assert got == [("a", -5, 5, [1]), ("a", 0, 10, [1, 2]), ("a", 5, 15, [2])]


@case
def test_sessions_merge(env):
    windows = EventTimeSessionWindows.with_gap(Time.milliseconds(5))
    got = (
        yield timeline(env, ("a", 1, 1), ("a", 9, 3), ("a", 5, 2), ("a", 30, 4), 20)
        .key_by(key)
        .window(windows)
        .apply(Whole())
    )
    assert [(k, start, end, sorted(values)) for k, start, end, values in got] == [
        ("a", 1, 14, [1, 2, 3]),
        ("a", 30, 35, [4]),
    ]


@case
def test_late_records_go_to_their_side_output_with_their_timestamp(env):
    stream = timeline(env, ("a", 1, 1), 15, ("a", 3, 2), ("a", 12, 3), 25)
    windows = stream.key_by(key).window(TEN).side_output_late_data(LATE).reduce(add)
    main, late = yield windows, windows.get_side_output(LATE)
    assert (main, late) == ([("a", 1, 1), ("a", 12, 3)], [("a", 3, 2)])


@case
def test_within_the_allowed_lateness_a_window_fires_again(env):
    stream = timeline(env, ("a", 1, 1), 10, ("a", 3, 2), 19, ("a", 4, 9))
    got = yield stream.key_by(key).window(TEN).allowed_lateness(5).aggregate(Sum())
    assert got == [1, 3]


@case
def test_windows_behind_windows_fire_by_the_same_watermark(env):
    stream = timeline(env, ("a", 1, 1), ("b", 2, 2), ("a", 11, 4), 9, ("a", 12, 8), 19)
    inner = stream.key_by(key).window(TEN).reduce(add)
    got = yield inner.window_all(TEN).apply(All())
    assert got == [(0, 10, 2), (10, 20, 1)]


class All(AllWindowFunction):
    def apply(self, window, inputs):
        yield window.start, window.end, len(list(inputs))


class AllTold(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield context.window().max_timestamp(), sorted(value[0] for value in elements)


@case
def test_window_all_sees_all_records_in_one_subtask(env):
    got = yield timeline(env, ("a", 1), ("b", 2), ("c", 13)).window_all(TEN).process(AllTold())
    assert got == [(9, ["a", "b"]), (19, ["c"])]


@case
def test_count_windows(env):
    got = yield env.from_collection([("a", i) for i in range(5)]).key_by(key).count_window(2).apply(Values())
    assert got == [[0, 1], [2, 3]]


class Values(WindowFunction):
    def apply(self, key, window, inputs):
        yield [value[1] for value in inputs]


@case
def test_a_global_window_with_a_purging_count_trigger(env):
    windows = env.from_collection([("a", i) for i in range(5)]).key_by(key).window(GlobalWindows.create())
    got = yield windows.trigger(PurgingTrigger.of(CountTrigger.of(2))).apply(Values())
    assert got == [[0, 1], [2, 3]]


@case
def test_a_continuous_trigger_fires_on_the_way(env):
    windows = timeline(env, ("a", 1, 1), 4, ("a", 6, 2), 20).key_by(key).window(TEN)
    got = yield windows.trigger(ContinuousEventTimeTrigger.of(Time.milliseconds(4))).aggregate(Sum())
    assert got == [1, 3, 3]


class Firings(ProcessWindowFunction):
    """Counts the firings of each window, and of the key."""

    def process(self, key, context, elements):
        found = []
        for states in (context.window_state(), context.global_state()):
            state = states.get_state(ValueStateDescriptor("firings", Types.INT()))
            state.update((state.value() or 0) + 1)
            found.append(state.value())
        yield context.window().start, *found

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("firings", Types.INT())).clear()


@case
def test_states_of_a_window_and_of_its_key(env):
    stream = timeline(env, ("a", 1, 1), 10, ("a", 3, 2), ("a", 14, 1), 30)
    got = yield stream.key_by(key).window(TEN).allowed_lateness(5).process(Firings())
    assert got == [(0, 1, 1), (0, 2, 2), (10, 1, 3)]


@case(batch=True)
def test_in_batch_mode_each_window_fires_once_and_nothing_is_late(env):
    stream = timeline(env, ("a", 11, 1), 50, ("a", 3, 2), ("a", 12, 4))
    got = yield stream.key_by(key).window(TEN).aggregate(Sum())
    assert got == [2, 5]


@case(batch=True)
def test_in_batch_mode_windows_of_the_clock_fire_at_the_end(env):
    windows = (
        env.from_collection([("a", 0, 1), ("a", 0, 2)])
        .key_by(key)
        .window(TumblingProcessingTimeWindows.of(Time.days(1000)))
    )
    got = yield windows.aggregate(Sum())
    assert got == [3]


def test_windows_of_the_clock_fire_without_more_data(run):
    from test_timers import Once

    env = run.environment()
    windows = (
        env.add_source(Once()).key_by(lambda n: 0).window(ProcessingTimeSessionWindows.with_gap(Time.milliseconds(300)))
    )
    with windows.reduce(lambda a, b: a + b + 1).execute_and_collect() as results:
        assert next(results) == 2


def test_a_record_without_a_timestamp(run):
    env = run.environment()
    with pytest.raises(FunctionError, match="(?s)timestamp.*assign_timestamps_and_watermarks"):
        run.collect(env.from_collection([("a", 1, 1)]).key_by(key).window(TEN).reduce(add))


def test_an_error_names_the_users_function_and_record(run):
    class Broken(Whole):
        def apply(self, key, window, inputs):
            raise KeyError("no such thing")

    env = run.environment()
    with pytest.raises(FunctionError, match="(?s)no such thing.*Broken.apply"):
        run.collect(timeline(env, ("a", 1, 1)).key_by(key).window(TEN).apply(Broken()))


def test_wrong_windows_are_refused_when_they_are_written(run):
    stream = run.environment().from_collection([("a", 1)]).key_by(key)
    with pytest.raises(ValidationError, match="WindowAssigner"):
        stream.window(10)
    with pytest.raises(ValidationError, match="(?i)merge"):
        stream.window(EventTimeSessionWindows.with_gap(Time.seconds(1))).trigger(Unmergeable())


class Unmergeable(CountTrigger):
    def __init__(self):
        super().__init__(2)

    def can_merge(self):
        return False


def test_late_records_without_a_side_output_are_counted(run):
    env = run.environment()
    stream = timeline(env, ("a", 1, 1), 15, ("a", 3, 2), ("a", 4, 3))
    stream.key_by(key).window(TEN).reduce(add).uid("sums").print()
    assert env.execute("late").get_accumulator_result("sums.numLateRecordsDropped") == 2


class NoneOfTwo(AggregateFunction):
    """The number of records; None where there are two."""

    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return None if accumulator == 2 else accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Elements(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, list(elements)


@pytest.mark.long_on_spark
@pytest.mark.parametrize("with_function", [False, True])
@pytest.mark.parametrize("fold", ["aggregate", "reduce"])
@pytest.mark.parametrize(
    ("windows", "gives_other"),
    [
        (lambda keyed: keyed.window(TEN), True),
        (lambda keyed: keyed.window(SlidingEventTimeWindows.of(Time.milliseconds(20), Time.milliseconds(10))), True),
        (lambda keyed: keyed.window(EventTimeSessionWindows.with_gap(Time.milliseconds(5))), True),
        (lambda keyed: keyed.window(TEN).trigger(ContinuousEventTimeTrigger.of(Time.milliseconds(50))), True),
        (lambda keyed: keyed.window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(2))), False),
        (lambda keyed: keyed.count_window(2), False),
    ],
    ids=["tumbling", "sliding", "session", "continuous", "global", "count"],
)
def test_a_window_whose_result_is_none_gives_nothing(run, windows, gives_other, fold, with_function):
    env = run.environment(parallelism=1)
    stream = windows(timeline(env, ("a", 1, 1), ("a", 2, 2), ("b", 3, 3)).key_by(key))
    function = NoneOfTwo() if fold == "aggregate" else lambda a, b: None
    result = getattr(stream, fold)(function, *[Elements()] * with_function)
    other = 1 if fold == "aggregate" else ("b", 3, 3)
    expected = ("b", [other]) if with_function else other
    found = run.collect(result)
    assert all(got == expected for got in found)
    assert bool(found) is gives_other
