"""What leaves windows before and after their results."""

from __future__ import annotations

import pytest

from datastream.errors import ValidationError
from datastream.time import Time
from datastream.windows import (
    CountEvictor,
    CountTrigger,
    DeltaEvictor,
    EventTimeSessionWindows,
    Evictor,
    GlobalWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
)
from tests.support.windows.reference import Record, Watermark, run

ALL = GlobalWindows.create()


def records(*timestamps: int) -> list[Record]:
    return [Record("k", t, t) for t in timestamps]


def distance(one: int, other: int) -> int:
    return abs(one - other)


def test_the_last_records_are_seen_and_kept():
    assert run(records(1, 2, 3, 4, 5, 6), ALL, CountTrigger.of(2), CountEvictor.of(3)).values() == [
        (1, 2),
        (2, 3, 4),
        (4, 5, 6),
    ]


def test_records_that_go_after_the_function_are_seen_once_more():
    assert run(records(1, 2, 3, 4, 5, 6), ALL, CountTrigger.of(2), CountEvictor.of(1, True)).values() == [
        (1, 2),
        (2, 3, 4),
        (4, 5, 6),
    ]


def test_time_goes_by_the_highest_timestamp_and_not_by_the_last():
    out = run(records(10, 16, 20, 15), ALL, CountTrigger.of(4), TimeEvictor.of(Time.milliseconds(5)))
    assert out.values() == [(16, 20)]


def test_records_without_timestamps_stay():
    out = run([Record("k", 1), Record("k", 2)], ALL, CountTrigger.of(2), TimeEvictor.of(Time.milliseconds(5)))
    assert out.values() == [(1, 2)]


def test_delta_goes_by_the_distance_to_the_last_record():
    out = run(records(1, 8, 5, 10), ALL, CountTrigger.of(4), DeltaEvictor.of(5, distance))
    assert out.values() == [(8, 10)]


def test_a_function_sees_a_window_that_an_evictor_emptied():
    class All(Evictor):
        def evict_before(self, elements, size, window, evictor_context):
            assert size == len(elements)
            elements.clear()

        def evict_after(self, elements, size, window, evictor_context):
            assert size == 0

    out = run([*records(1, 2), Watermark(9), *records(3)], TumblingEventTimeWindows(10, 0), None, All(), 5)
    assert out.values() == [(), ()]


def test_sessions_with_an_evictor():
    out = run([*records(20, 0, 10), Watermark(50)], EventTimeSessionWindows(10), None, CountEvictor.of(2))
    assert out.values() == [(20, 10)]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: CountEvictor.of(0), "max_count above zero"),
        (lambda: TimeEvictor.of(Time.seconds(0)), "window_size above zero"),
        (lambda: TimeEvictor.of(5), "as a Time"),
        (lambda: DeltaEvictor.of(1.0, "far"), "function of two records: got 'far'"),
    ],
)
def test_what_is_wrong_is_refused_when_it_is_written(make, text):
    with pytest.raises(ValidationError, match=text):
        make()
