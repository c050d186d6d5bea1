"""Random programs of state operations and timers, side by side in one job; each result is a line of a file.

A program is data: operations for each record, drawn from a seed, as are the places where epochs are cut and where
watermarks stand. `Interpreter` carries the operations out; the model that says what must come out is in the test.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import dataclass
from typing import Any

from datastream import KeyedProcessFunction, StreamExecutionEnvironment, Types
from datastream.connectors.files import FileSink
from datastream.formats import Encoder
from datastream.functions import AggregateFunction, ReduceFunction
from datastream.io import Batch, Source, SourceReader, SplitEnumerator
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from datastream.time import TimestampAssigner, WatermarkGenerator, WatermarkStrategy

#: Timers and watermarks are drawn below this.
LAST_TIME = 250

#: As many keys as make state have several pages.
CROWD = 1600

WATERMARK = "watermark"

#: Equal keys of several types, and keys of several kinds. For each n from 3 on, n and str(n) are drawn too.
ODD_KEYS = [1, 1.0, True, 2, 2.0, "a", "", ("a", 1), (), None, b"a", -1, 2**70, 0.5]


@dataclass
class Plan:
    """What the job reads.

    Attributes:
        seed: That it was drawn from.
        key_groups: How many; with few, state needs several pages.
        epochs: For each epoch, what each of one or two subtasks reads: (WATERMARK, time in ms), or
            ((program, key), timestamp, operations).
    """

    seed: int
    key_groups: int
    epochs: list[list[list[Any]]]

    @property
    def sides(self) -> int:
        return len(self.epochs[0])


# -- drawing ---------------------------------------------------------------------------------------------


def draw(seed: int, programs: int, cuts: int = 6) -> Plan:
    """Draw programs, watermarks and epochs: in the mean so many large ones, and some tiny ones between them.

    What a function sees must not hang on the order between two subtasks, which nobody promises. So with two of them
    a watermark has an epoch of its own; with one, watermarks stand anywhere among the records.
    """
    chance = random.Random(seed)
    sides = chance.randint(1, 2)
    crowded = chance.random() < 0.5
    events = _mixed(chance, [_program(chance, program) for program in range(0 if crowded else 1, programs + 1)])
    marks, step = (40, 15) if sides == 1 else (5, 80)
    epochs: list[list[list[Any]]] = [[[] for _ in range(sides)]]
    reached = 0
    for event in events:
        epochs[-1][event[0][0] % sides].append(event)
        if chance.random() < marks / len(events):
            reached = max(0, min(LAST_TIME, reached + chance.randint(-5, step)))
            mark = (WATERMARK, reached)
            if sides == 1:
                epochs[-1][0].append(mark)
            else:
                epochs += [chance.choice([[[mark], []], [[], [mark]]]), [[], []]]
        if chance.random() < cuts / len(events) or chance.random() < 0.4 and 0 < sum(map(len, epochs[-1])) < 4:
            epochs.append([[] for _ in range(sides)])
    if sides == 2:  # which of the two ends first is as open as any order between them: let it not matter
        epochs += [[[(WATERMARK, LAST_TIME * 2)], []], [[], [(WATERMARK, LAST_TIME * 2)]], [[], []]]
    elif chance.random() < 0.5:
        epochs.append([[]])
    return Plan(seed, chance.choice([2, 5]) if crowded else 128, epochs)


def _mixed(chance: random.Random, programs: list[list[Any]]) -> list[Any]:
    """The records of all programs in one order, which keeps that of each program."""
    order = [i for i, records in enumerate(programs) for _ in records]
    chance.shuffle(order)
    left = [iter(records) for records in programs]
    return [next(left[i]) for i in order]


def _program(chance: random.Random, program: int) -> list[Any]:
    """The records of a program: of few keys with much to do; the first is one of many keys with little to do."""
    if program == 0:
        return [
            ((0, chance.randrange(CROWD)), chance.randrange(LAST_TIME), operations(chance, 1)) for _ in range(CROWD)
        ]
    keys = chance.sample([0, 1, 2, 3, "a", "b", ("c", 1)], chance.randint(1, 4))
    return [
        ((program, chance.choice(keys)), chance.randrange(LAST_TIME), operations(chance, chance.randint(1, 6)))
        for _ in range(chance.randint(10, 40))
    ]


def operations(chance: random.Random, number: int) -> list[tuple[Any, ...]]:
    """Draw operations: (name of a method, its arguments)."""
    names = chance.choices(list(_ARGUMENTS), [weight for weight, _ in _ARGUMENTS.values()], k=number)
    return [(name, *_ARGUMENTS[name][1](chance)) for name in names]


def at_timer(seed: int, key: Any, timestamp: int) -> list[tuple[Any, ...]]:
    """What to do when a key's timer fires.

    It may set timers of before, but comes to an end: from an odd time on to a later odd time or back to an even one,
    and from an even one to a later even one only.
    """
    chance = random.Random(f"{seed} {key} {timestamp}")

    def may_be_set(time: int) -> bool:
        return time % 2 < timestamp % 2 or (time % 2 == timestamp % 2 and time > timestamp)

    drawn = operations(chance, chance.randint(1, 4))
    return [one for one in drawn if one[0] != "set_timer" or may_be_set(one[1])]


def _key(chance: random.Random) -> Any:
    n = chance.randrange(40)
    return chance.choice(ODD_KEYS) if n < 10 else str(n) if n > 30 else n


def _value(chance: random.Random) -> Any:
    return chance.choice([None, 0, "", "word", (1, "two"), chance.randrange(1000), chance.random(), "long" * 50])


def _size(chance: random.Random) -> int:
    """Mostly few; now and then more than a collection in one piece holds, or just as many."""
    return chance.choice([700, 999, 1000, 1001, 1600]) if chance.random() < 0.06 else chance.randrange(12)


def _entries(chance: random.Random) -> tuple[Any, ...]:
    size = _size(chance)
    return ([(_key(chance) if size < 12 else n * 3, chance.randrange(1000)) for n in range(size)],)


def _elements(chance: random.Random) -> tuple[Any, ...]:
    return ([chance.randrange(1000) for _ in range(_size(chance))],)


def _nothing(chance: random.Random) -> tuple[Any, ...]:
    return ()


def _time(chance: random.Random) -> tuple[Any, ...]:
    return (chance.randrange(LAST_TIME + 20),)


def _number(chance: random.Random) -> tuple[Any, ...]:
    return (chance.randrange(1000),)


#: Method -> how often it is drawn, and its arguments.
_ARGUMENTS: dict[str, tuple[float, Any]] = {
    "value_read": (3, _nothing),
    "value_update": (3, lambda chance: (_value(chance),)),
    "value_append": (3, _number),
    "value_clear": (1, _nothing),
    "list_read": (2, _nothing),
    "list_add": (4, lambda chance: (_value(chance),)),
    "list_add_all": (2, _elements),
    "list_update": (0.7, _elements),
    "list_add_while_read": (0.5, _nothing),
    "list_clear": (0.7, _nothing),
    "map_put": (4, lambda chance: (_key(chance), _value(chance))),
    "map_put_all": (2, _entries),
    "map_get": (3, lambda chance: (_key(chance),)),
    "map_contains": (2, lambda chance: (_key(chance),)),
    "map_remove": (3, lambda chance: (_key(chance),)),
    "map_read": (1, _nothing),
    "map_keys": (1, _nothing),
    "map_values": (1, _nothing),
    "map_is_empty": (1, _nothing),
    "map_thin_while_read": (0.7, lambda chance: (chance.randint(2, 60),)),
    "map_change_while_read": (0.5, _nothing),
    "map_put_while_read": (0.5, lambda chance: (chance.randrange(1000),)),
    "map_clear": (0.5, _nothing),
    "reducing_add": (3, _number),
    "reducing_read": (2, _nothing),
    "reducing_clear": (0.5, _nothing),
    "aggregating_add": (3, _number),
    "aggregating_read": (2, _nothing),
    "aggregating_clear": (0.5, _nothing),
    "set_timer": (7, _time),
    "delete_timer": (3, _time),
    "clear": (4, _nothing),
}


# -- running ---------------------------------------------------------------------------------------------


class Epochs(Source, SplitEnumerator, SourceReader):
    """Gives the epochs of a plan just as they are cut."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def create_enumerator(self, context):
        return self

    def create_reader(self, context):
        return self

    def initial_offset(self):
        return 0

    def latest_offset(self, start, budget):
        return min(start + 1, len(self._plan.epochs))

    def splits(self, start, end, parallelism):
        return [(start, end, side) for side in range(self._plan.sides)] if end > start else []

    def read(self, split):
        start, end, side = split
        for epoch in self._plan.epochs[start:end]:
            yield Batch(epoch[side])

    def finished(self, offset):
        return offset == len(self._plan.epochs)


class Marked(WatermarkGenerator):
    """The records (WATERMARK, t) are watermarks; no others come."""

    def on_event(self, event, event_timestamp, output):
        if event[0] == WATERMARK:
            output.emit_watermark(event[1])

    def on_periodic_emit(self, output):
        return None


class Second(TimestampAssigner):
    """The timestamp is the second field."""

    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Mix(ReduceFunction):
    """Hangs on the order."""

    def reduce(self, value1, value2):
        return (value1 * 31 + value2) % 1_000_003


class Gather(AggregateFunction):
    """The accumulator is changed in place, and is the result."""

    def create_accumulator(self):
        return []

    def add(self, value, accumulator):
        accumulator.append(value)
        return accumulator

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Interpreter(KeyedProcessFunction):
    """Carries out the operations of records and of timers.

    Gives (key, "record" or "timer", its timestamp, watermark, operation, result) for each operation.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def open(self, runtime_context):
        any_type = Types.PICKLED_BYTE_ARRAY()
        self.value = runtime_context.get_state(ValueStateDescriptor("value", any_type))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", any_type))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", any_type, any_type))
        self.reducing = runtime_context.get_reducing_state(ReducingStateDescriptor("reducing", Mix(), any_type))
        aggregating = AggregatingStateDescriptor("aggregating", Gather(), any_type)
        self.aggregating = runtime_context.get_aggregating_state(aggregating)

    def process_element(self, value, ctx):
        return self.call("record", value[2], ctx)

    def on_timer(self, timestamp, ctx):
        return self.call("timer", at_timer(self.seed, ctx.get_current_key(), timestamp), ctx)

    def call(self, what, todo, ctx):
        self.timers = ctx.timer_service()
        for name, *args in todo:
            result = getattr(self, name)(*args)
            yield ctx.get_current_key(), what, ctx.timestamp(), self.timers.current_watermark(), name, result

    def clear(self):
        for state in (self.value, self.list, self.map, self.reducing, self.aggregating):
            state.clear()

    def value_read(self):
        return self.value.value()

    def value_update(self, value):
        self.value.update(value)

    def value_append(self, n):
        value = self.value.value()
        if type(value) is not list:
            value = []
        value.append(n)
        self.value.update(value)
        return value  # the very object that is kept

    def value_clear(self):
        self.value.clear()

    def list_read(self):
        return list(self.list.get())

    def list_add(self, value):
        self.list.add(value)

    def list_add_all(self, values):
        self.list.add_all(values)

    def list_update(self, values):
        self.list.update(values)

    def list_add_while_read(self):
        read = 0
        for _ in self.list.get():
            read += 1
            if read % 5 == 1:
                self.list.add(read)
        return read

    def list_clear(self):
        self.list.clear()

    def map_put(self, key, value):
        self.map.put(key, value)

    def map_put_all(self, entries):
        self.map.put_all(dict(entries))

    def map_get(self, key):
        return self.map.get(key)

    def map_contains(self, key):
        return self.map.contains(key)

    def map_remove(self, key):
        self.map.remove(key)

    def map_read(self):
        return sorted(self.map.items(), key=repr)

    def map_keys(self):
        return sorted(self.map.keys(), key=repr)

    def map_values(self):
        return sorted(self.map.values(), key=repr)

    def map_is_empty(self):
        return self.map.is_empty()

    def map_thin_while_read(self, keep):
        read = []
        for key, value in self.map.items():
            read.append((key, value))
            if len(repr(key) * 7) % keep:
                self.map.remove(key)
        return sorted(read, key=repr)

    def map_change_while_read(self):
        read = 0
        for key, value in self.map.items():
            self.map.put(key, (value, 1) if type(value) is int else 0)
            read += 1
        return read

    def map_put_while_read(self, n):
        """What was there is read once each, however much is put; new keys may be read or not."""
        read = []
        for key in self.map.keys():  # noqa: SIM118 - a state is no dict
            if type(key) is not tuple or key[:1] != ("new",):
                read.append(key)
                self.map.put(("new", n, repr(key)), n)
        return sorted(read, key=repr)

    def map_clear(self):
        self.map.clear()

    def reducing_add(self, n):
        self.reducing.add(n)

    def reducing_read(self):
        return self.reducing.get()

    def reducing_clear(self):
        self.reducing.clear()

    def aggregating_add(self, n):
        self.aggregating.add(n)

    def aggregating_read(self):
        return self.aggregating.get()

    def aggregating_clear(self):
        self.aggregating.clear()

    def set_timer(self, time):
        self.timers.register_event_time_timer(time)

    def delete_timer(self, time):
        self.timers.delete_event_time_timer(time)


def results(env: StreamExecutionEnvironment, plan: Plan) -> Any:
    """A stream of the results of all programs."""
    env.set_parallelism(2)
    env.set_max_parallelism(plan.key_groups)
    strategy = WatermarkStrategy.for_generator(Marked).with_timestamp_assigner(Second())
    stream = env.add_source(Epochs(plan)).assign_timestamps_and_watermarks(strategy)
    stream = stream.filter(lambda event: event[0] != WATERMARK)
    return stream.key_by(lambda event: event[0]).process(Interpreter(plan.seed)).uid("programs")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=100)
    args = parser.parse_args()
    env = StreamExecutionEnvironment.get_execution_environment()
    sink = FileSink.for_row_format(args.output, Encoder.simple_string_encoder()).build()
    results(env, draw(args.seed, args.programs)).map(repr).sink_to(sink).uid("lines")
    env.execute("state programs")
