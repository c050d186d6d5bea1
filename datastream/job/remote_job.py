"""A job that runs in another process of this machine."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

from datastream.errors import JobCancelled, JobError, JobNotFound

from .control import request
from .job_execution_result import JobExecutionResult
from .job_id import JobID
from .job_status import JobStatus
from .registry import JobNote


class RemoteJob:
    """What a `JobHandle` is for a job of this process.

    Args:
        note: How to reach the job.

    Raises:
        JobNotFound: The job's driver does not answer.
    """

    def __init__(self, note: JobNote) -> None:
        self._note = note
        self.job_id = JobID(note.id)
        self.name = note.name
        self.future: Future[JobExecutionResult] = Future()
        self._ended: JobStatus | None = None
        self._counts: dict[str, Any] = {}
        self.describe()  # it must be there
        threading.Thread(target=self._follow, name=f"datastream-{note.id}", daemon=True).start()

    def describe(self) -> dict[str, Any]:
        """Id, name, status, counts and so on, of the running job."""
        found: dict[str, Any] = request(self._note, "status")
        return found

    @property
    def status(self) -> JobStatus:
        try:
            return self._ended or JobStatus[self.describe()["status"]]
        except JobNotFound:
            self.future.exception()  # the one who follows hears the end, or that there is no job any more
            return self._ended or JobStatus.FAILED

    @property
    def restarts(self) -> int:
        """How often the job was started again."""
        return int(self.describe()["restarts"])

    @property
    def accumulators(self) -> dict[str, Any]:
        """Counts and the values of metrics, so far or of the ended job."""
        if self._ended is None:
            self._counts = request(self._note, "accumulators")
        return self._counts

    def cancel(self) -> None:
        """End the job after what it has committed. Returns when it has ended."""
        if self._ended is None:
            request(self._note, "cancel")
            self.future.exception()

    def trigger_savepoint(self, directory: str | None) -> str:
        """Take a savepoint of the running job; where it is."""
        return str(request(self._note, "savepoint", directory=directory))

    def stop_with_savepoint(self, drain: bool, directory: str | None) -> str:
        """End the job with a savepoint; where it is."""
        return str(request(self._note, "stop", drain=drain, directory=directory))

    def _follow(self) -> None:
        try:
            outcome = request(self._note, "wait")
        except Exception as error:
            self._ended = JobStatus.FAILED
            self.future.set_exception(JobError(f"{error}, without a word about how the job ended"))
            return
        self._ended, self._counts = JobStatus[outcome["status"]], outcome["accumulators"]
        if self._ended is JobStatus.FINISHED:
            self.future.set_result(JobExecutionResult(self.job_id, outcome["runtime_ms"], self._counts))
        elif self._ended is JobStatus.CANCELED:
            self.future.set_exception(JobCancelled(f"the job '{self.name}' was cancelled"))
        else:
            self.future.set_exception(JobError(outcome["error"]))
