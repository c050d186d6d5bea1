"""The states of a job."""

from __future__ import annotations

from enum import Enum


class JobStatus(Enum):
    """State of a job, from its start to its end."""

    CREATED = 0
    RUNNING = 1
    FAILING = 2
    FAILED = 3
    CANCELLING = 4
    CANCELED = 5
    FINISHED = 6
    RESTARTING = 7
    SUSPENDED = 8
    RECONCILING = 9
    INITIALIZING = 10

    def is_globally_terminal_state(self) -> bool:
        """Whether the job has ended for good: FAILED, CANCELED or FINISHED."""
        return self in (JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED)

    def is_terminal_state(self) -> bool:
        """Whether the job has ended here: globally terminal, or SUSPENDED."""
        return self is JobStatus.SUSPENDED or self.is_globally_terminal_state()
