"""The source readers of one task, and how many of their records run at a time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph.operators import Source
from datastream.io import Batch, ReaderContext, SourceReader
from datastream.metrics import MetricGroup, MetricValues, merge

from .blocks import BLOCK_BYTES
from .connector_cache import CACHE, Kept
from .connector_contexts import logger_of, method_name, metrics_of, require, spool_of
from .program import Program
from .user_errors import user_failure

_END: Any = object()
_FIRST = 256
_MOST = 1 << 20
_BYTES = 8 * BLOCK_BYTES


class SourceReaders:
    """Takes readers from the process's cache for one task, and returns them.

    Args:
        program: The job.
        subtask: Index of the subtask.
        epoch: Number of the micro-batch.
        attempt: A number that no other attempt of the run has.
    """

    def __init__(self, program: Program, subtask: int, epoch: int, attempt: int) -> None:
        self._program = program
        self._subtask, self._epoch, self._attempt = subtask, epoch, attempt
        self._used: dict[int, Kept[SourceReader]] = {}

    def read(self, source: Source, split: Any, timestamps: bool) -> Generator[Batch, None, None]:
        """The batches of a split; errors name the source.

        Args:
            source: Its operator.
            split: What to read.
            timestamps: Whether the job uses timestamps of this source.
        """
        name = method_name(source, source.source, "create_reader")
        try:
            reader = self._reader(source, timestamps)
            name = method_name(source, reader, "read")
            batches = iter(reader.read(split))
        except BaseException as error:
            raise user_failure(error, source, name, trace=error.__traceback__) from error
        while True:
            try:
                batch = next(batches, _END)
                if batch is not _END:
                    _check(batch)
            except BaseException as error:
                raise user_failure(error, source, name, trace=error.__traceback__) from error
            if batch is _END:
                return
            yield batch

    def take_metrics(self) -> MetricValues:
        """What the readers have counted in this epoch."""
        return merge(kept.metrics.take() for kept in self._used.values())

    def release(self, final: bool) -> None:
        """Keep the readers for later epochs; in the last one, for tasks of other subtasks."""
        for kept in self._used.values():
            CACHE.give_back(kept, last=final)
        self._used = {}

    def abort(self) -> None:
        """Close the readers: the task has failed, perhaps in the middle of a split."""
        for kept in self._used.values():
            kept.close()
        self._used = {}

    def _reader(self, source: Source, timestamps: bool) -> SourceReader:
        kept = self._used.get(source.id)
        if kept is None:
            program = self._program

            def create(metrics: MetricGroup) -> SourceReader:
                return source.source.create_reader(
                    ReaderContext(
                        program.spec.job_id,
                        source.state_uid,
                        program.plan.subtasks[source.id],
                        timestamps,
                        metrics,
                        logger_of(source),
                        spool_of(program, source),
                    )
                )

            kept = CACHE.take(
                (program.spec.run_id, source.state_uid, -1),
                lambda: metrics_of(program, source, self._subtask),
                create,
            )
            require(kept.value, SourceReader, "create_reader")
            self._used[source.id] = kept
            kept.metrics.subtask = self._subtask
            kept.value.begin(self._epoch, self._attempt)
        return kept.value


class Slices:
    """How many records of a source run through its chain at a time: few where each becomes large.

    Learns that from what leaves a task; with each task anew, so that a replay cuts as before.

    Attributes:
        size: Records of the next slice.
    """

    def __init__(self) -> None:
        self.size = _FIRST

    def sent(self, records: int, size: int) -> None:
        """A slice of this number of records made the task send this number of bytes."""
        if size > _BYTES:
            self.size = max(1, min(self.size, records * _BYTES // size))
        elif records >= self.size:
            self.size = min(self.size * 4, _MOST)


def _check(batch: Batch) -> None:
    """Refuse what is no batch, or one whose parts do not fit each other."""
    if type(batch) is not Batch:
        raise ValidationError(f"read must yield Batch(records), got a {type(batch).__name__}: {cut(batch)}")
    records: object = batch.records
    times = batch.timestamps
    if not isinstance(records, Sequence) or isinstance(records, (str, bytes)):
        raise ValidationError(f"a Batch holds a list of records, got a {type(records).__name__}: {cut(records)}")
    if times is not None and len(times) != len(records):
        raise ValidationError(f"a Batch holds as many timestamps as records, got {len(times)} and {len(records)}")
