"""The local executor: epochs one after the other, tasks one after the other."""

from __future__ import annotations

import os
import shutil
import tempfile
import time

from datastream.errors import FunctionError, UnsupportedOperation, WorkerFailure
from datastream.graph import JobGraph
from datastream.graph.operators import Sink, Source
from datastream.job import JobID
from datastream.job.handle import JobHandle, JobOptions
from datastream.runtime.blocks import REPORT, Block
from datastream.runtime.connector_cache import CACHE
from datastream.runtime.epoch_plan import TaskPlan, pack_task
from datastream.runtime.epoch_planner import EpochPlanner
from datastream.runtime.program import JobSpec, Program, pack, unpack
from datastream.runtime.sinking import JobCommitter
from datastream.runtime.task import Task
from datastream.types.pickles import loads

_IDLE_S = 0.01


class DictStore:
    """Pages in a dict; what a task wrote counts only once its epoch is committed."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}

    def get(self, keys: list[bytes]) -> list[bytes | None]:
        return [self.entries.get(k) for k in keys]

    def put(self, entries: list[tuple[bytes, bytes]]) -> None:
        self.entries.update(entries)

    def delete(self, keys: list[bytes]) -> None:
        for key in keys:
            self.entries.pop(key, None)


def execute(graph: JobGraph, options: JobOptions) -> LocalJob:
    """Start a job in a thread of this process."""
    if options.checkpoint_dir:
        raise UnsupportedOperation(
            "the local executor keeps nothing, so it takes no checkpoint folder; run on Spark for that"
        )
    for source in graph.of_kind(Source):
        source.source.validate()
    for sink in graph.of_kind(Sink):
        sink.sink.validate()
    return LocalJob(graph, options)


class LocalJob(JobHandle):
    """One job in one thread."""

    def __init__(self, graph: JobGraph, options: JobOptions) -> None:
        super().__init__(JobID(), graph, options)
        self._spool = os.path.join(tempfile.gettempdir(), f"datastream-spool-{self.job_id}")
        spec = JobSpec(
            graph,
            str(self.job_id),
            str(self.job_id),
            options.parameters,
            options.epoch_records,
            options.epoch_ms,
            types_check=options.types_check,
            serializers=options.serializers,
            warnings=options.warnings,
            spool_dir=self._spool,
        )
        self._program: Program = unpack(pack(spec, here=True), in_worker=False)
        self._stores: dict[tuple[int, int], DictStore] = {}
        self._committer = JobCommitter(self._program)
        self._next_timer: int | None = None
        self._last_records: int | None = None
        self._planner = EpochPlanner(self._program, lambda: self._next_timer, lambda: self._last_records)
        for listener in options.listeners:
            listener.on_start(graph)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._epochs()
        except WorkerFailure as failure:
            error = FunctionError(failure.failure)
            raise error from failure.__cause__
        finally:
            self._committer.close()
            CACHE.close(self._program.spec.run_id)
            shutil.rmtree(self._spool, ignore_errors=True)
            self._planner.close()

    def _epochs(self) -> None:
        start = self._planner.initial()
        epoch = 0
        while not (self._cancelled.is_set() or start["final"]):
            end = self._planner.latest(start)
            if end == start:
                time.sleep(_IDLE_S)
                continue
            self._epoch(epoch, self._planner.tasks(start, end))
            self._planner.commit(end)
            start = end
            epoch += 1

    def _epoch(self, epoch: int, tasks: list[TaskPlan]) -> None:
        program, plan = self._program, self._program.plan
        blocks: list[Block] = []
        for task_plan in tasks:
            planned: TaskPlan = loads(pack_task(program, task_plan))  # as under Spark
            with Task(program, 0, planned.subtask, epoch) as task:
                for some in task.read(planned):
                    blocks += some
                blocks += task.finish()
        for level in plan.levels[1:]:
            inputs: list[list[Block]] = [[] for _ in range(plan.width)]
            for block in blocks:
                inputs[block.slot].append(block)
            blocks = []
            for subtask, received in enumerate(inputs):
                if received:
                    store = self._stores.setdefault((level.index, subtask), DictStore())
                    with Task(program, level.index, subtask, epoch, store) as task:
                        for some in task.receive(received):
                            blocks += some
                        blocks += task.finish()
        report = self._committer.commit(epoch, [loads(b.data) for b in blocks if b.channel == REPORT])
        self._next_timer, self._last_records = report.next_timer, report.summary.records_in
        self._take(report.summary, report.collected)
