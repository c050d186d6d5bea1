"""Window hosts against the reference: random events, epochs cut anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.windows import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountEvictor,
    CountSlidingWindowAssigner,
    CountTrigger,
    CountTumblingWindowAssigner,
    DynamicEventTimeSessionWindows,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    ProcessingTimeoutTrigger,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from datastream.windows.operation import WindowOperation
from tests.support.windows.hosting import CUT, END, Whole, WholeWithoutMerge, assert_like_the_reference, concatenate
from tests.support.windows.reference import Clock, Record, Watermark


class GapOfRecord(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 1 + element[0] % 9


def numbered(events):
    """Every record has a number of its own, so that a result shows which ones were in a window."""
    return [Record(e.key, (i,), e.timestamp) if isinstance(e, Record) else e for i, e in enumerate(events)]


def flowing(steps):
    """Events whose time goes on, with records that are more or less behind it."""
    time, stream = 0, []
    for kind, key, step, behind in steps:
        time += step
        made = {
            "record": Record(key, None, time - behind),
            "watermark": Watermark(time - behind),
            "clock": Clock(time),
            CUT: CUT,
        }
        stream.append(made[kind])
    return stream


KEYS = st.sampled_from("ab")
KINDS = st.sampled_from(["record", "record", "record", "watermark", "clock", CUT])
STEPS = st.sampled_from([0, 0, 1, 1, 2, 4, 7])
BEHIND = st.sampled_from([0, 0, 0, 1, 4, 9, 20])
anyhow = st.lists(
    st.one_of(
        st.builds(lambda key, t: Record(key, None, t), KEYS, st.integers(-40, 60)),
        st.builds(Watermark, st.integers(-40, 60)),
        st.builds(Clock, st.integers(0, 80)),
        st.just(CUT),
    ),
    max_size=40,
)
#: As long as that, as lists of hypothesis are short unless told otherwise.
in_time = st.lists(st.tuples(KINDS, KEYS, STEPS, BEHIND), min_size=25, max_size=60).map(flowing)
events = st.one_of(anyhow, in_time, in_time).map(
    lambda found: [Clock(-50), *numbered(found), CUT, Clock(500), END],
)

incremental = st.sampled_from([None, concatenate, Whole(), WholeWithoutMerge()])
joining = st.sampled_from([None, concatenate, Whole()])
lateness = st.sampled_from([0, 0, 1, 7, 30])
small = st.integers(1, 15)
either = st.booleans()


@given(events, small, incremental, lateness, either, either)
def test_tumbling(stream, size, function, late, event_time, general):
    kind = TumblingEventTimeWindows if event_time else TumblingProcessingTimeWindows
    operation = WindowOperation(kind(size, size // 3), allowed_lateness=late, incremental=function)
    assert_like_the_reference(operation, stream, general)


@given(events, small, small, incremental, lateness, either, either)
def test_sliding(stream, size, slide, function, late, event_time, general):
    kind = SlidingEventTimeWindows if event_time else SlidingProcessingTimeWindows
    operation = WindowOperation(kind(size, slide, -(slide // 2)), allowed_lateness=late, incremental=function)
    assert_like_the_reference(operation, stream, general)


@given(events, small, joining, lateness, either, either)
def test_sessions(stream, gap, function, late, event_time, general):
    kind = EventTimeSessionWindows if event_time else ProcessingTimeSessionWindows
    operation = WindowOperation(kind(gap), allowed_lateness=late, incremental=function)
    assert_like_the_reference(operation, stream, general)


@given(events, joining, lateness)
def test_sessions_of_dynamic_gaps(stream, function, late):
    assigner = DynamicEventTimeSessionWindows(GapOfRecord())
    assert_like_the_reference(WindowOperation(assigner, allowed_lateness=late, incremental=function), stream)


@given(events, st.integers(1, 5), st.integers(1, 5), incremental, either)
def test_counts(stream, size, slide, function, general):
    for assigner in CountTumblingWindowAssigner(size), CountSlidingWindowAssigner(size, slide):
        assert_like_the_reference(WindowOperation(assigner, incremental=function), stream, general)


ASSIGNERS = [
    TumblingEventTimeWindows(10, 0),
    TumblingProcessingTimeWindows(10, 0),
    SlidingEventTimeWindows(12, 5, 0),
    GlobalWindows(),
    EventTimeSessionWindows(7),
    ProcessingTimeSessionWindows(7),
]
TRIGGERS = [
    EventTimeTrigger(),
    PurgingTrigger(EventTimeTrigger()),
    CountTrigger(3),
    PurgingTrigger(CountTrigger(2)),
    ContinuousEventTimeTrigger(4),
    ContinuousProcessingTimeTrigger(4),
    ProcessingTimeoutTrigger(CountTrigger(3), 6),
    ProcessingTimeoutTrigger(EventTimeTrigger(), 6, True, False),
]
EVICTORS = [None, CountEvictor(2), CountEvictor(2, True), TimeEvictor(6)]


@given(events, st.sampled_from(ASSIGNERS), st.sampled_from(TRIGGERS), st.sampled_from(EVICTORS), joining, lateness)
def test_triggers_and_evictors(stream, assigner, trigger, evictor, function, late):
    if not trigger.can_merge() and isinstance(assigner, EventTimeSessionWindows | ProcessingTimeSessionWindows):
        return
    if isinstance(assigner, GlobalWindows):  # a continuous trigger goes on to the end of time there
        stream = stream[:-1]
    operation = WindowOperation(assigner, trigger, evictor, late, incremental=function)
    assert_like_the_reference(operation, stream)


@pytest.mark.parametrize("size, slide", [(10, 5), (10, 3), (6, 4), (60, 1)])
@given(in_time, joining, lateness)
def test_sliding_windows_that_share_panes(size, slide, stream, function, late):
    operation = WindowOperation(SlidingEventTimeWindows(size, slide, 0), allowed_lateness=late, incremental=function)
    assert_like_the_reference(operation, [*numbered(stream), END])
