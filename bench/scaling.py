"""What an epoch costs the driver, the planner, the committer and the executors: ``python -m bench.scaling``.

A source is simulated, so that a job can have any number of splits. Executors run in processes of their own
(``local-cluster``), so the driver's share shows. Processor time is measured, not the clock: it says what a machine
of any size would have to do, and hardly depends on who else uses this one.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy
import psutil
from rich.console import Console
from rich.table import Table

from bench.cli import tell
from bench.engine import environment
from bench.processes import SideError, run_side
from bench.stateful import Count
from bench.work import temporary_folder
from datastream import WatermarkStrategy
from datastream.api.job_client import handle_of
from datastream.config.settings import EpochSummary, settings
from datastream.io import (
    Batch,
    Committer,
    CommitterContext,
    EnumeratorContext,
    Produced,
    ReaderContext,
    Sink,
    SinkWriter,
    Source,
    SourceReader,
    SplitEnumerator,
    WriterContext,
)
from datastream.time import TimestampAssigner

_LIMIT_S = 900
_PARTS = ("driver's Java", "planner", "committer", "driver's Python", "executors' Java", "workers")


@dataclass(frozen=True)
class Point:
    """One job.

    Attributes:
        tasks: Parallelism: tasks of each stage.
        splits: Splits of an epoch.
        levels: Exchanges.
        operators: Operators without state, beside those with.
        records: Records of an epoch.
        committables: What each task's writer prepares for the committer, in entries of 100 bytes.
        watermarks: Each split has a watermark of its own, as a partition of Kafka has.
    """

    tasks: int = 8
    splits: int = 8
    levels: int = 1
    operators: int = 2
    records: int = 8_000
    committables: int = 1
    watermarks: bool = False


#: The model is fitted to these.
FITTED = (
    Point(),
    Point(tasks=2, splits=2),
    Point(tasks=32, splits=32),
    Point(tasks=128, splits=128),
    Point(tasks=512, splits=512),
    Point(splits=100),
    Point(splits=1_000),
    Point(splits=10_000),
    Point(tasks=128, splits=10_000),
    Point(levels=3),
    Point(tasks=64, splits=64, levels=3),
    Point(operators=40),
    Point(records=80_000),
    Point(records=400_000),
    Point(committables=1_000),
    Point(tasks=64, splits=64, committables=1_000),
    Point(watermarks=True),
    Point(splits=1_000, watermarks=True),
    Point(tasks=32, splits=1_000, watermarks=True),
)
#: And tried at these.
HELD_BACK = (
    Point(tasks=256, splits=2_000, levels=2, operators=10, records=50_000, committables=50),
    Point(tasks=16, splits=2_000, watermarks=True),
)


@dataclass(frozen=True)
class Span:
    """A split: numbers of a lane."""

    lane: str
    start: int
    end: int


@dataclass(frozen=True)
class Splits(Source):
    """Epochs of so many splits and records, without end."""

    splits: int
    records: int
    lanes: bool
    bounded = False

    @property
    def produced(self) -> Produced:
        return Produced(lanes=self.lanes)

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return Enumerator(self.splits, self.records)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return Reader()


class Value(TimestampAssigner):
    """The number itself."""

    def extract_timestamp(self, value: int, record_timestamp: int) -> int:
        return value


class Enumerator(SplitEnumerator):
    """The offset is a dict of all splits, as that of Kafka's partitions."""

    def __init__(self, splits: int, records: int) -> None:
        self._splits, self._records = splits, records

    def initial_offset(self) -> dict[str, int]:
        return {f"topic-{i}": 0 for i in range(self._splits)}

    def latest_offset(self, start: dict[str, int], budget: int) -> dict[str, int]:
        each = max(1, self._records // self._splits)
        return {split: at + each for split, at in start.items()}

    def splits(self, start: dict[str, int], end: dict[str, int], parallelism: int) -> list[Span]:
        return [Span(split, start[split], at) for split, at in end.items()]

    def lanes(self, offset: dict[str, int]) -> list[str]:
        return list(offset)


class Reader(SourceReader):
    """Numbers that differ from split to split."""

    def read(self, split: Span) -> Iterator[Batch]:
        first = int(split.lane.partition("-")[2]) * 1_000_003
        yield Batch([(first + i * 7_919) % 1_000_000 for i in range(split.start, split.end)])


@dataclass(frozen=True)
class Nowhere(Sink):
    """Writes nothing; its writers prepare so many entries."""

    entries: int

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return Writer(self.entries)

    def create_committer(self, context: CommitterContext) -> Committer:
        return Nobody()


class Writer(SinkWriter):
    """Prepares entries of 100 bytes."""

    def __init__(self, entries: int) -> None:
        self._entries = entries

    def write(self, batch: Batch) -> None:
        return None

    def prepare_commit(self) -> Any:
        return [f"{i:0100}" for i in range(self._entries)]


class Nobody(Committer):
    """Looks at what it gets."""

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        sum(len(entries) for entries in committables)


class Meter:
    """A listener that notes the processor time of all parts when enough epochs are committed.

    Args:
        warm_up: Epochs before the first note.
        epochs: Epochs between the two.
    """

    def __init__(self, warm_up: int, epochs: int) -> None:
        self.done = threading.Event()
        self.notes: list[tuple[float, dict[str, float]]] = []
        self.at: list[float] = []
        self._warm_up, self._epochs = warm_up, epochs

    def on_start(self, graph: Any) -> None:
        return None

    def on_epoch(self, summary: EpochSummary) -> None:
        self.at.append(time.monotonic())
        if len(self.at) in (self._warm_up, self._warm_up + self._epochs):
            self.notes.append((self.at[-1], cpu_times()))
        if len(self.notes) == 2:
            self.done.set()

    def on_end(self, status: str, error: BaseException | None) -> None:
        self.done.set()


def cpu_times() -> dict[str, float]:
    """Processor time of the job's parts so far, in s."""
    own = psutil.Process()
    found = dict.fromkeys(_PARTS, 0.0)
    for process in [own, *own.children(recursive=True)]:
        try:
            part = _part(process, own.pid)
            times = process.cpu_times()
        except psutil.Error:
            continue
        found[part] += times.user + times.system
    return found


def _part(process: psutil.Process, driver: int) -> str:
    if process.pid == driver:
        return "driver's Python"
    name = process.name()
    if name == "java":
        executor = any("CoarseGrainedExecutorBackend" in word for word in process.cmdline())
        return "executors' Java" if executor else "driver's Java"
    words = process.cmdline()
    if any("python_streaming_source_runner" in word for word in words):
        return "planner"
    return "committer" if any("python_streaming_sink_runner" in word for word in words) else "workers"


def measure(warm_up: int, epochs: int, master: str, **point: Any) -> dict[str, Any]:
    """Processor time of an epoch by part, in ms, and its time by the clock."""
    at = Point(**point)
    env = environment(10**9)
    env.set_parallelism(at.tasks).set_max_parallelism(max(128, at.tasks))
    strategy = WatermarkStrategy.no_watermarks()
    if at.watermarks:
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Value())
    stream = env.from_source(Splits(at.splits, at.records, at.watermarks), strategy, "splits")
    stream = stream.map(lambda n: (n, 1))
    for _ in range(at.operators - 1):
        stream = stream.map(lambda pair: pair)
    for _ in range(at.levels):
        stream = stream.key_by(lambda pair: pair[0]).process(Count()).map(lambda found: (found[0], 1))
    stream.sink_to(Nowhere(at.committables))
    meter = Meter(warm_up, epochs)
    settings().listeners.append(meter)
    settings().master = master
    os.environ["PYSPARK_PYTHON"] = sys.executable
    for side in ("driver", "executor"):  # the better compiler would still be at work when the measurement begins
        settings().properties[f"spark.{side}.extraJavaOptions"] = "-XX:TieredStopAtLevel=1"
    with temporary_folder() as checkpoint:
        settings().checkpoint_dir = checkpoint
        client = env.execute_async("scaling")
        meter.done.wait(_LIMIT_S)
        future = handle_of(client).future
        if future.done():
            future.result()
        client.cancel()
        log = max((Path(checkpoint) / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        logged = log.stat().st_size
    (began, before), (ended, after) = meter.notes
    times = [b - a for a, b in zip(meter.at[warm_up - 1 :], meter.at[warm_up:], strict=False)]
    return {
        "point": asdict(at),
        "epoch_ms": 1000 * statistics.median(times),
        "offsets_bytes": logged,
        "parts": {part: 1000 * (after[part] - before[part]) / epochs for part in _PARTS},
    }


def features(point: Point) -> list[float]:
    """What an epoch's cost is made of."""
    tasks = min(point.tasks, point.splits) + point.levels * point.tasks
    return [
        1.0,
        tasks,
        point.splits,
        point.tasks * point.tasks * point.levels,
        point.operators,
        point.records / 1000,
        point.committables * point.tasks / 1000,
        point.watermarks * point.splits / 1000,
        point.watermarks * point.splits * point.tasks * point.levels / 1000,
    ]


FEATURES = (
    "epoch",
    "task",
    "split",
    "pair of tasks",
    "operator",
    "1,000 records",
    "1,000 committables",
    "1,000 watermarks",
    "1,000 watermarks, a task",
)


def fit(results: Sequence[dict[str, Any]], part: str) -> list[float]:
    """Costs of the features in ms, none below 0, by least squares of relative errors."""
    rows = numpy.array([features(Point(**found["point"])) for found in results])
    wanted = numpy.array([found["parts"][part] for found in results])
    weights = 1 / numpy.maximum(wanted, 1.0)
    return non_negative(rows * weights[:, None], wanted * weights)


def non_negative(rows: Any, wanted: Any) -> list[float]:
    """Least squares with no coefficient below 0: the worst one is left out until none is."""
    kept = list(range(rows.shape[1]))
    while True:
        found, *_ = numpy.linalg.lstsq(rows[:, kept], wanted, rcond=None)
        if (found >= 0).all():
            costs = [0.0] * rows.shape[1]
            for index, cost in zip(kept, found, strict=True):
                costs[index] = float(cost)
            return costs
        kept.pop(int(numpy.argmin(found * numpy.abs(rows[:, kept]).mean(axis=0))))


def predicted(costs: dict[str, list[float]], point: Point) -> dict[str, float]:
    """Processor time of an epoch by part, in ms."""
    return {part: sum(c * f for c, f in zip(costs[part], features(point), strict=True)) for part in _PARTS}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--json", "file", default="scaling.json", show_default=True, help="Results; what is there is not repeated."
)
@click.option("--epochs", default=8, show_default=True, help="Measured epochs of each job.")
@click.option("--warm-up", default=5, show_default=True, help="Epochs before them.")
@click.option("--master", default="local-cluster[2,1,1536]", show_default=True)
def main(file: str, epochs: int, warm_up: int, master: str) -> None:
    """Measure jobs of many sizes, fit the model of docs/scaling.md to them, and try it where it was not fitted."""
    path = Path(file)
    known = {json.dumps(r["point"]): r for r in json.loads(path.read_text())} if path.exists() else {}
    for point in (*FITTED, *HELD_BACK):
        key = json.dumps(asdict(point))
        if key in known:
            continue
        tell(f"{point}")
        large = point.tasks * (1 + point.levels) > 128  # their epochs take most of a minute
        warm, measured = (min(warm_up, 2), min(epochs, 3)) if large else (warm_up, epochs)
        try:
            known[key] = run_side(
                "bench.scaling:measure",
                {"warm_up": warm, "epochs": measured, "master": master, **asdict(point)},
                limit_s=2 * _LIMIT_S,
            )
        except SideError as error:
            sys.exit(str(error))
        path.write_text(json.dumps(list(known.values()), indent=1))
    show(known)


def show(known: dict[str, dict[str, Any]]) -> None:
    """Print what was measured, the model, and its error."""
    console = Console(width=None if os.isatty(1) else 160)
    table = Table(
        *(["tasks", "splits", "levels", "operators", "records", "committables", "watermarks"]), "epoch ms", *_PARTS
    )
    for found in known.values():
        cells = [f"{n:,}" for n in found["point"].values()]
        table.add_row(*cells, f"{found['epoch_ms']:,.0f}", *(f"{found['parts'][part]:,.0f}" for part in _PARTS))
    console.print("Processor time of an epoch, ms", table)
    fitted = [known[json.dumps(asdict(point))] for point in FITTED]
    costs = {part: fit(fitted, part) for part in _PARTS}
    model = Table("ms of processor time for each", *_PARTS)
    for i, feature in enumerate(FEATURES):
        model.add_row(feature, *(f"{costs[part][i]:.4g}" for part in _PARTS))
    console.print(model)
    for point in HELD_BACK:
        real, guess = known[json.dumps(asdict(point))]["parts"], predicted(costs, point)
        check = Table("held back", *_PARTS, "together")
        check.add_row("measured", *(f"{real[part]:,.0f}" for part in _PARTS), f"{sum(real.values()):,.0f}")
        check.add_row("predicted", *(f"{guess[part]:,.0f}" for part in _PARTS), f"{sum(guess.values()):,.0f}")
        errors = [f"{guess[part] / real[part] - 1:+.0%}" if real[part] > 1 else "" for part in _PARTS]
        check.add_row("error", *errors, f"{sum(guess.values()) / sum(real.values()) - 1:+.0%}")
        console.print(f"{point}", check)


if __name__ == "__main__":
    main()
