"""Jobs with all kinds of state, whose results show what was kept."""

from __future__ import annotations

from collections import Counter
from typing import Any

from datastream import KeyedProcessFunction, TimestampAssigner, Types, WatermarkStrategy
from datastream.functions import KeyedBroadcastProcessFunction, ProcessWindowFunction
from datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time
from datastream.windows import EventTimeSessionWindows, TumblingEventTimeWindows

KEYS = 97


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * 10 + (1_000_000 if value > 700 else 0)


TIMED = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())


class Kept(KeyedProcessFunction):
    """Keeps numbers in several states, and gives them at each; timers give what was kept when they were set."""

    def open(self, runtime_context):
        get = runtime_context
        living = ListStateDescriptor("living", Types.LONG())
        living.enable_time_to_live(StateTtlConfig.new_builder(Time.days(1)).build())
        self.count = get.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.numbers = get.get_list_state(ListStateDescriptor("numbers", Types.LONG()))
        self.living = get.get_list_state(living)
        self.squares = get.get_map_state(MapStateDescriptor("squares", Types.LONG(), Types.LONG()))
        self.sum = get.get_reducing_state(ReducingStateDescriptor("sum", lambda a, b: a + b, Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        self.numbers.add(value)
        self.living.add(value)
        self.squares.put(value, value * value)
        self.sum.add(value)
        ctx.timer_service().register_event_time_timer(value * 10 + 3000)
        kept = sum(self.numbers.get()), sum(self.living.get()), sum(self.squares.values())
        yield "kept", ctx.get_current_key(), self.count.value(), *kept, self.sum.get()

    def on_timer(self, timestamp, ctx):
        yield "timer", ctx.get_current_key(), timestamp


def kept(env, numbers):
    timed = numbers.assign_timestamps_and_watermarks(TIMED).uid("times")
    return timed.key_by(lambda n: n % KEYS).process(Kept()).uid("kept")


class Large(KeyedProcessFunction):
    """Keeps everything of one key in a list and a map that outgrow their page."""

    def open(self, runtime_context):
        self.numbers = runtime_context.get_list_state(ListStateDescriptor("numbers", Types.LONG()))
        self.texts = runtime_context.get_map_state(MapStateDescriptor("texts", Types.LONG(), Types.STRING()))

    def process_element(self, value, ctx):
        for n in range(10):
            self.numbers.add(value * 10 + n)
            self.texts.put(value * 10 + n, str(value))
        if value % 50 == 0:
            numbers = list(self.numbers.get())
            yield ctx.get_current_key(), len(numbers), numbers == sorted(numbers), sum(map(int, self.texts.values()))


def large(env, numbers):
    return numbers.key_by(lambda n: n % 3).process(Large()).uid("large")


def reduced(env, numbers):
    pairs = numbers.map(lambda n: (n % KEYS, n), output_type=Types.TUPLE([Types.LONG(), Types.LONG()]))
    return pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("reduced")


class Told(ProcessWindowFunction):
    def process(self, key, context, elements):
        window = context.window()
        yield key, window.start, window.end, sorted(elements)


def tumbling(env, numbers):
    timed = numbers.assign_timestamps_and_watermarks(TIMED).uid("times")
    windows = timed.key_by(lambda n: n % KEYS).window(TumblingEventTimeWindows.of(Time.milliseconds(7000)))
    return windows.process(Told()).uid("windows")


def sessions(env, numbers):
    timed = numbers.assign_timestamps_and_watermarks(TIMED).uid("times")
    windows = timed.key_by(lambda n: n % KEYS).window(EventTimeSessionWindows.with_gap(Time.milliseconds(2000)))
    return windows.process(Told()).uid("windows")


RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class Ruled(KeyedBroadcastProcessFunction):
    """Gives what is kept by key beside the rules, which only the first epoch brought."""

    def open(self, runtime_context):
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.LONG()))

    def process_element(self, value, ctx):
        self.sum.update((self.sum.value() or 0) + value)
        yield ctx.get_current_key(), self.sum.value(), sorted(ctx.get_broadcast_state(RULES).items())

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(f"rule {value}", value)


def ruled(env, numbers):
    rules = numbers.filter(lambda n: n <= 5).broadcast(RULES)
    return numbers.filter(lambda n: n > 5).key_by(lambda n: n % KEYS).connect(rules).process(Ruled()).uid("ruled")


def counted(results: list[Any]) -> Counter[str]:
    """Results, and how often each came."""
    return Counter(map(repr, results))
