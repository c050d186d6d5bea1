"""JobSink: one Python stream writer for all sinks of the job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter, WriterCommitMessage

from datastream.logs.place import at
from datastream.runtime.blocks import REPORT
from datastream.runtime.log_place import place_of
from datastream.runtime.program import unpack
from datastream.runtime.sinking import JobCommitter, TaskCommit
from datastream.spark.failure_seal import Seal
from datastream.spark.stages import wire
from datastream.spark.stages.reporting import ask, report, report_to_planner
from datastream.types.pickles import loads

_committers: dict[str, JobCommitter] = {}


@dataclass
class TaskMessage(WriterCommitMessage):
    """A task's part of an epoch's commit: `TaskCommit` of each task whose blocks came by, pickled by us.

    Spark unpickles messages before the user's modules can be imported.
    """

    parts: list[bytes]


class JobWriter(DataSourceStreamArrowWriter):
    """Gathers what the tasks have to commit; commits it in a long-lived process beside the driver."""

    def __init__(self, payload: bytes, seal: Seal) -> None:
        self._payload, self._seal = payload, seal

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        with self._seal.errors():
            return TaskMessage([block.data for block in wire.from_batches(iterator, 0) if block.channel == REPORT])

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        with self._seal.errors():
            self._commit(messages, batchId)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        with self._seal.errors():
            self._committer().abort(unpack(self._payload).spec.first_epoch + batchId, _parts(messages))

    def _commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        committer = self._committer()
        program = unpack(self._payload)
        epoch = program.spec.first_epoch + batchId
        with at(place_of(program, epoch=epoch)):
            done = committer.commit(epoch, _parts(messages))
        report_to_planner(program.spec, done.summary.records_in, done.next_timer)
        report(program.spec, done)
        if done.summary.final:
            committer.close()

    def _committer(self) -> JobCommitter:
        program = unpack(self._payload)
        run = program.spec.run_id
        if run not in _committers:
            for other in [other for other, known in _committers.items() if not known.running]:
                _committers.pop(other).close()
            _committers[run] = JobCommitter(program, partial(ask, program.spec))
        return _committers[run]


def _parts(messages: list[WriterCommitMessage | None]) -> list[TaskCommit]:
    return [loads(part) for message in messages if isinstance(message, TaskMessage) for part in message.parts]


def job_sink(payload: bytes, name: str, seal: Seal) -> type[DataSource]:
    """A data source class for one job's sinks; made here so that it travels by value, job and all."""

    class JobSink(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return wire.DDL

        def streamWriter(self, schema: Any, overwrite: bool) -> DataSourceStreamArrowWriter:
            return JobWriter(payload, seal)

    return JobSink
