"""Tumbling windows, sessions, timers with state, and broadcast state, each to a file sink of its own.

Which records come when does not matter to the results: none is late, and those that come before their rule wait.
"""

import argparse

from datastream import KeyedProcessFunction, StreamExecutionEnvironment, Types
from datastream.connectors.files import FileSink
from datastream.formats import Encoder
from datastream.functions import AggregateFunction, KeyedBroadcastProcessFunction, ProcessWindowFunction
from datastream.io import Batch, Source, SourceReader, SplitEnumerator
from datastream.state import ListStateDescriptor, MapStateDescriptor
from datastream.time import Duration, Time, TimestampAssigner, WatermarkStrategy
from datastream.windows import EventTimeSessionWindows, TumblingEventTimeWindows

KEYS = 50
WINDOW_MS = 10_000
GAP_MS = 700
BURST_MS = 4000
BUCKET_MS = 5000
FULL = 20
RULES = 24


def event(i):
    """(key, number, timestamp in ms): out of order by less than a second, numbers about one a ms."""
    return ((i * 2654435761) >> 8) % KEYS, i, i + 500 + i * 7919 % 1000


def in_burst(event):
    """Each key pauses for two thirds of the time."""
    return (event[1] // BURST_MS + event[0]) % 3 == 0


def for_rules(event):
    return event[1] % 10 == 0


class EventTime(TimestampAssigner):
    """The third field."""

    def extract_timestamp(self, value, record_timestamp):
        return value[2]


class Sum(AggregateFunction):
    """(how many, sum of the numbers)."""

    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + 1, accumulator[1] + value[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class Bounds(ProcessWindowFunction):
    """Adds the key and the window's bounds."""

    def process(self, key, context, elements):
        for count, total in elements:
            window = context.window()
            yield key, window.start, window.end, count, total


class Buckets(KeyedProcessFunction):
    """Counts by key and five seconds: gives every 20 at once, and by a timer what is left when they are over."""

    def open(self, runtime_context):
        self.counts = runtime_context.get_map_state(MapStateDescriptor("counts", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        end = value[2] // BUCKET_MS * BUCKET_MS + BUCKET_MS
        count = (self.counts.get(end) or 0) + 1
        if count < FULL:
            self.counts.put(end, count)
            ctx.timer_service().register_event_time_timer(end - 1)
        else:
            self.counts.remove(end)
            ctx.timer_service().delete_event_time_timer(end - 1)
            yield value[0], end, FULL

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp + 1, self.counts.get(timestamp + 1)
        self.counts.remove(timestamp + 1)


class Rules(Source, SplitEnumerator, SourceReader):
    """(part of the numbers, factor) for each part; six of them in every fourth epoch."""

    def create_enumerator(self, context):
        return self

    def create_reader(self, context):
        return self

    def initial_offset(self):
        return 0

    def latest_offset(self, start, budget):
        return min(start + 1, 16)

    def splits(self, start, end, parallelism):
        return [(start // 4 * 6, end // 4 * 6)]

    def read(self, split):
        yield Batch([(part, 1000 + part) for part in range(*split)])

    def finished(self, offset):
        return offset == 16


FACTORS = MapStateDescriptor("factors", Types.LONG(), Types.LONG())
WAITING = ListStateDescriptor("waiting", Types.PICKLED_BYTE_ARRAY())


class Joined(KeyedBroadcastProcessFunction):
    """Gives each number with the factor of its part, once that is known."""

    def __init__(self, count):
        self.count = count

    def open(self, runtime_context):
        self.waiting = runtime_context.get_list_state(WAITING)

    def process_element(self, value, ctx):
        part = value[1] * RULES // self.count
        factor = ctx.get_broadcast_state(FACTORS).get(part)
        if factor is None:
            self.waiting.add((part, value[1]))
        else:
            yield value[1], factor

    def process_broadcast_element(self, value, ctx):
        part, factor = value
        ctx.get_broadcast_state(FACTORS).put(part, factor)
        ready = []

        def release(key, state):
            waiting = list(state.get())
            ready.extend(number for of, number in waiting if of == part)
            state.update([one for one in waiting if one[0] != part])

        ctx.apply_to_keyed_state(WAITING, release)
        return [(number, factor) for number in ready]


def main(output, count):
    def save(stream, name):
        sink = FileSink.for_row_format(f"{output}/{name}", Encoder.simple_string_encoder()).build()
        stream.map(lambda fields: ",".join(map(str, fields))).sink_to(sink).uid(f"files of {name}")

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(1000))
    strategy = strategy.with_timestamp_assigner(EventTime())
    events = env.from_sequence(0, count - 1).map(event).assign_timestamps_and_watermarks(strategy)
    keyed = events.key_by(lambda e: e[0])
    tumbling = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(WINDOW_MS)))
    save(tumbling.aggregate(Sum(), Bounds()).uid("tumbling"), "tumbling")
    bursts = events.filter(in_burst).key_by(lambda e: e[0])
    sessions = bursts.window(EventTimeSessionWindows.with_gap(Time.milliseconds(GAP_MS)))
    save(sessions.aggregate(Sum(), Bounds()).uid("sessions"), "sessions")
    save(keyed.process(Buckets()).uid("buckets"), "buckets")
    rules = env.add_source(Rules(), "rules").broadcast(FACTORS)
    few = events.filter(for_rules).key_by(lambda e: e[0])
    save(few.connect(rules).process(Joined(count)).uid("joined"), "joined")
    env.execute("timed results")
    print("the script went on to its end")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--count", type=int, default=100_000)
    args = parser.parse_args()
    main(args.output, args.count)
