"""Which windows a record gets."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.time import NO_TIMESTAMP, Duration, Time
from datastream.windows import (
    CountTumblingWindowAssigner,
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindow,
    GlobalWindows,
    NeverTrigger,
    ProcessingTimeSessionWindows,
    ProcessingTimeTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TimeWindow,
    TimeWindowSerializer,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowAssigner,
)

SECOND = Time.seconds(1)


class At(WindowAssigner.WindowAssignerContext):
    """A context that only knows the clock."""

    def __init__(self, now: int) -> None:
        self.now = now

    def get_current_processing_time(self) -> int:
        return self.now

    def get_runtime_context(self):
        raise AssertionError("time windows need no state")


class GapOfRecord(SessionWindowTimeGapExtractor):
    def extract(self, element: int) -> int:
        return element


def spans(assigner: WindowAssigner, timestamp: int, now: int = 0, element: object = None) -> list[tuple[int, int]]:
    return [(w.start, w.end) for w in assigner.assign_windows(element, timestamp, At(now))]


def test_tumbling_event_time():
    assigner = TumblingEventTimeWindows.of(SECOND)
    assert [spans(assigner, t) for t in (0, 999, 1000, -1, -1000, -1001)] == [
        [(0, 1000)],
        [(0, 1000)],
        [(1000, 2000)],
        [(-1000, 0)],
        [(-1000, 0)],
        [(-2000, -1000)],
    ]


def test_days_of_another_time_zone_by_a_negative_offset():
    shanghai = TumblingEventTimeWindows.of(Time.days(1), Time.hours(-8))
    hour = 3_600_000
    assert spans(shanghai, 0) == [(-8 * hour, 16 * hour)]
    assert spans(shanghai, 16 * hour) == [(16 * hour, 40 * hour)]


def test_processing_time_windows_ask_the_clock_and_not_the_record():
    assert spans(TumblingProcessingTimeWindows.of(SECOND), timestamp=5, now=7300) == [(7000, 8000)]
    sliding = SlidingProcessingTimeWindows.of(SECOND, Time.milliseconds(500))
    assert spans(sliding, timestamp=5, now=7300) == [(7000, 8000), (6500, 7500)]
    assert spans(ProcessingTimeSessionWindows.with_gap(SECOND), timestamp=5, now=7300) == [(7300, 8300)]
    dynamic = ProcessingTimeSessionWindows.with_dynamic_gap(GapOfRecord())
    assert spans(dynamic, timestamp=5, now=7300, element=20) == [(7300, 7320)]


def test_sliding_windows_come_latest_first():
    assigner = SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(4))
    assert spans(assigner, 9) == [(8, 18), (4, 14), (0, 10)]
    assert spans(assigner, -1) == [(-4, 6), (-8, 2)]


def test_a_slide_above_the_size_leaves_gaps():
    assigner = SlidingEventTimeWindows.of(Time.milliseconds(2), Time.milliseconds(5))
    assert [len(spans(assigner, t)) for t in range(-5, 10)] == [1, 1, 0, 0, 0] * 3


@given(st.integers(-1000, 1000), st.integers(1, 60), st.integers(1, 40), st.data())
def test_sliding_windows_are_all_those_that_hold_the_timestamp(timestamp, size, slide, data):
    offset = data.draw(st.integers(1 - slide, slide - 1))
    starts = [s for s in range(timestamp - size - slide, timestamp + slide) if (s - offset) % slide == 0]
    expected = [(s, s + size) for s in reversed(starts) if s <= timestamp < s + size]
    assert spans(SlidingEventTimeWindows(size, slide, offset), timestamp) == expected


@given(st.integers(-1000, 1000), st.integers(1, 60), st.data())
def test_tumbling_windows_are_sliding_windows_whose_slide_is_the_size(timestamp, size, data):
    offset = data.draw(st.integers(1 - size, size - 1))
    tumbling = spans(TumblingEventTimeWindows(size, offset), timestamp)
    assert tumbling == spans(SlidingEventTimeWindows(size, size, offset), timestamp)


def test_sessions_reach_from_the_record_one_gap_on():
    assert spans(EventTimeSessionWindows.with_gap(SECOND), -300) == [(-300, 700)]
    assert spans(EventTimeSessionWindows.with_dynamic_gap(GapOfRecord()), 5, element=7) == [(5, 12)]
    assert spans(DynamicEventTimeSessionWindows.with_dynamic_gap(GapOfRecord()), 5, element=7) == [(5, 12)]


@pytest.mark.parametrize("dynamic", [DynamicEventTimeSessionWindows, DynamicProcessingTimeSessionWindows])
@pytest.mark.parametrize("gap", [0, -1, "soon"])
def test_a_gap_that_is_not_above_zero_is_refused(dynamic, gap):
    with pytest.raises(ValidationError, match="gap"):
        spans(dynamic(GapOfRecord()), 5, element=gap)


def test_global_windows_hold_everything():
    assert GlobalWindows.create().assign_windows("x", NO_TIMESTAMP, At(0)) == [GlobalWindow.get()]


@pytest.mark.parametrize(
    "assigner",
    [
        TumblingEventTimeWindows.of(SECOND),
        SlidingEventTimeWindows.of(SECOND, SECOND),
        EventTimeSessionWindows.with_gap(SECOND),
        DynamicEventTimeSessionWindows(GapOfRecord()),
    ],
)
@pytest.mark.parametrize("missing", [NO_TIMESTAMP, None])
def test_a_record_without_timestamp_says_what_to_do(assigner, missing):
    with pytest.raises(ValidationError, match="assign_timestamps_and_watermarks"):
        spans(assigner, missing)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: TumblingEventTimeWindows.of(Time.seconds(0)), "size above zero: got 0"),
        (lambda: TumblingProcessingTimeWindows.of(Time.seconds(-1)), "size above zero"),
        (lambda: TumblingEventTimeWindows.of(SECOND, SECOND), "offset shorter than the size"),
        (lambda: TumblingEventTimeWindows.of(SECOND, Time.seconds(-1)), "offset shorter than the size"),
        (lambda: SlidingEventTimeWindows.of(SECOND, Time.seconds(0)), "slide above zero"),
        (lambda: SlidingProcessingTimeWindows.of(Time.seconds(5), SECOND, SECOND), "offset shorter than the slide"),
        (lambda: EventTimeSessionWindows.with_gap(Time.seconds(0)), "gap above zero"),
        (lambda: EventTimeSessionWindows.with_dynamic_gap(30), "SessionWindowTimeGapExtractor: got 30"),
        (lambda: TumblingEventTimeWindows.of(5000), r"Time.seconds\(5\): got 5000"),
        (lambda: CountTumblingWindowAssigner.of(0), "window_size above zero: got 0"),
        (lambda: CountTumblingWindowAssigner.of(1.5), "whole window_size"),
    ],
)
def test_what_is_out_of_range_is_refused_when_it_is_written(make, text):
    with pytest.raises(ValidationError, match=text):
        make()


def test_a_duration_does_as_well_as_a_time():
    assert TumblingEventTimeWindows.of(Duration.of_seconds(1)) == TumblingEventTimeWindows.of(SECOND)


@pytest.mark.parametrize(
    ("assigner", "event_time", "trigger"),
    [
        (TumblingEventTimeWindows(5, 0), True, EventTimeTrigger()),
        (SlidingEventTimeWindows(5, 5, 0), True, EventTimeTrigger()),
        (EventTimeSessionWindows(5), True, EventTimeTrigger()),
        (DynamicEventTimeSessionWindows(GapOfRecord()), True, EventTimeTrigger()),
        (TumblingProcessingTimeWindows(5, 0), False, ProcessingTimeTrigger()),
        (SlidingProcessingTimeWindows(5, 5, 0), False, ProcessingTimeTrigger()),
        (ProcessingTimeSessionWindows(5), False, ProcessingTimeTrigger()),
        (DynamicProcessingTimeSessionWindows(GapOfRecord()), False, ProcessingTimeTrigger()),
        (GlobalWindows(), False, NeverTrigger()),
    ],
)
def test_defaults(assigner, event_time, trigger):
    assert assigner.is_event_time() is event_time
    assert assigner.get_default_trigger(None) == trigger
    assert type(pickle.loads(pickle.dumps(assigner))) is type(assigner)
    if trigger != NeverTrigger():
        assert isinstance(assigner.get_window_serializer(), TimeWindowSerializer)


def test_an_assigner_of_ones_own():
    class Halves(WindowAssigner[str, TimeWindow]):
        def assign_windows(self, element, timestamp, context):
            return [TimeWindow(0, 10) if timestamp < 10 else TimeWindow(10, 20)]

        def get_default_trigger(self, env):
            return EventTimeTrigger()

        def get_window_serializer(self):
            return TimeWindowSerializer()

        def is_event_time(self):
            return True

    assert spans(Halves(), 11) == [(10, 20)]
