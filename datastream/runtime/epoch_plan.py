"""What the tasks of an epoch read: who reads which splits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph.operators import Source
from datastream.types.pickles import dumps

from .enumerators import Enumerators
from .program import Program
from .user_errors import user_failure


@dataclass
class TaskPlan:
    """What one task reads.

    Attributes:
        subtask: Index of the task.
        splits: (source operator id, split) in reading order.
        silent: (source operator id, lane) of lanes without data in this epoch, which this task reports.
        final: Nothing follows this epoch.
        ended: Ids of the sources that have ended.
        resting: Ids of the sources that have ended for this run only: the others do not wait for them, but time goes on
            when they have more.
        kept: State stays as it was before this epoch, the last of a run.
        again: The epoch begins another run of a job that had finished, and reads nothing.
        busy: Ids of the sources that some task reads.
        restored: Files of a savepoint whose state the task takes over: the number of each among all, and its path.
    """

    subtask: int
    splits: list[tuple[int, Any]] = field(default_factory=list)
    silent: list[tuple[int, str]] = field(default_factory=list)
    final: bool = False
    ended: frozenset[int] = frozenset()
    resting: frozenset[int] = frozenset()
    kept: bool = False
    again: bool = False
    busy: frozenset[int] = frozenset()
    restored: list[tuple[int, str]] = field(default_factory=list)

    @property
    def read(self) -> frozenset[int]:
        """Ids of the sources that this task reads."""
        return frozenset(id for id, _ in self.splits)


def pack_task(program: Program, task: TaskPlan) -> bytes:
    """What a task reads, for its journey to a worker.

    Raises:
        WorkerFailure: A split cannot be pickled; names the source.
    """
    try:
        return dumps(task)
    except Exception:
        for id, split in task.splits:
            try:
                dumps(split)
            except Exception as error:
                source = program.plan.operators[id]
                assert isinstance(source, Source)
                wrong = ValidationError(f"a split must be a value that pickle takes, got {cut(split)}: {error}")
                raise user_failure(wrong, source, f"{type(source.source).__qualname__}: splits") from error
        raise


def plan_epoch(
    enumerators: Enumerators,
    start: Mapping[str, Any],
    end: Mapping[str, Any],
    final: bool,
    ended: Collection[str],
    restoring: bool = False,
    *,
    resting: Collection[str] = (),
    kept: bool = False,
    again: bool = False,
) -> list[TaskPlan]:
    """The tasks of an epoch; the same for the same offsets, whenever it is asked.

    Args:
        enumerators: Of the job's sources.
        start: Offset of each source, by its uid, at the end of the epoch before.
        end: The same at the end of this one.
        final: All sources end with it.
        ended: Uids of the sources that have ended with it, or before.
        restoring: The epoch takes over the state of a savepoint.
        resting: See `TaskPlan`, and so the others; uids.
        kept: As above.
        again: As above.
    """
    program = enumerators.program
    tasks: dict[int, TaskPlan] = {}
    silent: list[tuple[int, str]] = []
    # By name: an epoch that was under way may run again in a job that makes its sources in another order.
    sources = sorted(program.plan.sources, key=lambda op: op.state_uid)
    for i, op in enumerate(sources):
        uid = op.state_uid
        parallelism = min(program.plan.subtasks[op.id], program.plan.width)
        splits = [] if again else enumerators.splits(op, start[uid], end[uid], parallelism)
        for placed, split in enumerate(splits, i):
            subtask = placed % parallelism
            tasks.setdefault(subtask, TaskPlan(subtask)).splits.append((op.id, split))
        silent += _silent(enumerators, op, end[uid], splits)
    for subtask in range(program.plan.width if program.plan.timing.awake else int(final or again)):
        tasks.setdefault(subtask, TaskPlan(subtask))
    restore = program.spec.restore
    if restoring and restore is not None:
        for number, path in enumerate(restore.files):
            subtask = number % program.plan.width
            tasks.setdefault(subtask, TaskPlan(subtask)).restored.append((number, path))
    over = frozenset(op.id for op in sources if final or op.state_uid in ended)
    rest = frozenset(op.id for op in sources if op.state_uid in resting)
    busy = frozenset[int]().union(*(task.read for task in tasks.values()))
    for task in tasks.values():
        task.final, task.ended, task.busy = final, over, busy
        task.resting, task.kept, task.again = rest, kept, again
    if silent:
        tasks[0].silent = silent
    return [tasks[i] for i in sorted(tasks)]


def _silent(enumerators: Enumerators, op: Source, end: Any, splits: Any) -> list[tuple[int, str]]:
    if op.id not in enumerators.program.plan.timing.laned.values():
        return []
    read = {split.lane for split in splits}
    return [(op.id, lane) for lane in enumerators.lanes(op, end) if lane not in read]
