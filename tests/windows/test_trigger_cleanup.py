"""What triggers do to timers and state when windows go away or become one."""

from __future__ import annotations

import pytest

from datastream.windows import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    ProcessingTimeoutTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
    TimeWindow,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tests.support.windows.reference import ReferenceWindowOperator
from tests.support.windows.reference_contexts import Context

TEN = TumblingEventTimeWindows(10, 0)
CLOCK_TEN = TumblingProcessingTimeWindows(10, 0)


@pytest.mark.parametrize(
    ("assigner", "trigger"),
    [
        (TEN, EventTimeTrigger()),
        (TEN, ContinuousEventTimeTrigger(4)),
        (TEN, ContinuousProcessingTimeTrigger(4)),
        (TEN, ProcessingTimeTrigger()),
        (TEN, CountTrigger(5)),
        (TEN, PurgingTrigger(CountTrigger(5))),
        (TEN, ProcessingTimeoutTrigger(CountTrigger(5), 4)),
        (CLOCK_TEN, EventTimeTrigger()),
        (CLOCK_TEN, ProcessingTimeTrigger()),
    ],
)
@pytest.mark.parametrize("until", ["element", "firing"])
def test_clear_takes_back_the_timers_and_the_state_of_a_window(assigner, trigger, until):
    operator = ReferenceWindowOperator(assigner, trigger, None, 0, lambda k, w, values: values)
    window = TimeWindow(0, 10)
    context = Context(operator, "k", window)
    trigger.on_element(1, 1, window, context)
    if until == "firing" and operator.timers:
        domain, time, _, _ = min(operator.timers)
        del operator.timers[domain, time, "k", window]
        (trigger.on_event_time if domain == "event" else trigger.on_processing_time)(time, window, context)
    trigger.clear(window, context)
    # Flink's continuous trigger leaves the timer of the window's end; it finds nothing when it fires.
    left = {("event", 9, "k", window): None} if trigger == ContinuousEventTimeTrigger(4) else {}
    assert (operator.timers, operator.trigger_state) == (left, {})


@pytest.mark.parametrize(
    ("trigger", "timers"),
    [
        (EventTimeTrigger(), [("event", 29)]),
        (ProcessingTimeTrigger(), [("clock", 29)]),
        (ContinuousEventTimeTrigger(4), [("event", 4)]),
        (ContinuousProcessingTimeTrigger(4), [("clock", 4)]),
        (PurgingTrigger(EventTimeTrigger()), [("event", 29)]),
        (CountTrigger(9), []),
    ],
)
def test_a_merge_sets_the_timers_of_the_new_window(trigger, timers):
    operator = ReferenceWindowOperator(TEN, trigger, None, 0, lambda k, w, values: values)
    operator.now = 0
    old, new = [TimeWindow(0, 10), TimeWindow(20, 30)], TimeWindow(0, 30)
    for window in old:
        trigger.on_element(1, window.start, window, Context(operator, "k", window))
    trigger.on_merge(new, Context(operator, "k", new, old))
    assert [(domain, time) for domain, time, _, window in operator.timers if window == new] == timers


def test_a_merge_behind_the_watermark_sets_no_timer():
    operator = ReferenceWindowOperator(TEN, None, None, 0, lambda k, w, values: values)
    operator.watermark = operator.now = 9
    for trigger in (EventTimeTrigger(), ProcessingTimeTrigger()):
        trigger.on_merge(TimeWindow(0, 10), Context(operator, "k", TimeWindow(0, 10)))
    assert operator.timers == {}
