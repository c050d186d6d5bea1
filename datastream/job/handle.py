"""A job that was started: what every executor gives back."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from datastream.config.job_warnings import WarningSettings
from datastream.config.settings import EpochSummary, JobListener
from datastream.graph import JobGraph
from datastream.graph.operators import Sink
from datastream.metrics import MetricValues, merge

from .job_execution_result import JobExecutionResult
from .job_id import JobID
from .job_status import JobStatus

_LOGGER = logging.getLogger("datastream")


@dataclass(frozen=True)
class JobOptions:
    """How a job is to be run.

    Attributes:
        master: Spark master.
        checkpoint_dir: Folder for offsets, state and commits; None means a temporary one.
        properties: Settings, ``spark.*`` among them.
        parameters: The job's global parameters.
        python_files: Files and folders of the user's to ship to the workers.
        listeners: Told of the job's life.
        verbose: Whole stacks in errors.
        log_file: Where Spark's own log goes.
        epoch_records: Records an epoch should hold at most.
        epoch_ms: Length in ms that epochs are steered to.
        types_check: What to do with values that do not fit their declared type.
        serializers: (class, how its objects are pickled) that the user registered.
        warnings: When the running job is warned about; None: never.
        trigger_ms: Epochs start at least this far apart, in ms; 0: as soon as there is data.
    """

    master: str = "local[*]"
    checkpoint_dir: str | None = None
    properties: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    python_files: tuple[str, ...] = ()
    listeners: tuple[JobListener, ...] = ()
    verbose: bool = False
    log_file: str | None = None
    epoch_records: int = 1_000_000
    epoch_ms: int = 1000
    trigger_ms: int = 0
    types_check: str = "strict"
    serializers: tuple[tuple[type, Any], ...] = ()
    warnings: WarningSettings | None = None


class JobHandle(ABC):
    """A running or ended job, followed by a thread of its own.

    Attributes:
        job_id: The job's id.
        future: Done when the job has ended: its result or its error.
    """

    def __init__(self, job_id: JobID, graph: JobGraph, options: JobOptions) -> None:
        self.job_id = job_id
        self.future: Future[JobExecutionResult] = Future()
        self._options = options
        self._sinks: dict[int, Any] = {op.id: op.sink for op in graph.of_kind(Sink)}  # of those that collect
        self._cancelled = threading.Event()
        self._records_in = self._records_out = 0
        self._user_metrics: MetricValues = {}
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._main, name=f"datastream-{graph.name}", daemon=True)

    @abstractmethod
    def _run(self) -> None:
        """Follow the job to its end, or until `_cancelled` is set; raises what made it fail."""

    def _release(self) -> None:  # noqa: B027 - optional
        """Let go of what the job held, before anybody hears of its end."""

    def cancel(self) -> None:
        """End the job after what it has committed. Returns when it has ended; safe to call twice."""
        self._cancelled.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    @property
    def status(self) -> JobStatus:
        if not self.future.done():
            return JobStatus.CANCELLING if self._cancelled.is_set() else JobStatus.RUNNING
        if self._cancelled.is_set():
            return JobStatus.CANCELED
        return JobStatus.FINISHED if self.future.exception() is None else JobStatus.FAILED

    def _take(self, summary: EpochSummary, collected: dict[int, list[Any]]) -> None:
        """Hand on what an epoch's commit reported."""
        self._records_in += summary.records_in
        self._records_out += summary.records_out
        self._user_metrics = merge((self._user_metrics, summary.user_metrics))
        for warning in summary.warnings:
            about = {"kind": warning.kind, "operator": warning.operator, "epoch": summary.epoch}
            _LOGGER.warning("%s", warning.message, extra=about)
        for listener in self._options.listeners:
            listener.on_epoch(summary)
        for id, values in collected.items():
            self._sinks[id].receive(summary.epoch, values)

    def _main(self) -> None:
        error: BaseException | None = None
        try:
            self._run()
        except BaseException as caught:  # handed on through the future
            error = caught
        try:
            self._notify(error)
        except BaseException as late:  # a listener, or what was held: the job has ended all the same
            error = error or late
        if error is not None:
            self.future.set_exception(error)
            return
        runtime = int((time.monotonic() - self._started) * 1000)
        counts: dict[str, Any] = {name: value.result for name, value in self._user_metrics.items()}
        counts.update(records_in=self._records_in, records_out=self._records_out)
        self.future.set_result(JobExecutionResult(self.job_id, runtime, counts))

    def _notify(self, error: BaseException | None) -> None:
        self._release()
        status = "CANCELED" if self._cancelled.is_set() else "FINISHED" if error is None else "FAILED"
        for listener in self._options.listeners:
            listener.on_end(status, error)
