"""What Spark does for a job, on paper: logs of epochs, versions of state, tasks in workers that may be lost.

It calls the engine where Spark calls it, with the same values: `EpochPlanner` and `JobCommitter` beside the driver,
`Task` in the workers. What differs is that all processes are one here, so that a seed decides which of them runs, and
which is lost. A process is a `Program` of its own; one that is lost closes nothing and removes nothing.

A job may be moved: it is stopped with a savepoint, and another one goes on from there, on the same disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from datastream.config.log_settings import LogSettings
from datastream.errors import CheckpointError, WorkerFailure
from datastream.graph import JobGraph, Plan
from datastream.runtime.blocks import REPORT, Block, by_slot
from datastream.runtime.connector_cache import CACHE
from datastream.runtime.epoch_plan import TaskPlan, pack_task
from datastream.runtime.epoch_planner import EpochPlanner
from datastream.runtime.program import JobSpec, Program
from datastream.runtime.savepoints.manifest import SPOOL, new_folder
from datastream.runtime.savepoints.matching import copy_notes
from datastream.runtime.savepoints.taking import write_savepoint
from datastream.runtime.sinking import JobCommitter
from datastream.runtime.task import Task
from datastream.spark.checkpoints.directory import Checkpoint as CheckpointDirectory
from datastream.spark.checkpoints.directory import acquire
from datastream.types.pickles import dumps_by_value, loads
from tests.simulation import ends
from tests.simulation.damage import Damage
from tests.simulation.disk import Disk
from tests.simulation.faults import Failed, Faults, Lost, point
from tests.simulation.log import Log

#: More lives, epochs or looks than any job of a few dozen records needs.
_MOST = 2_000

_WORKERS = 3
#: Spark gives a task up after so many attempts.
_ATTEMPTS = 4
#: Versions of state that are kept: a commit that was lost is made again.
_KEPT_STATES = 3

State = dict[bytes, bytes]


class Stuck(AssertionError):
    """The job does not end."""


class Move(NamedTuple):
    """A job is stopped with a savepoint, and another one goes on from there.

    Attributes:
        after: Behind so many epochs.
        parallelism: Of the other one.
        max_parallelism: The same; None: as it is by itself.
        damaged: A file of the savepoint is damaged before the other one begins.
    """

    after: int
    parallelism: int
    max_parallelism: int | None
    damaged: bool = False


class Entries:
    """The entries of a task, as an attempt sees and changes them: a `Store`."""

    metered = False
    copies = None

    def __init__(self, before: State) -> None:
        self.after = dict(before)

    def get(self, keys: list[bytes]) -> list[bytes | None]:
        point("get of state")
        return [self.after.get(key) for key in keys]

    def put(self, entries: list[tuple[bytes, bytes]]) -> None:
        point("put of state")
        self.after.update(entries)

    def delete(self, keys: list[bytes]) -> None:
        point("delete of state")
        for key in keys:
            self.after.pop(key, None)


@dataclass(frozen=True)
class Work:
    """A task of an epoch: what each attempt at it begins with.

    Attributes:
        level: Its level.
        subtask: Its subtask.
        epoch: The epoch.
        data: What a task of the first level reads, or the blocks of the others.
        state: The entries before the epoch; None: it has none.
    """

    level: int
    subtask: int
    epoch: int
    data: bytes | list[Block]
    state: State | None


class Cluster:
    """Runs a job to its end, however often its processes are lost.

    Args:
        graph: The job, of a parallelism and a largest one.
        parallelism: What it begins with.
        moves: How it is moved, in order.
        faults: What goes wrong.
        seed: Of what runs where and when.
        folder: For the files of the job, and of those that go on from it.
        lasting: Whether the job counts as one whose checkpoint directory outlives it.

    Attributes:
        lives: How often a job was started.
        jobs: How many there were.
    """

    def __init__(
        self,
        graph: Callable[[int, int | None], JobGraph],
        parallelism: int,
        moves: Sequence[Move],
        faults: Faults,
        seed: int,
        folder: str,
        lasting: bool,
    ) -> None:
        self.faults, self.lives = faults, 0
        self._draw = Random(seed)
        self._graph, self._moves, self._lasting = graph, list(moves), lasting
        self._folder = folder
        self._savepoint: str | None = None
        self._savepoints = self.jobs = 0
        self._running: Work | None = None
        self._disk, self._damage = Disk(folder, point), Damage(folder)
        self._begin(graph(parallelism, None))
        faults.act = self._act

    @property
    def damaged(self) -> tuple[str, ...]:
        """What was done to which files."""
        return tuple(self._damage.done)

    def run(self) -> None:
        """Run the job to its end.

        Raises:
            Stuck: It does not end.
            Exception: What the engine raised without a fault.
        """
        with self._disk.followed():
            try:
                while not self._live():
                    if self.lives > _MOST:
                        raise Stuck(f"the job was started {self.lives} times")
            finally:
                CACHE.forget()  # what stragglers left there

    def _begin(self, graph: JobGraph) -> None:
        """From now on this job runs, with a checkpoint directory of its own."""
        self.jobs += 1
        self._job, self._plan = graph, Plan.of(graph)
        self._log = Log(os.path.join(self._folder, f"checkpoint-{self.jobs}"))
        self._stragglers: list[tuple[Program, Work]] = []  # those of a job that was stopped have ended
        self._states: dict[int, dict[tuple[int, int], State]] = {}

    # -- the driver --------------------------------------------------------------------------------------

    def _live(self) -> bool:
        """One life of the driver; whether all has ended."""
        self.lives += 1
        run = f"run-{self.lives}"
        self._workers: list[Program | None] = [None] * _WORKERS
        self._due: int | None = 0  # after a start nobody knows whether a timer is due
        self._records: int | None = None
        self._attempts = self.lives * 1_000_000
        self._stopping = False
        fell, lost = len(self.faults.fell), None
        checkpoint: CheckpointDirectory | None = None
        planner: EpochPlanner | None = None
        committer: JobCommitter | None = None
        try:
            checkpoint = acquire(self._log.folder, self._plan, self._savepoint)
            self._spec = self._spec_of(checkpoint, run)
            self._payload = dumps_by_value(self._spec, here=True)
            self._log.read(checkpoint.first_epoch)
            program = self._process()
            planner = EpochPlanner(program, lambda: self._due, lambda: self._records, self._order)
            committer = JobCommitter(self._process())
            self._epochs(program, planner, committer)
            if not self._stopping:
                return True
            self._take_savepoint(checkpoint)
        except Lost:
            lost, self.faults.lost = self.faults.lost, None
            with self.faults.calm():
                if lost == "power":
                    self._disk.lose_power(self._draw)
                elif lost == "damage":
                    self._damage.fall(self._draw)
            CACHE.forget()
            return False
        except (Failed, WorkerFailure, CheckpointError) as error:
            # Without a fault there is nothing that it could come from. What is damaged may be found much later.
            with self.faults.calm():
                if not self._damage.repair(error) and len(self.faults.fell) == fell:
                    raise
            return False
        finally:
            if checkpoint is not None:
                checkpoint.release()
            if not lost:
                with self.faults.calm():
                    CACHE.close(run)
                    if planner is not None:
                        planner.close()
                    if committer is not None:
                        committer.close()
        move = self._moves.pop(0)
        if move.damaged:
            self._damage.fall(self._draw, f"/savepoint-{self._savepoints}/")
        self._begin(self._graph(move.parallelism, move.max_parallelism))
        return False

    def _spec_of(self, checkpoint: CheckpointDirectory, run: str) -> JobSpec:
        spool = os.path.join(checkpoint.path, SPOOL)
        restore = checkpoint.restore
        if restore is not None:
            copy_notes(restore.notes, spool)
        return JobSpec(
            self._job,
            checkpoint.job_id,
            run,
            {},
            types_check="off",
            log=LogSettings(),
            spool_dir=spool,
            lasting=self._lasting,
            clock=ends.clock,
            attempt=self.lives - 1,
            first_epoch=checkpoint.first_epoch,
            restore=restore,
        )

    def _process(self) -> Program:
        return Program(loads(self._payload))

    def _order(self) -> str | None:
        """What the driver wants of the planner."""
        if self._moves and self._log.epochs >= self._moves[0].after:
            self._stopping = True
            return "stop"
        return "drain" if ends.world.is_drained else None

    def _take_savepoint(self, checkpoint: CheckpointDirectory) -> None:
        """As who stops a job with a savepoint does, once no epoch is under way."""
        self._savepoints += 1
        log, spec = self._log, self._spec
        target = os.path.join(self._folder, f"savepoint-{self._savepoints}")
        states: dict[int, list[State]] = {}
        for (_, subtask), entries in sorted(self._states[log.committed].items()):
            states.setdefault(subtask, []).append(entries)
        point("before a savepoint")
        with new_folder(target) as made:
            write_savepoint(
                made,
                self._plan,
                states,
                log.ends[log.committed],
                str(spec.spool_dir),
                job_id=spec.job_id,
                first_epoch=spec.first_epoch,
                epoch=log.committed,
            )
        self._savepoint = target

    def _epochs(self, program: Program, planner: EpochPlanner, committer: JobCommitter) -> None:
        """Run epochs to the end, or until the job is to stop."""
        log, looks = self._log, 0
        first = self._spec.first_epoch
        while True:
            start = log.ends[log.committed] if log.committed >= first else planner.initial()
            if log.committed + 1 not in log.ends:
                point("before an epoch is planned")
                end = planner.latest(start)
                if end == start:
                    if start["final"] or self._stopping:
                        self._stopping = self._stopping and not start["final"]
                        return
                    looks += 1
                    ends.world.clock_ms += self._draw.choice((1, 10, 1_000))
                    if looks > _MOST:
                        raise Stuck(f"nothing is left to do at {start}, but the job does not end")
                    continue
                with self.faults.calm():
                    log.plan(end)
                point("an epoch is planned")
                if log.committed >= first:
                    planner.commit(start)
            looks = 0
            self._epoch(program, planner, committer, start, log.ends[log.committed + 1])
            point("an epoch has been run")
            if log.committed - first > _MOST:
                raise Stuck(f"{log.committed - first} epochs, and still more")

    def _epoch(self, program: Program, planner: EpochPlanner, committer: JobCommitter, start: Any, end: Any) -> None:
        log, plan = self._log, program.plan
        epoch = log.committed + 1
        before = self._states.get(log.committed, {})
        state = dict(before)
        tasks: list[TaskPlan] = planner.tasks(start, end)
        point("tasks are planned")
        blocks = self._stage([Work(0, task.subtask, epoch, pack_task(program, task), None) for task in tasks], state)
        for level in plan.levels[1:]:
            blocks = self._stage(
                [
                    Work(level.index, slot, epoch, received, before.get((level.index, slot), {}))
                    for slot, received in by_slot(blocks)
                ],
                state,
            )
        reports = [loads(block.data) for block in blocks if block.channel == REPORT]
        try:
            report = committer.commit(epoch, reports)
        except Exception:
            with self.faults.calm():
                committer.abort(epoch, reports)
            raise
        point("before the commit is noted")
        with self.faults.calm():
            log.commit()
        self._states[epoch] = state
        self._states.pop(epoch - _KEPT_STATES, None)
        self._due, self._records = report.next_timer, report.summary.records_in

    # -- the workers -------------------------------------------------------------------------------------

    def _stage(self, works: list[Work], state: dict[tuple[int, int], State]) -> list[Block]:
        """Run the tasks of a level in any order; what they send, in any order."""
        sent: list[Block] = []
        self._draw.shuffle(works)
        for work in works:
            blocks, entries = self._task(work)
            sent += blocks
            if work.state is not None:
                state[work.level, work.subtask] = entries
        self._draw.shuffle(sent)
        return sent

    def _task(self, work: Work) -> tuple[list[Block], State]:
        """A task, at most four times; the attempt that counts may be any that has ended well."""
        for _ in range(_ATTEMPTS - 1):
            number = self._draw.randrange(_WORKERS)
            self._other: tuple[list[Block], State] | None = None
            try:
                done = self._attempt(work, number)
            except Lost:
                if self.faults.lost != "worker":
                    raise
                self.faults.lost = None
                self._workers[number] = None
                CACHE.forget()
            except (Failed, WorkerFailure):
                pass
            else:
                return done if self._other is None or self._draw.random() < 0.5 else self._other
            if self._other is not None:
                return self._other
        return self._attempt(work, 0)

    def _attempt(self, work: Work, worker: int) -> tuple[list[Block], State]:
        program = self._workers[worker]
        if program is None:
            program = self._workers[worker] = self._process()
        self._stragglers = [*self._stragglers[-4:], (program, work)]
        with self._in_task(work):
            return self._carry_out(program, work)

    @contextmanager
    def _in_task(self, work: Work) -> Iterator[None]:
        before, self._running = self._running, work
        self.faults.in_task = True
        try:
            yield
        finally:
            self._running = before
            self.faults.in_task = before is not None

    def _carry_out(self, program: Program, work: Work) -> tuple[list[Block], State]:
        self._attempts += 1
        store = None if work.state is None else Entries(work.state)
        point("before a task")
        blocks: list[Block] = []
        with Task(program, work.level, work.subtask, work.epoch, store, unique=self._attempts) as task:
            received = (
                task.read(loads(work.data)) if isinstance(work.data, bytes) else task.receive(self._shuffled(work.data))
            )
            for some in received:
                blocks += some
            point("before a task finishes")
            blocks += task.finish()
        point("after a task")
        return blocks, {} if store is None else store.after

    def _shuffled(self, blocks: list[Block]) -> list[Block]:
        return self._draw.sample(blocks, len(blocks))

    # -- faults that do not end a call -------------------------------------------------------------------

    def _act(self, kind: str) -> bool:
        if kind == "slow":
            ends.world.clock_ms += self._draw.choice((1, 50, 5_000))
            return True
        if kind == "twice":
            assert self._running is not None
            self._other = self._carry_out(self._process(), self._running)
            return True
        earlier = [known for known in self._stragglers if known[0].spec.run_id != self._spec.run_id]
        if not earlier:
            return False
        program, work = self._draw.choice(earlier)
        attempts, self._attempts = self._attempts, self._draw.randrange(1 << 40, 1 << 41)
        with suppress(Exception):  # nobody hears of it
            self._carry_out(program, work)
        self._attempts = attempts
        return True
