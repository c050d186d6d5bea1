"""The end of the plan: writers in the tasks, committers beside the driver."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from datastream.config.settings import EpochSummary
from datastream.errors import ProcessLost, ValidationError
from datastream.graph import Edge, Plan
from datastream.graph.operators import Sink
from datastream.io import Batch, CollectingSink, Committer, CommitterContext, SinkWriter, WriterContext
from datastream.io.feedback import FeedbackSink, FeedbackSource
from datastream.metrics import Measures, MetricGroup, MetricValues, SubtaskMeasures, merge
from datastream.time import MIN_WATERMARK
from datastream.types import TypeInformation
from datastream.types.pickles import NotPicklableError, dumps, loads

from .blocks import TaskMetrics
from .connector_cache import CACHE, Kept
from .connector_contexts import logger_of, method_name, metrics_of, require, spool_of
from .health import HealthMonitor, Observation
from .program import Program
from .sink_watermarks import SinkWatermarks
from .timed_blocks import WatermarkReport
from .user_errors import user_failure


@dataclass
class TaskCommit:
    """What one task, of whatever level, hands to the commit of its epoch.

    Attributes:
        metrics: Counts of the task.
        committables: Sink operator id -> what its writer prepared, pickled by itself: it is read only once the
            user's modules can be imported.
        final: The sources have ended.
        place: Level and subtask.
        next_timer: When the task's next timer of processing time is due, in ms, or None.
        watermark: The lowest event time of its operators, in ms, or None.
        user_metrics: What the metrics of the user's functions came to in this epoch.
        observed: What is to be known of the operators, by their ids, to warn of problems.
        measures: What the operators did, by their ids; empty where they are not measured.
        prepare_ns: Sink operator id -> how long its writer's ``prepare_commit`` took.
        reports: Id of an edge to a sink that reads watermarks -> what is known of time there.
    """

    metrics: TaskMetrics = field(default_factory=TaskMetrics)
    committables: dict[int, bytes] = field(default_factory=dict)
    final: bool = False
    place: tuple[int, int] = (0, 0)
    next_timer: int | None = None
    watermark: int | None = None
    user_metrics: MetricValues = field(default_factory=dict)
    observed: dict[int, Observation] = field(default_factory=dict)
    measures: dict[int, SubtaskMeasures] = field(default_factory=dict)
    prepare_ns: dict[int, int] = field(default_factory=dict)
    reports: dict[int, list[WatermarkReport]] = field(default_factory=dict)


@dataclass
class EpochReport:
    """What a commit reports to the driver.

    Attributes:
        run_id: Which run of the job.
        summary: For people.
        collected: What collecting sinks gathered.
        next_timer: When the job's next timer of processing time is due, in ms, or None.
    """

    run_id: str
    summary: EpochSummary
    collected: dict[int, list[Any]] = field(default_factory=dict)
    next_timer: int | None = None

    def __reduce__(self) -> Any:  # records may be of classes that a plain pickle refuses
        return _restore, (dumps(self.__dict__),)


def _restore(fields: bytes) -> EpochReport:
    return EpochReport(**loads(fields))


class SinkWriters:
    """The writers of one task's sinks. They run in the task that makes the records: nothing is pickled for them.

    Args:
        program: The job.
        subtask: Index of the subtask.
        epoch: Number of the micro-batch.
        attempt: A number that no other attempt of the run has.

    Attributes:
        prepare_ns: Operator id -> how long `prepare_commit` took there.
    """

    def __init__(self, program: Program, subtask: int, epoch: int, attempt: int) -> None:
        self._program = program
        self._subtask, self._epoch, self._attempt = subtask, epoch, attempt
        self.prepare_ns: dict[int, int] = {}
        self._used: dict[int, Kept[SinkWriter]] = {}
        self._sinks: dict[int, Sink] = {}
        self._write: dict[int, tuple[Callable[[Batch], None], bool]] = {}

    def write(self, op: Sink, records: list[Any], times: list[int | None] | None) -> None:
        known = self._write.get(op.id)
        if known is None:
            known = self._write[op.id] = self._begin(op).write, op.sink.consumed.timestamps
        try:
            write, timed = known
            write(Batch(records, times if timed else None))
        except NotPicklableError as error:
            raise pickling_failure(error, self._program.plan, self._program.plan.inputs[op.id][0]) from error
        except BaseException as error:
            raise sink_failure(error, op, self._used[op.id].value, "write") from error

    def prepare_commit(self) -> dict[int, bytes]:
        """What the committers need, by operator id."""
        committables = {}
        for id, kept in self._used.items():
            op = self._sinks[id]
            began = time.perf_counter_ns()
            try:
                prepared = kept.value.prepare_commit()
                if prepared is not None:
                    committables[id] = dumps(prepared)
            except BaseException as error:
                raise sink_failure(error, op, kept.value, "prepare_commit") from error
            self.prepare_ns[id] = time.perf_counter_ns() - began
        return committables

    def take_metrics(self) -> MetricValues:
        """What the writers have counted in this epoch."""
        return merge(kept.metrics.take() for kept in self._used.values())

    def release(self, final: bool) -> None:
        """Keep the writers for later epochs, or close them after the last one."""
        for kept in self._used.values():
            if final:
                kept.close()
            else:
                CACHE.give_back(kept)
        self._used = {}

    def abort(self) -> None:
        """The task has failed: clean up, and close the writers."""
        for kept in self._used.values():
            try:
                kept.value.abort()
            except ProcessLost:
                raise
            except BaseException:  # what failed first is what people must hear of, and the others are to end too
                pass
            kept.close()
        self._used = {}

    def _begin(self, op: Sink) -> SinkWriter:
        program, subtask = self._program, self._subtask
        self._sinks[op.id] = op

        def create(metrics: MetricGroup) -> SinkWriter:
            return op.sink.create_writer(
                WriterContext(
                    program.spec.job_id,
                    op.state_uid,
                    subtask,
                    program.plan.subtasks[op.id],
                    metrics,
                    logger_of(op),
                    spool_of(program, op),
                    _record_type(program, op),
                )
            )

        key = (program.spec.run_id, op.state_uid, subtask)
        part: object = op.sink
        method = "create_writer"
        try:
            kept = CACHE.take(key, lambda: metrics_of(program, op, subtask), create)
            require(kept.value, SinkWriter, method)
            self._used[op.id] = kept
            part, method = kept.value, "begin"
            kept.value.begin(self._epoch, self._attempt)
        except BaseException as error:
            raise sink_failure(error, op, part, method) from error
        return kept.value


def _record_type(program: Program, op: Sink) -> TypeInformation | None:
    if program.spec.types_check == "off":
        return None
    edge = program.plan.inputs[op.id][0]
    return edge.tag.type_info if edge.tag is not None else program.plan.operators[edge.source].output_type


def sink_failure(error: BaseException, op: Sink, part: object, method: str) -> BaseException:
    """The error to raise when a method of a sink, or of one of its parts, failed."""
    return user_failure(error, op, method_name(op, part, method), trace=error.__traceback__)


def pickling_failure(error: NotPicklableError, plan: Plan, edge: Edge) -> BaseException:
    """The error to raise when a record that an edge carries cannot be pickled: whoever made it is to blame."""
    cause = error.__cause__
    assert cause is not None
    return user_failure(cause, plan.operators[edge.source], "pickling of a result", error.record)


class JobCommitter:
    """Commits epochs of all sinks of a job, and reports them.

    Args:
        program: The job.
        ask_driver: See `CommitterContext`.
    """

    def __init__(self, program: Program, ask_driver: Callable[[Any], None] | None = None) -> None:
        self._program, self._ask_driver = program, ask_driver
        self._committers: dict[int, Committer | None] = {}
        self._last: float | None = None
        self._next_timers: dict[tuple[int, int], int | None] = {}
        self._watermarks: dict[tuple[int, int], int] = {}
        self._sinks_time = SinkWatermarks(program) if program.plan.timing.committed else None
        self._feedback = {
            op.id for op in program.plan.operators.values() if isinstance(op.user_code, (FeedbackSource, FeedbackSink))
        }
        self._health = HealthMonitor(program.plan, program.spec.warnings)

    @property
    def running(self) -> bool:
        """Whether its job still runs."""
        return self._program.spec.running

    def commit(self, epoch: int, parts: list[TaskCommit]) -> EpochReport:
        plan, spec = self._program.plan, self._program.spec
        final = any(part.final for part in parts)
        restoring = spec.restores(epoch)
        collected: dict[int, list[Any]] = {}
        commit_ns: dict[str, int] = {}
        metrics = TaskMetrics()
        for part in parts:
            metrics.add(part.metrics)
            self._next_timers[part.place] = part.next_timer
            if part.watermark is not None:
                self._watermarks[part.place] = part.watermark
        due: list[int | None] = []
        if self._sinks_time is not None:
            self._sinks_time.take([(part.place[1], part.reports) for part in parts], spec.clock())
            due.append(self._sinks_time.next_timer())
        for op in plan.sinks:
            values = [loads(part.committables[op.id]) for part in parts if op.id in part.committables]
            if isinstance(op.sink, CollectingSink):
                collected[op.id] = values
            if restoring:  # nothing was written, and the savepoint's job has committed the epoch of this number
                continue
            committer = self._committer(op)
            prepared = [part.prepare_ns[op.id] for part in parts if op.id in part.prepare_ns]
            if prepared:
                commit_ns[op.state_uid] = max(prepared)
            if committer is not None:
                began = time.perf_counter_ns()
                try:
                    if op.reads_watermarks:
                        committer.advance(MIN_WATERMARK if self._sinks_time is None else self._sinks_time.of(op))
                    committer.commit(epoch, values, final)
                    due.append(committer.next_due if op.reads_clock else None)
                except BaseException as error:
                    raise sink_failure(error, op, committer, "commit") from error
                spent = time.perf_counter_ns() - began
                commit_ns[op.state_uid] = commit_ns.get(op.state_uid, 0) + spent
            elif values and not isinstance(op.sink, CollectingSink):
                wrong = ValidationError(
                    "its writers prepare something to commit, but it has no create_committer, so it is never committed"
                )
                raise sink_failure(wrong, op, op.sink, "create_committer")
        now = time.monotonic()
        duration = None if self._last is None else (now - self._last) * 1000
        self._last = now
        operators = {
            plan.operators[id].state_uid: (metrics.records_in.get(id, 0), metrics.records_out.get(id, 0))
            for id in metrics.records_in.keys() | metrics.records_out.keys()
        }
        summary = EpochSummary(
            epoch=epoch,
            records_in=sum(n for id, n in metrics.records_in.items() if id not in self._feedback),
            records_out=sum(n for id, n in metrics.records_out.items() if id not in self._feedback),
            duration_ms=duration,
            watermark=min(self._watermarks.values(), default=None),
            final=final,
            operators=operators,
            user_metrics=merge(part.user_metrics for part in parts),
            warnings=self._health.take((part.observed for part in parts), final),
            measures=self._measures(parts),
            commit_ns=commit_ns,
        )
        next_timer = min((t for t in (*self._next_timers.values(), *due) if t is not None), default=None)
        return EpochReport(spec.run_id, summary, collected, next_timer)

    def _measures(self, parts: list[TaskCommit]) -> Measures:
        """What all operators did in an epoch."""
        plan = self._program.plan
        found: Measures = {}
        for part in parts:
            for id, measures in part.measures.items():
                op = plan.operators[id]
                of_subtasks = found.setdefault(op.state_uid, {})
                subtask = part.place[1] % plan.subtasks[id]  # sources may use more tasks than they have
                before = of_subtasks.get(subtask)
                of_subtasks[subtask] = measures if before is None else before.plus(measures)
        return found

    def abort(self, epoch: int, parts: list[TaskCommit]) -> None:
        for op in self._program.plan.sinks:
            values = [loads(part.committables[op.id]) for part in parts if op.id in part.committables]
            try:
                committer = self._committer(op)
                if committer is not None:
                    committer.abort(epoch, values)
            except ProcessLost:
                raise
            except BaseException:  # what failed first is what people must hear of, and the others are to abort too
                logger_of(op).warning("'%s': abort failed", op.name, exc_info=True)

    def close(self) -> None:
        """Close the committers; a failure is logged, as what they committed does not depend on it."""
        for op in self._program.plan.sinks:
            committer = self._committers.pop(op.id, None)
            if committer is not None:
                try:
                    committer.close()
                except ProcessLost:
                    raise
                except BaseException:
                    logger_of(op).warning("'%s': close failed", op.name, exc_info=True)

    def _committer(self, op: Sink) -> Committer | None:
        if op.id not in self._committers:
            spec, plan = self._program.spec, self._program.plan
            context = CommitterContext(
                spec.job_id,
                op.state_uid,
                plan.subtasks[op.id],
                logger_of(op),
                spool_of(self._program, op),
                self._ask_driver,
            )
            try:
                self._committers[op.id] = op.sink.create_committer(context)
            except BaseException as error:
                raise sink_failure(error, op, op.sink, "create_committer") from error
            if self._committers[op.id] is not None:
                require(self._committers[op.id], Committer, "create_committer")
        return self._committers[op.id]
