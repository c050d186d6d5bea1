"""The local executor: epochs one after the other, tasks one after the other."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import weakref
from dataclasses import replace

from datastream.errors import CheckpointError, FunctionError, UnsupportedOperation, WorkerFailure
from datastream.graph import JobGraph, Plan
from datastream.graph.operators import Sink, Source
from datastream.job import JobID
from datastream.job.handle import JobHandle
from datastream.job.options import JobOptions
from datastream.logs import job_log
from datastream.logs.place import at
from datastream.runtime.blocks import REPORT, Block, by_slot
from datastream.runtime.connector_cache import CACHE
from datastream.runtime.epoch_plan import TaskPlan, pack_task
from datastream.runtime.epoch_planner import EpochPlanner, Offset
from datastream.runtime.hosts.host import system_clock
from datastream.runtime.log_place import place_of
from datastream.runtime.program import JobSpec, Program, pack, unpack
from datastream.runtime.restore import Restore
from datastream.runtime.savepoints.manifest import Manifest, new_folder
from datastream.runtime.savepoints.matching import copy_notes, restore_from
from datastream.runtime.savepoints.taking import write_savepoint
from datastream.runtime.sinking import JobCommitter
from datastream.runtime.task import Task
from datastream.types.pickles import loads

from .environment import enter_here

_IDLE_S = 0.01


class DictStore:
    """Pages in a dict; what a task wrote counts only once its epoch is committed."""

    metered = False
    copies = None

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}
        self._before: dict[bytes, bytes | None] = {}

    def commit(self) -> None:
        """The epoch is committed."""
        self._before = {}

    def roll_back(self) -> None:
        """The epoch has failed: all is as it was before it."""
        for key, value in self._before.items():
            if value is None:
                self.entries.pop(key, None)
            else:
                self.entries[key] = value
        self._before = {}

    def get(self, keys: list[bytes]) -> list[bytes | None]:
        return [self.entries.get(k) for k in keys]

    def put(self, entries: list[tuple[bytes, bytes]]) -> None:
        for key, value in entries:
            self._before.setdefault(key, self.entries.get(key))
            self.entries[key] = value

    def delete(self, keys: list[bytes]) -> None:
        for key in keys:
            self._before.setdefault(key, self.entries.pop(key, None))


def execute(graph: JobGraph, options: JobOptions) -> LocalJob:
    """Start a job in a thread of this process."""
    if options.checkpoint_dir:
        raise UnsupportedOperation(
            "the local executor keeps nothing, so it takes no checkpoint directory; run on Spark for that"
        )
    restore = None
    if options.from_savepoint:
        restore = restore_from(options.from_savepoint, Plan.of(graph), options.allow_non_restored_state)
    for source in graph.of_kind(Source):
        source.source.validate()
    for sink in graph.of_kind(Sink):
        sink.sink.validate()
    if restore is None:
        return LocalJob(graph, options)
    return LocalJob(graph, options, restore, restore.epoch, restore.notes)


class LocalJob(JobHandle):
    """One job in one thread.

    Args:
        graph: The job.
        options: How it is run.
        restore: What it takes over.
        first_epoch: Number of its first epoch.
        notes: The folder of the notes of sources and sinks to begin with; None: there are none.
    """

    def __init__(
        self,
        graph: JobGraph,
        options: JobOptions,
        restore: Restore | None = None,
        first_epoch: int = 0,
        notes: str | None = None,
    ) -> None:
        super().__init__(JobID(), graph, options)
        self._spool = os.path.join(tempfile.gettempdir(), f"datastream-spool-{self.job_id}")
        weakref.finalize(self, _remove, self._spool, os.getpid())  # savepoints need it after the job's end
        self._spec = JobSpec(
            graph,
            str(self.job_id),
            str(self.job_id),
            options.parameters,
            epoch_records=options.epoch_records,
            epoch_records_in_time=options.epoch_records_in_time,
            epoch_ms=options.epoch_ms,
            record_bytes=options.record_bytes,
            types_check=options.types_check,
            serializers=options.serializers,
            warnings=options.warnings,
            log=options.log,
            spool_dir=self._spool,
            min_pause_ms=options.min_pause_ms,
            first_epoch=first_epoch,
            restore=restore,
            measured=options.measured,
            clock=options.clock or system_clock,
        )
        if notes is not None:
            copy_notes(notes, self._spool)
        enter_here(options.needs)
        self._program: Program = unpack(pack(self._spec, here=True), in_worker=False)
        self._stores: dict[tuple[int, int], DictStore] = {}
        self._between_epochs = threading.Lock()
        self._next_timer: int | None = None
        self._last_records: int | None = None
        self._committed = self._spec.first_epoch - 1
        #: Where the next epoch starts, and where it ends if it has been planned.
        self._start: Offset | None = None
        self._end: Offset | None = None
        for listener in options.listeners:
            listener.on_start(graph)
        job_log.take_functions(options.log)
        self._thread.start()

    def _attempt(self) -> None:
        with at(place_of(self._program)):
            self._try()

    def _try(self) -> None:
        if self.tries:  # functions, and what they keep in their attributes, begin anew
            spec = replace(self._spec, run_id=str(JobID()), attempt=self.tries)
            self._program = unpack(pack(spec, here=True), in_worker=False)
        self._committer = JobCommitter(self._program)
        self._planner = EpochPlanner(self._program, lambda: self._next_timer, lambda: self._last_records)
        self._restarting = False
        try:
            self._epochs()
        except WorkerFailure as failure:
            error = FunctionError(failure.failure)
            raise error from failure.__cause__
        finally:
            for store in self._stores.values():
                store.roll_back()
            self._committer.close()
            CACHE.close(self._program.spec.run_id)
            self._program.close_all()
            self._planner.close()

    def _epochs(self) -> None:
        if self._start is None:
            self._start = self._planner.initial()
        while not (self._cancelled.is_set() or self._ended_early or self._start["final"]):
            end = self._end or self._planner.latest(self._start)
            if self._spec.measured:
                self._take_backlog(self._planner.backlog(self._start))
            self.planned = True
            if end == self._start:
                self._note_idle()
                time.sleep(_IDLE_S)
                continue
            self._end = end
            with self._between_epochs:
                self._epoch(self._committed + 1, self._planner.tasks(self._start, end))
                self._committed += 1
                self._start, self._end = end, None
            self._planner.commit(end)

    def savepoint(self, target: str) -> Manifest:
        """Write the state as of the last epoch to a new folder; the job may be running, or have been cancelled.

        Raises:
            CheckpointError: There has been no epoch, the last one failed, or the folder cannot be written.
        """
        plan = self._program.plan
        with self._between_epochs, new_folder(target) as made:
            if self._start is None or self._committed < self._spec.first_epoch:
                raise CheckpointError(f"the job '{plan.graph.name}' has no epoch to take a savepoint of")
            states: dict[int, list[dict[bytes, bytes]]] = {}
            for (_, subtask), store in sorted(self._stores.items()):
                states.setdefault(subtask, []).append(store.entries)
            return write_savepoint(
                made,
                plan,
                states,
                self._start,
                self._spool,
                job_id=str(self.job_id),
                first_epoch=self._spec.first_epoch,
                epoch=self._committed,
            )

    def _epoch(self, epoch: int, tasks: list[TaskPlan]) -> None:
        began = time.monotonic()
        program, plan = self._program, self._program.plan
        blocks: list[Block] = []
        for task_plan in tasks:
            planned: TaskPlan = loads(pack_task(program, task_plan))  # as under Spark
            with Task(program, 0, planned.subtask, epoch) as task:
                for some in task.read(planned):
                    blocks += some
                blocks += task.finish()
        for level in plan.levels[1:]:
            exchanged, blocks = by_slot(blocks), []
            for subtask, received in exchanged:
                store = self._stores.setdefault((level.index, subtask), DictStore())
                with Task(program, level.index, subtask, epoch, store) as task:
                    for some in task.receive(received):
                        blocks += some
                    blocks += task.finish()
        with at(place_of(program, epoch=epoch)):
            report = self._committer.commit(epoch, [loads(b.data) for b in blocks if b.channel == REPORT])
        for kept in self._stores.values():
            kept.commit()
        self._next_timer, self._last_records = report.next_timer, report.summary.records_in
        self._take(replace(report.summary, run_ms=(time.monotonic() - began) * 1000), report.collected)


def _remove(spool: str, owner: int) -> None:
    """Remove the notes of a job that is no longer held; a fork of its process leaves them alone."""
    if os.getpid() == owner:
        shutil.rmtree(spool, ignore_errors=True)
