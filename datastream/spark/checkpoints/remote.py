"""Checkpoint directories on other file systems: the same checks as on local disks, and a lease instead of a lock."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass

from datastream.errors import CheckpointError, CheckpointInUse, CheckpointMismatch, WorkerError
from datastream.graph import Plan
from datastream.graph.shape import describe
from datastream.job import JobID

from .damage import lost
from .directory import CONTENT, Checkpoint, refuse_finished
from .hadoop_directory import HadoopDirectory
from .job_file import as_bytes, compare, content_of, parse_job, renewed
from .lease import Lease

_LOGGER = logging.getLogger("datastream")


@dataclass
class RemoteCheckpoint(Checkpoint):
    """A folder that this process holds by a lease."""

    lease: Lease | None = None

    @property
    def _files(self) -> HadoopDirectory:
        return HadoopDirectory(self.path)

    def release(self) -> None:
        if self.lease is not None:
            self.lease.release()

    def check(self) -> None:
        if self.lease is not None:
            self.lease.check()

    def _read_id(self) -> str:
        text = self._files.read("job.json")
        if text is None:
            raise lost(self.path, "its job.json has been deleted")
        return str(parse_job(text.decode("utf-8", "replace"), f"{self.path}/job.json")["id"])

    def note_java(self, pid: int | None) -> None:
        if self.lease is not None:
            self.lease.renew()

    def delete(self) -> None:
        try:
            if self.lease is not None:
                self.lease.renew()
        except (CheckpointError, WorkerError, OSError) as error:
            _LOGGER.warning("nothing was deleted: %s", error)
            return
        self.release()
        for name in (*CONTENT, *(name for name in self._files.names() if name.startswith("lease-"))):
            self._files.delete(name)
        with suppress(OSError):
            if not self._files.names():
                self._files.delete("")

    def _epochs(self) -> list[int]:
        return [int(name) for name in self._files.names("commits") if name.isdecimal()]


def acquire_remote(path: str, plan: Plan) -> RemoteCheckpoint:
    """Take hold of a checkpoint directory, new or with a job's past in it; see `checkpoint.acquire`.

    The process has a Spark session.

    Raises:
        CheckpointInUse: another running job holds it.
        CheckpointError: the file system does not answer, or the state is of a later version of datastream.
        CheckpointMismatch: it belongs to a job whose operators differ, or to one that has finished in this process;
            nothing has been touched.
    """
    path = path.rstrip("/")
    files = HadoopDirectory(path)
    try:
        lease = Lease(files, path)
    except OSError as error:
        raise CheckpointError(f"the checkpoint directory {path} cannot be used: {error}; choose another") from error
    try:
        shape = describe(plan)
        text = files.read("job.json")
        if text is not None:
            known = parse_job(text.decode("utf-8", "replace"), f"{path}/job.json")
            compare(known["job"], shape, path)
            job_id = str(known["id"])
            refuse_finished(path, job_id)
            if (content := renewed(known)) is not None:
                files.replace("job.json", as_bytes(content))
        elif files.exists("offsets"):
            raise CheckpointMismatch(
                f"{path} is a checkpoint of another Spark query (it has no job.json); choose another directory"
            )
        else:
            job_id = str(JobID())
            files.replace("job.json", as_bytes(content_of(job_id, shape)))
        return RemoteCheckpoint(path, job_id, files.exists("offsets"), lease=lease)
    except CheckpointInUse:
        raise
    except BaseException as error:
        lease.release()
        if isinstance(error, OSError):
            raise CheckpointError(f"the checkpoint directory {path} cannot be used: {error}; choose another") from error
        raise
