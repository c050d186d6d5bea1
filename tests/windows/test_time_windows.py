"""Time windows as a whole: what fires when, what is late, what goes away. See docs/contributing/semantics.md."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.time import MAX_WATERMARK
from datastream.windows import (
    EventTimeTrigger,
    GlobalWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    TimeWindow,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tests.support.windows.reference import Clock, Record, ReferenceWindowOperator, Watermark, run

TEN = TumblingEventTimeWindows(10, 0)


def records(*timestamps: int, key: str = "k") -> list[Record]:
    return [Record(key, t, t) for t in timestamps]


def test_a_window_fires_when_the_watermark_reaches_its_last_ms():
    assert run([*records(3, 9), Watermark(8)], TEN).values() == []
    assert run([*records(3, 9), Watermark(9)], TEN).values() == [(3, 9)]


def test_a_result_has_the_timestamp_of_the_windows_end_less_one():
    (result,) = run([*records(-7), Watermark(0)], TEN).results
    assert (result.window, result.timestamp) == (TimeWindow(-10, 0), -1)


def test_windows_fire_in_order_of_their_ends_whatever_came_first():
    assert run([*records(25, 11, 3), Watermark(MAX_WATERMARK)], TEN).values() == [(3,), (11,), (25,)]


def test_a_window_holds_records_in_the_order_they_came():
    assert run([*records(7, 2, 5), Watermark(9)], TEN).values() == [(7, 2, 5)]


def test_keys_have_windows_of_their_own():
    out = run([*records(1, key="a"), *records(2, key="b"), Watermark(9)], TEN)
    assert {(r.key, r.value) for r in out.results} == {("a", (1,)), ("b", (2,))}


def test_a_late_record_is_left_out_and_reported():
    out = run([*records(3), Watermark(9), *records(4, 12)], TEN)
    assert out.values() == [(3,)]
    assert [late.value for late in out.late] == [4]


def test_a_record_behind_the_watermark_is_not_late_while_its_window_is_open():
    out = run([Watermark(8), *records(1), Watermark(9)], TEN)
    assert out.values() == [(1,)]
    assert not out.late


def test_a_window_fires_again_for_each_late_record_that_is_allowed():
    out = run(
        [*records(3), Watermark(9), *records(4), Watermark(13), *records(5), Watermark(14), *records(6)],
        TEN,
        allowed_lateness=5,
    )
    assert out.values() == [(3,), (3, 4), (3, 4, 5)]
    assert [late.value for late in out.late] == [6]


def test_with_lateness_a_window_goes_when_the_watermark_reaches_its_last_ms_and_the_lateness():
    assert run([*records(3), Watermark(13)], TEN, allowed_lateness=5).cleared == []
    assert run([*records(3), Watermark(14)], TEN, allowed_lateness=5).cleared == [("k", TimeWindow(0, 10))]


def test_a_purging_trigger_makes_late_firings_hold_only_what_is_new():
    out = run(
        [*records(3), Watermark(9), *records(4), *records(5)],
        TEN,
        PurgingTrigger.of(EventTimeTrigger()),
        allowed_lateness=5,
    )
    assert out.values() == [(3,), (4,), (5,)]


def test_a_window_without_new_records_does_not_fire_again_when_it_goes():
    assert run([*records(3), Watermark(9), Watermark(14)], TEN, allowed_lateness=5).values() == [(3,)]


def test_of_the_windows_of_a_record_only_the_late_ones_leave_it_out():
    sliding = SlidingEventTimeWindows(10, 5, 0)
    out = run([Watermark(9), *records(7), Watermark(14)], sliding)
    assert [r.window for r in out.results] == [TimeWindow(5, 15)]
    assert not out.late


def test_a_record_of_no_window_is_late_only_behind_the_watermark():
    gaps = SlidingEventTimeWindows(2, 5, 0)
    out = run([*records(3), Watermark(3), *records(3)], gaps)
    assert out.values() == []
    assert len(out.late) == 1


def test_a_watermark_that_goes_back_is_ignored():
    out = run([Watermark(9), Watermark(-5), *records(3), Watermark(9)], TEN)
    assert len(out.late) == 1


def test_a_window_whose_lateness_reaches_past_the_end_of_time_never_goes():
    ends = run([*records(MAX_WATERMARK - 20), Watermark(MAX_WATERMARK)], TEN, allowed_lateness=10**6)
    assert len(ends.results) == 1
    assert ends.cleared == []


def test_processing_time_windows_go_by_the_clock_alone():
    assigner = TumblingProcessingTimeWindows(10, 0)
    out = run([Clock(3), *records(10**6), Watermark(MAX_WATERMARK), *records(-5), Clock(8), Clock(9)], assigner)
    assert out.values() == [(10**6, -5)]
    assert [r.timestamp for r in out.results] == [9]
    assert out.cleared == [("k", TimeWindow(0, 10))]
    assert not out.late


def test_processing_time_windows_have_no_lateness():
    out = run([Clock(3), *records(1), Clock(9), Clock(50)], TumblingProcessingTimeWindows(10, 0), allowed_lateness=30)
    assert out.values() == [(1,)]


def test_the_end_of_bounded_input_fires_a_global_window_that_goes_by_event_time():
    out = run([*records(1, 2), Watermark(10**9), Watermark(MAX_WATERMARK)], GlobalWindows.create(), EventTimeTrigger())
    assert out.values() == [(1, 2)]


@pytest.mark.parametrize("lateness", [0, 4])
def test_nothing_is_left_when_all_windows_are_gone(lateness):
    operator = ReferenceWindowOperator(TEN, None, None, lateness, lambda key, window, values: values)
    for event in [*records(1, 15, 7), Watermark(10**6)]:
        operator.feed(event)
    assert (operator.contents, operator.trigger_state, operator.timers) == ({}, {}, {})


events = st.lists(
    st.one_of(
        st.builds(lambda key, t: Record(key, t, t), st.sampled_from("ab"), st.integers(-40, 40)),
        st.builds(Watermark, st.integers(-40, 50)),
    ),
    max_size=40,
)


@given(events, st.integers(1, 15), st.integers(1, 15), st.integers(0, 12))
def test_a_window_ends_with_all_its_records_that_came_before_it_went(stream, size, slide, lateness):
    """By definition: record by record, against the watermark at the time it came."""
    expected, late, watermark = defaultdict(list), [], -(10**9)
    for event in stream:
        if isinstance(event, Watermark):
            watermark = max(watermark, event.time)
            continue
        taken = False
        for start in range(-100, 100):
            holds = start % slide == 0 and start <= event.timestamp < start + size
            if holds and start + size - 1 + lateness > watermark:
                expected[event.key, TimeWindow(start, start + size)].append(event.value)
                taken = True
        if not taken and event.timestamp + lateness <= watermark:
            late.append(event)
    out = run([*stream, Watermark(MAX_WATERMARK)], SlidingEventTimeWindows(size, slide, 0), allowed_lateness=lateness)
    last = {(r.key, r.window): list(r.value) for r in out.results}
    assert last == expected
    assert out.late == late
    assert len(out.cleared) == len(expected)


@given(events)
def test_without_lateness_each_window_fires_once(stream):
    out = run([*stream, Watermark(MAX_WATERMARK)], TEN)
    fired = [(r.key, r.window) for r in out.results]
    assert len(fired) == len(set(fired))
    taken = sum(len(value) for value in out.values())
    assert taken + len(out.late) == sum(isinstance(e, Record) for e in stream)
