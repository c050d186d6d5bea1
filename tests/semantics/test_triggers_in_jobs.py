"""Triggers and evictors of windows. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

from datastream.testing import case
from datastream.time import Time
from datastream.windows import (
    ContinuousEventTimeTrigger,
    CountEvictor,
    CountTrigger,
    EventTimeTrigger,
    Evictor,
    GlobalWindows,
    PurgingTrigger,
    TumblingEventTimeWindows,
)
from tests.support.timelines import timeline
from tests.support.windows.events import Told, Total, at, first, windowed

ALL = GlobalWindows.create()
TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


def add(one, other):
    return one[0], other[1], one[2] + other[2]


@case
def test_event_time_may_fire_a_global_window(env):
    seen = yield from windowed(env, ALL, *at(1, 2), 10**9, trigger=EventTimeTrigger())
    assert seen.values() == [(1, 2)], "at the end of input"


@case
def test_a_continuous_trigger_fires_at_multiples_after_the_first_record_and_at_the_end(env):
    windows = timeline(env, *at(5), *range(4, 12)).key_by(first).window(TEN)
    got = yield windows.trigger(ContinuousEventTimeTrigger.of(Time.milliseconds(4))).process(Told())
    assert [watermark for watermark, _ in got] == [8, 9]


@case
def test_a_continuous_trigger_before_1970_rounds_down(env):
    windows = timeline(env, *at(-9), *range(-10, 2)).key_by(first).window(TEN)
    got = yield windows.trigger(ContinuousEventTimeTrigger.of(Time.milliseconds(4))).process(Told())
    assert [watermark for watermark, _ in got] == [-8, -4, -1]


@case
def test_a_continuous_trigger_fires_once_for_each_multiple_that_a_watermark_passes(env):
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(4))
    seen = yield from windowed(env, TEN, *at(0), 9, trigger=trigger)
    assert seen.values() == [(0,)] * 3


@case
def test_a_continuous_trigger_fires_for_late_records(env):
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(100))
    seen = yield from windowed(env, TEN, *at(0), 9, *at(1), trigger=trigger, lateness=5)
    assert seen.values() == [(0,), (0, 1)]


@case
def test_a_count_trigger_counts_anew_and_fires_with_all_records(env):
    seen = yield from windowed(env, ALL, *at(1, 2, 3, 4, 5), trigger=CountTrigger.of(2))
    assert seen.values() == [(1, 2), (1, 2, 3, 4)]


@case
def test_a_count_goes_with_its_window(env):
    seen = yield from windowed(env, TEN, *at(1), 9, *at(11, 12), 30, trigger=CountTrigger.of(2))
    assert seen.values() == [(11, 12)]


@case
def test_a_purging_trigger_purges_when_the_other_one_fires(env):
    seen = yield from windowed(env, ALL, *at(1, 2, 3, 4, 5), trigger=PurgingTrigger.of(CountTrigger.of(2)))
    assert seen.values() == [(1, 2), (3, 4)]


@case
def test_an_evictor_before_the_function_hides_records_for_good(env):
    trigger, evictor = CountTrigger.of(2), CountEvictor.of(3)
    seen = yield from windowed(env, ALL, *at(1, 2, 3, 4, 5, 6), trigger=trigger, evictor=evictor)
    assert seen.values() == [(1, 2), (2, 3, 4), (4, 5, 6)]


@case
def test_an_evictor_after_the_function_lets_it_see_records_once(env):
    trigger, evictor = CountTrigger.of(2), CountEvictor.of(1, True)
    seen = yield from windowed(env, ALL, *at(1, 2, 3, 4, 5, 6), trigger=trigger, evictor=evictor)
    assert seen.values() == [(1, 2), (2, 3, 4), (4, 5, 6)]


@case
def test_with_an_evictor_a_window_keeps_its_records_beside_an_incremental_function(env):
    windows = timeline(env, *at(1, 2, 3, 4)).key_by(first).window(ALL)
    windows = windows.trigger(CountTrigger.of(2)).evictor(CountEvictor.of(3))
    aggregated, reduced = yield windows.aggregate(Total()), windows.reduce(add)
    assert aggregated == [3, 9], "the last three of all records, whatever was added before"
    assert [value for _, _, value in reduced] == [3, 9]


class EvictAll(Evictor):
    def evict_before(self, elements, size, window, evictor_context):
        elements.clear()

    def evict_after(self, elements, size, window, evictor_context):
        pass


@case
def test_a_window_that_an_evictor_emptied_calls_its_function(env):
    seen = yield from windowed(env, TEN, *at(1, 2), 9, evictor=EvictAll())
    assert seen.values() == [()]
