"""Windows of a number of records."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from datastream.time import MAX_WATERMARK
from datastream.windows import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from tests.support.windows.reference import Record, ReferenceWindowOperator, Watermark, run

END = Watermark(MAX_WATERMARK)


def records(count: int, key: str = "k") -> list[Record]:
    return [Record(key, number) for number in range(count)]


def test_tumbling_windows_fire_when_full_and_not_at_the_end():
    assert run([*records(5), END], CountTumblingWindowAssigner.of(2)).values() == [(0, 1), (2, 3)]


def test_sliding_windows_fire_once_when_full():
    assert run([*records(7), END], CountSlidingWindowAssigner.of(4, 2)).values() == [(0, 1, 2, 3), (2, 3, 4, 5)]


def test_a_slide_above_the_size_leaves_records_out():
    out = run([*records(9), END], CountSlidingWindowAssigner.of(2, 3))
    assert out.values() == [(0, 1), (3, 4), (6, 7)]
    assert not out.late


def test_each_key_counts_by_itself():
    mixed = [record for pair in zip(records(3, "a"), records(3, "b"), strict=True) for record in pair]
    out = run(mixed, CountTumblingWindowAssigner.of(3))
    assert [(r.key, r.value) for r in out.results] == [("a", (0, 1, 2)), ("b", (0, 1, 2))]


def test_results_have_the_highest_timestamp_there_is():
    (result,) = run(records(2), CountTumblingWindowAssigner.of(2)).results
    assert result.timestamp == MAX_WATERMARK


def test_full_windows_leave_nothing_behind():
    operator = ReferenceWindowOperator(CountTumblingWindowAssigner.of(2), None, None, 0, lambda k, w, values: values)
    for record in records(10):
        operator.feed(record)
    assert (operator.contents, operator.trigger_state, operator.timers) == ({}, {}, {})


@given(st.integers(0, 40), st.integers(1, 8), st.integers(1, 8))
def test_sliding_windows_are_slices_of_the_keys_records(count, size, slide):
    out = run(records(count), CountSlidingWindowAssigner.of(size, slide))
    starts = [start for start in range(0, count, slide) if start + size <= count]
    assert sorted(out.values()) == [tuple(range(start, start + size)) for start in starts]
