"""Window joins and co-groups: what they make of a program, and what their windows give, over epochs cut at random."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import StreamExecutionEnvironment
from datastream.api.joins import CoGroupedStreams, JoinedStreams
from datastream.api.step import node_of
from datastream.errors import ValidationError
from datastream.functions import KeySelector
from datastream.functions.join_functions import CoGroupFunction, FlatJoinFunction, JoinFunction
from datastream.graph import Hash
from datastream.graph.operators import Window
from datastream.runtime.hosts.windows import window_host
from datastream.time import MIN_WATERMARK, Time
from datastream.types import Types
from datastream.windows import (
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from tests.support.two_inputs import Driver, cut_at

TEN = TumblingEventTimeWindows.of(Time.milliseconds(10))


class Pair(JoinFunction):
    def join(self, first, second):
        return first, second


class FlatPair(FlatJoinFunction):
    def join(self, first, second):
        if first != second:
            yield first, second


class Group(CoGroupFunction):
    def open(self, runtime_context):
        self.opened = "open"

    def close(self):
        self.opened = "closed"

    def co_group(self, first, second):
        yield list(first), list(second), self.opened


def streams():
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.from_collection([1]), env.from_collection(["a"])


def paired(kind=JoinedStreams, assigner=TEN):
    return kind(*streams()).where(str).equal_to(str).window(assigner)


def operator(stream):
    return node_of(stream).operator


def drive(stream):
    return Driver(window_host, operator(stream).operation, Window)


def tagged(steps):
    """Steps of two streams as those of the one that joins and co-groups make of them."""
    return [step if type(step[0]) is str else (0, step[:2], *step[2:]) for step in steps]


times = st.integers(-20, 60)
records = st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(0, 1), times)
programs = st.lists(records | st.tuples(st.just("watermark"), times), max_size=40)


def windows(steps):
    """The records of each (key, window): first, second."""
    found, watermark = {}, MIN_WATERMARK
    for step in steps:
        if step[0] == "watermark":
            watermark = max(watermark, step[1])
        else:
            side, record, key, time = step
            start = time // 10 * 10
            if start + 9 > watermark:
                found.setdefault((key, start), ([], []))[side].append(record)
    return found


@given(programs, st.sets(st.integers(0, 40)))
def test_a_join_gives_each_pair_of_a_key_and_window_at_its_end_less_one(steps, cuts):
    expected = [(pair, start + 9) for (_, start), sides in windows(steps).items() for pair in product(*sides)]
    for function in (Pair(), lambda first, second: (first, second)):
        got = drive(paired().apply(function)).run(cut_at(tagged(steps), cuts), end=True)
        assert sorted(got) == sorted(expected)


@given(programs)
def test_a_flat_join_gives_any_number(steps):
    expected = [
        ((one, two), start + 9)
        for (_, start), sides in windows(steps).items()
        for one, two in product(*sides)
        if one != two
    ]
    assert sorted(drive(paired().apply(FlatPair())).run(tagged(steps), end=True)) == sorted(expected)


@given(programs, st.sets(st.integers(0, 40)))
def test_a_co_group_is_called_also_when_one_side_is_empty(steps, cuts):
    driver = drive(paired(CoGroupedStreams).apply(Group()))
    got = driver.run(cut_at(tagged(steps), cuts), end=True)
    expected = [((*sides, "open"), start + 9) for (_, start), sides in windows(steps).items()]
    assert sorted(got) == sorted(expected)


def test_a_record_without_partner_gives_nothing():
    assert drive(paired().apply(Pair())).run(tagged([(0, "l", "k", 1), (1, "r", "k", 11)]), end=True) == []


def test_a_record_is_joined_in_every_window_that_holds_it():
    sliding = SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(5))
    got = drive(paired(assigner=sliding).apply(Pair())).run(tagged([(0, "l", "k", 6), (1, "r", "k", 7)]), end=True)
    assert got == [(("l", "r"), 9), (("l", "r"), 14)]


def test_both_streams_make_one_session():
    session = EventTimeSessionWindows.with_gap(Time.milliseconds(5))
    steps = [(0, "l", "k", 0), (1, "r", "k", 4), (0, "m", "k", 8)]
    got = drive(paired(assigner=session).apply(Pair())).run(tagged(steps), end=True)
    assert sorted(got) == [(("l", "r"), 12), (("m", "r"), 12)]


def test_triggers_evictors_and_lateness():
    steps = tagged([(0, "l", "k", 1), (1, "r", "k", 2), (1, "s", "k", 3), (0, "m", "k", 4)])
    count = paired().trigger(CountTrigger.of(2)).apply(Pair())
    assert [r for r, _ in drive(count).run(steps)] == [("l", "r"), ("l", "r"), ("l", "s"), ("m", "r"), ("m", "s")]
    evicting = paired().evictor(CountEvictor.of(2)).apply(Pair())
    assert [r for r, _ in drive(evicting).run(steps, end=True)] == [("m", "s")]
    for lateness in (Time.milliseconds(5), 5):
        late = paired().allowed_lateness(lateness).apply(Pair())
        program = [*steps[:2], ("watermark", 10), *steps[2:3], ("watermark", 14), *steps[3:]]
        assert drive(late).run(program, end=True) == [(p, 9) for p in (("l", "r"), ("l", "r"), ("l", "s"))]


def test_what_comes_before_the_windows():
    class First(KeySelector):
        def get_key(self, value):
            return value[0]

    left, right = streams()
    keyed = left.key_by(str)
    result = (
        JoinedStreams(keyed, right)
        .where(First(), Types.STRING())
        .equal_to(len)
        .window(TEN)
        .apply(Pair(), Types.TUPLE([Types.STRING(), Types.STRING()]))
    )
    op = operator(result)
    assert (type(op), op.name) == (Window, "Window Join")
    assert op.output_type == Types.TUPLE([Types.STRING(), Types.STRING()])
    builder = node_of(left).builder
    ((union, partitioner),) = [(s, p) for s, target, p, _ in builder.edges if target == node_of(result).id]
    assert isinstance(partitioner, Hash) and partitioner.key_type == Types.STRING()
    assert [partitioner.key((0, "abc")), partitioner.key((1, "abc"))] == ["a", 3]
    maps = [builder.operators[s] for s, target, _, _ in builder.edges if target == union]
    assert [(m.name, m.function("x")) for m in maps] == [("Join: first", (0, "x")), ("Join: second", (1, "x"))]
    sources = [(s, p.name) for m in maps for s, target, p, _ in builder.edges if target == m.id]
    assert sources == [(node_of(left).id, "forward"), (node_of(right).id, "forward")]


@pytest.mark.parametrize("kind", [JoinedStreams, CoGroupedStreams])
def test_what_is_wrong_is_refused_when_it_is_written(kind):
    left, right = streams()
    with pytest.raises(ValidationError, match="(Join|Co-Group) needs a DataStream, got 'right'"):
        kind(left, "right")
    with pytest.raises(ValidationError, match="streams of one StreamExecutionEnvironment"):
        kind(left, streams()[0])
    with pytest.raises(ValidationError, match="where needs a function"):
        kind(left, right).where("field")
    with pytest.raises(ValidationError, match="equal_to needs a function"):
        kind(left, right).where(str).equal_to("field")
    with pytest.raises(ValidationError, match="window needs a WindowAssigner"):
        kind(left, right).where(str).equal_to(str).window("10 s")
    with pytest.raises(ValidationError, match="trigger needs a Trigger"):
        paired(kind).trigger("always")
    with pytest.raises(ValidationError, match="allowed_lateness"):
        paired(kind).allowed_lateness(-1)
    with pytest.raises(ValidationError, match=r"apply needs a function of \(first, second\)"):
        paired(kind).apply(5)
    with pytest.raises(ValidationError, match=r"apply calls its function with 2 arguments \(first, second\)"):
        paired(kind).apply(lambda first: first)
    with pytest.raises(ValidationError, match="needs keys of one type"):
        kind(left, right).where(str, Types.STRING()).equal_to(str, Types.INT()).window(TEN).apply(max)
