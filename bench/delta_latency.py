"""From a producer's clock to the version of a Delta table that has the record, under an even load."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from bench.even_load import writing
from bench.kafka_broker import topic
from bench.kafka_engine import environment, source_of
from bench.work import temporary_folder
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors.delta import DeltaSink
from datastream.formats import JsonRowDeserializationSchema
from datastream.time import WatermarkStrategy
from datastream.types import Types

#: The fields that the table gets.
_ROW = Types.ROW_NAMED(
    ["id", "user", "kind", "price", "at"],
    [Types.LONG(), Types.STRING(), Types.STRING(), Types.DOUBLE(), Types.LONG()],
)
_LIMIT_S = 120.0
_LOOKS_S = 0.0025


def engine(
    bootstrap: str, per_s: int, seconds: float, warm_s: float, parallelism: int, **_given: Any
) -> dict[str, Any]:
    """Kafka -> Delta Lake, exactly once, on two cores."""
    env = environment(parallelism, cores=2)
    with topic(bootstrap) as source, temporary_folder() as checkpoint, temporary_folder() as folder:
        settings().checkpoint_dir = checkpoint
        table = Path(folder, "table")
        kafka = source_of(bootstrap, source, False, JsonRowDeserializationSchema.builder().type_info(_ROW).build())
        rows = env.from_source(kafka, WatermarkStrategy.no_watermarks(), "source")
        rows.sink_to(DeltaSink.builder().set_path(str(table)).set_row_type(_ROW).build()).uid("sink")
        client = env.execute_async("latency")
        ended = handle_of(client).future
        with writing(bootstrap, source, per_s, linger_ms=5) as written:
            found = _measure(table, seconds, warm_s, lambda: ended.result() if ended.done() else None)
            found["parts"]["records/s written"] = written()
        client.cancel()
    return found


def _measure(table: Path, seconds: float, warm_s: float, check: Callable[[], object]) -> dict[str, Any]:
    """How long after its making each record is in the table, once the job is warm."""
    versions = _versions(table, check)
    _, began = next(versions)
    start = began + warm_s
    late, sizes = [], []
    for paths, now in versions:
        made = np.concatenate([pq.read_table(table / path, columns=["at"])["at"].to_numpy() for path in paths]) / 1000
        made = made[made >= start]  # not what had piled up while the job started
        late.append(1000 * (now - made))
        sizes.append(len(made))
        if now >= start + seconds:
            break
    all_late = np.concatenate(late)
    median, p90, p99 = np.percentile(all_late, [50, 90, 99])
    return {
        "value": float(all_late.mean()),
        "records": len(all_late),
        "parts": {
            "median": float(median),
            "p90": float(p90),
            "p99": float(p99),
            "most": float(all_late.max()),
            "records of a version": float(np.median([size for size in sizes if size])),
        },
    }


def _versions(table: Path, check: Callable[[], object]) -> Iterator[tuple[list[str], float]]:
    """The files that each version of the table adds, where there are any, and when it was there."""
    version, deadline = 0, time.time() + _LIMIT_S
    while time.time() < deadline:
        log = table / "_delta_log" / f"{version:020}.json"
        if not log.exists():
            check()
            time.sleep(_LOOKS_S)
            continue
        now = time.time()
        added = [action["add"]["path"] for action in map(json.loads, log.read_text().splitlines()) if "add" in action]
        version, deadline = version + 1, now + _LIMIT_S
        if added:
            yield added, now
    raise RuntimeError(f"the table has had no new version for {_LIMIT_S:.0f} s")
