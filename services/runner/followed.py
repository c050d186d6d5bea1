"""The jobs of the process, as whoever watches from outside sees the latest of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from datastream.graph import JobGraph
from datastream.job.handle import JobHandle
from datastream.job.job_status import JobStatus

from .exceptions import described
from .figures import Figures, plain
from .wall_clock import now_ms


class Followed:
    """Makes the `Figures` of each job, and a snapshot of the latest."""

    def __init__(self) -> None:
        self._born, self._started_ms = time.monotonic(), now_ms()
        self._figures: Figures | None = None
        self._job: JobHandle | None = None
        self._failure: dict[str, Any] | None = None
        #: What else a snapshot has.
        self.more: Callable[[], dict[str, Any]] = dict

    def follow(self, graph: JobGraph) -> Figures:
        """A listener of a job that is about to start."""
        self._figures, self._job = Figures(graph), None
        return self._figures

    def started(self, job: JobHandle) -> None:
        """The job runs."""
        self._job = job

    def failed(self, error: BaseException) -> None:
        """The job's code has failed: with its job, before it had one, or after it."""
        if self._figures is None or self._figures.ended != "FAILED":  # else the job has told it
            self._failure = described(error, "failed", 0 if self._job is None else self._job.restarts)

    @property
    def figures(self) -> Figures | None:
        """Those of the latest job that has started; None: there is none yet."""
        return None if self._job is None else self._figures

    @property
    def gave_up(self) -> bool:
        """Whether the latest job has failed because its restarts were in vain for too long."""
        return self._job is not None and self._job.gave_up

    @property
    def graph(self) -> JobGraph | None:
        """The latest job; None: there was none yet."""
        return None if self._figures is None else self._figures.graph

    def snapshot(self) -> dict[str, Any]:
        """How the latest job is, and what it has done since the process was started; ready for JSON."""
        job, figures = self._job, self._figures
        found: dict[str, Any] = {
            "job_id": None if job is None else str(job.job_id),
            "name": None if figures is None else figures.graph.name,
            "status": self._status(job, figures),
            "started_ms": self._started_ms,
            "now_ms": now_ms(),
            "uptime_s": time.monotonic() - self._born,
            "checkpoint": None if job is None else job.checkpoint_dir,
            "restarts": 0 if job is None else job.restarts,
            "epoch": None if job is None or job.last_epoch < 0 else job.last_epoch,
            "user_metrics": {},
        }
        if job is not None:
            values = job.accumulators
            found["user_metrics"] = {name: plain(value) for name, value in values.items() if name not in _IN_FIGURES}
        found = {**(_NOTHING if figures is None else figures.as_dict()), **found, **self.more()}
        if self._failure is not None:
            found["exceptions"] = [*found["exceptions"], self._failure]
        return found

    def _status(self, job: JobHandle | None, figures: Figures | None) -> str:
        if job is None:  # it is yet to start, or could not
            failed = self._failure is not None or (figures is not None and figures.ended is not None)
            return "FAILED" if failed else "INITIALIZING"
        status = job.status
        if status is JobStatus.RUNNING and not job.planned:
            return "RESTARTING" if job.tries else "INITIALIZING"
        return status.name


#: Counts of the job's own, among the user's.
_IN_FIGURES = frozenset({"records_in", "records_out"})
#: The metrics where there is no job.
_NOTHING = Figures(JobGraph("", (), (), 0, 0)).as_dict()
