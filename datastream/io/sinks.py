"""Sinks: how records are written by tasks, and how an epoch's writes become visible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from datastream.errors import UnsupportedOperation, cut

from .contexts import CommitterContext, WriterContext
from .sources import Batch


@dataclass(frozen=True)
class Consumed:
    """What a sink asks of the engine.

    Attributes:
        records: Whether it looks at records at all. If not, they are counted and dropped, and there are no writers.
        timestamps: Whether it is given the records' timestamps. If not, `Batch.timestamps` is None.
        needs_checkpoint: Whether what it promises holds over restarts only with a checkpoint directory.
        ends_apart: Whether the job's last epoch reads nothing: the last commit may remove what sources have read, and
            an epoch that runs again reads it again.
        watermarks: Whether its committer is told the event time of the records; see `Committer.advance`.
        clock: Whether its committer may want an epoch that has no records; see `Committer.next_due`.
    """

    records: bool = True
    timestamps: bool = False
    needs_checkpoint: bool = False
    ends_apart: bool = False
    watermarks: bool = False
    clock: bool = False


class Sink(ABC):
    """A place that records go to: settings only, never changed once the job runs.

    It is pickled to the workers and to the process beside the driver, so it holds no connection.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Sink:
            raise UnsupportedOperation(
                f"Sink({cut(args[0]) if args else ''}): Java sinks cannot run here; "
                "use a connector of datastream.connectors, or write a subclass (docs/connectors.md)"
            )
        return super().__new__(cls)

    @property
    def consumed(self) -> Consumed:
        """What the sink asks of the engine. Default: records without timestamps."""
        return Consumed()

    def validate(self) -> None:  # noqa: B027 - optional
        """Check what can be checked before anything runs. Called once, in the driver.

        Raises:
            ValidationError: for instance a folder that cannot be written.
        """

    @abstractmethod
    def create_writer(self, context: WriterContext) -> SinkWriter:
        """What writes for one subtask, in a worker."""

    def create_committer(self, context: CommitterContext) -> Committer | None:
        """What makes an epoch visible, or None where writing is all there is."""
        return None


class CollectingSink(Sink):
    """A sink whose writers prepare something for the driver: collect, print, live tables."""

    @abstractmethod
    def receive(self, epoch: int, values: list[Any]) -> None:
        """Take what the writers of an epoch prepared. In the driver, on the user's own object, once it is committed."""


class SinkWriter(ABC):
    """Writes the records of one subtask, in a worker process. Kept over epochs by the engine.

    In each epoch in which the subtask has records: `begin`, `write` for each batch, `prepare_commit`; or, when the task
    fails, `abort` at any time. After an `abort` comes `close`, and another writer takes over. An epoch may begin again
    after its `prepare_commit`, with this writer or another one, if some other task of it failed. Nothing that cannot be
    written twice may be visible before the committer's word. In a process made by a fork the parent's writers are let
    go, never closed or used.
    """

    def begin(self, epoch: int, attempt: int) -> None:  # noqa: B027 - optional
        """The first records of an epoch are about to come.

        Args:
            epoch: Number of the micro-batch, from 0. Rises, with gaps; the same when the epoch runs again.
            attempt: A number that differs between attempts at the same task.
        """

    @abstractmethod
    def write(self, batch: Batch) -> None:
        """Write some records, in the task that made them. The job may change them later: keep copies only."""

    def prepare_commit(self) -> Any:
        """Finish the epoch's writes; what the committer needs, as a small value that pickle takes. None: nothing."""
        return None

    def abort(self) -> None:  # noqa: B027 - optional
        """The task failed: clean up what the epoch has written."""

    def close(self) -> None:  # noqa: B027 - optional
        """Let go of connections: at the job's end, after `abort`, or unused for minutes; perhaps in another thread."""


class Committer(ABC):
    """Makes an epoch's writes visible. One lives beside the driver for the whole run of a job.

    What it must remember over restarts belongs in the outside system, or in a note of `CommitterContext.spool`.

    Attributes:
        next_due: When it wants another commit, with or without records, in ms since 1970; None: with the next records.
            Asked after each commit, if `Consumed.clock` is set.
    """

    next_due: int | None = None

    def advance(self, watermark: int) -> None:  # noqa: B027 - optional
        """Learn the event time of the records. Called before each `commit`, if `Consumed.watermarks` is set.

        Args:
            watermark: The lowest of all tasks that write, in ms since 1970. A restart may set it back; before the first
                watermark, and in batch mode, it is `datastream.time.MIN_WATERMARK`.
        """

    @abstractmethod
    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        """Make the epoch visible. Must do nothing when this epoch was committed before.

        Args:
            epoch: Number of the micro-batch. Rises, with no gap that matters.
            committables: What the tasks' `SinkWriter.prepare_commit` gave, without the Nones. In an epoch that runs
                again they are those of the last attempt.
            final: No further epoch will come: the job's sources have ended.
        """

    def abort(self, epoch: int, committables: list[Any]) -> None:  # noqa: B027 - optional
        """The epoch failed: clean up, but not what is visible.

        This sink may have committed the epoch, perhaps by another object in another process, when the commit of another
        sink failed. May be called for writes that never finished, and is not sure to be called.
        """

    def close(self) -> None:  # noqa: B027 - optional
        """The run is over: end connections. Not called where the process is killed."""
