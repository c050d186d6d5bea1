"""A job from a stream into a list, which kills itself once: ``killed_job.py FOLDER POINT VICTIM PORT STREAM LIST``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from datastream import StreamExecutionEnvironment, Types
from datastream.connectors.redis import RedisCommand, RedisConnection, RedisSink, RedisStreamsSource
from datastream.connectors.redis.enumerator import StreamSplit
from datastream.connectors.redis.reader import StreamsReader
from datastream.connectors.redis.sink import ExactlyOnceRedisSink
from datastream.formats import SimpleStringSchema
from datastream.io import Batch, ReaderContext, SourceReader, WriterContext
from datastream.io.sinks import SinkWriter
from datastream.time import WatermarkStrategy

#: The epoch that it happens in.
AT = 3


def die(folder: Path, victim: str) -> None:
    """Kill the driver or this worker, unless that has happened."""
    try:
        (folder / "died").touch(exist_ok=False)
    except FileExistsError:
        return
    if victim == "driver":
        os.kill(int((folder / "driver").read_text()), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


class KillingSource(RedisStreamsSource):
    folder: str
    point: str
    victim: str

    def create_reader(self, context: ReaderContext) -> SourceReader:
        found = KillingReader(self.settings, context)
        found.source = self
        return found


class KillingReader(StreamsReader):
    source: KillingSource
    epoch = 0

    def begin(self, epoch: int, attempt: int) -> None:
        self.epoch = epoch

    def read(self, split: StreamSplit) -> Iterator[Batch]:
        for batch in super().read(split):
            yield batch
            if self.source.point == "read" and self.epoch == AT:
                die(Path(self.source.folder), self.source.victim)


class KillingSink(RedisSink):
    folder: str
    point: str
    victim: str

    def create_writer(self, context: WriterContext) -> SinkWriter:
        assert isinstance(self._sink, ExactlyOnceRedisSink)
        return KillingWriter(super().create_writer(context), self)


class KillingWriter(SinkWriter):
    def __init__(self, writer: SinkWriter, sink: KillingSink) -> None:
        self._writer, self._sink, self._epoch = writer, sink, 0

    def begin(self, epoch: int, attempt: int) -> None:
        self._epoch = epoch
        self._writer.begin(epoch, attempt)

    def write(self, batch: Batch) -> None:
        self._writer.write(batch)

    def prepare_commit(self) -> None:
        self._die("written")
        self._writer.prepare_commit()
        self._die("committed")

    def close(self) -> None:
        self._writer.close()

    def _die(self, point: str) -> None:
        if self._sink.point == point and self._epoch == AT:
            die(Path(self._sink.folder), self._sink.victim)


if __name__ == "__main__":
    folder, point, victim, port, stream, target = sys.argv[1:]
    (Path(folder) / "driver").write_text(str(os.getpid()))
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    connection = RedisConnection("127.0.0.1", int(port))
    source = KillingSource(connection, stream.split(","), SimpleStringSchema(), bounded=True)
    sink = KillingSink(connection, lambda text: RedisCommand.rpush(target, text))
    for each in (source, sink):
        each.folder, each.point, each.victim = folder, point, victim
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "in").uid("in")
    lines.map(str.upper, Types.STRING()).sink_to(sink).uid("out")
    env.execute("copy")
