"""When windows fire and what they give. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.functions import ProcessWindowFunction
from datastream.testing import case
from datastream.time import Time
from datastream.windows import (
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    SlidingEventTimeWindows,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
)
from tests.support.timelines import timeline
from tests.support.windows.events import Show, Stamped, Told, Total, at, first, windowed

ALL = GlobalWindows.create()
TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


@case
def test_a_window_fires_when_the_watermark_reaches_its_last_ms(env):
    got = yield timeline(env, *at(3), 8, *at(9), 9, *at(15), 18, 25).key_by(first).window(TEN).process(Told())
    assert got == [(9, [3, 9]), (25, [15])]


@case
def test_windows_fire_in_order_of_their_ends(env):
    seen = yield from windowed(env, TEN, *at(25, 11, 3), 100)
    assert seen.values() == [(3,), (11,), (25,)]


@case
def test_a_result_has_the_timestamp_of_the_windows_end_less_one(env):
    seen = yield from windowed(env, TEN, *at(-7, 3), 100)
    assert seen.times == [-1, 9]


@case
def test_windows_of_the_same_size_behind_a_window_hold_its_results(env):
    seen = timeline(env, *at(1, 2, 11), 100).key_by(first).window(TEN).aggregate(Total(), Named())
    got = yield seen.key_by(first).window(TEN).apply(Show())
    assert [(window.start, values) for _, window, values in got] == [(0, (3,)), (10, (11,))]


@case
def test_a_function_sees_records_in_the_order_they_came(env):
    seen = yield from windowed(env, TEN, *at(7, 2, 5), 9)
    assert seen.values() == [(7, 2, 5)]


class Named(ProcessWindowFunction):
    def process(self, key, context, elements):
        (value,) = elements
        yield key, context.window().max_timestamp(), value


def add(one, other):
    return one[0], other[1], one[2] + other[2]


ASSIGNERS = {
    "tumbling": TEN,
    "sliding": SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(10)),
    "sessions": EventTimeSessionWindows.with_gap(Time.milliseconds(8)),
}


@case
def test_a_window_function_behind_a_reduce_or_aggregate_sees_one_value(env):
    streams = []
    for assigner in ASSIGNERS.values():
        windows = timeline(env, *at(1, 2, 15), 100).key_by(first).window(assigner)
        streams += [windows.aggregate(Total(), Named()).map(lambda r: r[2]), windows.reduce(add, Show())]
    got = yield tuple(streams)
    for aggregated, reduced in zip(got[::2], got[1::2], strict=True):
        assert aggregated == [3, 15]
        assert [values for _, _, values in reduced] == [(3,), (15,)]


@dataclass(frozen=True)
class Says(Trigger[Any, Any]):
    """Gives one answer to every record, and another to every timer."""

    to_record: TriggerResult
    to_timer: TriggerResult = TriggerResult.CONTINUE

    def on_element(self, element, timestamp, window, ctx):
        return self.to_record

    def on_processing_time(self, time, window, ctx):
        return self.to_timer

    def on_event_time(self, time, window, ctx):
        return self.to_timer

    def on_merge(self, window, ctx):
        pass

    def clear(self, window, ctx):
        pass


@case
def test_continue_does_nothing(env):
    seen = yield from windowed(env, TEN, *at(1, 2), 100, trigger=Says(TriggerResult.CONTINUE))
    assert seen.results == []


@case
def test_fire_keeps_the_records(env):
    seen = yield from windowed(env, ALL, *at(1, 2), trigger=Says(TriggerResult.FIRE))
    assert seen.values() == [(1,), (1, 2)]


@case
def test_purge_drops_the_records_without_a_result(env):
    trigger = Says(TriggerResult.PURGE, TriggerResult.FIRE)
    seen = yield from windowed(env, TEN, *at(1, 2), 9, trigger=trigger)
    assert seen.results == []


@case
def test_fire_and_purge_gives_the_result_and_drops_the_records(env):
    seen = yield from windowed(env, ALL, *at(1, 2), trigger=Says(TriggerResult.FIRE_AND_PURGE))
    assert seen.values() == [(1,), (2,)]


@dataclass(frozen=True)
class PurgeThenFire(Says):
    """Purges at the first record's timer, and fires at the second's."""

    def on_element(self, element, timestamp, window, ctx):
        ctx.register_event_time_timer(timestamp + 2)
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.PURGE if time == 3 else TriggerResult.FIRE


@case
def test_a_purge_leaves_the_windows_timers(env):
    seen = yield from windowed(env, TEN, *at(1, 4), 3, *at(5), 6, trigger=PurgeThenFire(TriggerResult.CONTINUE))
    assert seen.values() == [(5,)] * 3, "at 6, 7 and at the end of the window"


@case
def test_a_purge_leaves_the_triggers_state(env):
    events = [event for t in range(1, 6) for event in (*at(t), t)]
    seen = yield from windowed(env, ALL, *events, trigger=PurgeAtTwo(2))
    assert seen.values() == [(3, 4)], "counted from the first record, though the first two are gone"


class PurgeAtTwo(CountTrigger):
    """Counts to four, and purges at the timer of the second."""

    def __init__(self, _):
        super().__init__(4)

    def on_element(self, element, timestamp, window, ctx):
        if timestamp == 1:
            ctx.register_event_time_timer(2)
        return super().on_element(element, timestamp, window, ctx)

    def on_event_time(self, time, window, ctx):
        return TriggerResult.PURGE


@case
def test_the_timer_that_cleans_up_asks_the_trigger_too(env):
    trigger = Says(TriggerResult.CONTINUE, TriggerResult.FIRE)
    seen = yield from windowed(env, TEN, *at(1, 2), 9, *at(3), trigger=trigger)
    assert seen.values() == [(1, 2)]
    assert len(seen.late) == 1


@case
def test_results_keep_the_windows_timestamp_at_early_firings(env):
    windows = timeline(env, *at(1), 4, 9).key_by(first).window(TEN)
    got = yield windows.trigger(CountTrigger.of(1)).apply(Show()).process(Stamped())
    assert [time for _, time in got] == [9]
