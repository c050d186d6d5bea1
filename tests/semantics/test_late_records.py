"""Late records, and when windows go. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

import tempfile
from pathlib import Path

from datastream import KeyedProcessFunction
from datastream.functions import ProcessJoinFunction, ProcessWindowFunction
from datastream.state import ValueStateDescriptor
from datastream.testing import case
from datastream.time import MAX_WATERMARK, Time
from datastream.types import Types
from datastream.windows import (
    CountTrigger,
    EventTimeTrigger,
    GlobalWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from tests.support.timelines import timeline
from tests.support.windows.events import Stamped, at, first, windowed

TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


def sliding(size, slide):
    return SlidingEventTimeWindows.of(Time.milliseconds(size), Time.milliseconds(slide))


@case
def test_a_window_takes_records_until_its_lateness_is_over(env):
    seen = yield from windowed(env, TEN, *at(3), 13, *at(4), 14, *at(5), lateness=5)
    assert seen.values() == [(3,), (3, 4)]
    assert seen.late == at(5)


@case
def test_a_record_behind_the_watermark_is_not_late_while_its_window_is_open(env):
    seen = yield from windowed(env, TEN, 8, *at(1), 9)
    assert (seen.values(), seen.late) == ([(1,)], [])


@case
def test_only_the_sliding_windows_that_are_late_leave_a_record_out(env):
    seen = yield from windowed(env, sliding(10, 5), 9, *at(7), 14)
    assert (seen.spans(), seen.late) == ([(5, 15, (7,))], [])


@case
def test_a_late_record_goes_to_the_side_output_with_its_own_timestamp(env):
    seen = yield from windowed(env, TEN, *at(3), 9, *at(4, 12))
    assert seen.values() == [(3,), (12,)]
    assert (seen.late, seen.late_times) == (at(4), [4])


@case
def test_without_a_side_output_late_records_are_dropped(env):
    got = yield timeline(env, *at(3), 9, *at(4, 12)).key_by(first).window(TEN).reduce(lambda one, other: other)
    assert got == at(3, 12)


class Nothing(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        return None


def test_dropped_records_are_counted(run):
    env = run.environment()
    keyed = timeline(env, *at(3), 9, *at(4, 5, 12)).key_by(first)
    keyed.window(TEN).reduce(lambda one, other: other).uid("windows").print()
    now = Time.milliseconds(0)
    keyed.interval_join(keyed).between(now, now).process(Nothing()).uid("join").print()
    result = env.execute("late")
    assert result.get_accumulator_result("windows.numLateRecordsDropped") == 2
    assert result.get_accumulator_result("join.numLateRecordsDropped") >= 2, "of one side at least"


@case
def test_a_record_of_no_window_is_late_only_behind_the_watermark(env):
    seen = yield from windowed(env, sliding(2, 5), *at(3), 3, *at(3))
    assert (seen.values(), seen.late) == ([], at(3))


@case
def test_a_record_is_late_only_when_its_lateness_is_over_too(env):
    seen = yield from windowed(env, sliding(2, 5), 4, *at(3), 8, *at(3), lateness=5)
    assert (seen.values(), seen.late) == ([], at(3))


@case
def test_the_default_lateness_is_zero(env):
    got = yield timeline(env, *at(3), 8, *at(4), 9, *at(5)).key_by(first).window(TEN).process(Times())
    assert got == [[3, 4]]


class Times(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield [value[1] for value in elements]


@case
def test_each_late_record_that_is_allowed_fires_its_window_again_with_all_records(env):
    seen = yield from windowed(env, TEN, *at(3), 9, *at(4), 13, *at(5), 14, *at(6), lateness=5)
    assert seen.values() == [(3,), (3, 4), (3, 4, 5)]
    assert seen.times == [9, 9, 9]
    assert seen.late == at(6)


@case
def test_with_a_purging_trigger_late_firings_hold_only_what_is_new(env):
    trigger = PurgingTrigger.of(EventTimeTrigger())
    seen = yield from windowed(env, TEN, *at(3), 9, *at(4, 5), trigger=trigger, lateness=5)
    assert seen.values() == [(3,), (4,), (5,)]


@case
def test_a_window_that_goes_does_not_fire_once_more(env):
    seen = yield from windowed(env, TEN, *at(3), 9, 14, lateness=5)
    assert seen.values() == [(3,)]


class Clearing(ProcessWindowFunction):
    """Counts its firings in the window's state; writes down what was there when the window went."""

    def __init__(self, path):
        self.path = path

    def _count(self, context):
        return context.window_state().get_state(ValueStateDescriptor("count", Types.INT()))

    def process(self, key, context, elements):
        count = self._count(context)
        count.update((count.value() or 0) + 1)
        yield count.value()

    def clear(self, context):
        with open(self.path, "a") as file:
            file.write(f"{context.window().start} {self._count(context).value()}\n")
        self._count(context).clear()


@case
def test_clear_is_called_when_a_window_goes(env):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        stream = timeline(env, *at(3), 9, *at(4), 14, *at(15), 100).key_by(first).window(TEN).allowed_lateness(5)
        got = yield stream.process(Clearing(str(log)))
        assert log.read_text().splitlines() == ["0 2", "10 1"]
    assert got == [1, 2, 1]


@case
def test_the_state_and_timers_of_a_trigger_go_with_the_window(env):
    # The count of the first window does not go on in one with the same bounds, of records that come too late for it.
    seen = yield from windowed(env, TEN, *at(1), 14, *at(11), 20, *at(12, 13), trigger=CountTrigger.of(2))
    assert seen.values() == []
    assert seen.late == at(12, 13)


@case
def test_global_windows_never_go(env):
    seen = yield from windowed(env, GlobalWindows.create(), *at(1), 10**12, *at(2), trigger=CountTrigger.of(2))
    assert (seen.values(), seen.late) == ([(1, 2)], [])


@case
def test_windows_whose_lateness_reaches_past_the_end_of_time_never_go(env):
    far = MAX_WATERMARK - 20
    seen = yield from windowed(env, TEN, *at(far), MAX_WATERMARK - 1, *at(far), lateness=10**6)
    assert (seen.values(), seen.late) == ([(far,), (far, far)], [])


class SeeLate(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value[1], ctx.timer_service().current_watermark()


@case
def test_functions_other_than_windows_see_late_records(env):
    got = yield timeline(env, 50, *at(3, 60)).key_by(first).process(SeeLate()).process(Stamped())
    assert got == [((3, 50), 3), ((60, 50), 60)]
