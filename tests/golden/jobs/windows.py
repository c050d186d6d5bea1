"""Windows of all kinds, each run by the host that suits it."""

from __future__ import annotations

import operator

from datastream import Types
from datastream.functions import AllWindowFunction, ProcessWindowFunction, ReduceFunction, WindowFunction
from datastream.state import ListStateDescriptor, ValueStateDescriptor
from datastream.time import Time
from datastream.windows import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    DynamicEventTimeSessionWindows,
    EventTimeSessionWindows,
    GlobalWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
)

from .halted import numbers, time_of
from .keyed import Digits

KEYS = 6
ANY = Types.PICKLED_BYTE_ARRAY()
TEN = TumblingEventTimeWindows.of(Time.seconds(10))
SLIDING = SlidingEventTimeWindows.of(Time.seconds(20), Time.seconds(8))


class Event:
    """(number, key, 1)."""

    def __call__(self, number):
        return number, number % KEYS, 1


class Plus(ReduceFunction):
    """Adds counts; keeps the least number."""

    def reduce(self, value1, value2):
        return min(value1[0], value2[0]), value1[1], value1[2] + value2[2]


class Number(Digits):
    """Of events."""

    def add(self, value, accumulator):
        return super().add(value[0], accumulator)


class Bounds(ProcessWindowFunction):
    """What is in a window, and which one it is."""

    def __init__(self, name):
        self.name = name

    def process(self, key, context, elements):
        window = context.window()
        for element in elements:
            yield self.name, key, window.start, window.end, element


class Gathered(WindowFunction):
    """How many there are, and the sum of their numbers."""

    def __init__(self, name):
        self.name = name

    def apply(self, key, window, inputs):
        inputs = list(inputs)
        yield self.name, key, window.max_timestamp(), len(inputs), sum(e[0] for e in inputs)


class Sizes(WindowFunction):
    """How many there are."""

    def __init__(self, name):
        self.name = name

    def apply(self, key, window, inputs):
        yield self.name, key, len(list(inputs))


class OfWindow(ProcessWindowFunction):
    """Keeps how often it was called, by window and by key."""

    def process(self, key, context, elements):
        calls = context.window_state().get_state(ValueStateDescriptor("calls", ANY))
        calls.update((calls.value() or 0) + 1)
        seen = context.global_state().get_list_state(ListStateDescriptor("windows", ANY))
        if calls.value() == 1:
            seen.add(context.window().start)
        yield "counted", key, len(list(elements)), 0

    def clear(self, context):
        context.window_state().get_state(ValueStateDescriptor("calls", ANY)).clear()


class Everyone(AllWindowFunction):
    """Of all keys."""

    def apply(self, window, inputs):
        inputs = list(inputs)
        yield "all", window.start, len(inputs), sum(e[0] for e in inputs)


class Gap(SessionWindowTimeGapExtractor):
    """In ms."""

    def extract(self, element):
        return 100 + element[1] * 100


class Bursts:
    """Each key pauses for two thirds of the time."""

    def __call__(self, event):
        return (time_of(event[0]) // 4000 + event[1]) % 3 == 0


class Joined:
    """The two numbers."""

    def __call__(self, first, second):
        return "join", first[1], first[0], second[0]


class Grouped:
    """How many there are of each."""

    def __call__(self, first, second):
        return [("co-group", len(first), len(second), sum(e[0] for e in first) - sum(e[0] for e in second))]


class Every:
    """Some of the events."""

    def __init__(self, n):
        self.n = n

    def __call__(self, event):
        return event[0] % self.n == 0


class Tagged:
    """A result with the name of its windows before it."""

    def __init__(self, name):
        self.name = name

    def __call__(self, value):
        return self.name, *value


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails.
    """
    env.set_parallelism(2)
    env.set_max_parallelism(8)
    key = operator.itemgetter(1)
    events = numbers(env, limit).map(Event())
    keyed = events.key_by(key)
    bursts = events.filter(Bursts()).key_by(key)
    few, fewer = events.filter(Every(20)), events.filter(Every(30))
    results = [
        keyed.window(TEN).aggregate(Number(), Bounds("tumbling")).uid("tumbling"),
        keyed.window(TEN).allowed_lateness(7000).reduce(Plus(), Bounds("lateness")).uid("lateness"),
        keyed.window(TEN).apply(Gathered("gathered")).uid("gathered"),
        keyed.window(SLIDING).reduce(Plus(), Bounds("panes")).uid("panes"),
        keyed.window(SLIDING).apply(Gathered("sliding")).uid("sliding"),
        bursts.window(EventTimeSessionWindows.with_gap(Time.milliseconds(700)))
        .aggregate(Number(), Bounds("sessions"))
        .uid("sessions"),
        bursts.window(DynamicEventTimeSessionWindows.with_dynamic_gap(Gap())).apply(Gathered("dynamic")).uid("dynamic"),
        keyed.window(TEN).evictor(TimeEvictor.of(Time.seconds(3))).apply(Gathered("evictor")).uid("evictor"),
        keyed.window(TEN)
        .trigger(PurgingTrigger.of(ContinuousEventTimeTrigger.of(Time.seconds(3))))
        .process(OfWindow())
        .uid("counted"),
        keyed.window(GlobalWindows.create())
        .trigger(PurgingTrigger.of(CountTrigger.of(7)))
        .apply(Sizes("triggered"))
        .uid("triggered"),
        keyed.count_window(9).apply(Sizes("count")).uid("count"),
        keyed.count_window(10, 4).apply(Sizes("count sliding")).uid("count sliding"),
        events.window_all(TEN).apply(Everyone()).uid("all"),
        few.join(fewer).where(key).equal_to(key).window(TEN).apply(Joined()).uid("join"),
        few.co_group(fewer).where(key).equal_to(key).window(TEN).apply(Grouped()).uid("co-group"),
    ]
    return results[0].union(*results[1:])
