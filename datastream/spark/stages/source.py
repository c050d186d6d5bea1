"""JobSource: one Python data source for all sources of the job, with the chains after them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from datastream.logs import place
from datastream.runtime.epoch_plan import TaskPlan, pack_task
from datastream.runtime.epoch_planner import EpochPlanner
from datastream.runtime.log_place import place_of
from datastream.runtime.program import Program, unpack
from datastream.runtime.task import Task
from datastream.spark.failure_seal import Seal
from datastream.spark.stages import wire
from datastream.spark.stages.reporting import (
    Backlog,
    EpochBegun,
    Exhausted,
    Held,
    Idle,
    held,
    last_records,
    next_timer,
    report,
)
from datastream.spark.stages.task_info import task_info
from datastream.types.pickles import loads

#: Between two reports of what waits, or that nothing does.
_REPORT_S = 1.0
#: Spark asks for the next epoch again and again; where there is time, it is answered so late at most.
_PAUSE_S = 0.1


@dataclass
class Planned(InputPartition):
    """What one task of an epoch reads: a `TaskPlan`, pickled by us.

    Spark unpickles partitions before the user's modules, with the classes of splits, can be imported.
    """

    plan: bytes


class JobReader(DataSourceStreamReader):
    """Plans epochs beside the driver, reads them in the workers. Its offset is that of `EpochPlanner`."""

    def __init__(self, payload: bytes, seal: Seal) -> None:
        self._payload, self._seal = payload, seal
        self._reported_end = False
        self._ran = False
        self._begun: tuple[Any, Any] | None = None
        self._backlog_due = self._idle_due = 0.0

    def __getstate__(self) -> dict[str, Any]:
        return {"_payload": self._payload, "_seal": self._seal}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_payload"], state["_seal"])  # type: ignore[misc]

    @cached_property
    def program(self) -> Program:
        return unpack(self._payload)

    @cached_property
    def _planner(self) -> EpochPlanner:
        # After a start it is not known whether a timer is due, so one epoch finds out.
        spec = self.program.spec
        place.enter(place_of(self.program))  # of this process, which runs nothing else
        return EpochPlanner(self.program, partial(next_timer, spec), partial(last_records, spec), partial(held, spec))

    def initialOffset(self) -> dict[str, Any]:
        with self._seal.errors():
            return self._planner.initial()

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
        with self._seal.errors():
            return self._latest(start)

    def _latest(self, start: dict[str, Any]) -> dict[str, Any]:
        order = held(self.program.spec)
        end = self._planner.latest(start)
        if start["final"] and end == start and not self._reported_end:
            self._reported_end = True
            report(self.program.spec, Exhausted(self._ran))
        self._report_backlog(start)
        if end == start:
            self._report_idle(order)
        else:
            self._idle_due = 0.0  # the driver is told at once that the epoch was the last one for now
        return end

    def _report_idle(self, order: str | None) -> None:
        """Let the driver know that no epoch is planned now; waits a moment while the next one is put off."""
        spec, now = self.program.spec, time.monotonic()
        if order in ("stop", "end") and not self._reported_end:
            self._reported_end = True
            report(spec, Held())
        if now >= self._idle_due:
            self._idle_due = now + _REPORT_S
            report(spec, Idle())
        # With epochs far apart it need not be known within milliseconds that there is something to read.
        looks_s = (spec.interval_ms + spec.min_pause_ms) / 10_000
        time.sleep(min(max(self._planner.pause_s, looks_s), _PAUSE_S))

    def _report_backlog(self, start: dict[str, Any]) -> None:
        """Let the driver know what waits after the last committed epoch, also what the next one is about to read."""
        now = time.monotonic()
        if self.program.spec.measured and now >= self._backlog_due:
            self._backlog_due = now + _REPORT_S
            report(self.program.spec, Backlog(self._planner.backlog(start)))

    def getDefaultReadLimit(self) -> Any:
        from pyspark.sql.streaming.datasource import ReadAllAvailable

        return ReadAllAvailable()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        with self._seal.errors():
            return self._partitions(start, end)

    def _partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        self._ran = True
        if (start, end) != self._begun:
            self._begun = (start, end)
            report(self.program.spec, EpochBegun())
        return [Planned(pack_task(self.program, task)) for task in self._planner.tasks(start, end)]

    def commit(self, end: dict[str, Any]) -> None:
        with self._seal.errors():
            self._planner.commit(end)

    def stop(self) -> None:
        with self._seal.errors():
            if "_planner" in self.__dict__:
                self._planner.close()

    def read(self, partition: Planned) -> Iterator[pa.RecordBatch]:  # type: ignore[override]
        with self._seal.errors():
            yield from self._read(partition)

    def _read(self, partition: Planned) -> Iterator[pa.RecordBatch]:
        program = self.program
        plan: TaskPlan = loads(partition.plan)
        marks = wire.marks_of(program.plan.width)
        info = task_info(program.spec.first_epoch)
        with Task(program, 0, plan.subtask, info.epoch, attempt=info.attempt, unique=info.unique) as task:
            for blocks in task.read(plan):
                yield from wire.to_batches(blocks, marks)
            yield from wire.to_batches(task.finish(), marks)


def job_source(payload: bytes, name: str, seal: Seal) -> type[DataSource]:
    """A data source class for one job; made here so that it travels by value, job and all."""

    class JobSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return wire.DDL

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return JobReader(payload, seal)

    return JobSource
