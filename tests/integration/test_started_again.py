"""Bounded jobs that have finished, and are started again in their checkpoint directory, or from a savepoint of it.

Each start reads what is there then, and ends. What is done is not done again, and state and event time continue.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datastream import (
    Configuration,
    DataStream,
    KeyedProcessFunction,
    StreamExecutionEnvironment,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from datastream.config.modes import RuntimeExecutionMode
from datastream.config.settings import settings
from datastream.connectors.files import FileSink, FileSource, StreamFormat
from datastream.errors import CheckpointError
from datastream.formats import Encoder
from datastream.spark.checkpoints import directory as checkpoints
from datastream.spark.savepoint import take_savepoint
from datastream.testing.collecting import attach, records
from datastream.time import Duration, Time, TimestampAssigner
from datastream.windows import EventTimeSessionWindows, TumblingEventTimeWindows
from tests.support.processes import Runs, visible_lines
from tests.support.savepoints import StopAfter

#: key, event time in ms, number
Record = tuple[str, int, int]
Build = Callable[[StreamExecutionEnvironment], list[DataStream]]


class At(TimestampAssigner):
    def extract_timestamp(self, value: Record, record_timestamp: int) -> int:
        return value[1]


def parsed(line: str) -> Record:
    key, at, number = line.split()
    return key, int(at), int(number)


def written(folder: Path, name: str, *some: Record) -> None:
    """A file of records, each of 100 bytes: as many as a budget of one record takes."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(f"{key} {at} {number}".ljust(99) + "\n" for key, at, number in some))


def read(env: StreamExecutionEnvironment, folder: Path) -> DataStream:
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder)).build()
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), folder.name).uid(folder.name)
    return lines.map(parsed)


def timed(stream: DataStream, name: str) -> DataStream:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(100)).with_timestamp_assigner(At())
    return stream.assign_timestamps_and_watermarks(strategy).uid(f"{name}-times")


def start(
    build: Build,
    *,
    checkpoint: Path | None = None,
    savepoint: Path | None = None,
    executor: str = "spark",
    parallelism: int = 2,
    epochs: int = 0,
    batch: bool = False,
) -> tuple[Any, StopAfter]:
    """Run a job to its end, or cancel it after some epochs with records; what each stream gave, and the epochs."""
    chosen = {"parallelism.default": str(parallelism), "datastream.epoch.max-records": "1" if epochs else "1000"}
    if checkpoint is not None:
        chosen["execution.checkpointing.dir"] = str(checkpoint)
    if savepoint is not None:
        chosen["execution.state-recovery.path"] = str(savepoint)
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(chosen))
    if batch:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    sinks = attach(build(env))
    stop = StopAfter(epochs, lambda: None)
    given = settings()
    known = given.executor, given.listeners
    given.executor, given.listeners = executor, [stop]
    try:
        stop.handle = env.execute_async("again")._handle
        stop.started.set()
        stop.handle.future.result()
    finally:
        given.executor, given.listeners = known
    return records(sinks), stop


@pytest.fixture(autouse=True)
def each_start_is_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a process, a second job is refused in a folder where one has finished: it may be another job."""
    monkeypatch.setattr(checkpoints, "refuse_finished", lambda path, job_id: None)


def totals(stream: DataStream, name: str, assigner: Any = None) -> DataStream:
    """(key, number of the window or time of its first record, sum)."""
    keyed = stream.map(lambda r: (r[0], r[1] // 1000, r[2])).key_by(lambda r: r[0])
    windows = keyed.window(assigner or TumblingEventTimeWindows.of(Time.seconds(1)))
    return windows.reduce(lambda a, b: (a[0], a[1], a[2] + b[2])).uid(f"{name}-windows")


class Reminders(KeyedProcessFunction):
    """A timer of event time at the end of each second that has records; it numbers those that have fired."""

    def open(self, runtime_context: Any) -> None:
        self.fired = runtime_context.get_state(ValueStateDescriptor("fired", Types.LONG()))

    def process_element(self, value: Record, ctx: Any) -> Any:
        ctx.timer_service().register_event_time_timer(value[1] // 1000 * 1000 + 1000)
        return ()

    def on_timer(self, timestamp: int, ctx: Any) -> Any:
        self.fired.update((self.fired.value() or 0) + 1)
        yield ctx.get_current_key(), timestamp // 1000, self.fired.value()


@pytest.mark.long
def test_state_windows_and_timers_continue(tmp_path: Path) -> None:
    """Windows and timers that the end of a run brought come again, whole, when their time has passed."""
    folder, checkpoint, out = tmp_path / "in", tmp_path / "checkpoint", tmp_path / "out"

    def build(env: StreamExecutionEnvironment) -> list[DataStream]:
        stream = timed(read(env, folder), "in")
        ones = stream.map(lambda r: (r[0], 1)).key_by(lambda r: r[0])
        sink = FileSink.for_row_format(str(out), Encoder.simple_string_encoder()).build()
        stream.map(lambda r: str(r[2]), output_type=Types.STRING()).sink_to(sink).uid("out")
        return [
            ones.reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts"),
            totals(stream, "tumbling"),
            totals(stream, "sessions", EventTimeSessionWindows.with_gap(Time.milliseconds(500))),
            stream.key_by(lambda r: r[0]).process(Reminders()).uid("reminders"),
        ]

    written(folder, "1", ("a", 100, 1), ("a", 1500, 2), ("b", 1600, 3))
    (counts, tumbling, sessions, reminders), _ = start(build, checkpoint=checkpoint)
    assert sorted(counts) == [("a", 1), ("a", 2), ("b", 1)]
    assert sorted(tumbling) == [("a", 0, 1), ("a", 1, 2), ("b", 1, 3)]  # the first by time, the others by the end
    assert sorted(sessions) == [("a", 0, 1), ("a", 1, 2), ("b", 1, 3)]
    assert sorted(reminders) == [("a", 1, 1), ("a", 2, 2), ("b", 2, 1)]

    nothing, stop = start(build, checkpoint=checkpoint)
    assert nothing == [[], [], [], []]
    assert stop.epochs == []

    written(folder, "2", ("a", 1700, 4), ("b", 2900, 5))
    (counts, tumbling, sessions, reminders), _ = start(build, checkpoint=checkpoint)
    assert sorted(counts) == [("a", 3), ("b", 2)]
    assert sorted(tumbling) == [("a", 1, 6), ("b", 1, 3), ("b", 2, 5)]
    assert sorted(sessions) == [("a", 1, 6), ("b", 1, 3), ("b", 2, 5)]
    assert sorted(reminders) == [("a", 2, 2), ("b", 2, 1), ("b", 3, 2)]

    # A savepoint of the finished job continues like its folder, on either executor, with another parallelism.
    saved = tmp_path / "savepoint"
    take_savepoint(str(checkpoint), str(saved))
    written(folder, "3", ("c", 2950, 7))
    for executor, parallelism in (("local", 3), ("spark", 1)):
        (counts, tumbling, _, reminders), _ = start(build, savepoint=saved, executor=executor, parallelism=parallelism)
        assert counts == [("c", 1)]
        assert sorted(tumbling) == [("b", 2, 5), ("c", 2, 7)]
        assert sorted(reminders) == [("b", 3, 2), ("c", 3, 1)]

    # And so does the folder itself. What is late there, by the time of all the runs before, is late.
    written(folder, "4", ("a", 1800, 8), ("b", 5000, 9))
    (counts, tumbling, _, _), _ = start(build, checkpoint=checkpoint)
    assert sorted(counts) == [("a", 4), ("b", 3), ("c", 1)]
    assert sorted(tumbling) == [("b", 2, 5), ("b", 5, 9), ("c", 2, 7)]
    assert sorted(map(int, visible_lines(out)))[:5] == [1, 2, 3, 4, 5]
    assert {8, 9} <= set(map(int, visible_lines(out)))


@pytest.mark.long
def test_a_run_that_was_cut_off_is_finished_first(tmp_path: Path) -> None:
    """It keeps its end, whatever came since; the start behind it reads the rest."""
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"

    def build(env: StreamExecutionEnvironment) -> list[DataStream]:
        return [read(env, folder).key_by(lambda r: r[0]).reduce(lambda a, b: (a[0], 0, a[2] + b[2])).uid("sums")]

    def numbers(**how: Any) -> list[int]:
        (got,), _ = start(build, checkpoint=checkpoint, **how)
        return [number for _, _, number in got]

    written(folder, "1", ("a", 0, 1), ("a", 0, 10))
    assert numbers() == [1, 11]
    written(folder, "2", *[("a", 0, 100)] * 6)
    cut_off = numbers(epochs=2)
    assert cut_off == [11 + 100 * (n + 1) for n in range(len(cut_off))]
    assert len(cut_off) < 6
    written(folder, "3", ("a", 0, 1000))
    rest = numbers()  # the epoch that was given last may not have been committed, and is given again
    assert rest == [711 - 100 * n for n in range(len(rest), 0, -1)]
    assert set(cut_off) | set(rest) == {111, 211, 311, 411, 511, 611}
    assert numbers() == [1611]
    assert numbers() == []


@pytest.mark.long
def test_sources_that_have_something_new_and_others(tmp_path: Path) -> None:
    """Those that have ended for a run do not hold back time, and count again when they have more."""
    left, right, checkpoint = tmp_path / "left", tmp_path / "right", tmp_path / "checkpoint"

    def build(env: StreamExecutionEnvironment) -> list[DataStream]:
        first = read(env, left)
        both = timed(first, "left").union(timed(read(env, right), "right"))
        fixed = timed(env.from_collection([("fixed", 0, 1)]).uid("fixed"), "fixed")
        behind = timed(first.rebalance(), "behind").union(fixed)
        return [totals(both, "both"), totals(fixed, "fixed"), totals(behind, "behind")]

    written(left, "1", ("l", 100, 1), ("l", 5100, 2))
    written(right, "1", ("r", 100, 1))
    (both, fixed, behind), _ = start(build, checkpoint=checkpoint)
    assert sorted(both) == [("l", 0, 1), ("l", 5, 2), ("r", 0, 1)]
    assert fixed == [("fixed", 0, 1)]
    assert sorted(behind) == [("fixed", 0, 1), ("l", 0, 1), ("l", 5, 2)]

    # Only the right one has more: time goes on with it. What the end gave comes again, of the fixed one nothing.
    written(right, "2", ("r", 200, 2), ("r", 5200, 3), ("r", 7000, 4))
    (both, fixed, behind), _ = start(build, checkpoint=checkpoint)
    assert sorted(both) == [("l", 0, 1), ("l", 5, 2), ("r", 0, 3), ("r", 5, 3), ("r", 7, 4)]
    assert fixed == []
    assert sorted(behind) == [("fixed", 0, 1), ("l", 0, 1), ("l", 5, 2)]  # each subtask has seen one of the records

    # By now the time of both is that of the right one, 6.9 s; the left one counts again.
    written(left, "2", ("l", 7100, 5), ("l", 9000, 6))
    written(right, "3", ("r", 9100, 7))
    (both, fixed, behind), _ = start(build, checkpoint=checkpoint)
    assert sorted(both) == [("l", 7, 5), ("l", 9, 6), ("r", 7, 4), ("r", 9, 7)]
    assert fixed == []
    assert sorted(behind)[-3:] == [("l", 5, 2), ("l", 7, 5), ("l", 9, 6)]


def test_batch_mode_computes_its_results_once(tmp_path: Path) -> None:
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"

    def build(env: StreamExecutionEnvironment) -> list[DataStream]:
        return [read(env, folder).key_by(lambda r: r[0]).reduce(lambda a, b: (a[0], 0, a[2] + b[2])).uid("sums")]

    written(folder, "1", ("a", 0, 1), ("a", 0, 2))
    assert start(build, checkpoint=checkpoint, batch=True)[0] == [[("a", 0, 3)]]
    assert start(build, checkpoint=checkpoint, batch=True)[0] == [[]]
    written(folder, "2", ("a", 0, 3))
    with pytest.raises(CheckpointError, match="has new input for it: in batch mode"):
        start(build, checkpoint=checkpoint, batch=True)


def test_loops_continue(tmp_path: Path) -> None:
    """Behind the end of time records still go round, so that this end is not taken back; later input has its own."""
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"

    def build(env: StreamExecutionEnvironment) -> list[DataStream]:
        loop = timed(read(env, folder), "in").iterate().uid("loop")
        lower = loop.rebalance().map(lambda r: (r[0], r[1], r[2] - 1))
        loop.close_with(lower.filter(lambda r: r[2] > 0))
        return [lower.filter(lambda r: r[2] == 0), totals(loop, "loop")]

    written(folder, "1", ("a", 100, 2))
    (ended, windows), _ = start(build, checkpoint=checkpoint)
    assert ended == [("a", 100, 0)]
    assert sum(total for _, _, total in windows) >= 2
    written(folder, "2", ("b", 200, 3))
    (ended, windows), _ = start(build, checkpoint=checkpoint)
    assert ended == [("b", 200, 0)]
    assert ("b", 0, 3) in windows or sum(total for key, _, total in windows if key == "b") >= 3


JOB = """
import sys
from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors.files import FileSource, StreamFormat

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), sys.argv[1]).build()
lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").uid("lines")
lines.map(lambda line: (1, line)).key_by(lambda p: "all").reduce(lambda a, b: (a[0] + b[0], b[1])).uid("count").print()
env.execute()
"""


@pytest.mark.long
def test_the_command_says_what_it_did(runs: Runs, tmp_path: Path) -> None:
    script, folder, checkpoint = tmp_path / "job.py", tmp_path / "in", tmp_path / "checkpoint"
    script.write_text(JOB)
    folder.mkdir()

    def run() -> tuple[str, str]:
        started = runs.job("--checkpoint-dir", checkpoint, script, folder)
        started.succeed()
        return started.out, started.err

    (folder / "1").write_text("a\nb\nc\n")
    out, err = run()
    assert out == "(1, 'a')\n(2, 'b')\n(3, 'c')\n"
    assert "finished: 3 records in" in err
    out, err = run()
    assert out == ""
    assert "finished: nothing new, the job in this checkpoint directory has read all its input in an earlier run" in err
    (folder / "2").write_text("d\ne\n")
    out, err = run()
    assert out == "(4, 'd')\n(5, 'e')\n"
    assert "finished: 2 records in" in err
