"""Broadcast state, joins and co-groups. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

import pytest

from datastream import Configuration, FunctionError
from datastream.functions import (
    BroadcastProcessFunction,
    CoGroupFunction,
    CoMapFunction,
    JoinFunction,
    KeyedBroadcastProcessFunction,
    ProcessJoinFunction,
)
from datastream.state import MapStateDescriptor, ValueStateDescriptor
from datastream.testing import case
from datastream.time import Time
from datastream.types import Types
from datastream.windows import TumblingEventTimeWindows
from tests.support.timelines import timeline
from tests.support.windows.events import Stamped, first

ANY = Types.PICKLED_BYTE_ARRAY()
RULES = MapStateDescriptor("rules", ANY, ANY)
COUNT = ValueStateDescriptor("count", Types.INT())
TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


class Sides(CoMapFunction):
    def map1(self, value):
        return value if value % 2 else None

    map2 = map1


@case
def test_a_co_map_that_returns_none_drops_the_record(env):
    got = yield env.from_collection([1, 2]).connect(env.from_collection([3, 4])).map(Sides())
    assert sorted(got) == [1, 3]


class Order(BroadcastProcessFunction):
    """Every subtask gathers the broadcast records in order."""

    def process_broadcast_element(self, value, ctx):
        state = ctx.get_broadcast_state(RULES)
        state.put("seen", [*(state.get("seen") or []), value])

    def process_element(self, value, ctx):
        yield ctx.get_broadcast_state(RULES).get("seen")


@case
def test_every_subtask_sees_every_broadcast_record_in_order(env):
    rules = env.from_collection(list(range(300))).broadcast(RULES)
    got = yield env.from_collection(range(20)).rebalance().map(int).connect(rules).process(Order())
    assert got == [list(range(300))] * 20, "in one epoch, broadcast records come first"


@case
def test_each_upstream_subtasks_broadcast_records_stay_in_order(env):
    rules = env.from_collection(list(range(300))).rebalance().map(int).broadcast(RULES)
    got = yield env.from_collection(range(20)).rebalance().map(int).connect(rules).process(Order())
    for seen in got:
        assert sorted(seen) == list(range(300))
        assert [n for n in seen if n % 2] == list(range(1, 300, 2))
        assert [n for n in seen if n % 2 == 0] == list(range(0, 300, 2))


class Keyed(KeyedBroadcastProcessFunction):
    """Counts records by key; a broadcast record asks for something."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(COUNT)

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(value[1] + 10)
        yield "rule", dict(ctx.get_broadcast_state(RULES).items())

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.count.value(), dict(ctx.get_broadcast_state(RULES).items())

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(*value)


@case
def test_broadcast_records_change_what_the_other_stream_and_its_timers_read(env):
    rules = env.from_collection([("a", 1), ("a", 2)]).broadcast(RULES)
    events = timeline(env, ("k", 1), ("k", 2), ("l", 3), 50)
    got = yield events.key_by(first).connect(rules).process(Keyed())
    told = [tuple(record[:2]) for record in got if record[0] != "rule"]
    assert sorted(told) == [("k", 2), ("k", 2), ("l", 1)]
    assert all(record[-1] == {"a": 2} for record in got)


class Change(Keyed):
    def process_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("a", 3)


class Reach(Keyed):
    def process_broadcast_element(self, value, ctx):
        assert not hasattr(ctx, "get_current_key")
        assert not hasattr(ctx, "timer_service")
        self.count.value()


@pytest.mark.long_on_spark
@pytest.mark.parametrize(
    ("function", "text"), [(Change(), "process_broadcast_element only"), (Reach(), "belong to the key of a record")]
)
def test_what_broadcast_and_other_records_must_not_do(run, function, text):
    env = run.environment()
    rules = env.from_collection([("a", 1)]).broadcast(RULES)
    events = timeline(env, ("k", 1))
    with pytest.raises(FunctionError, match=text):
        run.collect(events.key_by(first).connect(rules).process(function))


class EachKey(Keyed):
    """A broadcast record visits the state of every key; a broadcast record comes again in a later epoch."""

    def process_broadcast_element(self, value, ctx):
        found = []
        ctx.apply_to_keyed_state(COUNT, lambda key, state: found.append((key, state.value())))
        for entry in sorted(found):
            yield "key", entry


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_broadcast_record_can_visit_the_state_of_every_key(env):
    env.configure(Configuration().set_integer("datastream.epoch.max-records", 20))
    rules = env.from_sequence(0, 99).broadcast(RULES)
    events = env.from_collection([(n % 3, n) for n in range(30)])
    got = yield events.key_by(first).connect(rules).process(EachKey())
    seen = {record[1] for record in got if record[0] == "key"}
    assert {key for key, _ in seen} == {0, 1, 2}
    assert max(count for _, count in seen) == 10


class Near(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[2], right[2], ctx.get_left_timestamp(), ctx.get_right_timestamp(), ctx.get_timestamp()


def joined(left, right, low, high):
    return (
        left.key_by(first).interval_join(right.key_by(first)).between(Time.milliseconds(low), Time.milliseconds(high))
    )


@case
def test_an_interval_join_takes_both_bounds_in_and_gives_the_later_timestamp(env):
    left = timeline(env, ("a", 10, "l"), ("b", 10, "m"))
    right = timeline(env, *(("a", t, t) for t in (7, 8, 10, 13, 14)))
    got = yield joined(left, right, -2, 3).process(Near()).process(Stamped())
    expected = [(8, 10), (10, 10), (13, 13)]
    assert sorted(got) == [(("l", t, 10, t, later), later) for t, later in expected]


@case
def test_an_interval_join_may_leave_its_bounds_out(env):
    left, right = timeline(env, ("a", 10, "l")), timeline(env, *(("a", t, t) for t in (8, 9, 12, 13)))
    between = joined(left, right, -2, 3).lower_bound_exclusive().upper_bound_exclusive()
    got = yield between.process(Near())
    assert sorted(pair[1] for pair in got) == [9, 12]


@case
def test_a_record_at_the_watermark_is_not_late_for_an_interval_join(env):
    # A stream with itself, so that both sides have the same watermark whichever comes first.
    stream = timeline(env, ("a", 10, "first"), 20, ("a", 20, "at"), ("a", 19, "late"), 30)
    got = yield joined(stream, stream, 0, 0).process(Near())
    assert sorted((left, right) for left, right, *_ in got) == [("at", "at"), ("first", "first")]


class Pair(JoinFunction):
    def join(self, first, second):
        return first[2], second[2]


class Both(CoGroupFunction):
    def co_group(self, first, second):
        yield sorted(v[2] for v in first), sorted(v[2] for v in second)


def windows(streams):
    return streams.where(first).equal_to(first).window(TEN)


def sides(env):
    left = timeline(env, ("a", 1, "l1"), ("a", 12, "l2"), ("b", 3, "l3"))
    return left, timeline(env, ("a", 4, "r1"), ("a", 5, "r2"), ("c", 25, "r3"))


@case
def test_a_window_join_gives_each_pair_at_the_windows_end_less_one(env):
    left, right = sides(env)
    got = yield windows(left.join(right)).apply(Pair()).process(Stamped())
    assert sorted(got) == [(("l1", "r1"), 9), (("l1", "r2"), 9)], "and nothing for a key that one side lacks"


@case
def test_a_co_group_is_called_also_when_one_side_is_empty(env):
    left, right = sides(env)
    got = yield windows(left.co_group(right)).apply(Both()).process(Stamped())
    expected = [((["l1"], ["r1", "r2"]), 9), ((["l2"], []), 19), ((["l3"], []), 9), (([], ["r3"]), 29)]
    assert sorted(got) == sorted(expected)
