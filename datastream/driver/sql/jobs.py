"""The jobs that a session has started."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime

from datastream.errors import ValidationError
from datastream.job.handle import JobHandle


@dataclass(frozen=True)
class StartedJob:
    """A job of the session.

    Attributes:
        handle: It.
        since: When it was started.
    """

    handle: JobHandle
    since: datetime = field(default_factory=lambda: datetime.now().astimezone())


class Jobs:
    """All jobs of the session, in the order of their starts, and those of the statement that runs.

    Attributes:
        cancelled: The statement that runs was cancelled.
    """

    def __init__(self) -> None:
        self.all: list[StartedJob] = []
        self.cancelled = False
        self._of_statement: list[JobHandle] = []
        self._lock = threading.Lock()

    def note(self, handle: JobHandle) -> None:
        """A job was started."""
        with self._lock:
            self.all.append(StartedJob(handle))
            self._of_statement.append(handle)
            cancelled = self.cancelled
        if cancelled:
            handle.begin_cancel()

    def begin_statement(self) -> None:
        """Another statement runs from now on."""
        with self._lock:
            self._of_statement, self.cancelled = [], False

    def cancel_statement(self) -> None:
        """Cancel the jobs of the statement that runs, also one that it is about to start."""
        with self._lock:
            self.cancelled = True
            jobs = list(self._of_statement)
        for handle in jobs:
            handle.begin_cancel()

    def find(self, job_id: str) -> StartedJob:
        """The job of an id, or of the beginning of one.

        Raises:
            ValidationError: there is no such job, or there are several.
        """
        found = [each for each in self.all if job_id and str(each.handle.job_id).startswith(job_id)]
        if len(found) == 1:
            return found[0]
        what = "no job" if not found else f"{len(found)} jobs"
        raise ValidationError(f"{what} of this session with the id '{job_id}'; SHOW JOBS lists them")
