"""The job that runs one epoch, and ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from datastream.config.restart_strategy import RestartStrategies
from datastream.config.settings import settings
from datastream.connectors.collect_sink import CollectSink
from datastream.errors import CheckpointDamaged, CheckpointMismatch, UnsupportedOperation, ValidationError, cut
from datastream.graph import JobGraph, Plan
from datastream.graph.operators import Source
from datastream.graph.timing import is_feedback
from datastream.io.queues import QueueSplit
from datastream.job import JobID
from datastream.job.handle import JobHandle
from datastream.job.options import JobOptions
from datastream.job.restart_policy import RestartSettings
from datastream.local.executor import DictStore, LocalJob
from datastream.runtime.connector_contexts import spool_of
from datastream.runtime.epoch_plan import TaskPlan
from datastream.runtime.epoch_planner import Offset

from .recorded import Recorded, RecordedEpoch, read_epoch
from .shown import shown

_LOGGER = logging.getLogger("datastream")
_NO_SAVEPOINT = "an epoch that is replayed has no savepoint: take one of its checkpoint"


@dataclass(frozen=True)
class StoppedClock:
    """Processing time that does not advance."""

    time_ms: int

    def __call__(self) -> int:
        return self.time_ms


@dataclass
class Replay:
    """What is replayed.

    Attributes:
        checkpoint: The folder.
        epoch: Number of the epoch; None: the last one that began.
        kept: Takes the records of sinks, by their names; None: they are printed.
        tell: Hears what is replayed, as a line for people.
        jobs: The job that was started for it, if it was.
        skipped: Other jobs of the script.
        unlike: Why those of its name are not the checkpoint's.
    """

    checkpoint: str
    epoch: int | None = None
    kept: dict[str, CollectSink] | None = None
    tell: Callable[[str], None] = _LOGGER.info
    jobs: list[ReplayedJob] = field(default_factory=list)
    skipped: list[SkippedJob] = field(default_factory=list)
    unlike: list[CheckpointMismatch] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.epoch is not None and type(self.epoch) is not int:
            raise ValidationError(f"replay: epoch is a whole number such as 7, or None, got {cut(self.epoch)}")

    @cached_property
    def recorded(self) -> Recorded:
        """The checkpoint.

        Raises:
            CheckpointError: It is no checkpoint, or is damaged.
        """
        return Recorded.at(self.checkpoint)

    def takes(self, plan: Plan) -> bool:
        """Whether a job that the script starts is the one to replay."""
        number = 1 + sum(job.name == plan.graph.name for job in self.skipped)
        if self.jobs or not self.recorded.is_of(plan, number):
            return False
        try:
            self.recorded.check(plan)
        except CheckpointMismatch as error:  # unless another one of its name fits
            self.unlike.append(error)
            return False
        return True

    def check(self) -> None:
        """Check that there was a job to replay, once the script has ended.

        Raises:
            CheckpointMismatch: The script has started other jobs only, or the job has changed since.
            ValidationError: It has started none.
        """
        if self.unlike and not self.jobs:
            raise self.unlike[0]
        if self.skipped and not self.jobs:
            others = ", ".join(f"'{job.name}'" for job in self.skipped)
            raise CheckpointMismatch(f"the checkpoint in {self.checkpoint} is of none of the script's jobs: {others}")
        if not self.jobs:
            raise ValidationError("no job was executed, so nothing was replayed")

    def wait(self) -> None:
        """Wait for the job's end.

        Raises:
            DataStreamError: It failed.
            CheckpointMismatch: See `check`.
            ValidationError: See `check`.
        """
        self.check()
        for job in self.jobs:
            job.future.result()


_wanted: list[Replay] = []


@contextmanager
def replaying(replay: Replay) -> Iterator[None]:
    """Within the block, a script's job is run for one epoch of a checkpoint."""
    given = settings()
    before = given.executor
    given.executor = "replay"
    _wanted.append(replay)
    try:
        yield
    finally:
        _wanted.pop()
        given.executor = before


def execute(graph: JobGraph, options: JobOptions) -> JobHandle:
    """Start the job of a checkpoint, for one epoch; see `replaying`. Other jobs of the script end at once.

    Raises:
        CheckpointError: The checkpoint is damaged.
        ValidationError: The checkpoint does not hold the epoch.
    """
    replay = _wanted[-1]
    plan = Plan.of(graph)
    if not replay.takes(plan):
        skipped = SkippedJob(graph, replace(options, listeners=()))
        replay.skipped.append(skipped)
        return skipped
    for source in graph.of_kind(Source):
        source.source.validate()
    epoch = read_epoch(replay.recorded, plan, replay.epoch)
    ended = "was committed" if epoch.is_committed else "was not committed"
    entries = sum(map(len, epoch.state.values()))
    replay.tell(f"replaying epoch {epoch.number} of '{graph.name}', which {ended}, with {entries:,} entries of state")
    options = replace(
        options,
        checkpoint_dir=None,
        from_savepoint=None,
        restarts=RestartSettings(RestartStrategies.no_restart()),
        clock=StoppedClock(epoch.began_ms),
    )
    job = ReplayedJob(shown(graph, replay.kept), options, epoch)
    replay.jobs.append(job)
    return job


class SkippedJob(JobHandle):
    """A job that is not the one of the checkpoint: it ends as soon as it has begun, without a record."""

    def __init__(self, graph: JobGraph, options: JobOptions) -> None:
        super().__init__(JobID(), graph, options)
        self._thread.start()

    def savepoint(self, target: str) -> None:
        raise UnsupportedOperation(_NO_SAVEPOINT)

    def _attempt(self) -> None:
        self._restarting = False


class ReplayedJob(LocalJob):
    """One epoch of a checkpoint's job, in one thread of this process.

    Args:
        graph: The job, with sinks that write nothing.
        options: Its options.
        recorded: The epoch.
    """

    def __init__(self, graph: JobGraph, options: JobOptions, recorded: RecordedEpoch) -> None:
        self._recorded = recorded
        super().__init__(graph, options, recorded.restore, first_epoch=recorded.first, notes=str(recorded.notes))

    def savepoint(self, target: str) -> None:  # type: ignore[override]
        raise UnsupportedOperation(_NO_SAVEPOINT)

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the job has ended; not if it was cancelled, as nothing of the epoch is written."""
        if not self._cancelled.is_set():
            super().join(timeout_s)

    def _epochs(self) -> None:
        recorded, planner = self._recorded, self._planner
        for place, entries in recorded.state.items():
            store = self._stores[place] = DictStore()
            store.entries = dict(entries)
        start = recorded.start or planner.initial()
        self._check_loops(start)
        tasks = planner.tasks(start, recorded.end)
        self._check_queues(tasks)
        self.planned = True
        self._epoch(recorded.number, tasks)

    def _check_loops(self, start: Offset) -> None:
        """Refuse to leave out what a loop fed back."""
        before, behind = start["sources"], self._recorded.end["sources"]
        for op in self._program.plan.sources:
            if self._recorded.is_committed and is_feedback(op) and before[op.state_uid] != behind[op.state_uid]:
                raise self._gone(f"what the loop '{op.name}' fed back is forgotten once the epoch is committed")

    def _check_queues(self, tasks: list[TaskPlan]) -> None:
        """Refuse to take new messages out of a queue."""
        for task in tasks:
            for id, split in task.splits:
                op = self._program.plan.operators[id]
                if isinstance(split, QueueSplit) and spool_of(self._program, op).read(split.epoch, split.task) is None:
                    raise self._gone(f"the messages that '{op.name}' took were not noted, or their notes are gone")

    def _gone(self, why: str) -> CheckpointDamaged:
        return CheckpointDamaged(f"epoch {self._recorded.number} cannot be replayed: {why}")
