"""A job from a stream into files, which kills itself once: ``killed_job.py FOLDER POINT VICTIM ENDPOINT STREAM``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datastream import StreamExecutionEnvironment, Types
from datastream.connectors.files import FileSink, RollingPolicy
from datastream.connectors.kinesis import KinesisStreamsSource
from datastream.connectors.kinesis.enumerator import KinesisSplit
from datastream.connectors.kinesis.progress import Note
from datastream.connectors.kinesis.reader import KinesisReader
from datastream.formats import Encoder, SimpleStringSchema
from datastream.io import Batch, ReaderContext, SourceReader
from datastream.time import WatermarkStrategy
from tests.support.servers.kinesis import KinesisServer

#: The epoch that it happens in.
AT = 3


class KillingSource(KinesisStreamsSource):
    folder: str
    point: str
    victim: str

    def create_reader(self, context: ReaderContext) -> SourceReader:
        found = KillingReader(self.settings, context)
        found.source = self
        return found


class KillingReader(KinesisReader):
    source: KillingSource

    def read(self, split: KinesisSplit) -> Iterator[Batch]:
        for batch in super().read(split):
            if self.source.point == "noted":
                self.die(split)
            yield batch
            if self.source.point == "emitted":
                self.die(split)

    def _new(self, split: KinesisSplit) -> tuple[list[Any], Note]:
        found = super()._new(split)
        if self.source.point == "read":
            self.die(split)
        return found

    def die(self, split: KinesisSplit) -> None:
        """Kill the driver or this worker, unless that has happened."""
        if split.epoch != AT:
            return
        folder = Path(self.source.folder)
        try:
            (folder / "died").touch(exist_ok=False)
        except FileExistsError:
            return
        if self.source.victim == "driver":
            os.kill(int((folder / "driver").read_text()), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    folder, point, victim, endpoint, stream = sys.argv[1:]
    (Path(folder) / "driver").write_text(str(os.getpid()))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    builder = KinesisStreamsSource.builder().set_stream_arn(stream).set_deserialization_schema(SimpleStringSchema())
    made = builder.set_source_config(KinesisServer(endpoint).properties).set_bounded().build()
    source = KillingSource(made.settings, made.bounded)
    source.folder, source.point, source.victim = folder, point, victim
    sink = FileSink.for_row_format(f"{folder}/out", Encoder.simple_string_encoder())
    sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "in").uid("in")
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
    env.execute("copy")
