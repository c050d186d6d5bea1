"""An epoch as a checkpoint has it: where it begins and ends, and the state from before it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datastream.errors import CheckpointDamaged, ValidationError
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.job.checkpoint_directories import slug_of
from datastream.job.registry import JOBS
from datastream.runtime.epoch_planner import Offset
from datastream.runtime.restore import Restore
from datastream.runtime.savepoints.entry_files import owners
from datastream.runtime.savepoints.manifest import SPOOL, folder_of
from datastream.runtime.savepoints.matching import restore_from
from datastream.runtime.state_format.layout import PREFIX
from datastream.spark.checkpoints import read_job
from datastream.spark.checkpoints.damage import read_end
from datastream.spark.checkpoints.job_file import compare
from datastream.spark.checkpoints.moved_directories import readable
from datastream.spark.process.session import session
from datastream.spark.savepoint import last_commit
from datastream.spark.state_store import pages, readable_state, stores

#: Level and subtask -> the entries of their state.
State = dict[tuple[int, int], dict[bytes, bytes]]


@dataclass(frozen=True)
class RecordedEpoch:
    """An epoch of a checkpoint.

    Attributes:
        number: Its number, as the log of the job has it.
        is_committed: Whether it was committed; else it failed, or was cut off.
        began_ms: Processing time at its begin.
        start: Where it begins; None: where a new job does.
        end: Where it ends.
        state: From before it.
        first: Number of the job's first epoch.
        restore: What it takes over from a savepoint, where it is the first epoch of a job that began with one.
        notes: The folder of the job's notes.
    """

    number: int
    is_committed: bool
    began_ms: int
    start: Offset | None
    end: Offset
    state: State
    first: int
    restore: Restore | None
    notes: Path


@dataclass(frozen=True)
class Recorded:
    """A checkpoint, which is not changed, and whose job may be running.

    Attributes:
        folder: The folder.
        known: What its ``job.json`` says.
    """

    folder: Path
    known: dict[str, Any]

    @staticmethod
    def at(checkpoint: str) -> Recorded:
        """The checkpoint in a folder.

        Raises:
            CheckpointError: It is no checkpoint, or is damaged.
        """
        folder = folder_of(checkpoint)
        return Recorded(folder, read_job(folder))

    def is_of(self, plan: Plan, number: int) -> bool:
        """Whether it is of a job, by its name or by its operators; they may have changed since.

        Args:
            plan: The job.
            number: Of the script's jobs of this name, from 1.
        """
        name = plan.graph.name
        for place in (self.folder, self.folder.parent):  # of generations
            if place.parent.name == JOBS:
                return place.name == slug_of(name, number)
        return bool(self.known.get("name") == name or self.known["job"] == describe(plan))

    def check(self, plan: Plan) -> None:
        """Check that a job is as it was.

        Raises:
            CheckpointMismatch: It is not.
        """
        compare(self.known["job"], describe(plan), self.folder)


def read_epoch(recorded: Recorded, plan: Plan, number: int | None) -> RecordedEpoch:
    """Read an epoch.

    Args:
        recorded: The checkpoint.
        plan: The job's, with its own sinks.
        number: Of the epoch; None: the one that has begun and was not committed, else the last one.

    Raises:
        CheckpointDamaged: The checkpoint is damaged.
        ValidationError: It does not hold the epoch, or not any more.
    """
    folder = recorded.folder
    restored = recorded.known.get("restored") or {}
    first = int(restored.get("epoch", 0))
    batch = _batch(folder, first, number)
    committed = last_commit(folder)
    file = folder / "offsets" / str(batch)
    end = read_end(file)
    restore = None
    if batch == 0 and restored:
        restore = restore_from(str(restored["path"]), plan, bool(restored.get("allowed")))
    return RecordedEpoch(
        number=first + batch,
        is_committed=committed is not None and batch <= committed,
        began_ms=_time_of(file),
        start=read_end(folder / "offsets" / str(batch - 1)) if batch else None,
        end=end,
        state=_state(folder, plan, batch - 1) if batch else {},
        first=first,
        restore=restore,
        notes=folder / SPOOL,
    )


def _batch(folder: Path, first: int, number: int | None) -> int:
    """Spark's number of an epoch."""
    there = {int(path.name) for path in (folder / "offsets").glob("*") if path.name.isdecimal()}
    if not there:
        raise ValidationError(f"{folder} holds no epoch yet")
    oldest = min(batch for batch in there if batch == 0 or batch - 1 in there or batch == max(there))
    if number is None:
        return max(there)
    if not oldest <= number - first <= max(there):
        raise ValidationError(
            f"{folder} holds the epochs {first + oldest} to {first + max(there)}, and not epoch {number}; "
            "spark.sql.streaming.minBatchesToRetain says how many a job keeps"
        )
    return number - first


def _time_of(file: Path) -> int:
    try:
        about = json.loads(file.read_text().splitlines()[1])
        return int(about["batchTimestampMs"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CheckpointDamaged(f"{file} is damaged: it does not say when the epoch began") from error


def _state(folder: Path, plan: Plan, batch: int) -> State:
    """What the subtasks kept at the end of a batch."""
    operators = {op.state_uid: op for op in plan.operators.values()}
    whose = owners({uid: op.state_forms for uid, op in operators.items()})
    level_of = {prefix: plan.level_of[operators[owner.uid].id] for prefix, owner in whose.items()}
    found: State = {}
    there = stores(folder)
    levels = [level.index for level in reversed(plan.levels[1:]) if level.stateful]  # Spark begins at the end
    if len(there) != len(levels):
        wrong = f"the job has {len(levels)} stages with state, and the folder has {len(there)}"
        raise CheckpointDamaged(f"the state in {folder} is damaged: {wrong}")
    if not there:
        return found
    spark = session.for_job("local[*]", {})
    place = readable(folder, session.run_folder())
    with readable_state(folder):
        for level, store in zip(levels, there, strict=True):
            for rows in pages(spark, place, store, batch).toArrow().to_batches():
                for part, page, content in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                    if level_of.get(page[:PREFIX], level) != level:
                        wrong = f"the entry {page.hex()} lies in the state of another stage"
                        raise CheckpointDamaged(f"the state in {folder} is damaged: {wrong}")
                    found.setdefault((level, part), {})[page] = content
    return found
