"""States and timers of keys, small and large, with and without a time to live."""

from __future__ import annotations

from datastream import KeyedProcessFunction, Types
from datastream.functions import AggregateFunction, ReduceFunction
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time

from .halted import COUNT, END, HALF, numbers
from .values import kept, told

#: So many keys that a key group has several pages.
CROWD = 1500

#: Set in the last epoch that the first half commits, and due soon after.
CLOCK_NUMBERS = range(HALF - 1300, HALF - 1000)
CLOCK_MS = 4000

#: A timer of the year 2100.
FAR = 4_102_444_800_000

ANY = Types.PICKLED_BYTE_ARRAY()


class Larger(ReduceFunction):
    """The larger of two."""

    def reduce(self, value1, value2):
        return max(value1, value2)


class Digits(AggregateFunction):
    """How many, and their sum."""

    def create_accumulator(self):
        return [0, 0]

    def add(self, value, accumulator):
        return [accumulator[0] + 1, accumulator[1] + value]

    def get_result(self, accumulator):
        return tuple(accumulator)

    def merge(self, acc_a, acc_b):
        return [a + b for a, b in zip(acc_a, acc_b, strict=True)]


AGES = Time.days(365_000)


def living(descriptor, ttl=AGES):
    """A descriptor of values that live for so long; default: a thousand years."""
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(ttl).build())
    return descriptor


class Everything(KeyedProcessFunction):
    """Keeps each number in every kind of state, and gives what it has at the end."""

    def open(self, runtime_context):
        get = runtime_context
        self.value = get.get_state(ValueStateDescriptor("value", ANY))
        self.numbers = get.get_list_state(ListStateDescriptor("numbers", ANY))
        self.squares = get.get_map_state(MapStateDescriptor("squares", ANY, ANY))
        self.values = get.get_map_state(MapStateDescriptor("values", ANY, ANY))
        self.largest = get.get_reducing_state(ReducingStateDescriptor("largest", Larger(), ANY))
        self.total = get.get_aggregating_state(AggregatingStateDescriptor("total", Digits(), ANY))
        self.living_value = get.get_state(living(ValueStateDescriptor("living value", ANY)))
        self.living_numbers = get.get_list_state(living(ListStateDescriptor("living numbers", ANY)))
        self.living_squares = get.get_map_state(living(MapStateDescriptor("living squares", ANY, ANY)))
        self.living_largest = get.get_reducing_state(living(ReducingStateDescriptor("living largest", Larger(), ANY)))
        self.gone = get.get_state(living(ValueStateDescriptor("gone", ANY), Time.milliseconds(1)))

    def process_element(self, value, ctx):
        if value < 500:
            self.gone.update(value)
        else:
            self.living_value.update("living")
            self.value.update(kept(7))
        for state in (self.numbers, self.living_numbers):
            state.add(value)
        for state in (self.squares, self.living_squares):
            state.put(value, value * value)
        for place, one in enumerate(kept(5)):
            self.values.put(place, one)
        for state in (self.largest, self.living_largest, self.total):
            state.add(value)
        timers = ctx.timer_service()
        timers.register_event_time_timer(END)
        timers.register_event_time_timer(value * 10 // 5000 * 5000 + 5000)
        timers.register_processing_time_timer(FAR)
        if value in CLOCK_NUMBERS:
            timers.register_processing_time_timer(timers.current_processing_time() + CLOCK_MS)

    def on_timer(self, timestamp, ctx):
        key = ctx.get_current_key()
        if ctx.time_domain().name == "PROCESSING_TIME":
            yield "clock", key
        elif timestamp == END:
            for numbers in (self.numbers, self.living_numbers):
                found = list(numbers.get())
                yield "list", key, len(found), sum(found), len(set(found))
            for squares in (self.squares, self.living_squares):
                found = list(squares.items())
                yield "map", key, len(found), all(v == k * k for k, v in found)
            yield "value", key, told(self.value.value())
            yield "values", key, told([self.values.get(n) for n in range(len(kept(0)))])
            yield "others", key, self.largest.get(), self.total.get(), self.living_largest.get()
            yield "living", key, self.living_value.value(), self.gone.value()
        else:
            yield "timer", key, timestamp


class Crowd(KeyedProcessFunction):
    """A value and a timer for each of many keys."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(END + value % CROWD % 7)

    def on_timer(self, timestamp, ctx):
        yield "crowd", ctx.get_current_key(), timestamp, self.count.value()


class KeyOf:
    """Keys of several types; every second number is of one key."""

    def __call__(self, number):
        return "hot" if number % 2 else ("key", number % 3) if number % 3 else number % 5 / 2


class Member:
    """Many keys."""

    def __call__(self, number):
        return number % CROWD


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails.
    """
    env.set_parallelism(2)
    env.set_max_parallelism(4)
    source = numbers(env, limit)
    everything = source.key_by(KeyOf()).process(Everything()).uid("everything")
    crowd = source.key_by(Member()).process(Crowd()).uid("crowd")
    return everything.union(crowd)


assert COUNT > 2 * CROWD
