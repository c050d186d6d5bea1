"""A job from a table of Apache Iceberg to another one, which kills itself once: ``killed_job.py FOLDER POINT KIND``.

Kinds: ``append``, and ``merge``: by a key, of rows that follow a table's snapshots.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datastream import StreamExecutionEnvironment
from datastream.connectors.iceberg import IcebergSink, IcebergSource
from datastream.connectors.iceberg.committer import IcebergCommitter
from datastream.connectors.lakehouse.writers import AppendingWriter, MergingWriter
from datastream.io import Committer, CommitterContext, SinkWriter, WriterContext
from datastream.time import Duration, WatermarkStrategy
from tests.connectors.delta.killed_job import EPOCH, die, killed_at_files


@dataclass(frozen=True)
class KillingSink(IcebergSink):
    folder: str = ""
    point: str = ""

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return KillingMerger(self, context) if self.merges else KillingWriter(self, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return KillingCommitter(self, context)


class KillingWriter(AppendingWriter):
    def prepare_commit(self) -> Any:
        return killed_at_files(self, super().prepare_commit())


class KillingMerger(MergingWriter):
    def prepare_commit(self) -> Any:
        return killed_at_files(self, super().prepare_commit())


class KillingCommitter(IcebergCommitter):
    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        if self._sink.point == "before" and epoch == EPOCH:
            die(self._sink.folder)
        super().commit(epoch, committables, final)
        if self._sink.point == "after" and epoch == EPOCH:
            die(self._sink.folder)


def properties(folder: str) -> dict[str, str]:
    return {"type": "sql", "uri": f"sqlite:///{folder}/c.db", "warehouse": f"{folder}/w"}


if __name__ == "__main__":
    folder, point, kind = sys.argv[1:]
    (Path(folder) / "driver").write_text(str(os.getpid()))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    reader = IcebergSource.builder().set_catalog("c", properties(folder)).set_table("db.in")
    source = reader.build()
    builder = IcebergSink.builder().set_catalog("c", properties(folder)).set_table("db.out").set_create_table()
    made = builder.set_row_type(source.row_type).build()
    key: tuple[str, ...] = ()
    if kind == "merge":
        reader.set_starting_strategy("INCREMENTAL_FROM_EARLIEST_SNAPSHOT")
        source, key = reader.monitor_continuously(Duration.of_millis(10)).build(), ("key",)
    sink = KillingSink(made.location, made.row_type, key=key, create=True, folder=folder, point=point)
    rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    if kind == "merge":
        rows = rows.key_by(lambda row: row.key).reduce(lambda one, other: one if one.n > other.n else other)
    rows.sink_to(sink).uid("out")
    env.execute("copy")
