"""How the job is: what the endpoints and the supervisor's probes report."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import structlog

from datastream.config.settings import EpochSummary, Restart
from datastream.errors import CheckpointInUse
from datastream.job.handle import JobHandle
from datastream.job.job_status import JobStatus

_RETRY_S = 1.0


@dataclass(frozen=True)
class Verdict:
    """The answer to a probe.

    Attributes:
        good: Whether it passes.
        status: What the runner does, in a word.
        reason: Why it does not pass; empty if it does.
    """

    good: bool
    status: str
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {"status": self.status, **({"reason": self.reason} if self.reason else {})}


class Watch:
    """Follows the process and its jobs; a listener of theirs.

    Args:
        stuck_after_s: A job that has work to do and commits nothing for so long is stuck; 0: never.
        clock: Never goes back; in s.
    """

    def __init__(self, stuck_after_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._stuck_after_s, self._clock = stuck_after_s, clock
        self._born = self._began = clock()
        self._jobs: list[JobHandle] = []
        self._held: CheckpointInUse | None = None
        self._was_good = True
        #: A job is being started.
        self.starting = False
        #: SIGTERM has come.
        self.ending = False

    @property
    def running(self) -> list[JobHandle]:
        """The jobs that have not ended."""
        return [job for job in list(self._jobs) if not job.future.done()]

    @property
    def has_started(self) -> bool:
        """Whether the process has started a job."""
        return bool(self._jobs)

    def started(self, job: JobHandle) -> None:
        """A job of the process runs."""
        self._jobs.append(job)
        self.starting = False

    def wait_for_checkpoint(self, held: CheckpointInUse) -> None:
        """Another job holds the checkpoint directory: wait a moment, as a standby."""
        if self._held is None:
            structlog.get_logger("datastream").info("standby", reason=str(held))
        self._held = held
        time.sleep(_RETRY_S)

    def on_start(self, graph: Any) -> None:
        self._held, self._began, self.starting = None, self._clock(), True

    def on_epoch(self, summary: EpochSummary) -> None:
        pass

    def on_restart(self, restart: Restart) -> None:
        pass

    def on_end(self, status: str, error: BaseException | None) -> None:
        self._began, self.starting = self._clock(), False

    @property
    def status(self) -> str:
        """What the runner does: ``starting``, ``standby``, ``running``, ``restarting``, ``ending`` or ``ended``."""
        if self.ending:
            return "ending"
        if self._held is not None:
            return "standby"
        running = self.running
        if not running:
            return "ended" if self._jobs else "starting"
        return "restarting" if any(job.status is JobStatus.RESTARTING for job in running) else "running"

    def health(self) -> Verdict:
        """Whether the process does what it should; if it does not, its supervisor had better start it again."""
        verdict = self._look()
        if verdict.good is not self._was_good:
            self._was_good = verdict.good
            log = structlog.get_logger("datastream")
            if verdict.good:
                log.info("healthy")
            else:
                log.warning("unhealthy", reason=verdict.reason)
        return verdict

    def _look(self) -> Verdict:
        status = self.status
        if not self._stuck_after_s or self._held is not None:
            return Verdict(True, status)
        now = self._clock()
        jobs = self.running
        if not jobs and now - self._began > self._stuck_after_s:
            return Verdict(False, "stuck", f"no job has run for {now - self._began:.0f} s{self._limit()}")
        for job in jobs:
            silent_s = now - job.progress_s
            if silent_s > self._stuck_after_s:
                return Verdict(False, "stuck", self._why(job, silent_s))
        return Verdict(True, status)

    def _why(self, job: JobHandle, silent_s: float) -> str:
        """Why a job is taken for stuck."""
        waiting = f"{job.backlog:,} records wait" if job.backlog else "it has not reported that nothing waits"
        epoch = "no epoch yet" if job.last_epoch < 0 else f"the last epoch is {job.last_epoch}"
        tries = f"; {job.restarts_in_vain} restarts since then were in vain" if job.restarts_in_vain else ""
        return (
            f"the job '{job.name}' has committed nothing for {silent_s:.0f} s, and {waiting}, {epoch}{tries}"
            f"{self._limit()}"
        )

    def readiness(self) -> Verdict:
        """Whether the job runs: not while it starts, restarts, waits for another one or ends."""
        status, running = self.status, self.running
        if status != "running":
            why = str(self._held) if status == "standby" else f"the job is {status}"
            return Verdict(False, status, why)
        waiting = next((job for job in running if not job.planned), None)
        if waiting is not None:
            return Verdict(False, "starting", f"the job '{waiting.name}' has not planned its first epoch yet")
        return Verdict(True, status)

    def overview(self) -> dict[str, Any]:
        """The latest job and the process, for people."""
        job = self._jobs[-1] if self._jobs else None
        about: dict[str, Any] = {"job": None, "id": None, "status": self.status, "epoch": None, "restarts": 0}
        if job is not None:
            counts = job.accumulators
            about |= {
                "job": job.name,
                "id": str(job.job_id),
                "epoch": job.last_epoch if job.last_epoch >= 0 else None,
                "restarts": job.restarts,
                "records_in": counts["records_in"],
                "records_out": counts["records_out"],
            }
        return {**about, "uptime_s": round(self._clock() - self._born, 1), "versions": _versions()}

    def _limit(self) -> str:
        return f"; the limit is {self._stuck_after_s:g} s (stuck-after)"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name, package in (("datastream", "spark-datastream"), ("spark", "pyspark")):
        try:
            found[name] = version(package)
        except PackageNotFoundError:  # run from a checkout
            found[name] = "unknown"
    return found
