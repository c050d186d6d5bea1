"""Batch mode, and what must not depend on how a job is run. Both executors."""

from __future__ import annotations

import pytest

from datastream import Configuration, KeyedProcessFunction
from datastream.testing import case
from datastream.time import MAX_WATERMARK, Time
from datastream.windows import CountTumblingWindowAssigner, EventTimeSessionWindows, TumblingEventTimeWindows
from tests.support.timelines import timeline
from tests.support.windows.events import Show, at, first

TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


def add(one, other):
    return one[0], other[1], one[2] + other[2]


@case(batch=True)
def test_keyed_reduce_and_sum_give_the_last_value_of_each_key_only(env):
    stream = timeline(env, *at(1, 2, 3, key="a"), *at(4, key="b")).key_by(first)
    reduced, summed = yield stream.reduce(add), stream.sum(2)
    assert sorted(reduced) == [("a", 3, 6), ("b", 4, 4)]
    assert sorted((key, total) for key, _, total in summed) == [("a", 6), ("b", 4)]


@case(batch=True)
def test_no_record_is_late(env):
    windows = timeline(env, *at(11), 50, *at(3, 12)).key_by(first).window(TEN)
    got = yield windows.apply(Show())
    assert [values for _, _, values in got] == [(3,), (11, 12)]


@case(batch=True)
def test_a_count_window_that_is_not_full_gives_nothing(env):
    got = yield timeline(env, *at(1, 2, 3)).key_by(first).window(CountTumblingWindowAssigner.of(2)).apply(Show())
    assert [values for _, _, values in got] == [(1, 2)]


class Clock(KeyedProcessFunction):
    def process_element(self, value, ctx):
        now = ctx.timer_service().current_processing_time()
        ctx.timer_service().register_processing_time_timer(now - 10)
        yield "record", ctx.timer_service().current_watermark() < 0

    def on_timer(self, timestamp, ctx):
        yield "timer", ctx.timer_service().current_watermark() == MAX_WATERMARK


@case(batch=True)
def test_timers_of_processing_time_fire_behind_all_records(env):
    got = yield timeline(env, *at(1, 2, 3)).key_by(first).process(Clock())
    assert got[:3] == [("record", True)] * 3
    assert set(got[3:]) == {("timer", True)}


def events():
    return [event for t in range(120) for event in (*at(t * 7 % 50 + t, key=t % 11), t - 30)]


@case
def test_results_do_not_depend_on_the_parallelism_of_windows(env):
    keyed = timeline(env, *events()).key_by(first)
    sessions = EventTimeSessionWindows.with_gap(Time.milliseconds(4))
    streams = [keyed.window(w).apply(Show()).set_parallelism(p) for w in (TEN, sessions) for p in (1, 2)]
    got = [sorted(results, key=repr) for results in (yield tuple(streams))]
    assert got[0] == got[1]
    assert got[2] == got[3]
    assert sum(len(values) for _, _, values in got[0]) > 60


def windows_over_epochs(env):
    sessions = EventTimeSessionWindows.with_gap(Time.milliseconds(4))
    keyed = timeline(env, *events()).key_by(first)
    return keyed.window(TEN).apply(Show()), keyed.window(sessions).apply(Show())


@pytest.mark.long_on_spark
def test_results_do_not_depend_on_where_epochs_are_cut(run):
    found = []
    for size in (1_000_000, 37):
        env = run.environment()
        env.configure(Configuration().set_integer("datastream.epoch.max-records", size))
        found.append([sorted(results, key=repr) for results in run.collect(*windows_over_epochs(env))])
    assert found[0] == found[1]
