"""When windows fire, trigger by trigger."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import pytest

from datastream.errors import ValidationError
from datastream.time import MAX_WATERMARK, Time
from datastream.windows import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    ProcessingTimeoutTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
    TimeWindow,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tests.support.windows.reference import Clock, Record, ReferenceWindowOperator, Watermark, run

ALL = GlobalWindows.create()
TEN = TumblingEventTimeWindows(10, 0)
CLOCK_TEN = TumblingProcessingTimeWindows(10, 0)
END = Watermark(MAX_WATERMARK)


def records(*timestamps: int) -> list[Record]:
    return [Record("k", t, t) for t in timestamps]


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


@pytest.mark.parametrize(
    ("result", "fires", "purges"),
    [
        (TriggerResult.CONTINUE, False, False),
        (TriggerResult.FIRE, True, False),
        (TriggerResult.PURGE, False, True),
        (TriggerResult.FIRE_AND_PURGE, True, True),
    ],
)
def test_trigger_results(result, fires, purges):
    assert (result.is_fire(), result.is_purge()) == (fires, purges)
    assert len(TriggerResult) == 4


def test_fire_keeps_what_is_in_the_window():
    assert run(records(1, 2), ALL, Says(TriggerResult.FIRE)).values() == [(1,), (1, 2)]


def test_fire_and_purge_empties_the_window():
    assert run(records(1, 2), ALL, Says(TriggerResult.FIRE_AND_PURGE)).values() == [(1,), (2,)]


def test_purge_empties_the_window_without_a_result():
    out = run([*records(1, 2), Watermark(9)], TEN, Says(TriggerResult.PURGE, TriggerResult.FIRE))
    assert out.values() == []


def test_continue_does_nothing():
    assert run([*records(1, 2), END], TEN, Says(TriggerResult.CONTINUE)).values() == []


def test_the_timer_that_cleans_up_asks_the_trigger_too():
    out = run([*records(1, 2), Watermark(9)], TEN, Says(TriggerResult.CONTINUE, TriggerResult.FIRE))
    assert out.values() == [(1, 2)]
    assert out.cleared == [("k", TimeWindow(0, 10))]


def test_the_state_of_a_trigger_outlives_a_purge():
    operator = ReferenceWindowOperator(ALL, PurgingTrigger.of(CountTrigger.of(2)), None, 0, lambda k, w, v: [tuple(v)])
    for record in records(1, 2, 3, 4, 5):
        operator.feed(record)
    assert operator.outcome.values() == [(1, 2), (3, 4)]
    assert list(operator.trigger_state.values()) == [{"count": 1}]


def test_never():
    assert run([*records(1), Clock(10**9), END], ALL, NeverTrigger()).values() == []


def test_event_time_on_windows_of_the_clock():
    """The trigger chooses the clock that fires; the assigner the one that cleans up."""
    out = run([Clock(5), *records(1), Watermark(9), Clock(9)], CLOCK_TEN, EventTimeTrigger())
    assert out.values() == [(1,)]
    assert out.cleared == [("k", TimeWindow(0, 10))]


def test_processing_time_on_windows_of_event_time():
    out = run([Clock(1), *records(3), Clock(8), Clock(9), *records(4), Clock(10)], TEN, ProcessingTimeTrigger())
    assert out.values() == [(3,), (3, 4)]


def test_count():
    assert run(records(1, 2, 3, 4, 5), ALL, CountTrigger.of(2)).values() == [(1, 2), (1, 2, 3, 4)]


def test_a_count_goes_with_its_window():
    out = run([*records(1), Watermark(9), *records(11, 12)], TEN, CountTrigger.of(2))
    assert out.values() == [(11, 12)]


def test_continuous_event_time_fires_at_multiples_after_the_first_record_and_at_the_end():
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(4))
    stream = [*records(5)]
    for time in range(4, 12):
        stream.append(Watermark(time))
    operator = ReferenceWindowOperator(TEN, trigger, None, 0, lambda k, w, values: [operator.watermark])
    for event in stream:
        operator.feed(event)
    assert operator.outcome.values() == [8, 9]


def test_continuous_event_time_counts_from_1970_for_times_before_it_too():
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(4))
    operator = ReferenceWindowOperator(TEN, trigger, None, 0, lambda k, w, values: [operator.watermark])
    for event in [*records(-9), *(Watermark(t) for t in range(-10, 1))]:
        operator.feed(event)
    assert operator.outcome.values() == [-8, -4, -1]


def test_continuous_event_time_fires_each_multiple_that_one_watermark_passes():
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(4))
    assert run([*records(0), Watermark(9)], TEN, trigger).values() == [(0,)] * 3


def test_continuous_event_time_fires_for_late_records():
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(100))
    out = run([*records(0), Watermark(9), *records(1)], TEN, trigger, allowed_lateness=5)
    assert out.values() == [(0,), (0, 1)]


def test_continuous_processing_time_fires_at_multiples_and_at_the_end():
    trigger = ContinuousProcessingTimeTrigger.of(Time.milliseconds(4))
    operator = ReferenceWindowOperator(CLOCK_TEN, trigger, None, 0, lambda k, w, values: [operator.now])
    operator.feed(Clock(1))
    operator.feed(records(0)[0])
    for time in range(2, 30):
        operator.feed(Clock(time))
    assert operator.outcome.values() == [4, 8, 9]
    assert (operator.timers, operator.trigger_state) == ({}, {})


def test_continuous_processing_time_ends_for_a_window_behind_the_clock():
    trigger = ContinuousProcessingTimeTrigger.of(Time.milliseconds(4))
    stream = [Clock(1000), *records(3), Clock(1001), Clock(1002), *records(4), Clock(1003), Watermark(9)]
    assert run(stream, TEN, trigger).values() == [(3,), (3, 4)]


def test_purging_purges_when_the_other_trigger_fires():
    trigger = PurgingTrigger.of(CountTrigger.of(2))
    assert run(records(1, 2, 3, 4, 5), ALL, trigger).values() == [(1, 2), (3, 4)]
    assert trigger.can_merge()
    assert not PurgingTrigger.of(NeverTrigger()).can_merge()


def test_a_timeout_fires_what_the_other_trigger_leaves():
    trigger = PurgingTrigger.of(ProcessingTimeoutTrigger.of(CountTrigger.of(3), Time.milliseconds(5)))
    stream = [Clock(0), *records(1, 2), Clock(4), Clock(5), *records(3, 4, 5), Clock(100)]
    assert run(stream, ALL, trigger).values() == [(1, 2), (3, 4, 5)]


def test_a_timeout_starts_anew_after_the_other_trigger_fired():
    trigger = ProcessingTimeoutTrigger.of(CountTrigger.of(3), Time.milliseconds(5))
    stream = [Clock(0), *records(1, 2, 3), Clock(100)]
    assert run(stream, ALL, trigger).values() == [(1, 2, 3)]


def test_a_timeout_that_records_start_anew():
    trigger = ProcessingTimeoutTrigger.of(CountTrigger.of(3), Time.milliseconds(5), reset_timer_on_new_record=True)
    stream = [Clock(0), *records(1), Clock(4), *records(2), Clock(8), Clock(9)]
    operator = ReferenceWindowOperator(ALL, trigger, None, 0, lambda k, w, values: [operator.now])
    for event in stream:
        operator.feed(event)
    assert operator.outcome.values() == [9]


def test_a_timeout_may_leave_the_other_triggers_state():
    trigger = ProcessingTimeoutTrigger.of(CountTrigger.of(3), Time.milliseconds(5), should_clear_on_timeout=False)
    stream = [Clock(0), *records(1, 2), Clock(5), *records(3)]
    assert run(stream, ALL, trigger).values() == [(1, 2), (1, 2, 3)]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: CountTrigger.of(0), "CountTrigger needs a whole window_size above zero"),
        (lambda: ContinuousEventTimeTrigger.of(Time.seconds(0)), "interval above zero"),
        (lambda: ContinuousProcessingTimeTrigger.of(5), "as a Time"),
        (lambda: PurgingTrigger.of("x"), "another Trigger: got 'x'"),
        (lambda: ProcessingTimeoutTrigger.of(None, Time.seconds(1)), "another Trigger: got None"),
        (lambda: ProcessingTimeoutTrigger.of(NeverTrigger(), Time.seconds(0)), "timeout above zero"),
    ],
)
def test_what_is_wrong_is_refused_when_it_is_written(make, text):
    with pytest.raises(ValidationError, match=text):
        make()


@pytest.mark.parametrize(
    "trigger",
    [
        EventTimeTrigger.create(),
        ProcessingTimeTrigger.create(),
        ContinuousEventTimeTrigger(5),
        ContinuousProcessingTimeTrigger(5),
        PurgingTrigger(CountTrigger(5)),
        ProcessingTimeoutTrigger(CountTrigger(5), 5),
    ],
)
def test_triggers_can_be_pickled(trigger):
    assert pickle.loads(pickle.dumps(trigger)) == trigger
