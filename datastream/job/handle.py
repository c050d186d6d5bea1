"""A job that was started: what every executor gives back."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future
from dataclasses import dataclass, field

from datastream.config.settings import JobListener

from .job_execution_result import JobExecutionResult
from .job_id import JobID
from .job_status import JobStatus


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


class JobHandle(ABC):
    """A running or ended job.

    Attributes:
        job_id: The job's id.
        future: Done when the job has ended: its result or its error.
    """

    def __init__(self, job_id: JobID) -> None:
        self.job_id = job_id
        self.future: Future[JobExecutionResult] = Future()
        self._cancelled = threading.Event()

    @abstractmethod
    def cancel(self) -> None:
        """End the job after what it has committed. Returns when it has ended; safe to call twice."""

    @property
    def status(self) -> JobStatus:
        if not self.future.done():
            return JobStatus.CANCELLING if self._cancelled.is_set() else JobStatus.RUNNING
        if self.future.exception() is not None:
            return JobStatus.CANCELED if self._cancelled.is_set() else JobStatus.FAILED
        return JobStatus.CANCELED if self._cancelled.is_set() else JobStatus.FINISHED
