"""The simplest sink that is exactly once: a system whose transactions hold a marker beside the data."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import Any

from datastream.errors import CheckpointDamaged

from .contexts import WriterContext
from .sinks import Consumed, Sink, SinkWriter
from .sources import Batch


class TransactionalSink(Sink):
    """Writes an epoch of a subtask in one transaction, which also writes a marker: the epoch's number. Exactly once.

    A subtask that runs again reads the marker, and writes nothing if the epoch is there. Subtasks of an epoch become
    visible one by one, a little before the epoch is committed; functions must give the same for the same input.

    Give it `connect`, `last_epoch`, `write` and `commit`. The marker's row should be locked or unique, so that of two
    attempts that run at once one fails.
    """

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    @abstractmethod
    def connect(self) -> Any:
        """A connection, kept over epochs. Its `close` rolls an open transaction back; any thread may call it."""

    @abstractmethod
    def last_epoch(self, connection: Any, name: str) -> int | None:
        """The marker of a name, the last epoch that was written; None: there is none.

        Args:
            connection: Of `connect`; no transaction is open.
            name: Differs for each job, sink and subtask.
        """

    @abstractmethod
    def write(self, connection: Any, records: list[Any]) -> None:
        """Write some records in the transaction that is open, or that begins with them."""

    @abstractmethod
    def commit(self, connection: Any, name: str, epoch: int) -> None:
        """Set the marker of a name, and commit it with what was written."""

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _TransactionalWriter(self, f"{context.job_id}/{context.uid}/{context.subtask}")


class _TransactionalWriter(SinkWriter):
    def __init__(self, sink: TransactionalSink, name: str) -> None:
        self._sink, self._name = sink, name
        self._connection: Any = None
        self._epoch = 0
        self._done = False

    def begin(self, epoch: int, attempt: int) -> None:
        if self._connection is None:
            self._connection = self._sink.connect()
        last = self._sink.last_epoch(self._connection, self._name)
        if last is not None and last > epoch:
            raise CheckpointDamaged(
                f"{type(self._sink).__name__}: the job is at epoch {epoch}, but {self._name!r} wrote epoch {last}; "
                "the checkpoint directory is older than what the sink has written; restore both from the same "
                "time, or give the job another --checkpoint-dir, and what it writes again will be there twice"
            )
        self._epoch, self._done = epoch, last is not None and last >= epoch

    def write(self, batch: Batch) -> None:
        if not self._done:
            self._sink.write(self._connection, batch.records)

    def prepare_commit(self) -> None:
        if not self._done:
            self._sink.commit(self._connection, self._name, self._epoch)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken, and what it has not committed is written again
                connection.close()
