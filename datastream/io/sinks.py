"""Sinks: how records are written by tasks, and how an epoch's writes become visible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WriterContext:
    """Where a writer stands.

    Attributes:
        job_id: The job's id; it stays the same over restarts from one checkpoint folder.
        uid: The sink's stable name in the job.
        epoch: Number of the micro-batch, from 0.
        subtask: Index of the task in the epoch, from 0.
        attempt: A number that differs between attempts at the same task.
    """

    job_id: str
    uid: str
    epoch: int
    subtask: int
    attempt: int


class Writer(ABC):
    """Writes the records of one task of one epoch. Nothing may be visible before the commit."""

    @abstractmethod
    def write(self, records: list[Any]) -> None:
        """Write one block of records.

        Runs in the task that made them. The job may change the records later: keep copies, not the records.
        """

    def write_timed(self, records: list[Any], times: list[int | None] | None) -> None:
        """Write one block of records with their timestamps in ms; called instead of `write` for a `timestamped` sink.

        Args:
            records: As for `write`.
            times: As many; None where the stream has no event time.
        """
        self.write(records)

    def prepare_commit(self) -> Any:
        """Finish writing; what the committer needs, as a small value that pickle takes. None: nothing."""
        return None

    def abort(self) -> None:  # noqa: B027 - optional
        """The task failed: clean up what was written."""


class Committer(ABC):
    """Makes an epoch's writes visible; lives in a process beside the driver.

    It is made anew for each process, so what it must remember belongs in the outside system.
    """

    @abstractmethod
    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        """Make the epoch visible. Must do nothing when this epoch was committed before.

        Args:
            epoch: Number of the micro-batch. Rises, with no gap that matters.
            committables: What the tasks' `Writer.prepare_commit` gave, without the Nones.
            final: No further epoch will come: the job's sources have ended.
        """

    def abort(self, epoch: int, committables: list[Any]) -> None:  # noqa: B027 - optional
        """The epoch failed: clean up. May be called for writes that never finished."""


class Sink(ABC):
    """A place that records go to. Pickled to the workers: it holds settings, not connections."""

    #: A sink that never looks at its records is not even called.
    discards: bool = False

    #: Whether what it promises holds over restarts only with a checkpoint folder.
    needs_checkpoint: bool = False

    #: Whether the records' timestamps are written too.
    timestamped: bool = False

    #: The driver gets the records of each committed epoch (collect, print, live tables).
    collects: bool = False

    def validate(self) -> None:  # noqa: B027 - optional
        """Check what can be checked before anything runs, in the driver.

        Raises:
            ValidationError: for instance a folder that cannot be written.
        """

    @abstractmethod
    def writer(self, context: WriterContext) -> Writer:
        """A writer for one task of one epoch."""

    def committer(self, job_id: str, uid: str) -> Committer | None:
        """What makes an epoch visible, or None where writing is all there is."""
        return None

    def receive(self, epoch: int, values: list[Any]) -> None:  # noqa: B027 - optional
        """In the driver, once for each committed epoch, if `collects`: what the writers prepared."""
