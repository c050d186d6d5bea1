"""A job at steady load for an hour, looked at every minute: ``python -m bench.steady``.

Records come at a fixed rate, are counted by key, summed in windows of event time, and written to files. Memory of each
program, files and bytes of the checkpoint directory, and the time of epochs should stay the same.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import psutil
from rich.console import Console
from rich.table import Table

from bench.cli import tell
from bench.engine import environment
from bench.functions import WIDTH, key
from bench.processes import SideError, run_side
from bench.stateful import Count, EventTime, Sum
from bench.work import folder, temporary_folder
from datastream import Encoder, JobClient, WatermarkStrategy
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors.files import FileSink, RollingPolicy
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import blocks, cut
from datastream.time import Duration, Time
from datastream.windows import TumblingEventTimeWindows

_SAMPLE_S = 60


@dataclass(frozen=True)
class Ticking(Source):
    """Numbers, so many a second by the clock."""

    rate: int
    bounded = False

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return Enumerator(self.rate)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return Reader()


class Enumerator(SplitEnumerator):
    """The offset is the number of records so far."""

    def __init__(self, rate: int) -> None:
        self._rate, self._began = rate, time.monotonic()

    def initial_offset(self) -> int:
        return 0

    def latest_offset(self, start: int, budget: int) -> int:
        return max(start, min(start + budget, int((time.monotonic() - self._began) * self._rate)))

    def splits(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        return cut(start, end, parallelism)


class Reader(SourceReader):
    """Gives numbers."""

    def read(self, split: tuple[int, int]) -> Iterator[Batch]:
        for low, high in blocks(*split):
            yield Batch(list(range(low, high)))


class Epochs:
    """The time that epochs take, by Spark's own account, and their records."""

    def __init__(self, client: JobClient) -> None:
        self._client = client
        self._seen, self._records = -1, 0

    def new(self) -> tuple[int, list[float]]:
        """Records of the epochs since the last call, and their times in ms. Spark knows the last 100."""
        query = handle_of(self._client).query
        progress = [p for p in query.recentProgress if p["batchId"] > self._seen]
        self._seen = max((p["batchId"] for p in progress), default=self._seen)
        done = [p for p in progress if "addBatch" in p["durationMs"]]
        before, self._records = self._records, self._client.get_accumulators().result()["records_in"]
        return self._records - before, [p["durationMs"]["triggerExecution"] for p in done]


def run(minutes: int, rate: int, keys: int, interval_ms: int, log: str) -> dict[str, Any]:
    """Run the job; one line of JSON a minute goes to a file."""
    env = environment(1_000_000)
    env.set_parallelism(WIDTH).enable_checkpointing(interval_ms)
    numbers = env.add_source(Ticking(rate)).map(
        lambda n: ((n * 2654435761 & 0xFFFFFFFF) % keys, 1, n // (rate // 1000))
    )
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(2))
    timed = numbers.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(EventTime()))
    counted = timed.key_by(key).process(Count()).filter(lambda found: found[1] % 100 == 0)
    windows = timed.key_by(key).window(TumblingEventTimeWindows.of(Time.seconds(10))).aggregate(Sum())
    with temporary_folder() as checkpoint, tempfile.TemporaryDirectory(dir=folder()) as out:
        policy = RollingPolicy.on_checkpoint_rolling_policy()
        for name, stream in (("counted", counted), ("windows", windows)):
            sink = FileSink.for_row_format(f"{out}/{name}", Encoder.simple_string_encoder())
            stream.map(str).sink_to(sink.with_rolling_policy(policy).build())
        settings().checkpoint_dir = checkpoint
        client = env.execute_async("steady")
        epochs, future = Epochs(client), handle_of(client).future
        samples = []
        began = time.monotonic()
        for minute in range(1, minutes + 1):
            while time.monotonic() - began < minute * _SAMPLE_S and not future.done():
                time.sleep(0.5)
            if future.done():
                future.result()
            samples.append(_sample(minute, epochs, checkpoint))
            with open(log, "a") as lines:
                lines.write(json.dumps(samples[-1]) + "\n")
        client.cancel()
    return {"samples": samples}


def _sample(minute: int, epochs: Epochs, checkpoint: str) -> dict[str, Any]:
    records, lengths = epochs.new()
    files = [file.stat().st_size for file in Path(checkpoint).rglob("*") if _is_file(file)]
    return {
        "minute": minute,
        "records_s": records / _SAMPLE_S,
        "epochs": len(lengths),
        "epoch_ms": statistics.median(lengths) if lengths else None,
        "longest_ms": max(lengths, default=None),
        "files": len(files),
        "mb": sum(files) / 2**20,
        "memory_mb": _memory(),
    }


def _is_file(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size >= 0
    except OSError:  # Spark has just deleted it
        return False


def _memory() -> dict[str, float]:
    """PSS by program, in MiB."""
    own = psutil.Process()
    found: dict[str, float] = defaultdict(float)
    for process in [own, *own.children(recursive=True)]:
        try:
            name = "driver" if process.pid == own.pid else process.name()
            found[name] += process.memory_full_info().pss / 2**20
        except psutil.Error:
            continue
    return {name: round(size, 1) for name, size in sorted(found.items())}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--minutes", default=60, show_default=True)
@click.option("--rate", default=20_000, show_default=True, help="Records a second.")
@click.option("--keys", default=100_000, show_default=True)
@click.option("--interval", default=1000, show_default=True, help="Time from the start of an epoch to the next, in ms.")
@click.option("--log", default="steady.jsonl", show_default=True, help="A line of JSON a minute goes there.")
def main(minutes: int, rate: int, keys: int, interval: int, log: str) -> None:
    """Run a job at steady load and print what it needs at the start and at the end."""
    tell(f"{minutes} minutes; progress in {log}")
    try:
        given = {"minutes": minutes, "rate": rate, "keys": keys, "interval_ms": interval, "log": os.path.abspath(log)}
        found = run_side("bench.steady:run", given, limit_s=minutes * 60 + 600)
    except SideError as error:
        sys.exit(str(error))
    samples = found["samples"]
    programs = sorted({name for sample in samples for name in sample["memory_mb"]})
    table = Table("minute", "records/s", "epochs", "epoch ms", "longest ms", "files", "MiB", *programs)
    shown = samples if len(samples) < 12 else [*samples[:3], *samples[9:-2:10], *samples[-2:]]
    for one in shown:
        memory = [f"{one['memory_mb'].get(name, 0):,.0f}" for name in programs]
        figures = [one["records_s"], one["epochs"], one["epoch_ms"], one["longest_ms"], one["files"], one["mb"]]
        table.add_row(str(one["minute"]), *(f"{figure or 0:,.0f}" for figure in figures), *memory)
    Console(width=None if os.isatty(1) else 150).print(table)


if __name__ == "__main__":
    main()
