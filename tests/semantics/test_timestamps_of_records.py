"""Timestamps, order and places of records and watermarks on their way. Both executors."""

from __future__ import annotations

from datastream import CoProcessFunction, KeyedProcessFunction, OutputTag, ProcessFunction
from datastream.functions import CoFlatMapFunction, CoMapFunction
from datastream.testing import case
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, TimestampAssigner, WatermarkGenerator, WatermarkStrategy
from datastream.types import Types
from datastream.windows import TumblingEventTimeWindows
from tests.support.timelines import timeline
from tests.support.windows.events import Stamped, first

SIDE = OutputTag("side", Types.PICKLED_BYTE_ARRAY())


class Twice(ProcessFunction):
    def process_element(self, value, ctx):
        yield value
        yield SIDE, value


class KeyedTwice(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value
        yield SIDE, value


@case
def test_map_filter_flat_map_and_side_outputs_keep_timestamps(env):
    stream = timeline(env, ("a", 1), ("b", 2), 5, ("a", 9))
    stream = stream.map(lambda v: (*v, "mapped")).filter(lambda v: v[1] != 2).flat_map(lambda v: [v, v])
    main = stream.process(Twice())
    keyed = main.key_by(first).process(KeyedTwice())
    streams = [main, main.get_side_output(SIDE), keyed, keyed.get_side_output(SIDE), stream.key_by(first).map(tuple)]
    for got in (yield tuple(stream.process(Stamped()) for stream in streams)):
        assert [time for _, time in got] == [1, 1, 9, 9]


def add(one, other):
    return one[0], one[1] + other[1]


@case
def test_reduce_keeps_the_timestamp_of_the_record_it_was_called_for(env):
    stream = timeline(env, ("a", 1), ("a", 5), ("a", 3)).key_by(first)
    got = yield stream.reduce(add).process(Stamped())
    assert got == [(("a", 1), 1), (("a", 6), 5), (("a", 9), 3)]


class Sides(CoMapFunction):
    def map1(self, value):
        return value

    map2 = map1


class FlatSides(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    flat_map2 = flat_map1


class ProcessSides(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    process_element2 = process_element1


@case
def test_functions_of_two_streams_keep_timestamps(env):
    one, two = timeline(env, ("a", 1)), timeline(env, ("b", 2))
    both = one.connect(two)
    keyed = both.key_by(first, first)
    streams = [both.map(Sides()), both.flat_map(FlatSides()), both.process(ProcessSides()), keyed.map(Sides())]
    for got in (yield tuple(stream.process(Stamped()) for stream in (*streams, one.union(two)))):
        assert sorted(got) == [(("a", 1), 1), (("b", 2), 2)]


class Note(KeyedProcessFunction):
    """(key, timestamp, watermark) of each record."""

    def process_element(self, value, ctx):
        yield value[0], ctx.timestamp(), ctx.timer_service().current_watermark()


@case
def test_records_of_a_key_stay_in_order_through_every_exchange(env):
    events = [(n % 5, n) for n in range(500)]
    stream = timeline(env, *events).key_by(first).process(Note()).key_by(first).process(Plain())
    got = yield stream
    for key in range(5):
        assert [time for k, time in got if k == key] == list(range(key, 500, 5))


class Plain(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value[0], value[1]


@case
def test_watermarks_keep_their_place_between_records(env):
    events = [("a", 1), 1, ("a", 5), ("a", 4), 4, ("a", 9), 9, ("a", 2)]
    got = yield timeline(env, *events).rebalance().map(lambda v: v).set_parallelism(1).key_by(first).process(Note())
    assert got == [("a", 1, MIN_WATERMARK), ("a", 5, 1), ("a", 4, 1), ("a", 9, 4), ("a", 2, 9)]


class MinusHundred(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return record_timestamp - 100


class Before(TimestampAssigner):
    """Tells the timestamp so far, as the new one."""

    def extract_timestamp(self, value, record_timestamp):
        assert record_timestamp == (MIN_WATERMARK if len(value) == 1 else value[1])
        return 7


class OwnMarks(WatermarkGenerator):
    def on_event(self, event, event_timestamp, output):
        output.emit_watermark(event_timestamp - 1)

    def on_periodic_emit(self, output):
        return None


class Marks(KeyedProcessFunction):
    """Each watermark that fires a timer."""

    def process_element(self, value, ctx):
        yield ctx.timestamp(), ctx.timer_service().current_watermark()
        ctx.timer_service().register_event_time_timer(10**6)

    def on_timer(self, timestamp, ctx):
        yield "end", ctx.timer_service().current_watermark()


@case
def test_new_watermarks_replace_those_from_above_but_the_last(env):
    strategy = WatermarkStrategy.for_generator(OwnMarks).with_timestamp_assigner(MinusHundred())
    stream = timeline(env, ("a", 201), 10**9, ("a", 207), ("a", 208)).assign_timestamps_and_watermarks(strategy)
    got = yield stream.key_by(first).process(Marks())
    assert got == [(101, MIN_WATERMARK), (107, 100), (108, 106), ("end", MAX_WATERMARK)]


@case
def test_an_assigner_gets_the_timestamp_so_far(env):
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(Before())
    timed = timeline(env, ("a", 201)).assign_timestamps_and_watermarks(strategy)
    untimed = env.from_collection([("a",)]).assign_timestamps_and_watermarks(strategy)
    one, two = yield timed.process(Stamped()), untimed.process(Stamped())
    assert (one, two) == ([(("a", 201), 7)], [(("a",), 7)])


class Late(KeyedProcessFunction):
    """At each timer, gives something with the timer's time."""

    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value[1])

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp, ctx.timer_service().current_watermark()


@case
def test_all_timers_fire_before_the_watermark_goes_on(env):
    ten = TumblingEventTimeWindows(10, 0)
    fired = timeline(env, ("a", 9), ("a", 8), 9, ("a", 15), 20).key_by(first).process(Late())
    got = yield fired.key_by(first).process(Late()).key_by(first).window(ten).reduce(lambda one, other: other)
    assert got == [("a", 9, 9), ("a", 15, 20)], "none was late for the window: the watermark came last each time"
