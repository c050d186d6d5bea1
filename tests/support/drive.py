"""Runs sources and sinks by their contract alone, as a job would, but without one."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

from datastream.io import Sink, Source, WriterContext


def epochs(source: Source, budget: int = 1_000, parallelism: int = 2, start: Any = None) -> list[Any]:
    """All offsets of a bounded source from `start` on, each through JSON."""
    offsets = [source.initial_offset() if start is None else start]
    while not source.finished(offsets[-1]):
        latest = json.loads(json.dumps(source.latest_offset(offsets[-1], budget)))
        assert latest != offsets[-1], "a bounded source that has not finished must go on"
        offsets.append(latest)
    return offsets


def read(source: Source, start: Any, end: Any, parallelism: int = 2) -> list[Any]:
    """The records between two offsets, read as workers would: by pickled copies."""
    copy: Source = pickle.loads(pickle.dumps(source))
    splits = pickle.loads(pickle.dumps(list(source.plan(start, end, parallelism))))
    return [record for split in splits for block in copy.read(split) for record in block]


def drive(source: Source, budget: int = 1_000, parallelism: int = 2) -> list[Any]:
    """All records of a bounded source; every epoch is read twice and must be the same."""
    offsets = epochs(source, budget, parallelism)
    records = []
    for start, end in zip(offsets, offsets[1:], strict=False):
        once = read(source, start, end, parallelism)
        assert read(source, start, end, parallelism) == once
        records += once
    return records


def write(sink: Sink, context: WriterContext, *blocks: list[Any]) -> Any:
    """What one task prepares."""
    writer = pickle.loads(pickle.dumps(sink)).writer(context)
    for block in blocks:
        writer.write(block)
    return pickle.loads(pickle.dumps(writer.prepare_commit()))


def context(epoch: int = 0, subtask: int = 0, attempt: int = 0, job: str = "job", uid: str = "s") -> WriterContext:
    return WriterContext(job, uid, epoch, subtask, attempt)


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
