"""A job from a table of Delta Lake to another one, which kills itself once: ``killed_job.py FOLDER POINT KIND``.

Kinds: ``append``, and ``merge``: by a key, of rows that follow a table's versions.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datastream import StreamExecutionEnvironment
from datastream.connectors.delta import DeltaSink, DeltaSource
from datastream.connectors.delta.committer import DeltaCommitter
from datastream.connectors.lakehouse.writers import AppendingWriter, MergingWriter
from datastream.io import Committer, CommitterContext, SinkWriter, WriterContext
from datastream.time import Duration, WatermarkStrategy

#: The epoch in which it happens.
EPOCH = 2


def die(folder: str) -> None:
    """Kill the driver, and this process, unless that has happened."""
    try:
        (Path(folder) / "died").touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(int((Path(folder) / "driver").read_text()), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class KillingSink(DeltaSink):
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


def killed_at_files(writer: Any, made: Any) -> Any:
    if writer.sink.point == "files" and writer.epoch == EPOCH:
        die(writer.sink.folder)
    return made


class KillingCommitter(DeltaCommitter):
    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        if self._sink.point == "before" and epoch == EPOCH:
            die(self._sink.folder)
        super().commit(epoch, committables, final)
        if self._sink.point == "after" and epoch == EPOCH:
            die(self._sink.folder)


if __name__ == "__main__":
    folder, point, kind = sys.argv[1:]
    (Path(folder) / "driver").write_text(str(os.getpid()))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    reader = DeltaSource.builder().set_path(f"{folder}/in")
    source = reader.build()
    made = DeltaSink.builder().set_path(f"{folder}/out").set_row_type(source.row_type).build()
    key: tuple[str, ...] = ()
    if kind == "merge":
        source, key = reader.set_starting_version(0).monitor_continuously(Duration.of_millis(10)).build(), ("key",)
    sink = KillingSink(made.location, made.row_type, key=key, folder=folder, point=point)
    rows = env.from_source(source, WatermarkStrategy.no_watermarks(), "in")
    if kind == "merge":
        rows = rows.key_by(lambda row: row.key).reduce(lambda one, other: one if one.n > other.n else other)
    rows.sink_to(sink).uid("out")
    env.execute("copy")
