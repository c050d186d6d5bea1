"""Two streams in one function: `connect`, broadcast state, joins."""

from __future__ import annotations

import pytest

from datastream import (
    CoMapFunction,
    CoProcessFunction,
    FunctionError,
    KeyedCoProcessFunction,
    OutputTag,
    ValidationError,
)
from datastream.functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoGroupFunction,
    JoinFunction,
    KeyedBroadcastProcessFunction,
    ProcessJoinFunction,
)
from datastream.state import MapStateDescriptor, ValueStateDescriptor
from datastream.testing import case
from datastream.time import MAX_WATERMARK, Time
from datastream.types import Types
from datastream.windows import TumblingEventTimeWindows
from tests.support.timelines import timeline


def key(event):
    return event[0]


class Sides(CoMapFunction):
    def map1(self, value):
        return "one", value

    def map2(self, value):
        return "two", value


@case
def test_co_map(env):
    streams = env.from_collection([1, 2]).connect(env.from_collection(["a"]))
    got = yield streams.map(Sides())
    assert sorted(got, key=repr) == [("one", 1), ("one", 2), ("two", "a")]


class Flat(CoFlatMapFunction):
    def flat_map1(self, value):
        yield from range(value)

    def flat_map2(self, value):
        yield from value


@case
def test_co_flat_map_of_keyed_streams(env):
    numbers, words = env.from_collection([1, 2]), env.from_collection(["ab"])
    got = yield numbers.connect(words).key_by(lambda n: n, lambda w: len(w)).flat_map(Flat())
    assert sorted(got, key=repr) == ["a", "b", 0, 0, 1]


TAG = OutputTag("two", Types.PICKLED_BYTE_ARRAY())


class Tell(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value[0], ctx.timestamp()

    def process_element2(self, value, ctx):
        yield TAG, (value[0], ctx.timestamp())


@case
def test_co_process_with_a_side_output(env):
    main = timeline(env, ("a", 1)).connect(timeline(env, ("b", 2))).process(Tell())
    one, two = yield main, main.get_side_output(TAG)
    assert (one, two) == ([("a", 1)], [("b", 2)])


class Both(KeyedCoProcessFunction):
    """Counts the records of both streams together; tells the count by a timer."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element1(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(10)

    def process_element2(self, value, ctx):
        self.count.update((self.count.value() or 0) + 100)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.count.value(), ctx.timer_service().current_watermark()


@case
def test_both_streams_share_state_and_timers_and_the_lower_watermark_counts(env):
    first = timeline(env, ("a", 1), ("a", 2), ("b", 3), 20)
    second = timeline(env, ("a", 1), 5, 15, ("b", 30))
    got = yield first.connect(second).key_by(key, key).process(Both())
    assert sorted(got)[0][:2] == ("a", 102)
    assert {key: watermark for key, _, watermark in got} in ({"a": 15, "b": 15}, {"a": 20, "b": 20})
    assert {key: count for key, count, _ in got}["b"] in (1, 101)


def test_connect_needs_both_sides_keyed_or_none(run):
    env = run.environment()
    left, right = env.from_collection([1]), env.from_collection([2])
    with pytest.raises(ValidationError, match="key"):
        left.key_by(lambda n: n).connect(right).process(Both())


RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Lookup(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.get_broadcast_state(RULES).get(value)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)


@case
def test_every_subtask_reads_the_broadcast_state(env):
    rules = env.from_collection([("a", 1), ("b", 2), ("a", 3)]).broadcast(RULES)
    got = yield env.from_collection(["a", "b", "c"] * 10).rebalance().map(str).connect(rules).process(Lookup())
    assert sorted(set(got), key=repr) == [("a", 3), ("b", 2), ("c", None)]
    assert len(got) == 30


class KeyedLookup(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + ctx.get_broadcast_state(RULES).get(value[0]))
        ctx.timer_service().register_event_time_timer(100)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.count.value(), len(list(ctx.get_broadcast_state(RULES).items()))


@case
def test_broadcast_state_beside_keyed_state_and_timers(env):
    rules = env.from_collection([("a", 1), ("b", 2)]).broadcast(RULES)
    events = timeline(env, ("a", 1), ("b", 2), ("a", 3), 200)
    got = yield events.key_by(key).connect(rules).process(KeyedLookup())
    assert sorted(got) == [("a", 2, 2), ("b", 2, 2)]


def test_the_other_stream_cannot_change_broadcast_state(run):
    class Change(Lookup):
        def process_element(self, value, ctx):
            ctx.get_broadcast_state(RULES).put("x", 1)

    env = run.environment()
    rules = env.from_collection([("a", 1)]).broadcast(RULES)
    with pytest.raises(FunctionError, match="(?s)broadcast.*Change"):
        run.collect(env.from_collection(["a"]).connect(rules).process(Change()))


class Pair(JoinFunction):
    def join(self, first, second):
        return first, second


class Count(CoGroupFunction):
    def co_group(self, first, second):
        yield len(list(first)), len(list(second))


@case
def test_window_join_and_co_group(env):
    left = timeline(env, ("a", 1, "l1"), ("a", 12, "l2"), ("b", 3, "l3"))
    right = timeline(env, ("a", 4, "r1"), ("a", 5, "r2"))
    windows = TumblingEventTimeWindows.of(Time.milliseconds(10))
    joined = left.join(right).where(key).equal_to(key).window(windows).apply(Pair())
    grouped = left.co_group(right).where(key).equal_to(key).window(windows).apply(Count())
    pairs, counts = yield joined, grouped
    assert sorted((a[2], b[2]) for a, b in pairs) == [("l1", "r1"), ("l1", "r2")]
    assert sorted(counts) == [(1, 0), (1, 0), (1, 2)]


class Near(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[2], right[2], ctx.get_timestamp()


@case
def test_interval_join(env):
    left = timeline(env, ("a", 10, "l1"), ("b", 10, "l2"), 11, ("a", 20, "l3"))
    right = timeline(env, ("a", 8, "r1"), ("a", 12, "r2"), ("a", 13, "r3"))
    between = left.key_by(key).interval_join(right.key_by(key)).between(Time.milliseconds(-2), Time.milliseconds(2))
    got = yield between.process(Near())
    assert sorted(got) == [("l1", "r1", 10), ("l1", "r2", 12)]


def test_timers_need_keys(run):
    class Timer(CoProcessFunction):
        def process_element1(self, value, ctx):
            assert ctx.timer_service().current_watermark() < MAX_WATERMARK
            ctx.timer_service().register_event_time_timer(1)

        def process_element2(self, value, ctx):
            return None

    env = run.environment()
    with pytest.raises(FunctionError, match="(?s)timers need a keyed stream.*Timer"):
        run.collect(env.from_collection([1]).connect(env.from_collection([2])).process(Timer()))
