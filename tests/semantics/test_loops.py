"""``iterate`` and ``close_with``: records go round until the loop's body lets them out."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import pytest

from datastream import (
    AsyncDataStream,
    AsyncFunction,
    KeyedProcessFunction,
    OutputTag,
    ProcessFunction,
    ValidationError,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from datastream.connectors import NumberSequenceSource
from datastream.testing import case
from datastream.time import Duration, Time, TimestampAssigner
from datastream.types import Types
from datastream.windows import TumblingEventTimeWindows


def collatz(n: int) -> int:
    return n // 2 if n % 2 == 0 else 3 * n + 1


def steps_of(n: int) -> int:
    steps = 0
    while n != 1:
        n, steps = collatz(n), steps + 1
    return steps


def step(pair):
    return pair[0], collatz(pair[1]), pair[2] + 1


def collatz_loop(stream, body):
    """(n, n, 0) for each number -> (n, 1, its steps)."""
    loop = stream.iterate()
    stepped = body(loop).map(step)
    loop.close_with(stepped.filter(lambda t: t[1] != 1))
    return stepped.filter(lambda t: t[1] == 1)


NUMBERS = list(range(2, 60))
STEPS = {n: steps_of(n) for n in NUMBERS}
#: For loops with an exchange, where each step is an epoch.
SHORT = {n: steps for n, steps in STEPS.items() if steps <= 20}


@case
def test_inside_a_subtask(env):
    got = yield collatz_loop(env.from_collection([(n, n, 0) for n in NUMBERS]), lambda loop: loop)
    assert {n: steps for n, _, steps in got} == STEPS
    assert len(got) == len(NUMBERS)


@pytest.mark.long_on_spark
@case(alone=True)
def test_with_an_exchange(env):
    stream = env.from_collection([(n, n, 0) for n in SHORT])
    got = yield collatz_loop(stream, lambda loop: loop.key_by(lambda t: t[0] % 7))
    assert {n: steps for n, _, steps in got} == SHORT
    assert len(got) == len(SHORT)


@pytest.mark.long_on_spark
@case(alone=True)
def test_typed_records(env):
    few = {n: steps for n, steps in SHORT.items() if steps <= 10}
    kind = Types.TUPLE([Types.LONG(), Types.LONG(), Types.LONG()])
    stream = env.from_collection([(n, n, 0) for n in few], type_info=kind)
    inside = collatz_loop(stream, lambda loop: loop)
    outside = collatz_loop(stream, lambda loop: loop.rebalance())
    got = yield inside, outside
    assert {n: steps for n, _, steps in got[0]} == {n: steps for n, _, steps in got[1]} == few


@case
def test_a_loop_that_multiplies(env):
    loop = env.from_collection([0]).iterate()
    grown = loop.flat_map(lambda depth: [depth + 1] * 2)
    loop.close_with(grown.filter(lambda depth: depth < 12))
    got = yield grown
    assert Counter(got) == {depth: 2**depth for depth in range(1, 13)}


@case
def test_input_and_feedback_both_leave_the_head(env):
    loop = env.from_collection([1, 10]).iterate()
    loop.close_with(loop.map(lambda n: n + 1).filter(lambda n: n % 5))
    got = yield loop
    assert sorted(got) == [1, 2, 3, 4, 10, 11, 12, 13, 14]


@case
def test_nothing_is_fed_back(env):
    loop = env.from_collection([1, 2]).iterate()
    loop.close_with(loop.filter(lambda n: n > 2))
    far = env.from_collection([3, 4]).iterate()
    far.close_with(far.rebalance().filter(lambda n: n > 4))
    got = yield loop, far
    assert sorted(got[0]) == [1, 2]
    assert sorted(got[1]) == [3, 4]


@case(alone=True)
def test_two_loops_one_behind_the_other(env):
    first = env.from_collection(range(8)).iterate()
    halved = first.rebalance().map(lambda n: n - 3)
    first.close_with(halved.filter(lambda n: n > 3))
    second = halved.filter(lambda n: n <= 3).iterate()
    raised = second.map(lambda n: n + 10)
    second.close_with(raised.filter(lambda n: n < 25))
    got = yield raised.filter(lambda n: n >= 25)
    expected = []
    for n in range(8):
        n -= 3
        while n > 3:
            n -= 3
        while n < 25:
            n += 10
        expected.append(n)
    assert sorted(got) == sorted(expected)


def nested(stream, inside, outer_wait=0, inner_wait=0):
    """Each (outer, inner, steps) goes round the inner loop until inner is 0, and the outer one until outer is 0."""
    outer = stream.iterate(outer_wait)
    inner = outer.map(lambda t: (t[0], 3, t[2])).iterate(inner_wait)
    turned = (inner if inside else inner.rebalance()).map(lambda t: (t[0], t[1] - 1, t[2] + 1))
    inner.close_with(turned.filter(lambda t: t[1] > 0))
    done = turned.filter(lambda t: t[1] == 0).map(lambda t: (t[0] - 1, 0, t[2]))
    outer.close_with(done.filter(lambda t: t[0] > 0))
    return done.filter(lambda t: t[0] == 0)


@pytest.mark.long_on_spark
@case(alone=True)
def test_nested_loops(env):
    stream = env.from_collection([(n, 0, 0) for n in (1, 2, 5)])
    got = yield nested(stream, True), nested(stream, False)
    assert sorted(t[2] for t in got[0]) == sorted(t[2] for t in got[1]) == [3, 6, 15]


@case(alone=True)
def test_several_streams_fed_back_and_a_union_with_the_head(env):
    loop = env.from_collection([1]).iterate()
    body = loop.union(env.from_collection([100])).map(lambda n: n + 1)
    loop.close_with(body.filter(lambda n: n < 4))
    loop.close_with(body.filter(lambda n: 100 < n < 103).rebalance().map(lambda n: n))
    got = yield body
    assert sorted(got) == [2, 3, 4, 101, 102, 103]


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_side_output_is_fed_back(env):
    again = OutputTag("again", Types.LONG())

    class Part(ProcessFunction):
        def process_element(self, value, ctx):
            if value % 10:
                yield again, value + 1
            else:
                yield value

    loop = env.from_collection([3, 7, 20]).iterate()
    parted = loop.process(Part())
    loop.close_with(parted.get_side_output(again))
    far = env.from_collection([3, 7, 20]).iterate()
    far_parted = far.rebalance().process(Part())
    far.close_with(far_parted.get_side_output(again))
    got = yield parted, far_parted
    assert sorted(got[0]) == sorted(got[1]) == [10, 10, 20]


class Countdown(KeyedProcessFunction):
    """Counts a key's records, and sends each round as often as its number says."""

    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.LONG()))

    def process_element(self, value, ctx):
        key, left = value
        seen = (self.seen.value() or 0) + 1
        self.seen.update(seen)
        yield key, left - 1, seen


@case(alone=True)
def test_keyed_state_in_a_loop(env):
    loop = env.from_collection([("a", 4), ("b", 2), ("a", 1)]).iterate()
    counted = loop.key_by(lambda p: p[0]).process(Countdown())
    loop.close_with(counted.filter(lambda t: t[1] > 0).map(lambda t: (t[0], t[1])))
    got = yield counted.filter(lambda t: t[1] == 0), counted
    assert sorted(t[0] for t in got[0]) == ["a", "a", "b"]
    # Each record of a key is counted once: what is fed back finds the state of the epoch before.
    assert sorted(t[2] for t in got[1] if t[0] == "a") == [1, 2, 3, 4, 5]
    assert sorted(t[2] for t in got[1] if t[0] == "b") == [1, 2]


class Field(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[0]


class Times(ProcessFunction):
    def process_element(self, value, ctx):
        yield (*value, ctx.timestamp())


@pytest.mark.parametrize("inside", [True, False])
def test_records_keep_their_timestamps(run, inside):
    env = run.environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Field())
    stream = env.from_collection([(n * 100, 0) for n in range(6)]).assign_timestamps_and_watermarks(strategy)
    loop = stream.iterate()
    body = (loop if inside else loop.rebalance()).map(lambda p: (p[0], p[1] + 1))
    loop.close_with(body.filter(lambda p: p[1] < 3))
    got = run.collect(body.filter(lambda p: p[1] == 3).process(Times()))
    assert sorted(got) == [(n * 100, 3, n * 100) for n in range(6)]


@pytest.mark.long_on_spark
@pytest.mark.parametrize("inside", [True, False])
def test_watermarks_do_not_wait_for_a_loop(run, inside):
    env = run.environment(parallelism=1)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1)).with_timestamp_assigner(Field())
    stream = env.from_collection([(n * 100, 1) for n in range(40)]).assign_timestamps_and_watermarks(strategy)
    loop = stream.iterate()
    body = (loop if inside else loop.rebalance()).map(lambda p: p)
    loop.close_with(body.filter(lambda p: False))
    windows = body.key_by(lambda p: 0).window(TumblingEventTimeWindows.of(Time.seconds(1)))
    got = run.collect(windows.reduce(lambda a, b: (a[0], a[1] + b[1])))
    assert [n for _, n in got] == [10, 10, 10, 10]


class Slow(AsyncFunction):
    async def async_invoke(self, value):
        return [value - 1]


@case(alone=True)
def test_an_async_function_in_a_loop(env):
    loop = env.from_collection([5, 3]).iterate()
    called = AsyncDataStream.unordered_wait(loop, Slow(), Time.seconds(10), 10)
    loop.close_with(called.filter(lambda n: n > 0))
    got = yield called
    assert sorted(got) == [0, 0, 1, 1, 2, 2, 3, 4]


class Delayed(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0.005)
        return [value + 1]


def test_the_most_rounds_hold_where_calls_are_under_way(run):
    env = run.environment()
    loop = env.from_collection([0]).iterate(max_iterations=5)
    called = AsyncDataStream.unordered_wait(loop, Delayed(), Time.seconds(10), 10)
    loop.close_with(called)
    got = run.collect(called)
    assert sorted(got) == list(range(1, len(got) + 1))
    assert 5 <= len(got) <= 8


class AtTheEnd(KeyedProcessFunction):
    """What comes first is given back by a timer at the end of time."""

    def process_element(self, value, ctx):
        if value[1]:
            yield value
        else:
            ctx.timer_service().register_event_time_timer(2**62)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), 1


@case(alone=True)
def test_what_timers_give_at_the_end_goes_round(env):
    """Also in a job without any watermark but the last."""
    loop = env.from_collection([("a", 0), ("b", 0)]).iterate()
    given = loop.key_by(lambda pair: pair[0]).process(AtTheEnd())
    loop.close_with(given.filter(lambda pair: pair[1] < 3).map(lambda pair: (pair[0], pair[1] + 1)))
    got = yield given
    assert sorted(got) == [(key, n) for key in "ab" for n in (1, 2, 3)]


class Replayed(NumberSequenceSource):
    loop = True


@case
def test_a_connector_of_the_users_has_an_attribute_of_that_name(env):
    got = yield env.from_source(Replayed(1, 5), WatermarkStrategy.no_watermarks(), "numbers")
    assert sorted(got) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("inside", [True, False])
def test_the_most_rounds(run, inside):
    env = run.environment()
    loop = env.from_collection([0]).iterate(max_iterations=5)
    body = (loop if inside else loop.rebalance()).map(lambda n: n + 1)
    loop.close_with(body)
    got = run.collect(body)
    # With an exchange, rounds count from the epoch on that follows the end of the input.
    assert sorted(got) == list(range(1, len(got) + 1))
    assert len(got) in ((6,) if inside else (6, 7))


def slowly(n: int) -> int:
    time.sleep(0.06)  # longer than the loops below wait
    return n + 1


@pytest.mark.long
@case(alone=True)
def test_a_loop_at_work_is_never_cut_off_by_its_wait(env):
    """`max_wait_time` is the time without feedback: an epoch, or a round, may take longer than that."""

    def loop_over(body, wait, last=5):
        loop = env.from_collection([0, 2]).iterate(wait)
        turned = body(loop).map(slowly)
        loop.close_with(turned.filter(lambda n: n < last))
        return turned

    def called(loop):
        return AsyncDataStream.unordered_wait(loop, Delayed(), Time.seconds(10), 10).map(lambda n: n - 1)

    got = yield (
        loop_over(lambda loop: loop, 1),
        loop_over(lambda loop: loop.rebalance(), 1),
        loop_over(lambda loop: loop.key_by(lambda n: n % 3).map(lambda n: n), 20),
        loop_over(called, 1),
        loop_over(lambda loop: loop.rebalance(), 1, last=3),  # ends before the others
    )
    assert [sorted(some) for some in got[:4]] == [[1, 2, 3, 3, 4, 4, 5, 5]] * 4
    assert sorted(got[4]) == [1, 2, 3, 3]


@pytest.mark.long_on_spark
@case(alone=True)
def test_nested_loops_with_waits(env):
    """The outer loop is fed nothing while the inner one turns, far longer than the outer one waits."""
    stream = env.from_collection([(n, 0, 0) for n in (1, 2, 5)])
    inside = nested(stream, True, 1, 1).map(lambda t: t[2])
    outside = nested(stream.map(lambda t: (t[0], slowly(0), 0)), False, 1, 1).map(lambda t: t[2])
    mixed = nested(stream, False, 1, 10_000).map(lambda t: t[2])
    got = yield inside, outside, mixed
    assert [sorted(some) for some in got] == [[3, 6, 15]] * 3


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_loop_before_another_with_a_wait(env):
    first = env.from_collection(range(4)).iterate(1)
    raised = first.rebalance().map(slowly)
    first.close_with(raised.filter(lambda n: n < 6))
    second = raised.filter(lambda n: n == 6).iterate(1)
    lowered = second.rebalance().map(lambda n: n - 1)
    second.close_with(lowered.filter(lambda n: n > 3))
    got = yield lowered
    assert sorted(got) == [3] * 4 + [4] * 4 + [5] * 4


class Later(KeyedProcessFunction):
    """Gives each record some ms of the clock later, one less."""

    def __init__(self, delay_ms):
        self.delay_ms = delay_ms

    def open(self, runtime_context):
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.LONG()))

    def process_element(self, value, ctx):
        self.left.update(value[1])
        service = ctx.timer_service()
        service.register_processing_time_timer(service.current_processing_time() + self.delay_ms)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.left.value() - 1


class EverySoOften(KeyedProcessFunction):
    """Sets a timer again and again, and gives nothing."""

    def process_element(self, value, ctx):
        self.on_timer(0, ctx)

    def on_timer(self, timestamp, ctx):
        service = ctx.timer_service()
        service.register_processing_time_timer(service.current_processing_time() + 20)
        return ()


def delayed(env, wait, delay_ms):
    loop = env.from_collection([("a", 3), ("b", 1)]).iterate(wait)
    given = loop.key_by(lambda pair: pair[0]).process(Later(delay_ms))
    loop.close_with(given.filter(lambda pair: pair[1] > 0))
    return given


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_loop_waits_no_longer_than_it_was_told_to(env):
    """Nothing comes within the wait: neither of a timer far away, nor of timers without end that feed nothing back."""
    far = delayed(env, 50, 3_600_000)
    ticking = env.from_collection([1]).key_by(lambda n: n).process(EverySoOften())
    got = yield far, ticking
    assert got == ([], [])


@pytest.mark.long_on_spark
@case(alone=True)
def test_timers_of_the_clock_feed_a_loop_that_waits(env):
    """Each timer comes within the wait of the feedback before it, if not of the end of the input."""
    got = yield delayed(env, 60_000, 30), delayed(env, 0, 3_600_000)
    assert sorted(got[0]) == [("a", 0), ("a", 1), ("a", 2), ("b", 0)]
    assert got[1] == []


@case(alone=True)
def test_feedback_that_does_not_fit_the_declared_type(env):
    loop = env.from_collection([1], type_info=Types.LONG()).iterate()
    loop.close_with(loop.map(lambda n: n + 1).filter(lambda n: n < 4))
    got = yield loop
    assert sorted(got) == [1, 2, 3]


def test_wrong_type(run):
    env = run.environment()
    loop = env.from_collection([1], type_info=Types.LONG()).iterate()
    loop.close_with(loop.map(lambda n: "text").filter(lambda n: True))
    with pytest.raises(Exception, match="declared type of the results.*\n*.*") as caught:
        run.collect(loop)
    assert "'text'" in str(caught.value)


def test_errors_in_a_loop_name_the_operator(run):
    env = run.environment()
    loop = env.from_collection([3]).iterate()
    body = loop.map(lambda n: 1 // (n - 1) * 0 + n - 1).name("divide")
    loop.close_with(body)
    with pytest.raises(Exception, match="divide"):
        run.collect(body)


class TestMistakes:
    def test_never_closed(self, run):
        env = run.environment()
        loop = env.from_collection([1]).iterate()
        with pytest.raises(ValidationError, match="never closed: call close_with"):
            run.collect(loop.map(str))

    def test_a_stranger_fed_back(self, run):
        env = run.environment()
        loop = env.from_collection([1]).iterate()
        with pytest.raises(ValidationError, match="not made of the stream that iterate"):
            loop.close_with(env.from_collection([2]))
        with pytest.raises(ValidationError, match="needs a DataStream"):
            loop.close_with(3)

    def test_batch_mode(self, run):
        env = run.environment(batch=True)
        loop = env.from_collection([1]).iterate()
        loop.close_with(loop.filter(lambda n: False))
        with pytest.raises(ValidationError, match="BATCH mode, as in Flink"):
            run.collect(loop)

    def test_limits(self, run):
        stream = run.environment().from_collection([1])
        with pytest.raises(ValidationError, match="max_wait_time must be 0 or more: got -1"):
            stream.iterate(-1)
        with pytest.raises(ValidationError, match="max_iterations must be an int: got 'many'"):
            stream.iterate(max_iterations="many")

    def test_no_sink_but_the_loop(self, run):
        env = run.environment()
        loop = env.from_collection([1]).iterate()
        loop.close_with(loop.rebalance().filter(lambda n: False))
        with pytest.raises(ValidationError, match="no sink"):
            env.execute()
