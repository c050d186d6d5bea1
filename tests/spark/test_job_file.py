"""`job.json`, which says what job a checkpoint belongs to, is the same whatever version of the code writes it."""

from __future__ import annotations

import json

import pytest

from datastream import (
    AsyncDataStream,
    AsyncFunction,
    BroadcastProcessFunction,
    CoMapFunction,
    Duration,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapStateDescriptor,
    OutputTag,
    ProcessFunction,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from datastream.api.environment import graph_of
from datastream.connectors import NumberSequenceSource
from datastream.connectors.collect_sink import CollectSink
from datastream.errors import CheckpointError
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.io import Consumed
from datastream.runtime.state_format import FIRST_FORMAT, FORMAT
from datastream.spark.checkpoints import acquire, read_job
from datastream.spark.checkpoints.job_file import _checksum, compare

RULES = MapStateDescriptor("rules", Types.INT(), Types.INT())
ODD = OutputTag("odd", Types.INT())


class Committed(CollectSink):
    @property
    def consumed(self):
        return Consumed(needs_checkpoint=True)


class Each(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Keyed(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Pair(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


class KeyedPair(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class Ruled(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class KeyedRuled(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class Later(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


def job_of_every_kind():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1))
    numbers = env.from_source(NumberSequenceSource(0, 9), strategy, "numbers").uid("numbers")
    rules = env.from_source(NumberSequenceSource(0, 3), WatermarkStrategy.no_watermarks(), "rules").set_parallelism(1)
    mapped = numbers.map(lambda n: n, Types.INT()).flat_map(lambda n: [n]).filter(bool).process(Each())
    joined = mapped.union(mapped.get_side_output(ODD)).rebalance().map(int).set_parallelism(3)
    broadcast = rules.broadcast(RULES)
    ruled = joined.connect(broadcast).process(Ruled()).uid("ruled")
    paired = ruled.connect(rules).map(Pair())
    asked = AsyncDataStream.unordered_wait(paired, Later(), Time.seconds(1))
    keyed = asked.key_by(lambda n: n % 3)
    summed = keyed.reduce(lambda a, b: a + b).uid("sums").set_max_parallelism(64)
    both = summed.key_by(int).connect(numbers.key_by(int)).process(KeyedPair())
    once = both.key_by(int).process(Keyed())
    ruled_again = once.key_by(int).connect(broadcast).process(KeyedRuled())
    windows = ruled_again.key_by(int).window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(lambda a, b: a)
    windows.sink_to(Committed()).uid("out")
    windows.sink_to(CollectSink())
    asked.shuffle().sink_to(Committed()).name("all")
    return graph_of(env, "every kind")


JOB_FILE = """
{
 "version": 1,
 "tasks": 3,
 "levels": [
  "plain",
  "keyed",
  "keyed",
  "keyed",
  "keyed",
  "keyed",
  "keyed",
  "keyed"
 ],
 "sources": {
  "numbers": "NumberSequenceSource",
  "source-2": "NumberSequenceSource"
 },
 "sinks": {
  "out": "Committed",
  "sink-18": "CollectSink",
  "sink-19": "Committed"
 },
 "state": {
  "ruled": {
   "kind": "broadcast_process",
   "level": 2,
   "parallelism": 2,
   "max_parallelism": 128,
   "forms": [
    {"stored": "broadcast", "states": ["rules"]}
   ]
  },
  "sums": {
   "kind": "reduce",
   "level": 3,
   "parallelism": 2,
   "max_parallelism": 64,
   "forms": [
    {"stored": "values", "name": "(reduce)", "typed": true},
    {"stored": "contents", "place": "function", "slots": [[0, "(event-time timers)", true], [1, "(processing-time timers)", true]]}
   ]
  },
  "keyed_co_process-13": {
   "kind": "keyed_co_process",
   "level": 4,
   "parallelism": 2,
   "max_parallelism": 128,
   "forms": [
    {"stored": "contents", "slots": [[0, "(event-time timers)", true], [1, "(processing-time timers)", true]]}
   ]
  },
  "keyed_process-14": {
   "kind": "keyed_process",
   "level": 5,
   "parallelism": 2,
   "max_parallelism": 128,
   "forms": [
    {"stored": "contents", "slots": [[0, "(event-time timers)", true], [1, "(processing-time timers)", true]]}
   ]
  },
  "keyed_broadcast_process-15": {
   "kind": "keyed_broadcast_process",
   "level": 6,
   "parallelism": 2,
   "max_parallelism": 128,
   "forms": [
    {"stored": "contents", "slots": [[0, "(event-time timers)", true], [1, "(processing-time timers)", true]]},
    {"stored": "broadcast", "states": ["rules"]}
   ]
  },
  "window-16": {
   "kind": "window",
   "level": 7,
   "parallelism": 2,
   "max_parallelism": 128,
   "forms": [
    {"stored": "contents", "slots": [[0, "(event-time timers)", true], [1, "(processing-time timers)", true], [2, "(windows)", false], [3, "(event timers)", false], [4, "(processing timers)", false], [5, "(window states)", false], [6, "(starts)", false], [7, "(panes)", false], [8, "(sessions)", false], [9, "(counted)", false]]}
   ]
  }
 },
 "paths": {
  "out": "(((((numbers x 2, numbers x 2) > rebalance x 3 > rebalance x 2, source-2 x 1 > broadcast x 2), source-2 x 1 > rebalance x 2) > hash x 2 > hash x 2, numbers x 2 > hash x 2) > hash x 2 > hash x 2, source-2 x 1 > broadcast x 2) > hash x 2",
  "sink-19": "(((numbers x 2, numbers x 2) > rebalance x 3 > rebalance x 2, source-2 x 1 > broadcast x 2), source-2 x 1 > rebalance x 2) > shuffle x 2"
 },
 "batch": false
}
"""  # noqa: E501


def test_the_job_file_stays_what_older_versions_wrote():
    shape = describe(Plan.of(job_of_every_kind()))
    known = json.loads(JOB_FILE)
    compare(known, shape, "folder")
    assert json.loads(json.dumps(shape)) == known


def test_any_bit_that_is_flipped_is_found(tmp_path):
    plan = Plan.of(job_of_every_kind())
    acquire(str(tmp_path), plan).release()
    file = tmp_path / "job.json"
    whole = file.read_bytes()
    for bit in range(0, len(whole) * 8, 17):
        spoiled = bytearray(whole)
        spoiled[bit // 8] ^= 1 << bit % 8
        file.write_bytes(spoiled)
        # White space may become other white space, which changes nothing.
        if whole[bit // 8 : bit // 8 + 1] not in b" \n":
            with pytest.raises(CheckpointError, match="(?s)job.json is damaged: .*restore the checkpoint directory"):
                read_job(tmp_path)
    file.write_bytes(whole)
    acquire(str(tmp_path), plan).release()


@pytest.mark.parametrize("first", [{"format": 2}, {}])
def test_job_files_of_unpublished_versions_are_refused(tmp_path, first):
    plan = Plan.of(job_of_every_kind())
    acquire(str(tmp_path), plan).release()
    file = tmp_path / "job.json"
    known = json.loads(file.read_text())
    del known["checksum"], known["format"]
    file.write_text(json.dumps(first | known))
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.name != "owner.lock"}
    with pytest.raises(
        CheckpointError, match=r"(?s)has format \d, which no published version of .* choose another --check"
    ):
        acquire(str(tmp_path), plan)
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.name != "owner.lock"} == before


def test_a_folder_of_upgrades_names_the_newest_checkpoint(tmp_path):
    for number in ("1", "2", "10"):
        (tmp_path / number).mkdir()
        (tmp_path / number / "job.json").write_text("{}")
    with pytest.raises(CheckpointError, match=f"it holds checkpoints, the newest in {tmp_path}/10$"):
        read_job(tmp_path)


def test_a_job_that_goes_on_raises_the_format(tmp_path):
    """What it writes cannot be read by those that read no later one than the format that was there."""
    plan = Plan.of(job_of_every_kind())
    acquire(str(tmp_path), plan).release()
    file = tmp_path / "job.json"
    whole = file.read_bytes()
    known = read_job(tmp_path)
    earlier = {**known, "format": FIRST_FORMAT, "release": "0.0.1"}
    file.write_text(json.dumps({**earlier, "checksum": _checksum(earlier)}))
    assert read_job(tmp_path)["format"] == FIRST_FORMAT < FORMAT
    acquire(str(tmp_path), plan).release()
    assert file.read_bytes() == whole
    when = file.stat().st_mtime_ns
    acquire(str(tmp_path), plan).release()
    assert file.stat().st_mtime_ns == when
