"""Jobs, and what plain Python says that they give."""

from __future__ import annotations

import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datastream import StreamExecutionEnvironment
from datastream.connectors.files import BucketAssigner, FileSink
from datastream.formats import Encoder
from datastream.functions import KeyedProcessFunction, ProcessJoinFunction, ProcessWindowFunction
from datastream.state import MapStateDescriptor, ValueStateDescriptor
from datastream.table import StreamTableEnvironment
from datastream.time import Duration, Time, TimestampAssigner, WatermarkStrategy
from datastream.types import Row, Types
from datastream.windows import EventTimeSessionWindows, SlidingEventTimeWindows, TumblingEventTimeWindows
from tests.simulation import ends
from tests.simulation.ends import LedgerSink, Queue, Record, Script
from tests.simulation.faults import point

#: Records come so many ms late at most.
LATE_MS = 5

Inputs = dict[str, list[list[Record]]]


@dataclass(frozen=True)
class Kind:
    """A kind of job.

    Attributes:
        build: Puts the job into an environment.
        expect: What its inputs should give.
        told: Brings what was given, or expected, into a form that does not hang on how tasks run.
        inputs: The names of its inputs.
        found: What the job has written.
        queued: Its input is a queue.
    """

    build: Callable[[StreamExecutionEnvironment], None]
    expect: Callable[[Inputs], list[Any]]
    told: Callable[[list[Any]], Any]
    inputs: tuple[str, ...] = ("input",)
    found: Callable[[], list[Any]] = lambda: ends.world.ledger.records
    queued: bool = False


class _Times(TimestampAssigner):
    def extract_timestamp(self, value: Record, record_timestamp: int) -> int:
        return value.time


def _late() -> WatermarkStrategy:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(LATE_MS))
    return strategy.with_timestamp_assigner(_Times())


def _read(env: StreamExecutionEnvironment, name: str = "input", timed: bool = True):
    strategy = _late() if timed else WatermarkStrategy.no_watermarks()
    return env.from_source(Script(name, lanes=timed), strategy, name).uid(name)


def _key(record):
    return record[0]


def _all(inputs: Inputs) -> Iterable[Record]:
    return (record for lanes in inputs.values() for lane in lanes for record in lane)


def by_key(records: list[Any]) -> dict[str, list[Any]]:
    """The records of each key, in their order."""
    found = defaultdict(list)
    for key, *rest in records:
        found[key].append(tuple(rest))
    return dict(found)


# -- running totals: order of the records of a key, state without timers --------------------------------------


def _double(record):
    point("map")
    return record[0], record[2] * 2


def _add(left, right):
    point("reduce")
    return left[0], left[1] + right[1]


def _build_totals(env):
    doubled = _read(env, timed=False).map(_double).filter(lambda pair: pair[1] % 3 != 0)
    doubled.key_by(_key).reduce(_add).uid("totals").sink_to(LedgerSink()).uid("out")


def _expect_totals(inputs):
    sums, out = Counter(), []
    for record in _all(inputs):
        if record.value * 2 % 3:
            sums[record.key] += record.value * 2
            out.append((record.key, sums[record.key]))
    return out


# -- timers: each bucket of a key is told once, by a timer of event time; each record by one of the clock ------


class _Buckets(KeyedProcessFunction):
    SIZE = 10

    def open(self, runtime_context):
        self.sums = runtime_context.get_map_state(MapStateDescriptor("sums", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        point("process_element")
        bucket = value.time // self.SIZE
        self.sums.put(bucket, (self.sums.get(bucket) or 0) + value.value)
        ctx.timer_service().register_event_time_timer((bucket + 1) * self.SIZE - 1)

    def on_timer(self, timestamp, ctx):
        point("on_timer")
        bucket = timestamp // self.SIZE
        yield ctx.get_current_key(), bucket, self.sums.get(bucket)
        self.sums.remove(bucket)


def _build_timers(env):
    _read(env).key_by(_key).process(_Buckets()).uid("buckets").sink_to(LedgerSink()).uid("out")


def _expect_timers(inputs):
    sums = Counter()
    for record in _all(inputs):
        sums[record.key, record.time // _Buckets.SIZE] += record.value
    return [(key, bucket, value) for (key, bucket), value in sorted(sums.items())]


class _Reminder(KeyedProcessFunction):
    """Counts the records of a key, and tells the count some time of the clock later: it must not be forgotten."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        point("process_element")
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        timers = ctx.timer_service()
        timers.register_processing_time_timer(timers.current_processing_time() + 20 + value.value)
        yield value.key, "seen", count

    def on_timer(self, timestamp, ctx):
        point("on_timer")
        yield ctx.get_current_key(), "told", self.count.value()


def _build_reminders(env):
    _read(env, timed=False).key_by(_key).process(_Reminder()).uid("reminders").sink_to(LedgerSink()).uid("out")


def _expect_reminders(inputs):
    counts = Counter(record.key for record in _all(inputs))
    return [(key, "seen", n) for key, count in counts.items() for n in range(1, count + 1)]


def _seen(records):
    """Timers of one moment are one, and those that the end of the input finds are dropped: so only what is seen counts,
    and what is told must be of a count that was seen."""
    seen = by_key([(key, n) for key, what, n in records if what == "seen"])
    assert all((n,) in seen[key] for key, what, n in records if what == "told")
    return seen


# -- windows ---------------------------------------------------------------------------------------------------


class _Tell(ProcessWindowFunction):
    def process(self, key, context, elements):
        point("window")
        window = context.window()
        yield key, window.start, window.end, sum(record.value for record in elements)


def _build_windows(assigner):
    def build(env):
        windows = _read(env).key_by(_key).window(assigner)
        windows.process(_Tell()).uid("windows").sink_to(LedgerSink()).uid("out")

    return build


def _expect_slices(size, slide):
    def expect(inputs):
        sums = Counter()
        for record in _all(inputs):
            start = record.time - record.time % slide
            while start > record.time - size:
                sums[record.key, start] += record.value
                start -= slide
        return [(key, start, start + size, total) for (key, start), total in sorted(sums.items())]

    return expect


def _expect_sessions(gap):
    def expect(inputs):
        out = []
        for key in sorted({record.key for record in _all(inputs)}):
            start = end = total = None
            for record in sorted((r for r in _all(inputs) if r.key == key), key=lambda r: r.time):
                if end is None or record.time > end:
                    if end is not None:
                        out.append((key, start, end, total))
                    start, total = record.time, 0
                end, total = record.time + gap, total + record.value
            out.append((key, start, end, total))
        return out

    return expect


def _joined(sessions):
    """Sessions that touch count as one: they are merged, unless the first one was over when the second one began."""
    out = []
    for key, start, end, total in sorted(sessions):
        if out and out[-1][0] == key and out[-1][2] == start:
            _, start, _, before = out.pop()
            total += before
        out.append((key, start, end, total))
    return out


# -- a loop with an exchange -----------------------------------------------------------------------------------


def _less(record):
    point("loop")
    return record[0], record[1] - 1, record[2] + 1


def _build_loop(env):
    numbers = _read(env, timed=False).map(lambda record: (record.key, record.value, 0))
    loop = numbers.iterate()
    stepped = loop.key_by(_key).map(_less)
    loop.close_with(stepped.filter(lambda record: record[1] > 0))
    stepped.filter(lambda record: record[1] <= 0).sink_to(LedgerSink()).uid("out")


def _expect_loop(inputs):
    return [(r.key, min(r.value - 1, 0), max(r.value, 1)) for r in _all(inputs)]


# -- a queue: notes of what was pulled, and order of nothing ---------------------------------------------------


def _counted(left, right):
    point("reduce")
    return left[0], left[1] + right[1], left[2] + 1


def _build_queue(env):
    pulled = env.from_source(Queue(), WatermarkStrategy.no_watermarks(), "queue").uid("queue")
    counts = pulled.map(lambda record: (record.key, record.value, 1)).key_by(_key).reduce(_counted)
    pulled.map(lambda record: ("pulled", *record)).union(counts).sink_to(LedgerSink()).uid("out")


def _counts(records):
    """What was pulled, and the last count of each key."""
    pulled = sorted(record for record in records if record[0] == "pulled")
    last = {record[0]: max(r for r in records if r[0] == record[0]) for record in records if record[0] != "pulled"}
    return pulled, sorted((key, count) for key, _, count in last.values())


def _expect_queue(inputs):
    pulled = [("pulled", *record) for record in _all(inputs)]
    return pulled + [(key, 0, count) for key, count in Counter(r.key for r in _all(inputs)).items()]


# -- two inputs ------------------------------------------------------------------------------------------------


def _build_union(env):
    left, right = (_read(env, name, timed=False).map(lambda r: (r.key, r.value)) for name in ("left", "right"))
    left.union(right).rebalance().map(lambda pair: pair).key_by(_key).reduce(_add).uid("totals").sink_to(
        LedgerSink()
    ).uid("out")


def _last(records):
    """The totals of a key whose records come in any order: how many there are, and the last one."""
    return {key: (len(values), max(values)) for key, values in by_key(records).items()}


def _expect_union(inputs):
    sums, out = Counter(), []
    for record in _all(inputs):
        sums[record.key] += record.value
        out.append((record.key, sums[record.key]))
    return out


class _Pair(ProcessJoinFunction):
    def process_element(self, left, right, context):
        point("join")
        yield left.key, left.time, left.value, right.time, right.value


def _build_join(env):
    left, right = (_read(env, name).key_by(_key) for name in ("left", "right"))
    pairs = left.interval_join(right).between(Time.milliseconds(-4), Time.milliseconds(6)).process(_Pair())
    pairs.uid("join").sink_to(LedgerSink()).uid("out")


def _expect_join(inputs):
    left, right = ([record for lane in inputs[name] for record in lane] for name in ("left", "right"))
    return [
        (a.key, a.time, a.value, b.time, b.value)
        for a in left
        for b in right
        if a.key == b.key and -4 <= b.time - a.time <= 6
    ]


# -- files -----------------------------------------------------------------------------------------------------

#: Where simulated jobs of this process keep their files; in memory, as a seed has to be quick.
FOLDER = os.path.join(tempfile.mkdtemp(prefix="simulated-", dir="/dev/shm"), "job")
_OUT = os.path.join(FOLDER, "out")


class _ByKey(BucketAssigner):
    def get_bucket_id(self, element, context):
        point("get_bucket_id")
        return element.partition(" ")[0]


def _build_files(env):
    lines = _read(env, timed=False).map(lambda r: f"{r.key} {r.time} {r.value}", Types.STRING())
    sink = FileSink.for_row_format(_OUT, Encoder.simple_string_encoder()).with_bucket_assigner(_ByKey())
    lines.sink_to(sink.with_fsync().build()).uid("out")


def _read_files():
    files = [file for file in Path(_OUT).rglob("*") if file.is_file() and not any(p[0] in "._" for p in file.parts)]
    return [line for file in files for line in file.read_text().splitlines()]


def _expect_files(inputs):
    return [f"{r.key} {r.time} {r.value}" for r in _all(inputs)]


# -- SQL -------------------------------------------------------------------------------------------------------


def _build_sql(env):
    tables = StreamTableEnvironment.create(env)
    stream = _read(env, timed=False).map(
        lambda r: Row(r.key, r.value), Types.ROW_NAMED(["k", "v"], [Types.STRING(), Types.LONG()])
    )
    tables.create_temporary_view("records", tables.from_data_stream(stream))
    totals = tables.sql_query("SELECT k, SUM(v), COUNT(*), MAX(v) FROM records GROUP BY k")
    changes = tables.to_changelog_stream(totals)
    changes.map(lambda row: (row.get_row_kind().value, *row)).sink_to(LedgerSink()).uid("out")


def _fold(changes):
    """What a changelog comes to; each row that goes must be there."""
    left = Counter()
    for kind, *row in changes:
        left[tuple(row)] += 1 if kind in (0, 2) else -1
        assert left[tuple(row)] >= 0, f"{row} goes, and was not there"
    return sorted(+left)


def _expect_sql(inputs):
    values = by_key([(r.key, r.value) for r in _all(inputs)])
    return [(0, key, sum(v for (v,) in found), len(found), max(v for (v,) in found)) for key, found in values.items()]


KINDS = {
    "totals": Kind(_build_totals, _expect_totals, by_key),
    "timers": Kind(_build_timers, _expect_timers, by_key),
    "reminders": Kind(_build_reminders, _expect_reminders, _seen),
    "tumbling": Kind(
        _build_windows(TumblingEventTimeWindows.of(Time.milliseconds(10))), _expect_slices(10, 10), sorted
    ),
    "sliding": Kind(
        _build_windows(SlidingEventTimeWindows.of(Time.milliseconds(20), Time.milliseconds(10))),
        _expect_slices(20, 10),
        sorted,
    ),
    "sessions": Kind(
        _build_windows(EventTimeSessionWindows.with_gap(Time.milliseconds(7))), _expect_sessions(7), _joined
    ),
    "loop": Kind(_build_loop, _expect_loop, sorted),
    "queue": Kind(_build_queue, _expect_queue, _counts, queued=True),
    "union": Kind(_build_union, _expect_union, _last, ("left", "right")),
    "join": Kind(_build_join, _expect_join, sorted, ("left", "right")),
    "files": Kind(_build_files, _expect_files, sorted, found=_read_files),
    "sql": Kind(_build_sql, _expect_sql, _fold),
}
