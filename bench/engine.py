"""The sides that run on the engine: a job is started, its epochs are watched, then it is cancelled."""

from __future__ import annotations

import statistics
import threading
import time
from itertools import pairwise
from typing import Any

from bench.functions import NAMES, WIDTH, add, drop, fields, first, keep, key, last, named, one, same, split, spread
from bench.work import temporary_folder
from datastream import StreamExecutionEnvironment, Types
from datastream.api.data_stream import DataStream
from datastream.api.job_client import handle_of
from datastream.config.settings import EpochSummary, settings
from datastream.connectors.discard_sink import DiscardingSink

#: Records an epoch holds at most in the throughput cases.
EPOCH_RECORDS = 4_000_000

#: A sequence that no measurement reaches the end of.
ENDLESS = 10**12
_LIMIT_S = 600
#: Epochs that are shorter than their target grow up to the most records.
_ALWAYS_SHORT_MS = 10_000_000


class Watch:
    """A listener that tells when enough epochs have been committed after the warm-up.

    Attributes:
        epochs: (time of the commit, records in, records out) of each epoch.
        enough: Set when the measured part is long enough.
    """

    def __init__(self, warm_s: float, seconds: float) -> None:
        self.epochs: list[tuple[float, int, int]] = []
        self.enough = threading.Event()
        self._warm_s, self._seconds = warm_s, seconds

    def on_start(self, graph: Any) -> None:
        return None

    def on_epoch(self, summary: EpochSummary) -> None:
        self.epochs.append((time.monotonic(), summary.records_in, summary.records_out))
        now = self.epochs[-1][0]
        if now - self.epochs[self.warm()][0] >= self._seconds and len(self.epochs) - self.warm() > 3:
            self.enough.set()

    def on_restart(self, restart: Any) -> None:
        return None

    def on_end(self, status: str, error: BaseException | None) -> None:
        self.enough.set()

    def warm(self) -> int:
        """Index of the epoch whose commit ends the warm-up; a third of them where the job is too short."""
        start = self.epochs[0][0]
        for i, (at, _, _) in enumerate(self.epochs):
            if at - start >= self._warm_s:
                return i
        return len(self.epochs) - 1


def stateless(filtered: bool, warm_s: float, seconds: float, measured: bool = False) -> dict[str, Any]:
    """map, filter, map over a sequence, and where `filtered` a filter that drops all, to a discarding sink."""
    env = environment(EPOCH_RECORDS, measured=measured)
    stream = env.from_sequence(0, ENDLESS).map(first).filter(keep).map(last)
    return rate(env, stream.filter(drop) if filtered else stream, warm_s, seconds)


def keyed(keys: int, warm_s: float, seconds: float, measured: bool = False) -> dict[str, Any]:
    """A running reduce by key, with its checkpoint on disk."""
    env = environment(EPOCH_RECORDS, measured=measured)
    stream = env.from_sequence(0, ENDLESS).map(spread(keys)).key_by(key).reduce(add)
    return rate(env, stream, warm_s, seconds)


def two_exchanges(form: str, warm_s: float, seconds: float) -> dict[str, Any]:
    """Records of five fields through two exchanges: ``typed`` rows, ``rows`` without a type, or ``tuples``."""
    env = environment(EPOCH_RECORDS)
    kind = None
    if form == "typed":
        types = [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.INT()]
        kind = Types.ROW_NAMED(list(NAMES), types)
    make = fields if form == "tuples" else named
    stream = env.from_sequence(0, ENDLESS).map(make, output_type=kind).rebalance().map(same, output_type=kind)
    return rate(env, stream.rebalance().map(same, output_type=kind), warm_s, seconds)


def words(path: str, warm_s: float) -> dict[str, Any]:
    """Word count over a file, to its end; words are counted, of which each gives one result."""
    env = environment(EPOCH_RECORDS)
    stream = env.read_text_file(path).flat_map(split).map(one).key_by(key).sum(1)
    return rate(env, stream, warm_s, _LIMIT_S, outputs=True)


def epochs(keyed: bool, number: int, warm_up: int, records: int) -> dict[str, Any]:
    """The time that small epochs take, by Spark's own account."""
    env = environment(records)
    stream = env.from_sequence(0, records * (number + warm_up) - 1)
    stream = stream.map(spread(1000)).key_by(key).reduce(add) if keyed else stream.map(first)
    stream.sink_to(DiscardingSink())
    with temporary_folder() as checkpoint:
        settings().checkpoint_dir = checkpoint
        client = env.execute_async("epochs")
        client.get_job_execution_result().result()
        return epoch_times(progress_of(handle_of(client)), warm_up)


def progress_of(handle: Any) -> list[dict[str, int]]:
    """durationMs of each epoch that did something."""
    return durations(handle.query.recentProgress)


def durations(progress: list[Any]) -> list[dict[str, int]]:
    """durationMs of each micro-batch that did something."""
    return [dict(p["durationMs"]) for p in progress if "addBatch" in p["durationMs"]]


def epoch_times(durations: list[dict[str, int]], warm_up: int) -> dict[str, Any]:
    """Median and 90th percentile of the epochs after the warm-up, and the medians of their parts."""
    measured = durations[warm_up:]
    totals = [d["triggerExecution"] for d in measured]
    return {
        "value": statistics.median(totals),
        "epochs": len(measured),
        "first_ms": durations[0]["triggerExecution"],
        "parts": {"p90": statistics.quantiles(totals, n=10)[-1], **parts_of(measured)},
        "totals": totals,
    }


def parts_of(durations: list[dict[str, int]]) -> dict[str, float]:
    """Medians of the parts, in the order in which Spark goes through them."""
    names = ("latestOffset", "walCommit", "getBatch", "queryPlanning", "addBatch", "commitOffsets")
    return {n: statistics.median(d.get(n, 0) for d in durations) for n in names} if durations else {}


def environment(epoch_records: int | None, fixed: bool = False, measured: bool = False) -> StreamExecutionEnvironment:
    """An environment with epochs of up to so many records, or of just so many as soon as the job is under way.

    Args:
        epoch_records: How many; None: as many as without a setting.
        fixed: Just so many.
        measured: Prometheus may look at the metrics.
    """
    given = settings()
    given.master, given.parallelism = f"local[{WIDTH}]", WIDTH
    if epoch_records is not None:
        given.properties["datastream.epoch.max-records"] = str(epoch_records)
    given.properties["spark.sql.streaming.numRecentProgressUpdates"] = "1000"
    if measured:
        given.properties["datastream.metrics.port"] = "0"
    if fixed:
        given.properties["datastream.epoch.target-ms"] = str(_ALWAYS_SHORT_MS)
    return StreamExecutionEnvironment.get_execution_environment()


def rate(
    env: StreamExecutionEnvironment, stream: DataStream, warm_s: float, seconds: float, outputs: bool = False
) -> dict[str, Any]:
    """Records/s of a stream that goes to a discarding sink."""
    stream.sink_to(DiscardingSink())
    return job_rate(env, warm_s, seconds, outputs)


def job_rate(env: StreamExecutionEnvironment, warm_s: float, seconds: float, outputs: bool = False) -> dict[str, Any]:
    """Records/s of the job that an environment has."""
    watch = Watch(warm_s, seconds)
    settings().listeners.append(watch)
    with temporary_folder() as checkpoint:
        settings().checkpoint_dir = checkpoint
        client = env.execute_async("rate")
        watch.enough.wait(_LIMIT_S)
        future = handle_of(client).future
        if not future.done():
            durations = progress_of(handle_of(client))
            client.cancel()
        else:
            future.result()
            durations = progress_of(handle_of(client))
    warm = watch.warm()
    if len(watch.epochs) - warm < 3:
        warm = len(watch.epochs) // 3
    measured = watch.epochs[warm + 1 :]
    if not measured:
        raise RuntimeError(f"{len(watch.epochs)} epochs are too few to measure a rate; take more data")
    took = measured[-1][0] - watch.epochs[warm][0]
    records = sum(epoch[2 if outputs else 1] for epoch in measured)
    return {
        "value": records / took,
        "records": records,
        "seconds": took,
        "epochs": len(measured),
        "totals": [1000 * (b[0] - a[0]) for a, b in pairwise(watch.epochs[warm:])],
        "warm_up_epochs": warm + 1,
        "parts": {
            "epoch": 1000 * took / len(measured),
            "records": records / len(measured),
            **parts_of(durations[warm + 1 :]),
        },
    }
