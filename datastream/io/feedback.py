"""Feedback of loops with exchanges: what an epoch feeds back is spooled, and read by the next epoch.

Spark's plan has no cycles, so the tail of such a loop is a sink, and its head reads a source. They share a `Spool`.
Each task leaves a note under a number of its own, and the committer leaves a note of the epoch that names those of the
attempt that counts: a task may run twice and give something else each time. An epoch that fed nothing back leaves a
note, too, which stays until the next epoch has been committed: so a note that was lost is noticed. Offsets are numbers
of epochs: those of which everything before has been read.
"""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from datastream.types.pickles import dumps_records, loads

from .contexts import CommitterContext, EnumeratorContext, ReaderContext, WriterContext
from .sinks import Committer, Consumed, Sink, SinkWriter
from .sources import Batch, Offset, Produced, Source, SourceReader, SplitEnumerator
from .spool import Spool

_EPOCHS = "epochs"
_OF_EPOCH = 0


@dataclass(frozen=True)
class FeedbackSource(Source):
    """What a loop feeds back, at its head.

    Attributes:
        loop: The name of the loop in the spool: the uid of its tail.
        timestamps: Whether records keep their timestamps.
        max_wait_ms: For how long, in ms, timers of the loop may bring feedback after the end of the input and the last
            feedback; None: the loop ends as soon as it is empty.
        max_iterations: How many epochs it may take after its input; None: until it is empty.
    """

    loop: str
    timestamps: bool = False
    max_wait_ms: int | None = None
    max_iterations: int | None = None

    @property
    def produced(self) -> Produced:
        return Produced(exact=True, timestamps=self.timestamps)

    def create_enumerator(self, context: EnumeratorContext) -> FeedbackEnumerator:
        return FeedbackEnumerator(context.spool)

    def create_reader(self, context: ReaderContext) -> FeedbackReader:
        return FeedbackReader(context.spool)


@dataclass(frozen=True)
class FeedbackSink(Sink):
    """What a loop feeds back, at its tail.

    Attributes:
        loop: The name of the loop in the spool.
        timestamps: Whether records keep their timestamps.
    """

    loop: str
    timestamps: bool = False

    @property
    def consumed(self) -> Consumed:
        return Consumed(timestamps=self.timestamps)

    def create_writer(self, context: WriterContext) -> FeedbackWriter:
        return FeedbackWriter(context)

    def create_committer(self, context: CommitterContext) -> FeedbackCommitter:
        return FeedbackCommitter(context.spool)


@dataclass(frozen=True)
class FeedbackSplit:
    """What one task fed back.

    Attributes:
        epoch: In which epoch.
        note: The number of its note.
    """

    epoch: int
    note: int


class FeedbackEnumerator(SplitEnumerator):
    """One epoch reads what one epoch fed back, so that the records of a key stay in order.

    Args:
        spool: Of the loop.
    """

    def __init__(self, spool: Spool) -> None:
        self._spool, self._epochs = spool, spool.part(_EPOCHS)
        self._nothing: tuple[Offset, int] | None = None  # the last arguments of `end` after which nothing was found

    def initial_offset(self) -> Offset:
        return 0

    def latest_offset(self, start: Offset, budget: int) -> Offset:
        """As `end` in checkpoints of earlier versions, whose offsets do not hold the number of epochs."""
        return next((epoch + 1 for epoch in self._noted() if epoch >= start and self._parts_of(epoch)), start)

    def end(self, start: Offset, epochs: int, noted: bool) -> Offset:
        """The end of an epoch that reads what an epoch before it fed back.

        Args:
            start: The offset where it starts.
            epochs: How many epochs have been committed. Notes of later ones do not count: a savepoint may have some.
            noted: Whether the last one must have left a note.

        Raises:
            CheckpointError: Its note is missing.
        """
        if self._nothing == (start, epochs):
            return start
        if noted and start < epochs:
            self._epochs.require(epochs - 1, _OF_EPOCH)
        for epoch in self._noted():
            if start <= epoch < epochs and self._parts_of(epoch):
                return epoch + 1
        self._nothing = start, epochs
        return start

    def splits(self, start: Offset, end: Offset, parallelism: int) -> Sequence[FeedbackSplit]:
        if start == end:
            return []
        self._epochs.require(end - 1, _OF_EPOCH)  # epochs end after one that fed something back
        return [FeedbackSplit(epoch, number) for epoch in range(start, end) for _, number, _ in self._parts_of(epoch)]

    def waiting(self, offset: Offset) -> int:
        """How many records were fed back and not read before an offset."""
        return sum(count for epoch in self._noted() if epoch >= offset for _, _, count in self._parts_of(epoch))

    def _noted(self) -> list[int]:
        return [epoch for epoch, _ in self._epochs.notes()]

    def _parts_of(self, epoch: int) -> list[tuple[int, int, int]]:
        return parts_of(self._epochs, epoch)

    def commit(self, offset: Offset) -> None:
        self._epochs.remove_before(offset)
        self._spool.remove_before(offset)


class FeedbackReader(SourceReader):
    """Reads what tasks fed back.

    Args:
        spool: Of the loop.
    """

    def __init__(self, spool: Spool) -> None:
        self._spool = spool

    def read(self, split: FeedbackSplit) -> Iterator[Batch]:
        for part in pickle.loads(self._spool.require(split.epoch, split.note)):
            times, records = loads(part)
            yield Batch(records, times or None)


class FeedbackWriter(SinkWriter):
    """Spools what a task feeds back.

    Args:
        context: Where it runs.
    """

    def __init__(self, context: WriterContext) -> None:
        self._spool, self._subtask = context.spool, context.subtask
        self._fed_back = context.metrics.counter("numRecordsFedBack")
        self._epoch = 0
        self._parts: list[bytes] = []
        self._count = 0

    def begin(self, epoch: int, attempt: int) -> None:
        self._epoch, self._parts, self._count = epoch, [], 0

    def write(self, batch: Batch) -> None:
        if batch.records:
            self._parts.append(dumps_records(batch.records, batch.timestamps or []))
            self._count += len(batch.records)

    def prepare_commit(self) -> Any:
        if not self._count:
            return None
        self._fed_back.inc(self._count)
        number = secrets.randbits(62)
        self._spool.write(self._epoch, number, pickle.dumps(self._parts, 5))
        self._parts = []
        return self._subtask, number, self._count


class FeedbackCommitter(Committer):
    """Says which notes of an epoch count: those of its last attempt, as with state.

    Args:
        spool: Of the loop.
    """

    def __init__(self, spool: Spool) -> None:
        self._epochs = spool.part(_EPOCHS)

    def commit(self, epoch: int, committables: list[tuple[int, int, int]], final: bool) -> None:
        notes = pickle.dumps(sorted(committables), 5)
        if self._epochs.read(epoch, _OF_EPOCH) != notes:
            self._epochs.remove(epoch, _OF_EPOCH)
            self._epochs.write(epoch, _OF_EPOCH, notes)
        for earlier, _ in self._epochs.notes():  # the enumerator removes those of epochs that fed something back
            if earlier < epoch - 1 and not parts_of(self._epochs, earlier):
                self._epochs.remove(earlier, _OF_EPOCH)


def parts_of(epochs: Spool, epoch: int) -> list[tuple[int, int, int]]:
    """What a note of an epoch names: subtask, number of its own note, and how many records it holds, of each task."""
    note = epochs.read(epoch, _OF_EPOCH)
    return [] if note is None else pickle.loads(note)


def check_notes(spool: Spool, offset: Offset, epochs: int) -> None:
    """Check that what a loop fed back and has not read is there.

    Args:
        spool: Of the loop.
        offset: Everything before it has been read.
        epochs: How many epochs have been committed.

    Raises:
        CheckpointError: A note is missing or damaged.
    """
    noted = spool.part(_EPOCHS)
    if offset < epochs:
        noted.require(epochs - 1, _OF_EPOCH)
    for epoch, _ in noted.notes():
        if offset <= epoch < epochs:
            for _, number, _ in parts_of(noted, epoch):
                spool.require(epoch, number)
