"""Watermarks of splits, sources and inputs. Each rule of docs/contributing/semantics.md on both executors."""

from __future__ import annotations

from datastream import KeyedCoProcessFunction, KeyedProcessFunction
from datastream.io import Batch
from datastream.testing import case
from datastream.time import (
    MAX_WATERMARK,
    MIN_WATERMARK,
    Duration,
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkStrategy,
)
from tests.support.timelines import timeline
from tests.support.toy_source import ToySource
from tests.support.windows.events import first

IDLE = -1


class Steps(ToySource):
    """Two splits; an epoch is a step: the watermarks of the first split and of the second.

    Args:
        steps: (first, second) of each epoch, None for none; IDLE: nothing to wait for. (first,): there is no second
            split yet. One more epoch, with nothing in it, is the last one.
    """

    def __init__(self, *steps):
        self.steps = (*steps, (None,) * len(steps[-1]))

    def latest_offset(self, start, budget):
        return min(start + 1, len(self.steps))

    def finished(self, offset):
        return offset == len(self.steps)

    def splits(self, start, end, parallelism):
        return list(self.steps[start]) if start < end else []

    def read(self, split):
        yield Batch([] if split is None else [split])


class Itself(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Told(WatermarkGenerator):
    def on_event(self, event, event_timestamp, output):
        if event == IDLE:
            output.mark_idle()
        else:
            output.emit_watermark(event)

    def on_periodic_emit(self, output):
        return None


TOLD = WatermarkStrategy.for_generator(Told).with_timestamp_assigner(Itself())


def steps(env, *watermarks, parallelism=2):
    """A stream of two subtasks (or one) whose watermarks go on from epoch to epoch as said."""
    stream = env.add_source(Steps(*watermarks)).set_parallelism(parallelism)
    return stream.assign_timestamps_and_watermarks(TOLD).set_parallelism(parallelism)


def alone(env, *watermarks):
    """A stream of one subtask."""
    return steps(env, *((w,) for w in watermarks), parallelism=1)


class Hands(KeyedProcessFunction):
    """A timer each 10 ms; each gives the watermark that fired it."""

    def process_element(self, value, ctx):
        if ctx.timer_service().current_watermark() < 0:
            for time in range(10, 600, 10):
                ctx.timer_service().register_event_time_timer(time)

    def on_timer(self, timestamp, ctx):
        if ctx.timer_service().current_watermark() < MAX_WATERMARK:
            yield ctx.timer_service().current_watermark()


class TwoHands(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        return Hands.process_element(self, value, ctx)

    process_element2 = process_element1

    def on_timer(self, timestamp, ctx):
        return Hands.on_timer(self, timestamp, ctx)


def same(value):
    return 0


def seen(stream):
    """The watermarks that a keyed function behind an exchange sees."""
    return stream.key_by(same).process(Hands())


def both(one, two):
    return one.connect(two).key_by(same, same).process(TwoHands())


def distinct(got):
    return list(dict.fromkeys(got))


# One thing happens in an epoch, as the order of two is open; so is what the end of input brings, behind the watermarks
# that the tests look at.


@case
def test_a_sources_watermark_is_the_lowest_of_its_splits(env):
    got = yield seen(steps(env, (100, None), (None, 50), (200, None), (None, 120)))
    assert distinct(got)[:2] == [50, 120]


@case
def test_a_split_without_a_watermark_holds_the_others_back(env):
    got = yield seen(steps(env, (100, None), (200, None), (None, 150)))
    assert distinct(got)[0] == 150


@case
def test_watermarks_never_go_back(env):
    got = yield seen(steps(env, (100, None), (None, 100), (90, None), (None, 80), (150, None), (None, 110)))
    assert distinct(got)[:2] == [100, 110]


@case
def test_an_idle_split_does_not_count(env):
    got = yield seen(steps(env, (100, None), (None, 50), (None, IDLE), (200, None), (300, None)))
    assert distinct(got) == [50, 100, 200, 300]


@case
def test_a_record_makes_an_idle_split_active_again(env):
    got = yield seen(
        steps(env, (100, None), (None, 50), (None, IDLE), (200, None), (None, 250), (300, None), (None, 320))
    )
    assert distinct(got)[:5] == [50, 100, 200, 250, 300]


@case
def test_a_split_that_comes_later_counts_from_then_on(env):
    got = yield seen(steps(env, (100,), (None, 150), (300, None), (None, 280)))
    assert distinct(got)[:3] == [100, 150, 280]


@case
def test_a_subtask_that_wakes_up_behind_does_not_hold_back_the_others_until_it_has_caught_up(env):
    idle = (100, None), (None, 50), (None, IDLE), (200, None)
    got = yield seen(steps(env, *idle, (None, 150), (300, None), (None, 350), (400, None)))
    assert distinct(got)[:5] == [50, 100, 200, 300, 350]


@case
def test_when_the_last_subtask_becomes_idle_the_highest_watermark_counts(env):
    got = yield seen(steps(env, (100, None), (None, 50), (IDLE, None), (None, IDLE)))
    assert distinct(got) == [50, 100]


@case
def test_the_watermark_of_two_inputs_is_the_lower_one(env):
    got = yield both(alone(env, 100, None, 200, None), alone(env, None, 50, None, 120))
    assert distinct(got)[:2] == [50, 120]


@case
def test_the_watermark_of_a_union_is_the_lower_one(env):
    got = yield seen(alone(env, 100, None, 200, None).union(alone(env, None, 50, None, 120)))
    assert distinct(got)[:2] == [50, 120]


@case
def test_an_idle_input_does_not_count(env):
    got = yield both(alone(env, 100, None, None, 200, 300), alone(env, None, 50, IDLE, None, None))
    assert distinct(got) == [50, 100, 200, 300]


@case
def test_an_input_that_wakes_up_behind_holds_the_watermark_until_it_has_caught_up(env):
    one = alone(env, 100, None, None, 200, None, 300, None, 400)
    other = alone(env, None, 50, IDLE, None, 150, None, 350, None)
    got = yield both(one, other)
    assert distinct(got)[:5] == [50, 100, 200, 300, 350], "200 stands until 350 comes; then 300 counts, then 350"


@case
def test_when_all_inputs_are_idle_the_watermark_stays(env):
    one, other = alone(env, 100, None, IDLE, None, IDLE), alone(env, None, 50, None, IDLE, None)
    got = yield one.connect(other).key_by(same, same).process(AtIdle())
    assert got == [50, 50, 50], "also when all are idle, and though the first is at 100"


class AtIdle(KeyedCoProcessFunction):
    """The watermark when an input has said that it is idle, or says so again."""

    def process_element1(self, value, ctx):
        if value == IDLE:
            yield ctx.timer_service().current_watermark()

    process_element2 = process_element1


@case
def test_what_is_behind_idle_inputs_is_told_that_it_is_idle(env):
    active = alone(env, None, 90, None, 210, 310)
    quiet = alone(env, 100, None, IDLE, None, None).rebalance()
    behind_an_exchange = seen(quiet.map(int).set_parallelism(1).union(active))
    in_the_same_subtask = seen(quiet.map(int).union(active))
    for got in (yield behind_an_exchange, in_the_same_subtask):
        assert distinct(got)[:3] == [90, 210, 310]


@case
def test_a_source_that_ended_does_not_count_any_more(env):
    got = yield both(alone(env, 100, None, None, 200, 300, 400), alone(env, 50))
    assert distinct(got)[-3:] == [200, 300, 400]


@case
def test_the_end_of_bounded_input_fires_every_timer(env):
    got = yield env.from_collection([5, 7]).key_by(same).process(Late())
    assert got == [(MAX_WATERMARK - 1, MAX_WATERMARK)]


class Late(KeyedProcessFunction):
    def process_element(self, value, ctx):
        assert ctx.timer_service().current_watermark() == MIN_WATERMARK
        ctx.timer_service().register_event_time_timer(MAX_WATERMARK - 1)

    def on_timer(self, timestamp, ctx):
        yield timestamp, ctx.timer_service().current_watermark()


def numbers(env, strategy, *values):
    return env.from_collection(list(values)).assign_timestamps_and_watermarks(
        strategy.with_timestamp_assigner(Itself())
    )


class Each(KeyedProcessFunction):
    """A timer each ms to 30."""

    def process_element(self, value, ctx):
        for time in range(31):
            ctx.timer_service().register_event_time_timer(time)

    def on_timer(self, timestamp, ctx):
        if ctx.timer_service().current_watermark() < MAX_WATERMARK:
            yield timestamp, ctx.timer_service().current_watermark()


@case
def test_monotonous_timestamps_give_the_highest_less_one(env):
    got = yield numbers(env, WatermarkStrategy.for_monotonous_timestamps(), 5, 12, 8).key_by(same).process(Each())
    assert got == [(time, 11) for time in range(12)]


@case
def test_bounded_out_of_orderness_gives_the_highest_less_the_bound_less_one(env):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5))
    got = yield numbers(env, strategy, 5, 12, 8).key_by(same).process(Each())
    assert got == [(time, 6) for time in range(7)]


@case
def test_no_watermarks_but_the_last(env):
    got = yield numbers(env, WatermarkStrategy.no_watermarks(), 5, 12, 8).key_by(same).process(Each())
    assert got == []


class NowAndThen(WatermarkGenerator):
    """Emits when it is asked, what it saw last."""

    def on_event(self, event, event_timestamp, output):
        self.last = event_timestamp

    def on_periodic_emit(self, output):
        output.emit_watermark(self.last)


@case
def test_a_generator_may_emit_when_it_is_asked_now_and_then(env):
    got = yield numbers(env, WatermarkStrategy.for_generator(NowAndThen), 5, 12, 8).key_by(same).process(Each())
    assert got == [(time, 8) for time in range(9)]


@case
def test_a_generator_may_emit_at_a_record(env):
    got = yield timeline(env, ("a", 1), 3, ("a", 5), 7).key_by(first).process(Each())
    expected = [(time, 3) for time in range(4)] + [(time, 7) for time in range(8)]
    assert sorted(got) == sorted(expected), "0 to 3 are set twice"
