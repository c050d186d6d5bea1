"""State of many keys: rate, epochs, bytes on disk, memory, a restart: ``python -m bench.large_state``."""

from __future__ import annotations

import json
import os
import statistics
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table as Rows

from bench.cli import tell
from bench.engine import environment
from bench.functions import WIDTH, key
from bench.processes import Sampler, SideError, Tree, run_side
from bench.state_growth import Reader, record
from bench.stateful import Count
from bench.work import temporary_folder
from datastream.api.job_client import handle_of
from datastream.config.settings import EpochSummary, settings
from datastream.connectors.discard_sink import DiscardingSink
from datastream.io import EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import cut

_FILL, _LARGE, _SMALL = 250_000, 200_000, 1_000
_LIMIT_S = 3600


@dataclass(frozen=True)
class Phases(Source):
    """Each key once, then large epochs of any keys, then small ones, without end."""

    keys: int
    large: int
    bounded = False

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return Enumerator(self.keys, self.large)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return Reader()


class Enumerator(SplitEnumerator):
    """The size of an epoch follows from where it begins."""

    def __init__(self, keys: int, large: int) -> None:
        self._keys, self._small = keys, keys + large * _LARGE

    def initial_offset(self) -> int:
        return 0

    def latest_offset(self, start: int, budget: int) -> int:
        if start < self._keys:
            return min(start + _FILL, self._keys)
        return start + (_LARGE if start < self._small else _SMALL)

    def splits(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        return cut(start, end, parallelism)


class Watch:
    """A listener that waits for a number of epochs."""

    def __init__(self, epochs: int) -> None:
        self.at: list[float] = []
        self.done = threading.Event()
        self._epochs = epochs

    def on_start(self, graph: Any) -> None:
        return None

    def on_epoch(self, summary: EpochSummary) -> None:
        self.at.append(time.monotonic())
        if len(self.at) >= self._epochs:
            self.done.set()

    def on_end(self, status: str, error: BaseException | None) -> None:
        self.done.set()


def measure(keys: int, large: int, small: int) -> dict[str, Any]:
    """One job over so many keys, stopped and started again."""
    sampler = Sampler(Tree(os.getpid()))
    sampler.start()
    fills = -(-keys // _FILL)
    with temporary_folder() as checkpoint:
        at = _run(keys, large, checkpoint, fills + large + small)
        filled, full = at[fills - 1] - at[0], at[fills + large - 1] - at[fills - 1]
        began = time.monotonic()
        again = _run(keys, large, checkpoint, 1)[0] - began
        size = sum(file.stat().st_size for file in Path(checkpoint).rglob("*") if file.is_file())
    gaps = [b - a for a, b in zip(at, at[1:], strict=False)]
    peak = sampler.stop()
    return {
        "keys": keys,
        "fill_records_s": (fills - 1) * _FILL / filled if fills > 1 else None,
        "records_s": large * _LARGE / full,
        "large_epoch_ms": 1000 * statistics.median(gaps[fills : fills + large - 1]),
        "small_epoch_ms": 1000 * statistics.median(gaps[fills + large :]),
        "disk_mb": size / 2**20,
        "peak_mb": peak.mb,
        "by_program": peak.by_program,
        "restart_s": again,
    }


def _run(keys: int, large: int, checkpoint: str, epochs: int) -> list[float]:
    """When each epoch was committed."""
    env = environment(10**9)
    env.set_parallelism(WIDTH)
    stream = env.add_source(Phases(keys, large)).map(record(keys, _SMALL, False))
    stream.key_by(key).process(Count()).sink_to(DiscardingSink())
    watch = Watch(epochs)
    settings().listeners[:] = [watch]
    settings().checkpoint_dir = checkpoint
    client = env.execute_async("large state")
    watch.done.wait(_LIMIT_S)
    future = handle_of(client).future
    if future.done():
        future.result()
    client.cancel()
    return watch.at


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--keys", "tables", multiple=True, type=int, default=(100_000, 10_000_000), show_default=True)
@click.option("--epochs", default=12, show_default=True, help="Large epochs, and small ones.")
@click.option("--json", "file", metavar="FILE", help="Write the figures as JSON, too.")
def main(tables: tuple[int, ...], epochs: int, file: str | None) -> None:
    """Count records by key in a ValueState, over tables of so many keys."""
    found = []
    for keys in tables:
        tell(f"{keys:,} keys")
        try:
            found.append(
                run_side(
                    "bench.large_state:measure", {"keys": keys, "large": epochs, "small": epochs}, limit_s=_LIMIT_S
                )
            )
        except SideError as error:
            sys.exit(str(error))
        if file:
            Path(file).write_text(json.dumps(found, indent=1))
    table = Rows("", *(f"{one['keys']:,} keys" for one in found))
    for name, title in (
        ("fill_records_s", "filling, records/s"),
        ("records_s", f"epochs of {_LARGE:,} records of any keys, records/s"),
        ("large_epoch_ms", "  their time, ms"),
        ("small_epoch_ms", f"epochs of {_SMALL:,} records, ms"),
        ("disk_mb", "checkpoint on disk, MiB"),
        ("peak_mb", "memory at the peak, MiB"),
        ("restart_s", "start again to first commit, s"),
    ):
        table.add_row(title, *("" if one[name] is None else f"{one[name]:,.1f}" for one in found))
    Console(width=None if os.isatty(1) else 120).print(table)


if __name__ == "__main__":
    main()
