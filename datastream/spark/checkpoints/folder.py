"""A checkpoint folder of this machine: who holds it, and what is in it. For other file systems see `remote`."""

from __future__ import annotations

import logging
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from datastream.errors import CheckpointError, CheckpointMismatch
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.job import JobID
from datastream.job.registry import NOTE
from datastream.runtime.restore import Restore
from datastream.runtime.savepoints.manifest import folder_of, read_manifest
from datastream.runtime.savepoints.matching import restore_from
from datastream.runtime.state_format import FORMAT

from .damage import check_logs
from .job_file import compare, format_of, read_job, write_job
from .lock import lock_folder, note_java
from .moved_folders import adopt

_LOGGER = logging.getLogger("datastream")

CONTENT = (
    "offsets",
    "commits",
    "state",
    "sources",
    "metadata",
    ".metadata.crc",
    "spool",
    "job.json",
    NOTE,
    "owner.lock",
)

#: What is locked in a directory of generations, whose checkpoints are ``1``, ``2`` and so on.
GENERATIONS = "generations.lock"

#: Folder and job id of the jobs that ended their input in this process.
_finished: set[tuple[str, str]] = set()


@dataclass
class Checkpoint:
    """A checkpoint folder that this process holds.

    Attributes:
        path: The folder.
        job_id: The id of the job that the folder belongs to.
        resumed: Whether epochs were committed here before.
        first_epoch: Number of the first epoch of the folder.
        restore: What is still to be taken over from a savepoint, if anything.
    """

    path: str
    job_id: str
    resumed: bool
    first_epoch: int = 0
    restore: Restore | None = None
    _lock: IO[str] | None = None

    def note_finished(self) -> None:
        """Remember that the job's input has ended, and that no other job of this process can use the folder."""
        _finished.add((self.path, self.job_id))

    def release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def check(self) -> None:
        """Make sure that the folder is still held; raises if it is not."""

    def last_committed(self) -> int:
        """The last epoch that is committed; -1: none, or not known."""
        return last_committed(self.path)

    def delete(self) -> None:
        """Delete what jobs leave in the folder, and the folder unless something else is in it."""
        delete_content(self.path)

    def note_java(self, pid: int | None) -> None:
        """Remember which Java works on the folder: it may outlive a killed driver by a moment."""
        if self._lock is not None and pid is not None:
            note_java(self._lock, pid)


def acquire(path: str, plan: Plan, from_savepoint: str | None = None, allow_non_restored: bool = False) -> Checkpoint:
    """Take hold of a checkpoint folder, new or with a job's past in it.

    Args:
        path: The folder.
        plan: The job's.
        from_savepoint: A savepoint for a new folder. A folder whose job was restored from it before goes on from its
            own epochs.
        allow_non_restored: What of the savepoint the job has no operator for may be left behind.

    Raises:
        CheckpointInUse: another running job holds it.
        CheckpointError: its state is of a later version of datastream; nothing has been touched.
        CheckpointMismatch: it belongs to a job whose operators differ, or to one that has finished in this process;
            nothing has been touched.
    """
    folder = Path(path.removeprefix("file://")).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = lock_folder(folder)
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        _refuse_generations(folder)
        shape = describe(plan)
        file = folder / "job.json"
        if file.exists():
            known = read_job(folder)
            restored, restore = _again(folder, known, plan, from_savepoint, allow_non_restored)
            compare(known["job"], shape, folder)
            job_id = str(known["id"])
            refuse_finished(str(folder), job_id)
            if format_of(known) < FORMAT:  # from now on, entries of this version are written
                write_job(file, job_id, plan, shape, restored)
            check_logs(folder)
            adopt(folder)
        elif (folder / "offsets").exists():
            raise CheckpointMismatch(
                f"{folder} is a checkpoint of another Spark query, or has lost its job.json; choose another folder, or "
                "restore this one from a backup"
            )
        else:
            job_id = str(JobID())
            restored = restore = None
            if from_savepoint:
                restore = restore_from(from_savepoint, plan, allow_non_restored)
                restored = {
                    "path": restore.folder,
                    "id": restore.id,
                    "epoch": restore.epoch,
                    "allowed": allow_non_restored,
                }
            write_job(file, job_id, plan, shape, restored)
    except BaseException as error:
        lock.close()
        if isinstance(error, OSError):
            raise _unusable(folder, error) from error
        raise
    resumed = (folder / "commits").exists() or (folder / "offsets").exists()
    first_epoch = 0 if restored is None else int(restored["epoch"])
    return Checkpoint(str(folder), job_id, resumed, first_epoch, restore, lock)


def _refuse_generations(folder: Path) -> None:
    """Refuse a directory of generations: a job would start from the beginning beside them.

    Raises:
        CheckpointMismatch: It is one.
    """
    if not (folder / GENERATIONS).exists():
        return
    found = [int(file.parent.name) for file in folder.glob("*/job.json") if file.parent.name.isdecimal()]
    if found:
        raise CheckpointMismatch(
            f"{folder} holds checkpoints of a job that is upgraded by savepoints, the last one in {max(found)}; "
            "nothing was read or written\n  run it with datastream-runner --upgrade savepoint, or give "
            f"--checkpoint-dir {folder / str(max(found))}"
        )


def _unusable(folder: Path, error: OSError) -> CheckpointError:
    what = "it is a file" if folder.is_file() else error.strerror or str(error)
    return CheckpointError(f"the checkpoint folder {folder} cannot be used: {what}; make that right, or choose another")


def _again(
    folder: Path, known: dict[str, Any], plan: Plan, from_savepoint: str | None, allow_non_restored: bool
) -> tuple[dict[str, Any] | None, Restore | None]:
    """What a folder with a job's past says of a savepoint, and what is still to be taken over from it.

    Raises:
        CheckpointMismatch: Another savepoint is asked for.
    """
    restored: dict[str, Any] | None = known.get("restored")
    if from_savepoint and (restored is None or read_manifest(folder_of(from_savepoint)).id != restored["id"]):
        came = (
            "a job that was not restored from a savepoint"
            if restored is None
            else f"one restored from {restored['path']}"
        )
        raise CheckpointMismatch(
            f"the checkpoint folder {folder} belongs to {came}, so nothing can be restored there; nothing was read or "
            "written\n  choose a new --checkpoint-dir, or leave out --from-savepoint to continue from the folder"
        )
    if restored is None:
        return None, None
    if any(path.name.isdecimal() for path in (folder / "commits").glob("*")):
        if from_savepoint:
            _LOGGER.info("%s has epochs since its job was restored from %s: it continues", folder, restored["path"])
        return restored, None
    # The job died before it had taken over the state; if it was deleted meanwhile, that is said.
    restore = restore_from(from_savepoint or restored["path"], plan, allow_non_restored or restored["allowed"])
    return restored, restore


def is_remote(path: str) -> bool:
    """Whether a folder is on another file system than the local one."""
    return "://" in path and not path.startswith("file://")


def last_committed(path: str) -> int:
    """The last epoch that is committed in a folder of this machine; -1: none, or not known."""
    try:
        names = os.listdir(Path(path.removeprefix("file://"), "commits"))
    except OSError:
        return -1
    return max((int(name) for name in names if name.isdigit()), default=-1)


def delete_content(path: str) -> None:
    """Delete what jobs leave in a checkpoint folder."""
    folder = Path(path.removeprefix("file://"))
    for name in CONTENT:
        found = folder / name
        if found.is_dir():
            shutil.rmtree(found, ignore_errors=True)
        else:
            found.unlink(missing_ok=True)
    with suppress(OSError):  # somebody keeps files of another kind there
        folder.rmdir()


def refuse_finished(path: str, job_id: str) -> None:
    """Refuse the folder of a job that has finished in this process.

    Raises:
        CheckpointMismatch: It is one.
    """
    if (path, job_id) in _finished:
        raise CheckpointMismatch(
            f"the checkpoint folder {path} belongs to an earlier job of this script, whose input has ended: a second "
            "job would find nothing to do there, and give no results\n"
            "  give each job a folder of its own: leave out --checkpoint-dir, and set execution.checkpointing.dir "
            "in the Configuration of its environment"
        )
