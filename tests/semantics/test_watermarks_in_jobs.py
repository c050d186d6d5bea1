"""Watermarks on their way through a job: over exchanges, unions and epochs."""

from __future__ import annotations

import numpy as np
import pytest

from datastream import Configuration, FunctionError, KeyedProcessFunction, ProcessFunction, ProcessWindowFunction
from datastream.io import Batch
from datastream.testing import case
from datastream.time import (
    MAX_WATERMARK,
    MIN_WATERMARK,
    Duration,
    Time,
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkStrategy,
)
from datastream.windows import TumblingEventTimeWindows
from tests.support.timelines import Second, timeline
from tests.support.toy_source import ToySource


class Itself(TimestampAssigner):
    """A number is its own timestamp."""

    def extract_timestamp(self, value, record_timestamp):
        assert record_timestamp == MIN_WATERMARK
        return value


class Late(KeyedProcessFunction):
    """Tells of late records, and of timers in or out of their order."""

    def process_element(self, value, ctx):
        assert ctx.timestamp() == value
        if ctx.timestamp() <= ctx.timer_service().current_watermark():
            yield "late", value
        ctx.timer_service().register_event_time_timer(value + 1)

    def on_timer(self, timestamp, ctx):
        yield ("end" if ctx.timer_service().current_watermark() == MAX_WATERMARK else "fired"), timestamp


class Bounds(ProcessWindowFunction):
    """The window's bounds."""

    def process(self, key, context, elements):
        return [(context.window().start, context.window().end)]


NUMBERS = 20_000
STRATEGY = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(100)).with_timestamp_assigner(Itself())


def check(got):
    kinds = [kind for kind, _ in got]
    assert "late" not in kinds
    assert kinds.count("fired") > NUMBERS / 2, "time went on long before the end"
    assert sorted(time for _, time in got) == list(range(1, NUMBERS + 1))


def small_epochs(env):
    env.configure(Configuration().set_integer("datastream.epoch.max-records", NUMBERS // 8))


@pytest.mark.long_on_spark
@case(alone=True)
def test_time_goes_on_from_epoch_to_epoch_over_two_subtasks(env):
    small_epochs(env)
    stream = env.from_sequence(0, NUMBERS - 1).assign_timestamps_and_watermarks(STRATEGY)
    got = yield stream.key_by(lambda n: n % 7).process(Late())
    check(got)


@pytest.mark.long_on_spark
@case(alone=True)
def test_watermarks_pass_stages_without_keys_and_a_second_keyed_level(env):
    small_epochs(env)
    stream = env.from_sequence(0, NUMBERS - 1).assign_timestamps_and_watermarks(STRATEGY)
    stream = stream.rebalance().map(lambda n: n).key_by(lambda n: n % 7).process(Same()).rescale().filter(bool)
    got = yield stream.key_by(lambda n: n % 5).process(Late())
    check([*got, ("end", 1)])


class Same(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


@pytest.mark.long_on_spark
@case(alone=True)
def test_the_watermark_of_a_union_is_the_lower_one(env):
    small_epochs(env)
    whole = env.from_sequence(0, NUMBERS - 1)
    even = whole.filter(lambda n: n % 2 == 0).assign_timestamps_and_watermarks(STRATEGY)
    odd = whole.filter(lambda n: n % 2).rebalance().assign_timestamps_and_watermarks(STRATEGY)
    got = yield even.union(odd).key_by(lambda n: n % 7).process(Late())
    check(got)


@pytest.mark.long_on_spark
@case(alone=True)
def test_a_source_without_watermarks_holds_time_back_until_it_ends(env):
    small_epochs(env)
    timed = env.from_sequence(0, NUMBERS - 1).assign_timestamps_and_watermarks(STRATEGY)
    other = env.from_sequence(0, 3).filter(lambda n: False)
    got = yield timed.union(other).key_by(lambda n: n % 7).process(Late())
    check(got)  # it ends in the first epoch


class Seen(ProcessFunction):
    def process_element(self, value, ctx):
        yield value[0], ctx.timestamp(), ctx.timer_service().current_watermark()


@case
def test_a_function_without_keys_sees_time_where_it_stands(env):
    got = yield timeline(env, ("a", 1), 3, ("b", 7), ("c", 2)).rebalance().process(Seen()).set_parallelism(1)
    assert got == [("a", 1, MIN_WATERMARK), ("b", 7, 3), ("c", 2, 3)]


class Before(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return record_timestamp - 100


@case
def test_new_timestamps_and_watermarks_take_the_place_of_those_from_above(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Before())
    stream = timeline(env, ("a", 201), 300, ("b", 207)).assign_timestamps_and_watermarks(strategy)
    got = yield stream.key_by(lambda v: 0).process(Stamps())
    assert got == [("a", 101, True), ("b", 107, True), ("end", 106), ("end", MAX_WATERMARK)]


class Stamps(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value[0], ctx.timestamp(), ctx.timer_service().current_watermark() < 200
        if value[0] == "a":
            ctx.timer_service().register_event_time_timer(106)
            ctx.timer_service().register_event_time_timer(1000)

    def on_timer(self, timestamp, ctx):
        yield "end", ctx.timer_service().current_watermark()


@case
def test_records_without_an_assigner_have_no_timestamp(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    got = yield env.from_collection([("a", 1)]).assign_timestamps_and_watermarks(strategy).process(Seen())
    assert got == [("a", MIN_WATERMARK, MIN_WATERMARK)]


@case
def test_from_source_takes_a_strategy(env):
    from datastream.connectors.number_seq import NumberSequenceSource

    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Itself())
    stream = env.from_source(NumberSequenceSource(5, 6), strategy, "numbers")
    got = yield stream.key_by(lambda n: 0).process(Late())
    assert sorted(got) == [("end", 6), ("end", 7)]


@pytest.mark.parametrize("time", [5.9, np.int64(5), np.float32(5.5)])
def test_a_timestamp_is_the_whole_part_of_any_number(run, time):
    env = run.environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    stream = env.from_collection([("a", time)]).assign_timestamps_and_watermarks(strategy)
    windows = stream.key_by(lambda r: r[0]).window(TumblingEventTimeWindows.of(Time.seconds(0.003)))
    assert run.collect(windows.process(Bounds())) == [(3, 6)]


def test_a_timestamp_that_is_none_names_assigner_and_value(run):
    env = run.environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    stream = env.from_collection([("a", 1), ("b", "two")]).assign_timestamps_and_watermarks(strategy)
    with pytest.raises(FunctionError, match=r"(?s)got a str: 'two'.*Second.extract_timestamp.*\('b', 'two'\)"):
        run.collect(stream)


class Wandering(ToySource):
    """Each epoch's records are read by the subtask that the test says: (epoch's) lists by subtask, or None."""

    def __init__(self, epochs):
        self.epochs = epochs

    def latest_offset(self, start, budget):
        return min(start + 1, len(self.epochs))

    def splits(self, start, end, parallelism):
        return self.epochs[start:end][0] if start < end else []

    def read(self, split):
        yield Batch(list(split))

    def finished(self, offset):
        return offset == len(self.epochs)


@case(alone=True)
def test_a_subtask_that_had_no_split_is_not_overtaken_when_it_gets_one(env):
    epochs = [[[("a", 10)], [("a", 11)]], [[("a", 20)]], [[], [("a", 30)]]]
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    stream = env.add_source(Wandering(epochs)).assign_timestamps_and_watermarks(strategy)
    windows = stream.key_by(lambda v: v[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    got = yield windows.reduce(lambda a, b: b)
    assert got == [("a", 11), ("a", 20), ("a", 30)]


class EmitsAndRests(WatermarkGenerator):
    def on_event(self, event, event_timestamp, output):
        output.emit_watermark(event_timestamp + 5)
        output.mark_idle()

    def on_periodic_emit(self, output):
        return None


@case(alone=True)
def test_a_watermark_makes_an_idle_subtask_active(env):
    epochs = [[[("a", 10 * i)]] for i in range(1, 4)]
    strategy = WatermarkStrategy.for_generator(EmitsAndRests).with_timestamp_assigner(Second())
    stream = env.add_source(Wandering(epochs)).assign_timestamps_and_watermarks(strategy)
    got = yield stream.key_by(lambda v: v[0]).process(AtOnce())
    assert got == [(10, 15), (20, 25), (30, 35)]


class AtOnce(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value[1])

    def on_timer(self, timestamp, ctx):
        yield timestamp, ctx.timer_service().current_watermark()


@case
def test_watermarks_pass_operators_that_are_not_fused(env):
    stream = timeline(env, ("a", 1), 3, ("b", 7), 9).key_by(lambda v: 0).process(Same())
    stream = stream.map(lambda v: v).disable_chaining().map(lambda v: v).start_new_chain()
    got = yield stream.process(Seen()).set_parallelism(2)
    assert got == [("a", 1, MIN_WATERMARK), ("b", 7, 3)]


def test_settings_behind_from_source_are_those_of_the_source(run):
    from datastream.connectors.number_seq import NumberSequenceSource

    env = run.environment()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Itself())
    stream = env.from_source(NumberSequenceSource(0, 1), strategy, "numbers").uid("n").name("mine").set_parallelism(1)
    stream.print()
    plan = env.explain()
    assert "uid n " in plan and "mine" in plan and "uid n-timestamps" in plan


@case
def test_the_lowest_split_of_a_subtask_counts(env):
    stream = env.add_source(Wandering([[[("a", 1), ("a", 9)], [("b", 2)], [("a", 5), ("a", 9)], [("b", 5)]]]))
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    windows = stream.assign_timestamps_and_watermarks(strategy).key_by(lambda v: v[0])
    got = yield windows.window(TumblingEventTimeWindows.of(Time.milliseconds(3))).reduce(
        lambda a, b: (a[0], a[1] + b[1])
    )
    assert sorted(got) == [("a", 1), ("a", 5), ("a", 18), ("b", 2), ("b", 5)]


@case(alone=True)
def test_a_source_that_is_waiting_for_data_holds_time_back_when_the_other_ends(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    short = env.from_collection([("a", 1)]).assign_timestamps_and_watermarks(strategy)
    long = env.add_source(Pausing()).assign_timestamps_and_watermarks(strategy)
    got = yield short.union(long).key_by(lambda v: 0).process(AtOnce())
    assert [time for time, _ in got] == [1, 10, 20, 30]
    assert [watermark for _, watermark in got][:3] == [9, 19, 29]


class Pausing(Wandering):
    """Every other epoch has nothing to read."""

    def __init__(self):
        super().__init__([[], [[("b", 10)]], [], [[("b", 20)]], [], [[("b", 30)]], []])
