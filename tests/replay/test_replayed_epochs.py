"""Epochs of a checkpoint, run again: what they gave in production comes out, and nothing is written."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, Encoder, JobError, StreamExecutionEnvironment
from datastream.connectors.files import FileSink
from datastream.connectors.number_seq import NumberSequenceSource
from datastream.errors import CheckpointDamaged, CheckpointError, CheckpointMismatch, ValidationError
from datastream.functions import BroadcastProcessFunction, KeyedProcessFunction
from datastream.job.checkpoint_directories import slug_of
from datastream.state import MapStateDescriptor, ValueStateDescriptor
from datastream.testing import replay
from datastream.time import Time, TimestampAssigner, WatermarkStrategy
from datastream.types import Types
from datastream.windows import TumblingEventTimeWindows
from tests.io.outsiders.toy_queue import ToyQueueSource, new_queue

_RECORDS, _AN_EPOCH = 600, 100
_RULES = MapStateDescriptor("rules", Types.LONG(), Types.LONG())


class ByNumber(TimestampAssigner):
    def extract_timestamp(self, value: int, record_timestamp: int) -> int:
        return value


class Counted(KeyedProcessFunction):
    """The number of each record among those of its key, and by a timer how many there were 30 ms later."""

    def __init__(self, wrong: int | None) -> None:
        self.wrong = wrong

    def open(self, runtime_context: Any) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.LONG()))

    def process_element(self, value: int, ctx: Any) -> Iterator[str]:
        seen = (self.seen.value() or 0) + 1
        self.seen.update(seen)
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 30)
        if value == self.wrong:
            raise ValueError(f"{seen} records of key {ctx.get_current_key()}")
        yield f"{value} is record {seen} of {ctx.get_current_key()}"

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[str]:
        yield f"at {timestamp} key {ctx.get_current_key()} has {self.seen.value()}"


class Ruled(BroadcastProcessFunction):
    def process_element(self, value: int, ctx: Any) -> Iterator[str]:
        if value % 20 == 0:
            yield f"{value} with {sorted(key for key, _ in ctx.get_broadcast_state(_RULES).items())}"

    def process_broadcast_element(self, value: int, ctx: Any) -> None:
        if value % 150 == 0:
            ctx.get_broadcast_state(_RULES).put(value, value)


def job(
    out: Path,
    checkpoint: Path | None = None,
    wrong: int | None = None,
    name: str = "counts",
    records: int = _RECORDS,
    parallelism: int = 2,
) -> None:
    """Reads numbers in epochs, counts them by key with timers, by window, and beside broadcast rules."""
    settings = Configuration()
    settings.set_string("restart-strategy.type", "disable")
    settings.set_integer("datastream.epoch.max-records", _AN_EPOCH)
    if checkpoint is not None:
        settings.set_string("execution.checkpointing.dir", str(checkpoint))
    env = StreamExecutionEnvironment.get_execution_environment(settings)
    env.set_parallelism(parallelism)
    by_number = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(ByNumber())
    numbers = env.from_source(NumberSequenceSource(0, records - 1), by_number, "numbers", Types.LONG())
    keyed = numbers.key_by(lambda n: n % 3, Types.LONG())
    counted = keyed.process(Counted(wrong), Types.STRING()).uid("counted")
    sums = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(70))).reduce(lambda a, b: a + b)
    parity = sums.key_by(lambda total: total % 2, Types.LONG())
    windows = parity.window(TumblingEventTimeWindows.of(Time.milliseconds(140))).reduce(max)
    ruled = numbers.connect(numbers.broadcast(_RULES)).process(Ruled(), Types.STRING()).set_parallelism(1).uid("ruled")
    for found, sink in ((counted, "counted"), (windows.map(str, Types.STRING()), "windows"), (ruled, "ruled")):
        files = FileSink.for_row_format(str(out / sink), Encoder.simple_string_encoder()).build()
        found.sink_to(files).name(sink)
    env.execute(name)


def content_of(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def written(out: Path, sink: str) -> Counter[str]:
    files = (path for path in (out / sink).rglob("part-*") if path.is_file())
    return Counter(line for path in files for line in path.read_text().splitlines())


def epochs_of(checkpoint: Path) -> list[int]:
    return sorted(int(path.name) for path in (checkpoint / "offsets").glob("*") if path.name.isdecimal())


@pytest.mark.long
def test_all_epochs_together_give_what_the_job_gave(tmp_path: Path) -> None:
    """State, timers, windows, watermarks and broadcast state of each epoch are those that it had."""
    checkpoint, out = tmp_path / "checkpoint", tmp_path / "out"
    job(out, checkpoint)
    before = content_of(tmp_path)
    epochs = epochs_of(checkpoint)
    assert len(epochs) >= _RECORDS / _AN_EPOCH
    found: dict[str, Counter[str]] = {}
    for epoch in epochs:
        for sink, records in replay(lambda: job(out), checkpoint, epoch).items():
            found.setdefault(sink, Counter()).update(records)
    assert found == {sink: written(out, sink) for sink in ("counted", "windows", "ruled")}
    assert {sink: bool(records) for sink, records in found.items()} == {"counted": True, "windows": True, "ruled": True}
    assert content_of(tmp_path) == before, "nothing is written, neither to the checkpoint nor by sinks"
    with pytest.raises(ValidationError, match=f"holds the epochs 0 to {epochs[-1]}, and not epoch 99"):
        replay(lambda: job(out), checkpoint, 99)
    with pytest.raises(CheckpointMismatch, match="is of none of the script's jobs: 'other'"):
        replay(another, checkpoint)

    def several() -> None:
        another()
        job(out)
        another()

    epoch = epochs[-2]
    right = replay(lambda: job(out), checkpoint, epoch)
    assert replay(several, checkpoint, epoch) == right
    with pytest.raises(ValidationError, match="epoch is a whole number such as 7, or None, got '0'"):
        replay(lambda: job(out), checkpoint, "0")  # type: ignore[arg-type]
    with pytest.raises(JobError, match="Source: numbers(.|\n)*now there are none from 250 on"):
        replay(lambda: job(out, records=250), checkpoint, 2)

    def of_one_name() -> None:
        another("counts")
        job(out)

    assert replay(of_one_name, checkpoint, epoch) == right, "the job of this name that the checkpoint fits"
    with pytest.raises(CheckpointMismatch, match="belongs to another job(.|\n)*'counted' is only in the checkpoint"):
        replay(lambda: another("counts"), checkpoint)

    def twice() -> None:
        job(out, wrong=1)
        job(out, wrong=300)

    first, second = (tmp_path / "jobs" / slug_of("counts", number) for number in (1, 2))
    shutil.copytree(checkpoint, first)
    shutil.copytree(checkpoint, second)
    with pytest.raises(JobError, match="1 records of key 1"):
        replay(twice, first, 0)
    with pytest.raises(JobError, match="101 records of key 0"):
        replay(twice, second, 3)

    for state in (checkpoint / "state").rglob("2.*"):
        state.unlink()
    with pytest.raises(CheckpointDamaged, match="state"):
        replay(lambda: job(out), checkpoint, 2)


def another(name: str = "other") -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).print()
    env.execute(name)


def test_the_epoch_that_failed_fails_again_and_passes_once_its_function_is_mended(tmp_path: Path) -> None:
    checkpoint, out = tmp_path / "checkpoint", tmp_path / "out"
    with pytest.raises(JobError, match="134 records of key 1") as failed:
        job(out, checkpoint, wrong=400, parallelism=1)  # no other task is at work when the job has failed
    before = content_of(tmp_path)
    for _ in range(2):
        with pytest.raises(JobError, match="134 records of key 1") as again:
            replay(lambda: job(out, wrong=400, parallelism=1), checkpoint)
        assert str(again.value).splitlines()[0] == str(failed.value).splitlines()[0]
    mended = replay(lambda: job(out, parallelism=1), checkpoint)
    assert "400 is record 134 of 1" in mended["counted"]
    assert content_of(tmp_path) == before
    shutil.rmtree(checkpoint / "state")
    with pytest.raises(CheckpointDamaged, match="stages with state, and the folder has 0"):
        replay(lambda: job(out, parallelism=1), checkpoint)


def test_a_job_in_a_queue_reads_the_notes_of_its_epoch_and_takes_nothing_from_the_queue(tmp_path: Path) -> None:
    queue = new_queue(tmp_path / "queue", [b"a", b"b", b"wrong"])

    def read(fails: bool, **settings: str) -> None:
        env = StreamExecutionEnvironment.get_execution_environment(
            Configuration.from_dict({"restart-strategy.type": "disable", **settings})
        )
        source = ToyQueueSource(str(queue))
        bodies = env.from_source(source, WatermarkStrategy.no_watermarks(), "queue").set_parallelism(1)
        bodies.map(lambda body: 1 // (0 if fails and body == b"wrong" else 1)).print()
        env.execute("queue")

    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(JobError, match="ZeroDivisionError"):
        read(fails=True, **{"execution.checkpointing.dir": str(checkpoint)})
    before = content_of(tmp_path)
    replayed = replay(lambda: read(fails=False), checkpoint)
    assert [len(records) for records in replayed.values()] == [3]
    assert content_of(tmp_path) == before
    for note in (checkpoint / "spool").rglob("*"):
        if note.is_file():
            note.unlink()
    with pytest.raises(CheckpointDamaged, match="the messages that 'Source: queue' took were not noted"):
        replay(lambda: read(fails=False), checkpoint)


@pytest.mark.parametrize(
    ("main", "why"),
    [(lambda: None, "no job was executed"), (another, "has no job.json")],
    ids=["no job", "no checkpoint"],
)
def test_what_cannot_be_replayed(tmp_path: Path, main: Callable[[], None], why: str) -> None:
    with pytest.raises((ValidationError, CheckpointError), match=why):
        replay(main, tmp_path)
