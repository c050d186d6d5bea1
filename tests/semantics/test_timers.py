"""Timers of keyed process functions."""

from __future__ import annotations

from datastream import KeyedProcessFunction
from datastream.io import Batch
from datastream.state import ValueStateDescriptor
from datastream.testing import case
from datastream.time import MAX_WATERMARK, Duration, TimeDomain, TimestampAssigner, WatermarkStrategy
from datastream.types import Types
from tests.support.timelines import timeline
from tests.support.toy_source import ToySource


def key(event):
    return event[0]


class Set(KeyedProcessFunction):
    """Sets a timer for each time in a record's third field; gives what fires."""

    def process_element(self, value, ctx):
        for time in value[2]:
            ctx.timer_service().register_event_time_timer(time)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp, ctx.timer_service().current_watermark()


@case
def test_a_timer_set_twice_fires_once(env):
    got = yield timeline(env, ("a", 1, [5, 5]), ("a", 2, [5]), 7).key_by(key).process(Set())
    assert got == [("a", 5, 7)]


@case
def test_a_timer_fires_when_the_watermark_reaches_its_time(env):
    got = yield timeline(env, ("a", 1, [5, 6]), 4, 5, 6).key_by(key).process(Set())
    assert got == [("a", 5, 5), ("a", 6, 6)]


@case
def test_timers_fire_in_order_of_their_times(env):
    got = yield timeline(env, ("a", 1, [9, 5]), ("b", 2, [7, 6]), 20).key_by(key).process(Set()).set_parallelism(1)
    assert [time for _, time, _ in got] == [5, 6, 7, 9]


@case
def test_a_timer_at_or_before_the_watermark_fires_with_the_next_one(env):
    got = yield timeline(env, 10, ("a", 11, [3, 10]), ("a", 12, []), 13).key_by(key).process(Set())
    assert got == [("a", 3, 13), ("a", 10, 13)]


class SetAgain(Set):
    def on_timer(self, timestamp, ctx):
        yield from super().on_timer(timestamp, ctx)
        if timestamp < 30:
            ctx.timer_service().register_event_time_timer(timestamp + 10)


@case
def test_a_timer_set_in_on_timer_fires_with_the_same_watermark_if_it_is_due(env):
    got = yield timeline(env, ("a", 1, [5]), 20).key_by(key).process(SetAgain())
    assert got == [("a", 5, 20), ("a", 15, 20), ("a", 25, MAX_WATERMARK), ("a", 35, MAX_WATERMARK)]


class Delete(Set):
    def process_element(self, value, ctx):
        super().process_element(value, ctx)
        for time in value[3]:
            ctx.timer_service().delete_event_time_timer(time)


@case
def test_a_deleted_timer_does_not_fire(env):
    got = yield timeline(env, ("a", 1, [5, 6], [5]), ("b", 1, [5], [77]), 9).key_by(key).process(Delete())
    assert sorted(got) == [("a", 6, 9), ("b", 5, 9)]


class Tell(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(50)

    def on_timer(self, timestamp, ctx):
        assert ctx.time_domain() is TimeDomain.EVENT_TIME
        yield ctx.get_current_key(), ctx.timestamp(), self.count.value()


@case
def test_on_timer_sees_the_state_of_its_key_and_the_time_of_the_timer(env):
    got = yield timeline(env, ("a", 1), ("b", 2), ("a", 3), 60).key_by(key).process(Tell())
    assert sorted(got) == [("a", 50, 2), ("b", 50, 1)]


class Clock(KeyedProcessFunction):
    def process_element(self, value, ctx):
        now = ctx.timer_service().current_processing_time()
        ctx.timer_service().register_processing_time_timer(now - 1000)
        ctx.timer_service().register_processing_time_timer(now + 10_000_000)

    def on_timer(self, timestamp, ctx):
        assert ctx.time_domain() is TimeDomain.PROCESSING_TIME
        yield "fired", ctx.timer_service().current_processing_time() >= timestamp


@case
def test_a_timer_of_processing_time_in_the_past_fires_and_those_left_at_the_end_do_not(env):
    got = yield env.from_collection([1]).key_by(lambda n: n).process(Clock())
    assert got == [("fired", True)]


@case(batch=True)
def test_in_batch_mode_timers_of_processing_time_fire_at_the_end(env):
    got = yield env.from_collection([1]).key_by(lambda n: n).process(Clock())
    assert got == [("fired", True), ("fired", False)]


@case(batch=True)
def test_in_batch_mode_no_watermark_comes_but_the_last(env):
    got = yield timeline(env, ("a", 1, [5]), 20, ("a", 2, [3])).key_by(key).process(Set())
    assert got == [("a", 3, MAX_WATERMARK), ("a", 5, MAX_WATERMARK)]


class Once(ToySource):
    """Gives a few records, then waits for ever."""

    bounded = False

    def latest_offset(self, start, budget):
        return 2

    def splits(self, start, end, parallelism):
        return list(range(start, end))

    def read(self, split):
        yield Batch([split])


class Soon(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 300)

    def on_timer(self, timestamp, ctx):
        yield "fired", ctx.get_current_key()


def test_a_timer_of_processing_time_fires_though_no_more_data_comes(run):
    env = run.environment()
    stream = env.add_source(Once()).key_by(lambda n: n).process(Soon())
    with stream.execute_and_collect() as results:
        assert sorted([next(results), next(results)]) == [("fired", 0), ("fired", 1)]


def test_an_idle_subtask_holds_time_back_no_longer_than_its_timeout(run):
    env = run.environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Tens())
    strategy = strategy.with_idleness(Duration.of_millis(500))
    stream = env.add_source(Unequal()).assign_timestamps_and_watermarks(strategy)
    with stream.key_by(lambda n: 0).process(SetTen()).execute_and_collect() as results:
        assert next(results) == ("a", 10, 69)


class Unequal(Once):
    """The first subtask gives 0 to 7, the second gives 0 and is silent then."""

    def latest_offset(self, start, budget):
        return min(start + 1, 2)

    def splits(self, start, end, parallelism):
        return [(start, 0), (start, 1)]

    def read(self, split):
        epoch, subtask = split
        yield Batch(list(range(8)) if epoch and not subtask else [0] if not epoch else [])


class Tens(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * 10


class SetTen(Set):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(10)

    def on_timer(self, timestamp, ctx):
        yield "a", timestamp, ctx.timer_service().current_watermark()
