"""JobSink: one Python stream writer for all sinks of the job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter, WriterCommitMessage

from datastream.runtime.program import unpack
from datastream.runtime.sinking import JobCommitter, SinkTask, TaskCommit
from datastream.spark import wire
from datastream.spark.reporting import report
from datastream.spark.task_info import task_info

_committers: dict[str, JobCommitter] = {}


@dataclass
class TaskMessage(WriterCommitMessage):
    """A task's part of an epoch's commit."""

    part: TaskCommit


class JobWriter(DataSourceStreamArrowWriter):
    """Writes in the workers; commits in a long-lived process beside the driver."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        info = task_info()
        task = SinkTask(unpack(self._payload), info.partition, info.epoch, info.unique)
        try:
            for block in wire.from_batches(iterator, info.partition):
                task.write(block)
            return TaskMessage(task.finish())
        except BaseException:
            task.abort()
            raise

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        committer = self._committer()
        parts = [m.part for m in messages if isinstance(m, TaskMessage)]
        report(unpack(self._payload).spec, committer.commit(batchId, parts))

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        self._committer().abort(batchId, [m.part for m in messages if isinstance(m, TaskMessage)])

    def _committer(self) -> JobCommitter:
        program = unpack(self._payload)
        run = program.spec.run_id
        if run not in _committers:
            _committers.clear()
            _committers[run] = JobCommitter(program)
        return _committers[run]


def job_sink(payload: bytes, name: str) -> type[DataSource]:
    """A data source class for one job's sinks; made here so that it travels by value, job and all."""

    class JobSink(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return wire.DDL

        def streamWriter(self, schema: Any, overwrite: bool) -> DataSourceStreamArrowWriter:
            return JobWriter(payload)

    return JobSink
