"""JobSource: one Python data source for all sources of the job, with the chains behind them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from datastream.graph import Kind, Operator
from datastream.runtime.epoch_plan import TaskPlan, plan_epoch
from datastream.runtime.epoch_sizing import Pace
from datastream.runtime.hosts.host import system_clock
from datastream.runtime.program import Program, ask, unpack
from datastream.runtime.task import Task
from datastream.spark.stages import wire
from datastream.spark.stages.reporting import Exhausted, next_timer, report
from datastream.spark.stages.task_info import task_info


@dataclass
class Planned(InputPartition):
    """What one task of an epoch reads."""

    plan: TaskPlan


class JobReader(DataSourceStreamReader):
    """Plans epochs beside the driver, reads them in the workers.

    The offset is ``{"sources": {uid: its offset}, "final": all have ended, "ticks": epochs without data}``: an epoch
    without data fires timers that are due.
    """

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._program: Program | None = None
        self._pace: Pace | None = None
        self._planned: float | None = None
        self._told = False
        self._ran = False

    def __getstate__(self) -> dict[str, Any]:
        return {"_payload": self._payload}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_payload"])  # type: ignore[misc]

    @property
    def program(self) -> Program:
        if self._program is None:
            self._program = unpack(self._payload)
        return self._program

    def initialOffset(self) -> dict[str, Any]:
        offsets = {op.state_uid: ask(op, "initial_offset") for op in self._sources()}
        return {"sources": offsets, "final": False, "ticks": 0}

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
        if start["final"]:
            self._tell_finished()
            return start
        if self._pace is None:
            self._pace = Pace(self.program.spec.epoch_records, self.program.spec.epoch_ms)
        elif self._planned is not None:
            self._pace.took((time.monotonic() - self._planned) * 1000)
        budget = self._pace.budget
        offsets = {}
        for op in self._sources():
            offsets[op.state_uid] = ask(op, "latest_offset", start["sources"][op.state_uid], budget)
        final = all(ask(op, "finished", offsets[op.state_uid]) for op in self._sources())
        end = {"sources": offsets, "final": final, "ticks": start.get("ticks", 0)}
        if end == start and self._is_due():
            end["ticks"] += 1
        self._planned = time.monotonic() if end != start else None
        return end

    def getDefaultReadLimit(self) -> Any:
        from pyspark.sql.streaming.datasource import ReadAllAvailable

        return ReadAllAvailable()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        self._ran = True
        return [Planned(plan) for plan in plan_epoch(self.program, start["sources"], end["sources"], end["final"])]

    def commit(self, end: dict[str, Any]) -> None:
        for op in self._sources():
            ask(op, "commit", end["sources"][op.state_uid])

    def stop(self) -> None:
        return None

    def read(self, partition: Planned) -> Iterator[pa.RecordBatch]:  # type: ignore[override]
        program, plan = self.program, partition.plan
        marks = wire.marks_of(program.width)
        info = task_info()
        with Task(program, 0, plan.subtask, info.epoch, attempt=info.attempt, unique=info.unique) as task:
            for blocks in task.read(plan):
                yield wire.to_batch(blocks, marks)
            yield wire.to_batch(task.finish(), marks)

    def _sources(self) -> list[Operator]:
        return self.program.graph.of_kind(Kind.SOURCE)

    def _is_due(self) -> bool:
        """Whether a timer of processing time is due. After a start nobody knows, so an epoch finds out."""
        if not self.program.timing.awake or self.program.graph.batch:
            return False
        due = next_timer(self.program.spec)
        return due is not None and due <= system_clock()

    def _tell_finished(self) -> None:
        if not self._told:
            self._told = True
            report(self.program.spec, Exhausted(self._ran))


def job_source(payload: bytes, name: str) -> type[DataSource]:
    """A data source class for one job; made here so that it travels by value, job and all."""

    class JobSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return wire.DDL

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return JobReader(payload)

    return JobSource
