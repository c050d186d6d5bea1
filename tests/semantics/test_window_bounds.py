"""Which windows records are in. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

import pytest

from datastream import FunctionError, ValidationError
from datastream.functions import AllWindowFunction, RuntimeContext
from datastream.testing import case
from datastream.time import MAX_WATERMARK, Time
from datastream.windows import (
    CountSlidingWindowAssigner,
    CountTumblingWindowAssigner,
    GlobalWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from tests.support.timelines import timeline
from tests.support.windows.events import Show, at, first, windowed

TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


def sliding(size, slide):
    return SlidingEventTimeWindows.of(Time.milliseconds(size), Time.milliseconds(slide))


@case
def test_a_window_holds_its_start_and_not_its_end(env):
    seen = yield from windowed(env, TEN, *at(0, 9, 10, 19, 20))
    assert seen.spans() == [(0, 10, (0, 9)), (10, 20, (10, 19)), (20, 30, (20,))]


@case
def test_windows_start_at_multiples_of_their_size_and_not_at_the_first_record(env):
    seen = yield from windowed(env, TumblingEventTimeWindows.of(Time.milliseconds(7)), *at(5, 6, 7))
    assert seen.spans() == [(0, 7, (5, 6)), (7, 14, (7,))]


@case
def test_windows_before_1970(env):
    seen = yield from windowed(env, TEN, *at(-1, -10, -11))
    assert seen.spans() == [(-20, -10, (-11,)), (-10, 0, (-1, -10))]


@case
def test_an_offset_moves_all_starts(env):
    hour = 3_600_000
    days = TumblingEventTimeWindows.of(Time.days(1), Time.hours(-8))
    seen = yield from windowed(env, days, *at(0, 16 * hour - 1, 16 * hour))
    assert [(start // hour, end // hour, len(v)) for start, end, v in seen.spans()] == [(-8, 16, 2), (16, 40, 1)]


@case
def test_a_positive_offset(env):
    windows = TumblingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(3))
    seen = yield from windowed(env, windows, *at(2, 3, 12, 13))
    assert seen.spans() == [(-7, 3, (2,)), (3, 13, (3, 12)), (13, 23, (13,))]


def test_an_offset_as_long_as_the_size_is_refused(run):
    keyed = run.environment().from_collection([("k", 1, 1)]).key_by(first)
    for make in (
        lambda: TumblingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(10)),
        lambda: SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(5), Time.milliseconds(5)),
    ):
        with pytest.raises(ValidationError, match="offset shorter than the (size|slide)"):
            keyed.window(make())


@case
def test_a_record_is_in_every_sliding_window_that_holds_it(env):
    seen = yield from windowed(env, sliding(10, 4), *at(9, -1))
    assert seen.spans() == [(-8, 2, (-1,)), (-4, 6, (-1,)), (0, 10, (9,)), (4, 14, (9,)), (8, 18, (9,))]


@case
def test_records_between_sliding_windows_are_in_none(env):
    seen = yield from windowed(env, sliding(2, 5), *at(*range(-5, 10)))
    assert seen.values() == [(-5, -4), (0, 1), (5, 6)]
    assert seen.late == []


def test_a_record_without_a_timestamp_fails_and_says_what_to_do(run):
    stream = run.environment().from_collection([("k", 1, 1)]).key_by(first).window(TEN).apply(Show())
    with pytest.raises(FunctionError, match="(?s)timestamp.*assign_timestamps_and_watermarks"):
        run.collect(stream)


@case
def test_each_key_has_windows_of_its_own(env):
    seen = yield from windowed(env, TEN, *at(1, 2, key="a"), *at(3, key="b"), *at(4, key="a"), *at(15, key="b"))
    found = {(key, window.start): values for key, window, values in seen.results}
    assert found == {("a", 0): (1, 2, 4), ("b", 0): (3,), ("b", 10): (15,)}


@case
def test_a_global_window_never_fires_by_itself(env):
    seen = yield from windowed(env, GlobalWindows.create(), *at(1, 2), 1000)
    assert seen.results == []


@case
def test_count_windows_fire_when_full_and_not_at_the_end(env):
    seen = yield from windowed(env, CountTumblingWindowAssigner.of(2), *at(1, 2, 3, 4, 5))
    assert seen.values() == [(1, 2), (3, 4)]


@case
def test_sliding_count_windows_fire_once_when_full(env):
    seen = yield from windowed(env, CountSlidingWindowAssigner.of(4, 2), *at(*range(7)))
    assert seen.values() == [(0, 1, 2, 3), (2, 3, 4, 5)]


@case
def test_count_window_slides_as_its_assigner(env):
    got = yield timeline(env, *at(*range(7))).key_by(first).count_window(4, 2).apply(Counted())
    assert got == [(0, 1, 2, 3), (2, 3, 4, 5)]


class Counted(Show):
    def apply(self, key, window, inputs):
        for _, _, values in super().apply(key, window, inputs):
            yield values


@case
def test_a_count_window_counts_the_records_of_its_key(env):
    events = [event for t in range(3) for key in "ab" for event in at(t, key=key)]
    seen = yield from windowed(env, CountTumblingWindowAssigner.of(3), *events)
    assert sorted((key, values) for key, _, values in seen.results) == [("a", (0, 1, 2)), ("b", (0, 1, 2))]


@case
def test_what_count_and_global_windows_give_has_the_highest_timestamp(env):
    seen = yield from windowed(env, CountTumblingWindowAssigner.of(2), *at(1, 2))
    assert seen.times == [MAX_WATERMARK]


class Where(AllWindowFunction):
    context: RuntimeContext

    def open(self, runtime_context):
        self.context = runtime_context

    def apply(self, window, inputs):
        parallelism = self.context.get_number_of_parallel_subtasks()
        yield parallelism, window.start, sorted(value[0] for value in inputs)


@case
def test_window_all_is_one_operator_with_parallelism_one(env):
    events = [("a", 1), ("b", 2), ("c", 13), ("d", 14), 30]
    windows = timeline(env, *events).rebalance().window_all(TEN)
    got = yield windows.apply(Where())
    assert got == [(1, 0, ["a", "b"]), (1, 10, ["c", "d"])]
