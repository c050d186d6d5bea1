"""The source readers of one task."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from datastream.graph.operators import Source
from datastream.io import Batch, ReaderContext, SourceReader
from datastream.metrics import MetricGroup, MetricValues, merge

from .connector_cache import CACHE, Kept
from .connector_contexts import logger_of, metrics_of, spool_of
from .program import Program
from .user_errors import user_failure


class SourceReaders:
    """Takes readers from the process's cache for one task, and gives them back.

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
        name = f"{type(source.source).__qualname__}.create_reader"
        try:
            reader = self._reader(source, timestamps)
            name = f"{type(reader).__qualname__}.read"
            batches = iter(reader.read(split))
            while (batch := next(batches, None)) is not None:
                yield batch
        except Exception as error:
            raise user_failure(error, source, name, trace=error.__traceback__) from error

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
            self._used[source.id] = kept
            kept.metrics.subtask = self._subtask
            kept.value.begin(self._epoch, self._attempt)
        return kept.value
