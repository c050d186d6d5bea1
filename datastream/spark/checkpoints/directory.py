"""A checkpoint directory of this machine: who holds it, and what is in it. For other file systems see `remote`."""

from __future__ import annotations

import logging
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from datastream.errors import CheckpointError, CheckpointLost, CheckpointMismatch
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.io.durable import make_folder
from datastream.job import JobID
from datastream.job.registry import NOTE
from datastream.runtime.restore import Restore
from datastream.runtime.savepoints.manifest import folder_of, read_manifest
from datastream.runtime.savepoints.matching import restore_from

from .damage import check_logs, lost
from .job_file import compare, read_job, renew_job, write_job
from .lock import LOCK, lock_folder, note_java
from .moved_directories import adopt

_LOGGER = logging.getLogger("datastream")

CONTENT = (
    "offsets",
    "commits",
    "state",
    "sources",
    "metadata",
    ".metadata.crc",
    "spool",
    "spark",
    "job.json",
    NOTE,
    LOCK,
)

#: What a job finds in its folder only once it has a job.json there.
_BELOW = ("offsets", "commits", "state", "sources", "metadata", "spool", "spark")

#: How the files begin that a job may have left in a folder before it wrote a job.json.
_BEGINS = {NOTE: b'{"id"', LOCK: b'{"driver"'}

#: What is locked in a directory of generations, whose checkpoints are ``1``, ``2`` and so on.
GENERATIONS = "generations.lock"

#: Folder and job id of the jobs that ended their input in this process.
_finished: set[tuple[str, str]] = set()


@dataclass
class Checkpoint:
    """A checkpoint directory that this process holds.

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
        """Make sure that the folder is still the one that is held.

        Raises:
            CheckpointLost: It has gone, or another one has taken its place.
        """
        if self._lock is None:
            return
        folder = Path(self.path)
        try:
            found = (folder / LOCK).stat(follow_symlinks=False)
            there = (folder / "job.json").exists()
        except (FileNotFoundError, NotADirectoryError):
            # Without job.json, Spark has made the folder anew for a file of the epoch under way.
            whole = (folder / "job.json").exists()
            raise lost(folder, f"{'its owner.lock' if whole else 'it'} has been deleted") from None
        except OSError:  # it cannot be looked at now: whoever reads or writes it next will say so
            return
        if not os.path.samestat(found, os.fstat(self._lock.fileno())):
            raise lost(folder, "it has been replaced by another one")
        if not there:
            raise lost(folder, "its job.json has been deleted")

    def check_past(self, epoch: int) -> None:
        """Make sure that the folder is the one that is held, with the job's past in it.

        Args:
            epoch: One that is known to be committed; less than `first_epoch`: none is.

        Raises:
            CheckpointLost: It is not.
        """
        self.check()
        self._check_id(self._read_id())
        check_epochs(self.path, self._epochs(), epoch - self.first_epoch)

    def _read_id(self) -> str:
        return str(read_job(Path(self.path))["id"])

    def _check_id(self, found: str) -> None:
        if found != self.job_id:
            raise lost(self.path, f"it belongs to the job {found}, and this one is {self.job_id}")

    def last_committed(self) -> int:
        """The last epoch that is committed; -1: none, or not known."""
        try:
            return max(self._epochs(), default=-1)
        except OSError:  # where Java has gone, the reports that have come are all there is to know
            return -1

    def _epochs(self) -> list[int]:
        """The epochs that are committed; as Spark counts them."""
        return committed_epochs(self.path)

    def delete(self) -> None:
        """Delete what jobs leave in the folder, and the folder unless something else is in it."""
        try:
            self.check()
        except CheckpointLost as error:
            _LOGGER.warning("nothing was deleted: %s", error)
            return
        delete_content(self.path)

    def note_java(self, pid: int | None) -> None:
        """Remember which Java works on the folder: it may outlive a killed driver by a moment."""
        if self._lock is not None and pid is not None:
            note_java(self._lock, pid)


def acquire(path: str, plan: Plan, from_savepoint: str | None = None, allow_non_restored: bool = False) -> Checkpoint:
    """Take hold of a checkpoint directory, new or with a job's past in it.

    Args:
        path: The folder.
        plan: The job's.
        from_savepoint: A savepoint for a new folder. A folder whose job was restored from it before goes on from its
            own epochs.
        allow_non_restored: What of the savepoint the job has no operator for may be dropped.

    Raises:
        CheckpointInUse: another running job holds it.
        CheckpointError: its state is of a later version of datastream; nothing has been touched.
        CheckpointMismatch: it belongs to a job whose operators differ, or to one that has finished in this process;
            nothing has been touched.
    """
    folder = Path(path.removeprefix("file://")).absolute()
    top = next((above for above in folder.parents if above.exists()), folder)
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
            check_logs(folder)
            adopt(folder)
            renew_job(file, known)
        elif (folder / "offsets").exists():
            raise CheckpointMismatch(
                f"{folder} is a checkpoint of another Spark query, or has lost its job.json; choose another directory, "
                "or restore this one from a backup"
            )
        elif foreign := [name for name in _BELOW if (folder / name).exists()] or _not_ours(folder):
            raise CheckpointMismatch(
                f"{folder} is not a checkpoint (it has no job.json), but holds '{foreign[0]}', as checkpoints do; "
                "choose another directory"
            )
        else:
            job_id = str(JobID())
            make_folder(str(folder), str(top))
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


def _not_ours(folder: Path) -> list[str]:
    """The files that have a name of ours, and that no job has written."""
    there = [name for name in _BEGINS if (folder / name).exists()]
    return [name for name in there if not _begins((folder / name).read_bytes(), _BEGINS[name])]


def _begins(data: bytes, begin: bytes) -> bool:
    """Whether data begins so, or was cut off there."""
    return data.startswith(begin) or begin.startswith(data)


def _unusable(folder: Path, error: OSError) -> CheckpointError:
    what = "it is a file" if folder.is_file() else error.strerror or str(error)
    return CheckpointError(f"the checkpoint directory {folder} cannot be used: {what}; correct that, or choose another")


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
            f"the checkpoint directory {folder} belongs to {came}, so nothing can be restored there; nothing was read "
            "or written\n  choose a new --checkpoint-dir, or leave out --from-savepoint to continue from the directory"
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


def committed_epochs(path: str) -> list[int]:
    """The epochs that are committed in a folder of this machine, as Spark counts them.

    Raises:
        OSError: It cannot be read now.
    """
    try:
        names = os.listdir(Path(path.removeprefix("file://"), "commits"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [int(name) for name in names if name.isdecimal()]


def check_epochs(path: str, committed: list[int], known: int) -> None:
    """Make sure that what was committed to a folder is still there.

    Args:
        path: The folder.
        committed: The epochs that it holds, as Spark counts them.
        known: One that is known to be committed; negative: none is.

    Raises:
        CheckpointLost: It is not.
    """
    last = max(committed, default=-1)
    if last < known:
        ends = "no epoch is" if last < 0 else f"{last} is the last one"
        raise lost(path, f"batch {known} was committed there, and now {ends}")


def delete_content(path: str) -> None:
    """Delete what jobs leave in a checkpoint directory."""
    folder = Path(path.removeprefix("file://"))
    for name in CONTENT:
        found = folder / name
        if found.is_dir():
            shutil.rmtree(found, ignore_errors=True)
        else:
            found.unlink(missing_ok=True)
    with suppress(OSError):  # files of another kind are there
        folder.rmdir()


def refuse_finished(path: str, job_id: str) -> None:
    """Refuse the folder of a job that has finished in this process.

    Raises:
        CheckpointMismatch: It is one.
    """
    if (path, job_id) in _finished:
        raise CheckpointMismatch(
            f"the checkpoint directory {path} belongs to an earlier job of this script, whose input has ended: a "
            "second job would find nothing to do there, and give no results\n"
            "  give each job a directory of its own: leave out --checkpoint-dir, and set execution.checkpointing.dir "
            "in the Configuration of its environment"
        )
