"""A job that was started: what every executor returns."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from datastream.config.settings import EpochProgress, EpochSummary, MetricsListener, Restart
from datastream.errors import JobCancelled, UnsupportedOperation
from datastream.graph import JobGraph
from datastream.graph.operators import Sink, Source
from datastream.logs import place
from datastream.logs.place import Place
from datastream.metrics import MetricValues, merge

from .job_execution_result import JobExecutionResult
from .job_id import JobID
from .job_outcome import JobOutcome
from .job_status import JobStatus
from .options import JobOptions
from .restart_policy import RestartPolicy

_LOGGER = logging.getLogger("datastream")
_NO_SAVEPOINTS = (
    "the local executor keeps no checkpoint, so it takes no savepoint of a running job; run on Spark for that"
)


class RowReader(Protocol):
    """What takes rows of a job to the script that has started it."""

    @property
    def begun(self) -> bool:
        """Whether the script has asked for a row."""

    def drop(self) -> None:
        """Rows are no longer needed: keep none."""


class JobHandle(ABC):
    """A running or ended job, followed by a thread of its own.

    Attributes:
        job_id: The job's id.
        future: Done when the job has ended: its result or its error.
        name: For people.
        bounded: Whether all its sources end.
        gave_up: Its restarts were in vain for so long that it has failed: a new process may do better.
        restarts: How often the job was started again.
        tries: The same, with epochs that ran again because their failure was tolerable.
        planned: Whether this attempt has run: it has planned an epoch, or found nothing to read.
        progress_s: When the job last did what it should, by `time.monotonic`: it committed an epoch, or ran and found
            nothing to do. A restart is not among it.
        idle: It has found nothing to do since its last epoch.
        backlog: How many records waited to be read at the last look; None: not known.
    """

    def __init__(self, job_id: JobID, graph: JobGraph, options: JobOptions) -> None:
        self.job_id = job_id
        self.future = JobOutcome()
        self.name = graph.name
        self.bounded = all(op.source.bounded for op in graph.of_kind(Source))
        self.restarts = self.tries = 0
        self.backlog: int | None = None
        self.gave_up = False
        self._options = options
        self._policy = RestartPolicy(options.restarts)
        self._restarting = self._ended_early = self.planned = self.idle = False
        self.last_epoch = -1
        self._cancelled_from_outside = False
        self._sinks: dict[int, Any] = {op.id: op.sink for op in graph.of_kind(Sink)}
        self._cancelled = threading.Event()
        self._ended_as: JobStatus | None = None
        self._records_in = self._records_out = 0
        self._user_metrics: MetricValues = {}
        #: Takes the job's rows to the script.
        self.reader: RowReader | None = None
        self._started = self.progress_s = time.monotonic()
        self._thread = threading.Thread(target=self._main, name=f"datastream-{graph.name}", daemon=True)

    @abstractmethod
    def _attempt(self) -> None:
        """Run the job to its end, or until `_cancelled` is set; raises what made it fail.

        Called again after a failure, when the job restarts from its last committed epoch. Sets `_restarting` to false
        once it runs.
        """

    @abstractmethod
    def savepoint(self, target: str) -> Any:
        """Write the state as of the last committed epoch to a new folder; returns the savepoint's manifest."""

    def _release(self, status: str, error: BaseException | None) -> None:  # noqa: B027 - optional
        """Let go of what the job held, before anybody in this process hears of its end."""

    def cancel(self) -> None:
        """End the job after what it has committed. Returns when it has ended; safe to call twice."""
        self._cancelled.set()
        self.join()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the job has ended, and let go of what it held."""
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)

    def end_after_epoch(self) -> None:
        """Let the job end after the epoch in progress, without waiting; started again, it continues there.

        A job that waits for its restart ends at once. The job's status is FINISHED, though its sources have not ended.
        """
        self._ended_early = True
        if self._restarting:
            self._cancelled.set()

    def begin_cancel(self) -> None:
        """Let the job end as `cancel` does, without waiting."""
        self._cancelled.set()

    @property
    def ending(self) -> bool:
        """Whether it was asked to end."""
        return self._ended_early or self._cancelled.is_set()

    def cancel_from_outside(self) -> None:
        """Let the job end as `cancel` does, without waiting; who waits for its result gets a `JobCancelled`."""
        self._cancelled_from_outside = True
        self._cancelled.set()

    def trigger_savepoint(self, directory: str | None) -> str:
        """Take a savepoint of the running job; where it is.

        Raises:
            UnsupportedOperation: This executor keeps no checkpoint to take it of.
        """
        raise UnsupportedOperation(_NO_SAVEPOINTS)

    def stop_with_savepoint(self, drain: bool, directory: str | None) -> str:
        """End the job with a savepoint; where it is.

        Args:
            drain: Let the sources end first, so that timers and windows fire.
            directory: Where to take it to.

        Raises:
            UnsupportedOperation: This executor keeps no checkpoint to take it of.
        """
        raise UnsupportedOperation(_NO_SAVEPOINTS)

    @property
    def status(self) -> JobStatus:
        if not self.future.done():
            if self._cancelled.is_set():
                return JobStatus.CANCELLING
            return JobStatus.RESTARTING if self._restarting else JobStatus.RUNNING
        if self._ended_as is not JobStatus.FINISHED:
            return self._ended_as or JobStatus.FAILED
        return JobStatus.FINISHED if self.future.error is None else JobStatus.FAILED

    @property
    def ends_with_script(self) -> bool:
        """Whether it works for a script that takes its rows: without the script it would be of no use, or never end."""
        return self.reader is not None and len(self._sinks) == 1 and (self.reader.begun or not self.bounded)

    @property
    def checkpoint_dir(self) -> str | None:
        """The checkpoint directory; None: a temporary one."""
        return self._options.checkpoint_dir

    @property
    def accumulators(self) -> dict[str, Any]:
        """Counts and the values of the user's metrics, of all epochs that were committed so far."""
        counts: dict[str, Any] = {name: value.result for name, value in dict(self._user_metrics).items()}
        counts.update(records_in=self._records_in, records_out=self._records_out)
        return counts

    def _run(self) -> None:
        """Run the job, again and again as long as its restart strategy allows it."""
        while True:
            try:
                self._attempt()
                return
            except Exception as error:
                if self._cancelled.is_set():
                    raise
                delay_s = self._delay_after(error)
            if self._ended_early or self._cancelled.wait(delay_s):
                return

    def _delay_after(self, error: Exception) -> float:
        """The time before the restart after a failure, in s; the failure itself is raised if there is none."""
        verdict = self._policy.judge(error)
        if not verdict.restart:
            self.gave_up = verdict.gave_up
            if verdict.why:
                error.add_note(f"The job is not restarted: {verdict.why}.")
                _LOGGER.warning("the job is not restarted: %s", verdict.why, extra={"kind": "restart"})
            raise error
        self._restarting, self.planned = True, False
        self.restarts += verdict.counted
        self.tries += 1
        counted = verdict.counted
        _LOGGER.warning(
            "%s (%s): %s in %.1f s, from the last committed epoch\n%s: %s",
            "the job failed" if counted else "an epoch failed",
            verdict.why,
            f"restart {self.restarts}" if counted else "it runs again",
            verdict.delay_s,
            type(error).__name__,
            error,
            extra={"kind": "restart"},
        )
        restart = Restart(self.restarts, error, verdict.delay_s, verdict.counted)
        for listener in self._options.listeners:
            listener.on_restart(restart)
        return verdict.delay_s

    def _take(self, summary: EpochSummary, collected: dict[int, list[Any]]) -> None:
        """Hand on what an epoch's commit reported; one that ran again after a restart is handed on once."""
        if summary.epoch <= self.last_epoch:
            return
        self.last_epoch = summary.epoch
        self.progress_s, self.planned, self.idle = time.monotonic(), True, False
        self._policy.epoch_committed()
        self._records_in += summary.records_in
        self._records_out += summary.records_out
        self._user_metrics = merge((self._user_metrics, summary.user_metrics))
        for warning in summary.warnings:
            about = {
                "kind": warning.kind,
                "operator": warning.operator,
                "uid": warning.operator,
                "epoch": summary.epoch,
            }
            _LOGGER.warning("%s", warning.message, extra=about)
        for listener in self._options.listeners:
            listener.on_epoch(summary)
        for id, values in collected.items():
            self._sinks[id].receive(summary.epoch, values)

    @property
    def restarts_in_vain(self) -> int:
        """How often the job was started again since it last did what it should."""
        return self._policy.in_vain

    def _note_idle(self) -> None:
        """The job runs, and has nothing to do now."""
        self.progress_s, self.planned, self.idle = time.monotonic(), True, True
        self._policy.nothing_waits()

    def _take_backlog(self, records: dict[str, Mapping[str, int]]) -> None:
        """Hand on what waits to be read, to whoever wants to know."""
        known = [waiting for parts in records.values() for waiting in parts.values()]
        self.backlog = sum(known) if known else None
        for listener in self._options.listeners:
            if isinstance(listener, MetricsListener):
                listener.on_backlog(records)

    def _take_progress(self, progress: EpochProgress) -> None:
        """Pass on what Spark reports of an epoch, to whoever wants to know."""
        for listener in self._options.listeners:
            if isinstance(listener, MetricsListener):
                listener.on_progress(progress)

    def _main(self) -> None:
        place.enter(Place(self.name, id=str(self.job_id)))  # of this thread; what it logs names the job
        error: BaseException | None = None
        try:
            self._run()
        except BaseException as caught:  # handed on through the future
            error = caught
        try:
            self._notify(error)
        except BaseException as late:  # a listener, or what was held: the job has ended all the same
            error = error or late
        if error is None and self._cancelled_from_outside:
            error = JobCancelled(f"the job '{self.name}' was cancelled by another process")
        if error is not None:
            self.future.set_exception(error)
            return
        self.future.set_result(JobExecutionResult(self.job_id, self._runtime_ms, self.accumulators))

    @property
    def _runtime_ms(self) -> int:
        return int((time.monotonic() - self._started) * 1000)

    def _notify(self, error: BaseException | None) -> None:
        failed = JobStatus.FINISHED if error is None else JobStatus.FAILED
        self._ended_as = JobStatus.CANCELED if self._cancelled.is_set() else failed
        self._release(self._ended_as.name, error)
        for listener in self._options.listeners:
            listener.on_end(self._ended_as.name, error)
