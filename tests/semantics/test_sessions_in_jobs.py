"""Sessions. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

import tempfile
from itertools import permutations
from pathlib import Path

import pytest

from datastream import FunctionError, ValidationError
from datastream.functions import AggregateFunction, ProcessWindowFunction
from datastream.state import ValueStateDescriptor
from datastream.testing import case
from datastream.time import Time
from datastream.types import Types
from datastream.windows import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    EventTimeTrigger,
    NeverTrigger,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
)
from tests.support.timelines import timeline
from tests.support.windows.events import Show, at, first, windowed

GAP = EventTimeSessionWindows.with_gap(Time.milliseconds(10))


class GapOfRecord(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return element[2]


DYNAMIC = EventTimeSessionWindows.with_dynamic_gap(GapOfRecord())


@case
def test_sessions_that_overlap_are_one(env):
    seen = yield from windowed(env, GAP, *at(1, 9, 30))
    assert seen.spans() == [(1, 19, (1, 9)), (30, 40, (30,))]
    assert seen.times == [18, 39]


@case
def test_sessions_that_touch_are_one(env):
    seen = yield from windowed(env, GAP, *at(0, 10, 21))
    assert seen.spans() == [(0, 20, (0, 10)), (21, 31, (21,))]


@case
def test_a_record_may_join_two_sessions(env):
    seen = yield from windowed(env, GAP, *at(20, 0, 10))
    assert seen.spans() == [(0, 30, (0, 20, 10))]


@case
def test_the_order_of_records_does_not_matter(env):
    orders = list(enumerate(permutations([0, 4, 10, 21, 50])))
    seen = yield from windowed(env, GAP, *(event for n, order in orders for event in at(*order, key=n)))
    found = {}
    for key, window, values in seen.results:
        found.setdefault(key, []).append((window.start, window.end, sorted(values)))
    assert len(found) == len(orders)
    assert all(sorted(spans) == [(0, 20, [0, 4, 10]), (21, 31, [21]), (50, 60, [50])] for spans in found.values())


@case
def test_records_of_joined_sessions_keep_their_order(env):
    seen = yield from windowed(env, GAP, *at(22, 20, 2, 0, 11))
    assert seen.spans() == [(0, 32, (2, 0, 22, 20, 11))]


@case
def test_a_session_that_grew_fires_at_its_new_end_only(env):
    seen = yield from windowed(env, GAP, *at(0), 8, *at(7), 9, 16)
    assert seen.spans() == [(0, 17, (0, 7))]


@case
def test_a_gap_that_each_record_tells(env):
    seen = yield from windowed(env, DYNAMIC, ("k", 0, 100), ("k", 50, 1), ("k", 101, 5))
    assert seen.spans() == [(0, 100, (100, 1)), (101, 106, (5,))]


def test_a_gap_of_zero_fails(run):
    stream = timeline(run.environment(), ("k", 0, 0)).key_by(first).window(DYNAMIC).apply(Show())
    with pytest.raises(FunctionError, match="gap"):
        run.collect(stream)


@case
def test_a_record_whose_session_is_there_already_joins_it(env):
    seen = yield from windowed(env, DYNAMIC, ("k", 0, 4), ("k", 3, 5), ("k", 0, 8))
    assert seen.spans() == [(0, 8, (4, 5, 8))]


@case
def test_a_record_that_joins_an_open_session_is_not_late(env):
    seen = yield from windowed(env, GAP, *at(12), 15, *at(3))
    assert seen.spans() == [(3, 22, (12, 3))]
    assert seen.late == []


@case
def test_a_late_record_that_joins_nothing_is_late(env):
    seen = yield from windowed(env, GAP, *at(30), 15, *at(3))
    assert seen.spans() == [(30, 40, (30,))]
    assert (seen.late, seen.late_times) == ([("k", 3, 3)], [3])


@case
def test_a_session_that_fired_grows_and_fires_again_while_its_lateness_lasts(env):
    seen = yield from windowed(env, GAP, *at(0), 9, *at(5), 20, *at(1), lateness=5)
    assert seen.spans() == [(0, 10, (0,)), (0, 15, (0, 5))]
    assert seen.late == [("k", 1, 1)]


class Logging(EventTimeTrigger):
    """Writes down what it is asked."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def log(self, what, window):
        with open(self.path, "a") as file:
            file.write(f"{what} {window.start} {window.end}\n")

    def on_element(self, element, timestamp, window, ctx):
        self.log("element", window)
        return super().on_element(element, timestamp, window, ctx)

    def on_merge(self, window, ctx):
        self.log("merge", window)
        super().on_merge(window, ctx)

    def clear(self, window, ctx):
        self.log("clear", window)
        super().clear(window, ctx)


@case
def test_a_trigger_merges_first_then_clears_then_sees_the_record(env):
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        got = yield timeline(env, *at(0, 20, 10)).key_by(first).window(GAP).trigger(Logging(str(log))).apply(Show())
        asked = log.read_text().splitlines()
    assert asked[2:6] == ["merge 0 30", "clear 0 10", "clear 20 30", "element 0 30"]
    assert [values for _, _, values in got] == [(0, 20, 10)]


def test_a_trigger_that_cannot_merge_is_refused(run):
    keyed = run.environment().from_collection([("k", 1, 1)]).key_by(first)
    with pytest.raises(ValidationError, match="merges windows, which NeverTrigger.* cannot"):
        keyed.window(GAP).trigger(NeverTrigger())


@case
def test_counts_of_joined_sessions_add_up(env):
    seen = yield from windowed(env, GAP, *at(0, 15), *at(7), trigger=PurgingTrigger.of(CountTrigger.of(3)))
    assert seen.spans() == [(0, 25, (0, 15, 7))]


@case
def test_a_continuous_trigger_keeps_the_earliest_time(env):
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(4))
    seen = yield from windowed(env, GAP, *at(0, 9), 4, 8, 11, 12, 17, trigger=trigger)
    assert seen.spans()[:3] == [(0, 19, (0, 9))] * 3


class Gather(AggregateFunction):
    """Tells when accumulators were merged."""

    def create_accumulator(self):
        return (0, 0)

    def add(self, value, accumulator):
        return accumulator[0] + value[2], accumulator[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1] + 1


@case
def test_merge_of_an_aggregate_function_makes_one_accumulator(env):
    got = yield timeline(env, *at(0, 20, 10, 50)).key_by(first).window(GAP).aggregate(Gather())
    assert [total for total, _ in got] == [30, 50]
    assert got[0][1] > 0, "merge was called"
    assert got[1][1] == 0


class States(ProcessWindowFunction):
    def __init__(self, which):
        self.which = which

    def process(self, key, context, elements):
        state = getattr(context, self.which)().get_state(ValueStateDescriptor("firings", Types.INT()))
        state.update((state.value() or 0) + 1)
        yield context.window().start, state.value()

    def clear(self, context):
        return None


@case
def test_sessions_may_use_global_state(env):
    stream = timeline(env, *at(0, 20, 40)).key_by(first).window(GAP)
    got = yield stream.process(States("global_state"))
    assert got == [(0, 1), (20, 2), (40, 3)]


def test_sessions_may_not_use_window_state(run):
    stream = timeline(run.environment(), *at(0)).key_by(first).window(GAP).process(States("window_state"))
    with pytest.raises(FunctionError, match="(?s)window_state.*merge"):
        run.collect(stream)
