"""Windows of processing time. Each rule of docs/contributing/semantics.md on both executors.

Time is the machine's, so tests wait for it; none goes by how long anything takes.
"""

from __future__ import annotations

import time

from datastream.io import Batch
from datastream.testing import case
from datastream.time import Time, WatermarkStrategy
from datastream.windows import (
    ContinuousProcessingTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    GlobalWindows,
    ProcessingTimeoutTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tests.support.timelines import Second, timeline
from tests.support.toy_source import ToySource
from tests.support.windows.events import Show, Stamped, at, first

ALL = GlobalWindows.create()
MILLISECOND = TumblingProcessingTimeWindows.of(Time.milliseconds(1))
AGES = Time.days(1000)


def wait(ms):
    """Wait until the machine's clock has gone on for so long."""
    end = time.time_ns() // 1_000_000 + ms
    while time.time_ns() // 1_000_000 <= end:
        time.sleep(0.001)


class Waits(Trigger):
    """Another trigger, and some ms of time go by at each record."""

    def __init__(self, trigger, ms=3):
        self.trigger, self.ms = trigger, ms

    def on_element(self, element, timestamp, window, ctx):
        result = self.trigger.on_element(element, timestamp, window, ctx)
        wait(self.ms)
        return result

    def on_processing_time(self, time, window, ctx):
        return self.trigger.on_processing_time(time, window, ctx)

    def on_event_time(self, time, window, ctx):
        return self.trigger.on_event_time(time, window, ctx)

    def on_merge(self, window, ctx):
        self.trigger.on_merge(window, ctx)

    def clear(self, window, ctx):
        self.trigger.clear(window, ctx)


def clocked(env, assigner, *events, trigger=None):
    windows = timeline(env, *events).key_by(first).window(assigner)
    return windows.trigger(trigger or Waits(ProcessingTimeTrigger())).apply(Show())


@case
def test_windows_go_by_the_clock_whatever_the_timestamp(env):
    before = time.time_ns() // 1_000_000
    got = yield clocked(env, MILLISECOND, *at(5, 10**6))
    after = time.time_ns() // 1_000_000
    assert sorted(value for _, _, values in got for value in values) == [5, 10**6]
    assert all(before <= window.start <= after for _, window, _ in got)


@case
def test_they_fire_at_their_ends_whatever_the_watermark(env):
    long = TumblingProcessingTimeWindows.of(AGES)
    fired, not_yet = yield (
        clocked(env, MILLISECOND, *at(5)).process(Stamped()),
        clocked(env, long, *at(5), 10**15),
    )
    assert not_yet == [], "watermarks pass its end, the clock does not; at the end of input it is dropped"
    ((key, window, values), stamp) = fired[0]
    assert (key, values, stamp) == ("k", (5,), window.end - 1)


@case
def test_they_have_no_lateness(env):
    keyed = timeline(env, *at(1, 2)).key_by(first)
    windows = keyed.window(MILLISECOND).trigger(Waits(ProcessingTimeTrigger())).allowed_lateness(10**9)
    got = yield windows.apply(Show())
    assert sorted(values for _, _, values in got) == [(1,), (2,)], "each in a window of its own, which fired once"


@case
def test_a_trigger_of_event_time_may_fire_windows_of_the_clock(env):
    windows = TumblingProcessingTimeWindows.of(AGES)
    got = yield clocked(env, windows, *at(1), 2, trigger=EventTimeTrigger())
    assert [values for _, _, values in got] == [(1,)], "by the watermark of the end, which reaches its last ms"


class Slow(ToySource):
    """Gives 3, and 4 half a second later, and waits for ever."""

    bounded = False

    def __init__(self):
        self.start = None

    def latest_offset(self, start, budget):
        self.start = self.start or time.monotonic()
        return 2 if time.monotonic() > self.start + 0.5 else 1

    def splits(self, start, end, parallelism):
        return list(range(start, end))

    def read(self, split):
        yield Batch([("k", 3 + split, 3 + split)])


def slowly(run, trigger):
    """Windows of event time over `Slow`; no watermark passes their ends."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    stream = run.environment().add_source(Slow()).assign_timestamps_and_watermarks(strategy)
    ten = TumblingEventTimeWindows.of(Time.milliseconds(10))
    return stream.key_by(first).window(ten).trigger(trigger).apply(Show()).execute_and_collect()


def test_a_trigger_of_the_clock_may_fire_windows_of_event_time(run):
    with slowly(run, ProcessingTimeTrigger()) as results:
        assert [next(results)[2], next(results)[2]] == [(3,), (3, 4)]


def test_a_continuous_trigger_of_the_clock_fires_a_window_that_ended_once(run):
    with slowly(run, ContinuousProcessingTimeTrigger.of(Time.milliseconds(20))) as results:
        assert [next(results)[2], next(results)[2]] == [(3,), (3, 4)], "one firing until the next record"


@case
def test_a_timeout_fires_what_the_other_trigger_leaves(env):
    trigger = PurgingTrigger.of(ProcessingTimeoutTrigger.of(CountTrigger.of(3), Time.milliseconds(1)))
    got = yield clocked(env, ALL, *at(1, 2, 3, 4), trigger=Waits(trigger))
    assert [values for _, _, values in got] == [(1, 2, 3), (4,)]


class Often(Waits):
    """Sets two timers of the clock, at each of which its timeout fires."""

    def on_element(self, element, timestamp, window, ctx):
        now = ctx.get_current_processing_time()
        ctx.register_processing_time_timer(now - 1)
        ctx.register_processing_time_timer(now - 2)
        super().on_element(element, timestamp, window, ctx)
        return TriggerResult.CONTINUE


@case
def test_every_timer_fires_a_timeout(env):
    timeout = ProcessingTimeoutTrigger.of(CountTrigger.of(9), Time.milliseconds(1), should_clear_on_timeout=False)
    trigger = Often(timeout)
    got = yield clocked(env, ALL, *at(1), trigger=trigger)
    assert [values for _, _, values in got] == [(1,)] * 3
