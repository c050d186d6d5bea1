"""The end of the plan: writers in the tasks, committers beside the driver."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from datastream.config.settings import EpochSummary
from datastream.graph import Kind, Operator
from datastream.io import Committer, Sink, Writer, WriterContext

from .blame import user_failure
from .blocks import CONTROL, METRICS, Block, TaskMetrics, dumps, loads
from .program import Program


@dataclass
class TaskCommit:
    """What one sink task hands to the commit of its epoch.

    Attributes:
        committables: Sink operator id -> what its writer prepared, pickled by us: Spark's own pickle refuses local
            classes, and unpickles before the user's modules can be imported.
        metrics: Counts of all the tasks whose blocks came by, and of this one.
        final: The sources have ended.
    """

    committables: dict[int, bytes] = field(default_factory=dict)
    metrics: TaskMetrics = field(default_factory=TaskMetrics)
    final: bool = False


@dataclass
class EpochReport:
    """What a commit tells the driver: the summary, and what collecting sinks gathered."""

    run_id: str
    summary: EpochSummary
    collected: dict[int, list[Any]] = field(default_factory=dict)

    def __reduce__(self) -> Any:  # records may be of classes that a plain pickle refuses
        return _restore, (dumps(self.__dict__),)


def _restore(fields: bytes) -> EpochReport:
    return EpochReport(**loads(fields))


class SinkTask:
    """Writes the blocks of one task of one epoch to all sinks of the job."""

    def __init__(self, program: Program, subtask: int, epoch: int, attempt: int) -> None:
        self._program = program
        self._subtask, self._epoch, self._attempt = subtask, epoch, attempt
        self._writers: dict[int, Writer] = {}
        self._commit = TaskCommit()

    def write(self, block: Block) -> None:
        if block.channel == CONTROL:
            self._commit.final = True
            return
        if block.channel == METRICS:
            self._commit.metrics.add(loads(block.data))
            return
        op = self._program.graph.operator(self._program.edges[block.channel].target)
        counts = self._commit.metrics.records_out
        counts[op.id] = counts.get(op.id, 0) + block.size
        if op.function.discards:
            return
        writer = self._writers.get(op.id)
        try:
            if writer is None:
                writer = self._writers[op.id] = op.function.writer(self._context(op))
            writer.write(loads(block.data))
        except Exception as error:
            raise sink_failure(error, op, "write") from error

    def finish(self) -> TaskCommit:
        for id, writer in self._writers.items():
            try:
                prepared = writer.prepare_commit()
            except Exception as error:
                raise sink_failure(error, self._program.graph.operator(id), "prepare_commit") from error
            if prepared is not None:
                self._commit.committables[id] = dumps(prepared)
        return self._commit

    def abort(self) -> None:
        for writer in self._writers.values():
            writer.abort()

    def _context(self, op: Operator) -> WriterContext:
        return WriterContext(self._program.spec.job_id, op.state_uid, self._epoch, self._subtask, self._attempt)


def sink_failure(error: Exception, op: Operator, what: str) -> BaseException:
    """The error to raise when a sink failed in one of its parts."""
    return user_failure(error, op, f"{type(op.function).__qualname__}.{what}", trace=error.__traceback__)


class JobCommitter:
    """Commits epochs of all sinks of a job, and reports them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._committers: dict[int, Committer | None] = {}
        self._last: float | None = None

    def commit(self, epoch: int, parts: list[TaskCommit]) -> EpochReport:
        graph, spec = self._program.graph, self._program.spec
        final = any(part.final for part in parts)
        collected: dict[int, list[Any]] = {}
        metrics = TaskMetrics()
        for part in parts:
            metrics.add(part.metrics)
        for op in graph.of_kind(Kind.SINK):
            sink: Sink = op.function
            values = [loads(part.committables[op.id]) for part in parts if op.id in part.committables]
            if sink.collects:
                collected[op.id] = values
            committer = self._committer(op)
            if committer is not None:
                try:
                    committer.commit(epoch, values, final)
                except Exception as error:
                    raise sink_failure(error, op, "commit") from error
        now = time.monotonic()
        duration = None if self._last is None else (now - self._last) * 1000
        self._last = now
        operators = {
            graph.operator(id).state_uid: (metrics.records_in.get(id, 0), metrics.records_out.get(id, 0))
            for id in metrics.records_in.keys() | metrics.records_out.keys()
        }
        summary = EpochSummary(
            epoch=epoch,
            records_in=sum(metrics.records_in.values()),
            records_out=sum(metrics.records_out.values()),
            duration_ms=duration,
            final=final,
            operators=operators,
        )
        return EpochReport(spec.run_id, summary, collected)

    def abort(self, epoch: int, parts: list[TaskCommit]) -> None:
        for op in self._program.graph.of_kind(Kind.SINK):
            committer = self._committer(op)
            if committer is not None:
                values = [loads(part.committables[op.id]) for part in parts if op.id in part.committables]
                committer.abort(epoch, values)

    def _committer(self, op: Operator) -> Committer | None:
        if op.id not in self._committers:
            self._committers[op.id] = op.function.committer(self._program.spec.job_id, op.state_uid)
        return self._committers[op.id]
