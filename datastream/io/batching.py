"""The simplest sink for systems without transactions: records in batches, again where the system has no room."""

from __future__ import annotations

import copy
import pickle
import time
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from datastream.errors import cut

from .backoff import Backoff
from .contexts import WriterContext
from .sinks import Sink, SinkWriter
from .sources import Batch

_UNCHANGEABLE = frozenset((str, bytes, int, float, bool, type(None)))


class BatchingSink(Sink):
    """Writes records in batches, and again those that the system did not take. At least once, in order but for these.

    An epoch that runs again writes its records again, so where writing a record twice leaves it there once (an upsert
    by a key), all of them are there once in the end. A batch ends where it is full, and with the epoch.

    Give it `connect` and `write`; and `disconnect` where a connection has another way to end than ``close()``.

    Attributes:
        batch_size: Records of a batch.
        batch_bytes: Bytes of a batch by `size_of`, above which it ends; None: they do not count.
        batch_ms: A batch that began so long ago ends with the next records, in ms; None: only full ones do.
        backoff: Tries of a batch, and pauses between them, when the system is away or has no room.
    """

    batch_size: int = 1000
    batch_bytes: int | None = None
    batch_ms: int | None = None
    backoff: Backoff = Backoff()

    @abstractmethod
    def connect(self, context: WriterContext) -> Any:
        """A connection, kept over epochs; made anew when `write` has failed.

        Raises:
            ConnectionError: The system is away; tried again.
        """

    @abstractmethod
    def write(self, connection: Any, records: list[Any]) -> Sequence[Any] | None:
        """Write a batch, so that all of it is there for good on return.

        Returns:
            The records that the system had no room for, which are written again after a pause; None or none: it took
            all.

        Raises:
            ConnectionError, TimeoutError: The system is away. The whole batch is written again, by a new connection.
            Exception: Anything else, which fails the job: a record that it will never take, say.
        """

    def size_of(self, record: Any) -> int:
        """Size of a record in bytes. Needed where `batch_bytes` is set."""
        raise NotImplementedError(f"{type(self).__name__} limits batches by bytes, so it needs size_of(record)")

    def disconnect(self, connection: Any) -> None:
        """End a connection, perhaps a broken one, perhaps in another thread."""
        connection.close()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _BatchingWriter(self, context)


def _copied(records: list[Any]) -> list[Any]:
    """Copies of records, except those that cannot be changed."""
    if _UNCHANGEABLE.issuperset(map(type, records)):
        return records
    try:
        found: list[Any] = pickle.loads(pickle.dumps(records, 5))
        return found
    except Exception:  # a class of a notebook, say
        return copy.deepcopy(records)


class _BatchingWriter(SinkWriter):
    def __init__(self, sink: BatchingSink, context: WriterContext) -> None:
        self._sink, self._context = sink, context
        self._retries = context.metrics.counter("numRetries")
        self._batches = context.metrics.counter("numBatches")
        self._bytes = context.metrics.counter("numBytesOut") if sink.batch_bytes is not None else None
        self._connection: Any = None
        self._waiting: list[Any] = []
        self._size = 0
        self._since: float | None = None

    def begin(self, epoch: int, attempt: int) -> None:
        self._forget()

    def write(self, batch: Batch) -> None:
        sink = self._sink
        if self._bytes is None:
            self._waiting += batch.records
            while len(self._waiting) >= sink.batch_size:
                full, self._waiting = self._waiting[: sink.batch_size], self._waiting[sink.batch_size :]
                self._write(full)
                self._since = None
        else:
            for record in batch.records:
                size = sink.size_of(record)
                if self._waiting and (
                    len(self._waiting) >= sink.batch_size or self._size + size > (sink.batch_bytes or 0)
                ):
                    self._flush()
                self._waiting.append(record)
                self._size += size
        if sink.batch_ms is not None and self._waiting:
            now = time.monotonic()
            self._since = now if self._since is None else self._since
            if (now - self._since) * 1000 >= sink.batch_ms:
                self._flush()

        if self._waiting:
            self._waiting = _copied(self._waiting)  # the job may change them once this returns

    def prepare_commit(self) -> None:
        self._flush()

    def abort(self) -> None:
        self._forget()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken, and what it has not written is written again
                self._sink.disconnect(connection)

    def _forget(self) -> None:
        self._waiting, self._size, self._since = [], 0, None

    def _flush(self) -> None:
        records, size = self._waiting, self._size
        self._forget()
        if records:
            self._write(records)
            if self._bytes is not None:
                self._bytes.inc(size)

    def _write(self, records: list[Any]) -> None:
        """Write a batch, until the system has taken all of it.

        Raises:
            ConnectionError: It did not, by as many tries as there may be.
        """
        name, pauses = type(self._sink).__name__, self._sink.backoff.pauses_s()
        tries = 1
        while True:
            error: Exception | None = None
            try:
                if self._connection is None:
                    self._connection = self._sink.connect(self._context)
                left = list(self._sink.write(self._connection, records) or ())
            except (ConnectionError, TimeoutError) as failed:
                self.close()
                left, error = records, failed
            if not left:
                self._batches.inc()
                return
            why = f"it is away: {cut(str(error))}" if error is not None else f"it had no room for {len(left)} records"
            pause = next(pauses, None)
            if pause is None:
                raise ConnectionError(f"{name}: a batch was not taken by {tries} tries; {why}") from error
            tries += 1
            self._retries.inc()
            self._context.logger.warning("a batch is written again in %.1f s: %s", pause, why)
            time.sleep(pause)
            records = left
