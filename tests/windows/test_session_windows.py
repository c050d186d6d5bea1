"""Sessions: what becomes one, in which order, and what is late."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.time import MAX_WATERMARK, Time
from datastream.windows import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    EventTimeTrigger,
    NeverTrigger,
    ProcessingTimeoutTrigger,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    TimeWindow,
)
from tests.support.windows.reference import Clock, Record, ReferenceWindowOperator, Watermark, run

GAP = EventTimeSessionWindows(10)
END = Watermark(MAX_WATERMARK)


class GapOfRecord(SessionWindowTimeGapExtractor):
    def extract(self, element: tuple[str, int]) -> int:
        return element[1]


def records(*timestamps: int, key: str = "k") -> list[Record]:
    return [Record(key, t, t) for t in timestamps]


def sessions(outcome) -> list[tuple[int, int, tuple]]:
    return [(r.window.start, r.window.end, r.value) for r in outcome.results]


def test_records_less_than_a_gap_apart_are_one_session():
    assert sessions(run([*records(1, 9, 30), END], GAP)) == [(1, 19, (1, 9)), (30, 40, (30,))]


def test_records_exactly_a_gap_apart_are_one_session():
    assert sessions(run([*records(0, 10), END], GAP)) == [(0, 20, (0, 10))]
    assert sessions(run([*records(0, 11), END], GAP)) == [(0, 10, (0,)), (11, 21, (11,))]


def test_a_record_between_two_sessions_makes_them_one():
    assert sessions(run([*records(20, 0, 10), END], GAP)) == [(0, 30, (0, 20, 10))]


def test_records_of_joined_sessions_are_in_order_of_the_sessions_starts_and_the_joining_one_is_last():
    assert sessions(run([*records(22, 20, 2, 0, 11), END], GAP)) == [(0, 32, (2, 0, 22, 20, 11))]


def test_a_session_that_grew_fires_once_at_its_new_end():
    out = run([*records(0), Watermark(8), *records(7), Watermark(9), Watermark(16)], GAP)
    assert sessions(out) == [(0, 17, (0, 7))]
    assert out.cleared == [("k", TimeWindow(0, 17))]


def test_a_record_behind_the_watermark_is_not_late_when_it_joins_an_open_session():
    out = run([*records(12), Watermark(15), *records(3), END], GAP)
    assert sessions(out) == [(3, 22, (12, 3))]
    assert not out.late


def test_a_late_record_that_joins_nothing_is_late():
    out = run([*records(30), Watermark(15), *records(3), END], GAP)
    assert [late.value for late in out.late] == [3]
    assert sessions(out) == [(30, 40, (30,))]


def test_a_record_joins_a_session_that_fired_but_is_not_gone():
    out = run([*records(0), Watermark(9), *records(5), Watermark(20)], GAP, allowed_lateness=5)
    assert sessions(out) == [(0, 10, (0,)), (0, 15, (0, 5))]


def test_a_late_record_inside_a_fired_session_fires_it_again():
    out = run([*records(0, 8), Watermark(17), *records(8)], GAP, allowed_lateness=5)
    assert sessions(out) == [(0, 18, (0, 8)), (0, 18, (0, 8, 8))]


def test_a_gap_that_the_record_tells():
    gaps = EventTimeSessionWindows.with_dynamic_gap(GapOfRecord())
    stream = [Record("k", ("a", 100), 0), Record("k", ("b", 1), 50), Record("k", ("c", 5), 101)]
    out = run([*stream, END], gaps)
    assert [(r.window.start, r.window.end, [v[0] for v in r.value]) for r in out.results] == [
        (0, 100, ["a", "b"]),
        (101, 106, ["c"]),
    ]


def test_a_record_whose_session_is_exactly_the_one_that_is_there_keeps_the_others():
    gaps = EventTimeSessionWindows.with_dynamic_gap(GapOfRecord())
    stream = [Record("k", ("a", 4), 0), Record("k", ("b", 5), 3), Record("k", ("c", 8), 0)]
    (result,) = run([*stream, END], gaps).results
    assert [v[0] for v in result.value] == ["a", "b", "c"]


def test_sessions_of_the_clock():
    out = run([Clock(0), *records(5), Clock(6), *records(1), Clock(15), Clock(16)], ProcessingTimeSessionWindows(10))
    assert sessions(out) == [(0, 16, (5, 1))]
    out = run([Clock(0), *records(5), Clock(9), *records(1), Clock(100)], ProcessingTimeSessionWindows(10))
    assert sessions(out) == [(0, 10, (5,)), (9, 19, (1,))]


def test_a_trigger_merges_before_it_clears_and_sees_the_record_last():
    calls = []

    class Logging(EventTimeTrigger):
        def on_element(self, element, timestamp, window, ctx):
            calls.append(("element", window.start, window.end))
            return super().on_element(element, timestamp, window, ctx)

        def on_merge(self, window, ctx):
            calls.append(("merge", window.start, window.end))
            super().on_merge(window, ctx)

        def clear(self, window, ctx):
            calls.append(("clear", window.start, window.end))
            super().clear(window, ctx)

    run([*records(0, 20, 10)], GAP, Logging())
    assert calls[2:] == [("merge", 0, 30), ("clear", 0, 10), ("clear", 20, 30), ("element", 0, 30)]


def test_counts_add_up_when_sessions_become_one():
    out = run([*records(0, 15), *records(7)], GAP, PurgingTrigger.of(CountTrigger.of(3)))
    assert sessions(out) == [(0, 25, (0, 15, 7))]


def test_the_earliest_time_to_fire_counts_when_sessions_become_one():
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(4))
    out = run([*records(0, 9), Watermark(4), Watermark(8), Watermark(11), Watermark(12)], GAP, trigger)
    assert [(r.window.end, r.value) for r in out.results] == [(19, (0, 9)), (19, (0, 9)), (19, (0, 9))]


@pytest.mark.parametrize("trigger", [NeverTrigger(), ProcessingTimeoutTrigger(EventTimeTrigger(), 5)])
def test_triggers_that_cannot_merge(trigger):
    assert not trigger.can_merge()
    with pytest.raises(ValidationError, match="cannot merge"):
        run([], GAP, trigger)


def test_any_order_of_records_gives_the_same_sessions():
    expected = [(0, 20, [0, 4, 10]), (21, 31, [21]), (50, 60, [50])]
    for order in permutations([0, 4, 10, 21, 50]):
        out = run([*records(*order), END], GAP)
        assert [(r.window.start, r.window.end, sorted(r.value)) for r in out.results] == expected


events = st.lists(
    st.one_of(
        st.builds(lambda key, t: Record(key, t, t), st.sampled_from("ab"), st.integers(-60, 60)),
        st.builds(Watermark, st.integers(-60, 60)),
    ),
    max_size=40,
)


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=30), st.integers(1, 20))
def test_sessions_are_the_runs_of_sorted_timestamps_without_a_larger_gap(timestamps, gap):
    runs: list[list[int]] = []
    for t in sorted(timestamps):
        if runs and t - runs[-1][-1] <= gap:
            runs[-1].append(t)
        else:
            runs.append([t])
    out = run([*records(*timestamps), END], EventTimeSessionWindows(gap))
    assert [sorted(value) for value in out.values()] == runs
    assert [(r.window.start, r.window.end) for r in out.results] == [(g[0], g[-1] + gap) for g in runs]


@given(events, st.integers(1, 20), st.integers(0, 10))
def test_every_record_is_late_or_in_one_session_and_nothing_is_left(stream, gap, lateness):
    operator = ReferenceWindowOperator(
        EventTimeSessionWindows(gap), PurgingTrigger.of(EventTimeTrigger()), None, lateness, lambda k, w, values: values
    )
    for event in [*stream, END]:
        operator.feed(event)
    out = operator.outcome
    seen = [(r.key, r.value) for r in out.results] + [(late.key, late.value) for late in out.late]
    assert sorted(seen) == sorted((e.key, e.value) for e in stream if isinstance(e, Record))
    assert (operator.contents, operator.trigger_state, operator.timers) == ({}, {}, {})
    assert not any(operator.sessions.values())
