"""A job from a table of Delta Lake to another one, which kills itself once: ``killed_job.py FOLDER POINT``."""

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
from datastream.connectors.delta.writer import AppendingWriter
from datastream.io import Committer, CommitterContext, SinkWriter, WriterContext
from datastream.time import WatermarkStrategy
from datastream.types import RowTypeInfo

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
        return KillingWriter(self, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return KillingCommitter(self, context)


class KillingWriter(AppendingWriter):
    def prepare_commit(self) -> Any:
        made = super().prepare_commit()
        if self.sink.point == "files" and self._epoch == EPOCH:
            die(self.sink.folder)
        return made


class KillingCommitter(DeltaCommitter):
    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        if self._sink.point == "before" and epoch == EPOCH:
            die(self._sink.folder)
        super().commit(epoch, committables, final)
        if self._sink.point == "after" and epoch == EPOCH:
            die(self._sink.folder)


if __name__ == "__main__":
    folder, point = sys.argv[1:]
    (Path(folder) / "driver").write_text(str(os.getpid()))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    source = DeltaSource.builder().set_path(f"{folder}/in").build()
    assert isinstance(source.row_type, RowTypeInfo)
    made = DeltaSink.builder().set_path(f"{folder}/out").set_row_type(source.row_type).build()
    sink = KillingSink(made.location, made.row_type, folder=folder, point=point)
    env.from_source(source, WatermarkStrategy.no_watermarks(), "in").sink_to(sink).uid("out")
    env.execute("copy")
