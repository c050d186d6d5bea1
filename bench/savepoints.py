"""How long it takes to write a savepoint of so many keys, and to start from it; and its size."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench.engine import Watch, environment
from bench.functions import WIDTH, key
from bench.state_growth import Table, record
from bench.stateful import Count
from bench.work import temporary_folder
from datastream.config.settings import settings
from datastream.connectors.discard_sink import DiscardingSink
from datastream.runtime.savepoints.manifest import Manifest
from datastream.spark.savepoint import take_savepoint


def take(keys: int) -> dict[str, Any]:
    """Seconds to write the savepoint of a stopped job."""
    with temporary_folder() as folder:
        seconds, manifest = _taken(Path(folder), keys)
        return {"value": seconds, "parts": {"MB": manifest.bytes / 1e6, "keys": manifest.keys}}


def restore(keys: int, parallelism: int, key_groups: int) -> dict[str, Any]:
    """Seconds from the start of a job to the commit of the epoch that took all state over.

    Args:
        keys: Keys of the savepoint, which has 128 key groups and `WIDTH` subtasks.
        parallelism: Of the restored job.
        key_groups: Of the restored job.
    """
    with temporary_folder() as folder:
        _, manifest = _taken(Path(folder), keys)
        watch = Watch(0, 0)
        given = settings()
        given.from_savepoint = f"{folder}/savepoint"
        given.listeners.append(watch)
        began = time.monotonic()
        _run(Path(folder, "restored"), keys, parallelism, key_groups)
        return {"value": watch.epochs[0][0] - began, "parts": {"MB": manifest.bytes / 1e6, "keys": manifest.keys}}


def _taken(folder: Path, keys: int) -> tuple[float, Manifest]:
    _run(folder / "checkpoint", keys, WIDTH, 128)
    began = time.monotonic()
    manifest = take_savepoint(folder / "checkpoint", folder / "savepoint")
    return time.monotonic() - began, manifest


def _run(checkpoint: Path, keys: int, parallelism: int, key_groups: int) -> None:
    """Fill a table of keys, or go on from one; to the end of the input."""
    settings().checkpoint_dir = str(checkpoint)
    env = environment(1_000_000)
    env.set_parallelism(parallelism).set_max_parallelism(key_groups)
    numbers = env.add_source(Table(keys, 1, 0)).uid("numbers")
    counted = numbers.map(record(keys, 1000, same=True)).key_by(key).process(Count()).uid("counts")
    counted.sink_to(DiscardingSink()).uid("nowhere")
    env.execute("savepoint")
