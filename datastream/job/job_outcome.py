"""How a job ended, and whether anybody has heard of it."""

from __future__ import annotations

from concurrent.futures import Future

from .job_execution_result import JobExecutionResult


class JobOutcome(Future[JobExecutionResult]):
    """A job's result or its error.

    Attributes:
        heard: It has been returned to a caller, so that a failure of the job needs no other report.
    """

    def __init__(self) -> None:
        super().__init__()
        self.heard = False

    def result(self, timeout: float | None = None) -> JobExecutionResult:
        try:
            return super().result(timeout)
        finally:
            self.heard |= self.done()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        try:
            return super().exception(timeout)
        finally:
            self.heard |= self.done()

    @property
    def error(self) -> BaseException | None:
        """What made the job fail, if it has ended; reading it does not count as having been reported."""
        return super().exception() if self.done() and not self.cancelled() else None
