"""The sink with a write-ahead log: records are kept beside the table, and written once their epoch is complete."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from logging import Logger
from typing import Any, TypeVar

from datastream.errors import CheckpointDamaged, CheckpointError, ValidationError
from datastream.io import Batch, Committer, CommitterContext, Consumed, Sink, SinkWriter, WriterContext
from datastream.io.backoff import again

from .committer import CassandraCommitter, LogTables, Progress
from .library import cassandra
from .logged import Part, parts_as_bytes, parts_of, records_as_bytes, records_of
from .row_sink import CassandraRowSink, Table
from .statement import Query

T = TypeVar("T")

#: Records of a chunk.
_CHUNK = 500
#: Bytes of a chunk; Cassandra refuses writes of more than half a segment of its commit log (32 MiB by default).
_BYTES = 1 << 20


@dataclass(frozen=True)
class CassandraLogSink(Sink):
    """Keeps the records of an epoch in a table of its own, and executes the statement for them at the commit.

    Nothing of an epoch is visible before all its tasks have ended, and nothing of attempts that failed ever is. So the
    functions of the job need not give the same when an epoch runs again. With a statement that can be repeated it is
    exactly once. With counters and lists that grow, a chunk of up to 500 records is written twice if the committer
    dies, or has no answer, amid it.

    Attributes:
        sink: The statement.
        committer: Where the log is.

    Raises:
        ValidationError: The sink has no statement: objects of dataclasses are not kept.
    """

    sink: CassandraRowSink
    committer: CassandraCommitter

    def __post_init__(self) -> None:
        if not isinstance(self.sink.statement, Query):
            raise ValidationError(
                "CassandraSink: a write-ahead log takes tuples and rows only, as Flink's: call set_query, or leave out "
                "enable_write_ahead_log"
            )

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    def validate(self) -> None:
        cassandra()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _LogWriter(self, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return _LogCommitter(self, f"{context.job_id}/{context.uid}", context.logger)


class _Log:
    """The tables of the log, connected anew when the cluster was away.

    Args:
        sink: The sink.
        logger: Gets a line for each time that something is tried again.
        retried: Called as often.
    """

    def __init__(self, sink: CassandraLogSink, logger: Logger, retried: Callable[[], Any] = lambda: None) -> None:
        self._committer, self._backoff = sink.committer, sink.sink.backoff
        self._logger, self._retried = logger, retried
        self._tables: LogTables | None = None

    def do(self, what: Callable[[LogTables], T]) -> T:
        """The result of a call, which is made again when the cluster is away or has no room."""

        def call() -> T:
            if self._tables is None:
                self._tables = LogTables(self._committer)
            return what(self._tables)

        return again(call, self.close, self._backoff, self._logger, "the log is tried again", self._retried)

    def close(self) -> None:
        tables, self._tables = self._tables, None
        if tables is not None:
            with suppress(Exception):
                tables.close()


class _LogWriter(SinkWriter):
    def __init__(self, sink: CassandraLogSink, context: WriterContext) -> None:
        metrics = context.metrics
        self._name = f"{context.job_id}/{context.uid}"
        self._subtask = context.subtask
        self._log = _Log(sink, context.logger, metrics.counter("numRetries").inc)
        self._batches, self._bytes = metrics.counter("numBatches"), metrics.counter("numBytesOut")
        self._part, self._chunks = "", 0
        self._waiting: list[Any] = []

    def begin(self, epoch: int, attempt: int) -> None:
        self._part, self._chunks, self._waiting = f"{epoch}-{self._subtask}-{uuid.uuid4().hex}", 0, []

    def write(self, batch: Batch) -> None:
        self._waiting += batch.records
        while len(self._waiting) >= _CHUNK:
            full, self._waiting = self._waiting[:_CHUNK], self._waiting[_CHUNK:]
            self._keep(full)

    def prepare_commit(self) -> Part:
        if self._waiting:
            self._keep(self._waiting)
            self._waiting = []
        return Part(self._part, self._chunks)

    def abort(self) -> None:
        name, part = self._name, self._part
        if self._chunks:
            with suppress(Exception):  # what stays is forgotten by Cassandra after some days
                self._log.do(lambda tables: tables.drop(name, part))

    def close(self) -> None:
        self._log.close()

    def _keep(self, records: list[Any]) -> None:
        data = records_as_bytes(records)
        if len(data) > _BYTES and len(records) > 1:
            half = len(records) // 2
            self._keep(records[:half])
            self._keep(records[half:])
            return
        name, part, chunk = self._name, self._part, self._chunks
        self._chunks += 1
        self._log.do(lambda tables: tables.append(name, part, chunk, data))
        self._batches.inc()
        self._bytes.inc(len(data))


class _LogCommitter(Committer):
    def __init__(self, sink: CassandraLogSink, name: str, logger: Logger) -> None:
        self._sink, self._name, self._logger = sink, name, logger
        self._log = _Log(sink, logger)
        self._table: Table | None = None

    def commit(self, epoch: int, committables: list[Part], final: bool) -> None:
        before = self._log.do(lambda tables: tables.progress(self._name))
        if before is not None and before.epoch > epoch:
            raise CheckpointDamaged(
                f"the job is at epoch {epoch}, but the log of {self._name!r} has applied epoch {before.epoch}: the "
                "checkpoint directory is older than what the sink has written; restore both from the same time, or "
                "give the job another --checkpoint-dir, and what it writes again may be there twice"
            )
        if before is not None and before.epoch == epoch:
            return
        if before is not None and before.applying == epoch and before.parts is not None:
            # An earlier try has begun: what it took counts, whatever the epoch gave when it ran again.
            parts = parts_of(before.parts, self._name)
            for part in committables:
                if part not in parts:
                    self._drop(part)
        else:
            if not committables:
                return
            parts = list(committables)
            began = Progress(-1 if before is None else before.epoch, epoch, parts_as_bytes(parts), 0)
            self._advance(before, began)
            before = began
        before = self._apply(parts, before)
        self._advance(before, Progress(epoch))
        for part in parts:
            self._drop(part)

    def abort(self, epoch: int, committables: list[Part]) -> None:
        with suppress(ConnectionError, TimeoutError):
            known = self._log.do(lambda tables: tables.progress(self._name))
            if known is not None and (known.epoch >= epoch or known.applying == epoch):
                return
            for part in committables:
                self._drop(part)

    def close(self) -> None:
        self._log.close()
        self._close_table()

    def _apply(self, parts: list[Part], progress: Progress) -> Progress:
        chunks = [(part, chunk) for part in parts for chunk in range(part.chunks)]
        for number, (part, chunk) in enumerate(chunks):
            if number < progress.done:
                continue
            records = self._records(part, chunk)
            self._write(records)
            if records and self._table is not None and not self._table.repeatable(records[0]):
                done = Progress(progress.epoch, progress.applying, progress.parts, number + 1)
                self._advance(progress, done)
                progress = done
        return progress

    def _records(self, part: Part, chunk: int) -> list[tuple[Any, ...]]:
        data = self._log.do(lambda tables: tables.chunk(self._name, part.name, chunk))
        if data is None:
            raise CheckpointDamaged(
                f"CassandraSink: chunk {chunk} of the log of {self._name!r}, part {part.name}, is gone from "
                f"{self._sink.committer.key_space}.datastream_log; it is kept for {LogTables.KEPT_S // 86_400} days. "
                "Restore the table, or give the job another --checkpoint-dir"
            )
        return records_of(data, self._name)

    def _write(self, records: list[Any]) -> None:
        waiting = records

        def call() -> None:
            nonlocal waiting
            if self._table is None:
                self._table = Table(self._sink.sink)
            left = self._table.write(waiting)
            if left:
                waiting = left
                raise TimeoutError(f"Cassandra had no room for {len(left)} records")

        again(call, self._close_table, self._sink.sink.backoff, self._logger, "the log is tried again")

    def _advance(self, before: Progress | None, after: Progress) -> None:
        def call(tables: LogTables) -> None:
            # A change whose answer was lost has been made all the same.
            if not tables.advance(self._name, before, after) and tables.progress(self._name) != after:
                raise CheckpointError(
                    f"CassandraSink: another run of the job {self._name!r} writes to the same log; stop one of them"
                )

        self._log.do(call)

    def _drop(self, part: Part) -> None:
        with suppress(ConnectionError, TimeoutError):
            self._log.do(lambda tables: tables.drop(self._name, part.name))

    def _close_table(self) -> None:
        table, self._table = self._table, None
        if table is not None:
            with suppress(Exception):
                table.close()
