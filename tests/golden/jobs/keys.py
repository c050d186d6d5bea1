"""Keys of every kind that can be pickled, and the states of functions of one record and of running aggregates."""

from __future__ import annotations

import datetime
import fractions
import uuid
from dataclasses import dataclass
from decimal import Decimal

from datastream import KeyedProcessFunction, Row, Types
from datastream.functions import FilterFunction, FlatMapFunction, MapFunction, ReduceFunction, WindowFunction
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from datastream.time import Instant, Time
from datastream.windows import TumblingEventTimeWindows

from .halted import COUNT, END, numbers
from .keyed import Digits, Larger, living
from .values import Color, Note, Pair, told

ANY = Types.PICKLED_BYTE_ARRAY()

#: How many keys there are of each kind.
EACH = 2


class Alike:
    """A user's own, with an equality of its own."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return type(other) is Alike and self.number == other.number

    def __hash__(self):
        return hash(self.number)

    def __repr__(self):
        return f"Alike({self.number})"


@dataclass(frozen=True)
class Place:
    """A user's own."""

    number: int
    name: str


def kinds(n: int) -> list[object]:
    """One key of each kind; those of another `n` are other keys."""
    return [
        [n, "list"],
        {"of": n, "dict": [n]},
        {n, "set", n + 10},
        bytearray(b"bytes %d" % n),
        (n, ["in a tuple"]),
        Note(n, "no hash"),
        Alike(n),
        Row(n, [n]),
        Row(id=n, names={"named": n}),
        [float("nan"), n],
        [Alike(n), {n: {n}}],
        (n, "tuple"),
        Row(n, "row"),
        Row(id=n, name="named"),
        Pair(n, n),
        Place(n, "frozen"),
        Color.RED if n else Color.BLUE,
        None if n else "text",
        b"bytes %d" % n,
        Decimal(n) + Decimal("0.125"),
        fractions.Fraction(n * 7 + 1, 3),
        frozenset({n, n + 20}),
        uuid.UUID(int=n),
        datetime.datetime(2024, 2, 29, 1, 2, n),
        Instant(n, 5),
    ]


KEYS = [kinds(n) for n in range(EACH)]
KINDS = len(KEYS[0])

#: How many records each key has.
TIMES = COUNT // EACH // KINDS


class Event:
    """(number, kind of key, which one of them, 1)."""

    def __call__(self, number):
        return number, number % KINDS, number // KINDS % EACH, 1


class KeyOf:
    """A new object for each record."""

    def __call__(self, event):
        return kinds(event[2])[event[1]]


def shown(key) -> str:
    """A key as text; a set by its members, in an order."""
    return f"set {sorted(map(str, key))}" if isinstance(key, set) else told(key)


class Counting:
    """Counts the records of a key in states of each kind."""

    def open(self, runtime_context):
        get = runtime_context
        self.count = get.get_state(ValueStateDescriptor("count", ANY))
        self.numbers = get.get_list_state(ListStateDescriptor("numbers", ANY))
        self.squares = get.get_map_state(MapStateDescriptor("squares", ANY, ANY))
        self.largest = get.get_reducing_state(ReducingStateDescriptor("largest", Larger(), ANY))
        self.total = get.get_aggregating_state(AggregatingStateDescriptor("total", Digits(), ANY))
        self.living = get.get_list_state(living(ListStateDescriptor("living", ANY)))

    def counted(self, event):
        """How many there have been."""
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        for state in (self.numbers, self.largest, self.total, self.living):
            state.add(event[0])
        self.squares.put(event[0], event[0] ** 2)
        return count

    def found(self):
        """What the states hold."""
        squares = dict(self.squares.items())
        living = list(self.living.get())
        return (
            self.count.value(),
            sum(self.numbers.get()),
            len(squares),
            all(square == number**2 for number, square in squares.items()),
            self.largest.get(),
            self.total.get(),
            len(living),
            sum(living),
        )


class Mapped(Counting, MapFunction):
    """What it holds, with its count at the end."""

    def map(self, value):
        count = self.counted(value)
        return ("map", shown(KeyOf()(value)), *self.found(), count)


class Complete:
    """Whether these are the results of the last record of a key."""

    def __call__(self, value):
        return value[-1] == TIMES


class FlatMapped(Counting, FlatMapFunction):
    """What it holds when a key is complete."""

    def flat_map(self, value):
        if self.counted(value) == TIMES:
            yield ("flat map", shown(KeyOf()(value)), *self.found())


class Filtered(Counting, FilterFunction):
    """Lets the last record of a key pass."""

    def filter(self, value):
        return self.counted(value) == TIMES


class KindOnly:
    """Of the last record of a key, what does not depend on when it came."""

    def __call__(self, event):
        return "filter", event[1], event[2]


class Summed(ReduceFunction):
    """Adds counts; the number is how often it was called for that key, or None when its state is not whole."""

    def open(self, runtime_context):
        self.calls = runtime_context.get_state(ValueStateDescriptor("calls", ANY))
        self.counts = runtime_context.get_map_state(MapStateDescriptor("counts", ANY, ANY))

    def reduce(self, value1, value2):
        calls = (self.calls.value() or 0) + 1
        self.calls.update(calls)
        self.counts.put(value1[3], calls)
        whole = dict(self.counts.items()) == {n: n for n in range(1, calls + 1)}
        return calls if whole else None, value1[1], value1[2], value1[3] + value2[3]


class Reduced:
    """The aggregate with a name."""

    def __call__(self, event):
        return "reduce", *event


class Timed(Counting, KeyedProcessFunction):
    """What it holds when all numbers have been; a timer of its own for each ten seconds."""

    def process_element(self, value, ctx):
        self.counted(value)
        ctx.timer_service().register_event_time_timer(value[0] * 10 // 10_000 * 10_000 + 10_000)
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp, ctx):
        key = shown(ctx.get_current_key())
        if timestamp == END:
            yield ("process", key, *self.found())
        else:
            yield "timer", key, timestamp


class Gathered(WindowFunction):
    """How many there are, and the sum of their numbers."""

    def apply(self, key, window, inputs):
        inputs = list(inputs)
        yield "window", shown(key), window.end, len(inputs), sum(e[0] for e in inputs)


def build(env, limit=None):
    """The stream of all results.

    Args:
        env: The environment.
        limit: The number at which the job fails.
    """
    env.set_parallelism(2)
    env.set_max_parallelism(4)
    keyed = numbers(env, limit).map(Event()).key_by(KeyOf())
    results = [
        keyed.map(Mapped()).uid("mapped").filter(Complete()),
        keyed.flat_map(FlatMapped()).uid("flat mapped"),
        keyed.filter(Filtered()).uid("filtered").map(KindOnly()),
        keyed.reduce(Summed()).uid("reduced").filter(Complete()).map(Reduced()),
        keyed.process(Timed()).uid("timed"),
        keyed.window(TumblingEventTimeWindows.of(Time.seconds(25))).apply(Gathered()).uid("windows"),
    ]
    return results[0].union(*results[1:])


assert COUNT == TIMES * EACH * KINDS
