"""Runs sources and sinks by their contract alone, as a job would, but without one."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from datastream.io import (
    Batch,
    Committer,
    CommitterContext,
    EnumeratorContext,
    ReaderContext,
    Sink,
    SinkWriter,
    Source,
    Spool,
    WriterContext,
)
from datastream.metrics import MetricGroup, MetricRegistry
from datastream.runtime.connector_cache import ConnectorCache, Kept

LOGGER = logging.getLogger("datastream")


class Driven:
    """A source with an enumerator, and a reader in a worker of its own.

    Args:
        source: The source.
        timestamps: Whether the job uses timestamps.
        folder: Where the spool is; None: there is none.
    """

    def __init__(self, source: Source, timestamps: bool = True, folder: str | None = None) -> None:
        spool = Spool(folder, "s")
        self.source = source
        self.enumerator = source.create_enumerator(EnumeratorContext("job", "s", 2, LOGGER, spool))
        metrics = MetricRegistry("job", "s", "s", 0).group
        copy: Source = pickle.loads(pickle.dumps(source))
        self.reader = copy.create_reader(ReaderContext("job", "s", 2, timestamps, metrics, LOGGER, spool))
        self.initial_offset = self.enumerator.initial_offset
        self.latest_offset = self.enumerator.latest_offset
        self.splits = self.enumerator.splits
        self.lanes = self.enumerator.lanes
        self.backlog = self.enumerator.backlog
        self.finished = self.enumerator.finished
        self.commit = self.enumerator.commit

    def read(self, split: Any) -> Iterator[list[Any]]:
        """The records of a split, in blocks."""
        for batch in self.batches(split):
            yield batch.records

    def batches(self, split: Any) -> Iterator[Batch]:
        self.reader.begin(0, 0)
        yield from self.reader.read(pickle.loads(pickle.dumps(split)))

    def close(self) -> None:
        self.reader.close()
        self.enumerator.close()


def driven(source: Source | Driven) -> Driven:
    return source if isinstance(source, Driven) else Driven(source)


def epochs(source: Source | Driven, budget: int = 1_000, parallelism: int = 2, start: Any = None) -> list[Any]:
    """All offsets of a bounded source from `start` on, each through JSON."""
    source = driven(source)
    offsets = [source.initial_offset() if start is None else start]
    while not source.finished(offsets[-1]):
        latest = json.loads(json.dumps(source.latest_offset(offsets[-1], budget)))
        assert latest != offsets[-1], "a bounded source that has not finished must go on"
        offsets.append(latest)
    return offsets


def read(source: Source | Driven, start: Any, end: Any, parallelism: int = 2) -> list[Any]:
    """The records between two offsets, read as workers would: by pickled copies."""
    source = driven(source)
    return [
        record for split in source.splits(start, end, parallelism) for block in source.read(split) for record in block
    ]


def drive(source: Source, budget: int = 1_000, parallelism: int = 2) -> list[Any]:
    """All records of a bounded source; every epoch is read twice and must be the same."""
    offsets = epochs(source, budget, parallelism)
    records = []
    for start, end in zip(offsets, offsets[1:], strict=False):
        once = read(source, start, end, parallelism)
        assert read(source, start, end, parallelism) == once
        records += once
    return records


class At(NamedTuple):
    """An attempt at a task of a sink."""

    epoch: int = 0
    subtask: int = 0
    attempt: int = 0
    job: str = "job"
    uid: str = "s"


context = At

#: A worker process: what `write` keeps from call to call.
WORKER = ConnectorCache()
_sinks: list[Sink] = []


def kept_writer(sink: Sink, at: At) -> Kept[SinkWriter]:
    """A writer that has begun an epoch; `WORKER` may keep it for the next one."""
    _sinks.append(sink)  # so that no other gets its id

    def create(metrics: MetricGroup) -> SinkWriter:
        return sink.create_writer(WriterContext(at.job, at.uid, at.subtask, 2, metrics, LOGGER, Spool(None, at.uid)))

    key = (f"{id(sink)}", f"{at.job} {at.uid}", at.subtask)
    kept = WORKER.take(key, lambda: MetricRegistry("job", at.uid, at.uid, at.subtask), create)
    kept.value.begin(at.epoch, at.attempt)
    return kept


def begun(sink: Sink, at: At) -> SinkWriter:
    """A writer that has begun an epoch; nobody keeps it."""
    return kept_writer(sink, at).value


def write(sink: Sink, at: At, *blocks: list[Any]) -> Any:
    """What one task prepares; its writer is kept for the next epoch."""
    kept = kept_writer(sink, at)
    try:
        for block in blocks:
            kept.value.write(Batch(block))
        made = pickle.loads(pickle.dumps(kept.value.prepare_commit()))
    except BaseException:
        kept.value.abort()
        kept.close()
        raise
    WORKER.give_back(kept)
    return made


def committer_of(sink: Sink, job: str = "job", uid: str = "s") -> Committer:
    """A committer in a process beside the driver."""
    made = sink.create_committer(CommitterContext(job, uid, 2, LOGGER, Spool(None, uid)))
    assert made is not None
    return made


def write_epoch(
    sink: Sink,
    epoch: int,
    rows: Callable[[int], list[Any]],
    subtasks: int = 2,
    attempt: int = 0,
    job: str = "job",
) -> list[Any]:
    """What all tasks of an epoch prepare, without the Nones."""
    made = [write(sink, context(epoch, n, attempt, job), rows(n)) for n in range(subtasks)]
    return [value for value in made if value is not None]
