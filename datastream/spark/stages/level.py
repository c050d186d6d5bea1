"""Levels: an exchange and the stage after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import Row

from datastream.graph import Level
from datastream.runtime.blocks import Block
from datastream.runtime.program import unpack
from datastream.runtime.task import Task
from datastream.spark.failure_seal import Seal
from datastream.spark.java_objects import state_client
from datastream.spark.stages import wire
from datastream.spark.stages.state import SparkStore
from datastream.spark.stages.task_info import task_info

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PAGES = "pages"
_ROW = Row(*wire.COLUMNS)


class KeyedStage(StatefulProcessor):
    """A level with state: all of a task's key groups are one group to Spark, with one map of pages."""

    def __init__(self, payload: bytes, level: int, seal: Seal) -> None:
        self._payload, self._level, self._seal = payload, level, seal

    def init(self, handle: Any) -> None:
        handle.getMapState(_PAGES, "page binary", "content binary")
        self._client = state_client(handle)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Row]:
        with self._seal.errors(), _task(self._payload, self._level, SparkStore(self._client, _PAGES)) as task:
            marks = wire.marks_of(task.plan.width)
            for blocks in task.receive(Block(task.subtask, *row[1:]) for row in rows):
                yield from (_ROW(marks[b.slot], *b[1:]) for b in blocks)
            yield from (_ROW(marks[b.slot], *b[1:]) for b in task.finish())

    def close(self) -> None:
        return None


def _task(payload: bytes, level: int, store: SparkStore | None) -> Task:
    program = unpack(payload)
    info = task_info(program.spec.first_epoch)
    return Task(program, level, info.partition, info.epoch, store, info.attempt, info.unique)


def add_level(df: DataFrame, payload: bytes, level: Level, width: int, seal: Seal) -> DataFrame:
    """Append a level to a plan."""
    if level.stateful:
        return df.groupBy("slot").transformWithState(KeyedStage(payload, level.index, seal), wire.DDL, "append", "none")

    index = level.index  # and not the level: Spark unpickles the closure before the user's modules can be imported

    def stage(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        marks = wire.marks_of(width)
        with seal.errors(), _task(payload, index, None) as task:
            for blocks in task.receive(wire.from_batches(batches, task.subtask)):
                yield from wire.to_batches(blocks, marks)
            yield from wire.to_batches(task.finish(), marks)

    return df.repartition(width, "slot").mapInArrow(stage, wire.DDL)
