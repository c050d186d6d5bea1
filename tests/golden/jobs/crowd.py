"""So many keys that each key group is kept in runs: states, large collections, timers of both kinds, aggregates."""

from __future__ import annotations

from datastream import KeyedProcessFunction, Types
from datastream.functions import FlatMapFunction, MapFunction, ReduceFunction
from datastream.state import ListStateDescriptor, ValueStateDescriptor

from .halted import END, numbers
from .keyed import CLOCK_MS, CLOCK_NUMBERS, living

#: Of each number come so many keys.
EACH = 5
#: A key that keeps so much that it has entries of its own.
LARGE = 0


class Keys(FlatMapFunction):
    """(key, number): new keys for each number, one of an earlier number, and one that all have."""

    def flat_map(self, value):
        yield from ((EACH * value + i + 1, value) for i in range(EACH))
        yield value // 2 * EACH + 1, value
        yield LARGE, value


class Larger(ReduceFunction):
    """The larger of two pairs."""

    def reduce(self, value1, value2):
        return max(value1, value2)


class Pairs(KeyedProcessFunction):
    """Keeps what a key gets; gives it when time has come to its end, and some of it half a second after."""

    def open(self, runtime_context):
        self.numbers = runtime_context.get_list_state(ListStateDescriptor("numbers", Types.LONG()))
        self.last = runtime_context.get_state(living(ValueStateDescriptor("last", Types.LONG())))

    def process_element(self, value, ctx):
        key, number = value
        self.numbers.add(number)
        if self.last.value() is None:
            ctx.timer_service().register_event_time_timer(END + key % 100)
            ctx.timer_service().register_event_time_timer(number * 10 + 2000)
        if number in CLOCK_NUMBERS and key % EACH == 1:
            service = ctx.timer_service()
            service.register_processing_time_timer(service.current_processing_time() + CLOCK_MS)
        self.last.update(number)

    def on_timer(self, timestamp, ctx):
        key = ctx.get_current_key()
        if ctx.time_domain().name == "PROCESSING_TIME":
            yield "clock", key
        elif timestamp < END:
            yield "soon", key, timestamp
        else:
            kept = list(self.numbers.get())
            yield "kept", key, len(kept), sum(kept), self.last.value()
            self.numbers.clear()
            self.last.clear()


class Told(MapFunction):
    """What a running aggregate is."""

    def map(self, value):
        return "largest", *value


def build(env, limit=None):
    """The stream of all results."""
    env.set_parallelism(1)
    env.set_max_parallelism(1)
    pairs = numbers(env, limit).flat_map(Keys()).uid("keys")
    kept = pairs.key_by(first).process(Pairs()).uid("kept")
    largest = pairs.key_by(first).reduce(Larger()).uid("largest").map(Told())
    return kept.union(largest)


def first(pair):
    """The key."""
    return pair[0]
