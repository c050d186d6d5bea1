"""Brings a stream's records to the driver: ``stream.execute_and_collect()``."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from datastream.errors import ValidationError
from datastream.io import Batch, CollectingSink, SinkWriter, WriterContext
from datastream.types import TypeInformation, Types
from datastream.types.java_text import shortest
from datastream.types.pickles import dumps_records, loads
from datastream.types.received import received
from datastream.types.value_expressions import Forms


def _decimal(number: Decimal) -> Decimal:
    """With the digits of Java's engineering notation, where there is an exponent."""
    if number.as_tuple().exponent > 0:  # type: ignore[operator]
        return Decimal(f"{number:f}")
    return Decimal(number.to_eng_string()) if number else number


#: As in PyFlink: the shortest decimal that gives a FLOAT, bytes as numbers.
_FORMS: Forms = {
    Types.FLOAT(): shortest,
    Types.BIG_DEC(): _decimal,
    Types.PRIMITIVE_ARRAY(Types.BYTE()): lambda data: [byte - (byte & 128) * 2 for byte in data],
}


class CollectSink(CollectingSink):
    """Queues the records of committed epochs in the driver; iterating takes them out.

    One thread (the job's) calls `receive` and, at the job's end, `close`; another iterates and waits for
    records. Within an epoch the records are ordered by subtask. The queue has no bound.
    """

    def __init__(self, limit: int | None = None, record_type: TypeInformation | None = None) -> None:
        """
        Args:
            limit: Stop the iteration after this number of records. Default: at the job's end.
            record_type: Declared type of the records. Default: none.

        Raises:
            ValidationError: if `limit` is negative.
        """
        if limit is not None and limit < 0:
            raise ValidationError(f"CollectSink: limit must be 0 or more, got {limit}")
        self._limit = limit
        self._record_type = record_type
        self._reset()

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[Any] = deque()
        self._closed = self._dropping = False
        self._error: BaseException | None = None
        self._taken = 0

    def __getstate__(self) -> dict[str, Any]:
        return {"_limit": self._limit, "_record_type": self._record_type}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._limit = state["_limit"]
        self._record_type = state["_record_type"]
        self._reset()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _CollectWriter(context.subtask, received(self._record_type, _FORMS))

    def receive(self, epoch: int, values: list[Any]) -> None:
        with self._changed:
            for _, blocks in sorted(values, key=lambda value: value[0]):
                for block in () if self._dropping else blocks:
                    self._queue.extend(loads(block))
            self._changed.notify_all()

    def drop(self) -> None:
        """Keep no records: they will not be taken."""
        with self._changed:
            self._dropping = True
            self._queue.clear()

    def close(self, error: BaseException | None = None) -> None:
        """No more records come. An error is raised to the one who iterates, after the last record."""
        with self._changed:
            self._closed = True
            self._error = error
            self._changed.notify_all()

    def take(self) -> list[Any]:
        """Take out the records that are there, without waiting."""
        with self._changed:
            found = list(self._queue)
            self._queue.clear()
            self._taken += len(found)
        return found

    @property
    def full(self) -> bool:
        """Whether the limit is reached, counting records that have not been taken yet."""
        with self._changed:
            return self._limit is not None and self._taken + len(self._queue) >= self._limit

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        with self._changed:
            if self._limit is not None and self._taken >= self._limit:
                raise StopIteration
            while not self._queue and not self._closed:
                self._changed.wait()
            if self._queue:
                self._taken += 1
                return self._queue.popleft()
            if self._error is not None:
                raise self._error
            raise StopIteration


class _CollectWriter(SinkWriter):
    def __init__(self, subtask: int, received: Callable[[Any], Any] | None) -> None:
        self._subtask = subtask
        self._received = received
        self._blocks: list[bytes] = []

    def begin(self, epoch: int, attempt: int) -> None:
        self._blocks = []

    def write(self, batch: Batch) -> None:
        records = batch.records if self._received is None else list(map(self._received, batch.records))
        self._blocks.append(dumps_records(records))  # the records themselves may still be changed by the job

    def prepare_commit(self) -> tuple[int, list[bytes]] | None:
        return (self._subtask, self._blocks) if self._blocks else None
