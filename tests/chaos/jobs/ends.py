"""What the jobs share: their input, and sinks that may fail."""

import argparse
import fcntl

from pyflink.common import Duration, Encoder, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, RollingPolicy, StreamFormat

from datastream.io import Committer, Sink, SinkWriter

#: Behind the timestamps of all records, in ms.
END = 10_000_000


class Failures:
    """Raises at every n-th call, in whichever process it is made, and only so often.

    Args:
        file: Counts the calls of all processes, also over restarts.
        every: The n.
        times: How often it raises.
    """

    def __init__(self, file, every, times):
        self._file, self._every, self._times = file, every, times

    def call(self, name):
        """A call is about to be made, or has just been made."""
        with open(self._file, "a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            count = len(file.read()) + 1
            file.write(".")
        if count % self._every == 0 and count <= self._every * self._times:
            raise ConnectionError(f"the sink fails: call {count}, {name}")


class FailingSink(Sink):
    """Another sink with failures: some before a call has an effect, some behind it."""

    def __init__(self, sink, failures):
        self._sink, self._failures = sink, failures

    @property
    def consumed(self):
        return self._sink.consumed

    def create_writer(self, context):
        return _Writer(self._sink.create_writer(context), self._failures)

    def create_committer(self, context):
        committer = self._sink.create_committer(context)
        return None if committer is None else _Committer(committer, self._failures)


def with_failures(sink, failures):
    """The sink; with ``FILE,EVERY,TIMES``, one that fails as `Failures` says."""
    if failures is None:
        return sink
    file, every, times = failures.rsplit(",", 2)
    return FailingSink(sink, Failures(file, int(every), int(times)))


class _Writer(SinkWriter):
    def __init__(self, writer, failures):
        self._writer, self._failures = writer, failures

    def begin(self, epoch, attempt):
        self._writer.begin(epoch, attempt)

    def write(self, batch):
        self._failures.call("before write")
        self._writer.write(batch)
        self._failures.call("after write")

    def prepare_commit(self):
        self._failures.call("before prepare_commit")
        prepared = self._writer.prepare_commit()
        self._failures.call("after prepare_commit")
        return prepared

    def abort(self):
        self._writer.abort()

    def close(self):
        self._writer.close()


class _Committer(Committer):
    def __init__(self, committer, failures):
        self._committer, self._failures = committer, failures

    def commit(self, epoch, committables, final):
        self._failures.call("before commit")
        self._committer.commit(epoch, committables, final)
        self._failures.call("after commit")

    def abort(self, epoch, committables):
        self._committer.abort(epoch, committables)

    def close(self):
        self._committer.close()


class EventTime(TimestampAssigner):
    """The second field."""

    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def parse(line):
    """(number, time in ms, key, value) of a line."""
    number, time, key, value, _ = line.split(",")
    return int(number), int(time), key, int(value)


class Ends:
    """Where a job reads and writes: its arguments are ``INPUT OUTPUT [--failures FILE,EVERY,TIMES]``."""

    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("input")
        parser.add_argument("output")
        parser.add_argument("--failures")
        args = parser.parse_args()
        self._input, self._output = args.input, args.output
        self._failures = args.failures
        self.env = StreamExecutionEnvironment.get_execution_environment()

    def lines(self, uid="input"):
        """The input's lines."""
        source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), self._input).build()
        return self.env.from_source(source, WatermarkStrategy.no_watermarks(), uid).uid(uid)

    def records(self, uid="input"):
        """The input's records with their timestamps; none is late."""
        strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(500))
        strategy = strategy.with_timestamp_assigner(EventTime())
        return self.lines(uid).map(parse).assign_timestamps_and_watermarks(strategy).uid(f"{uid} times")

    def write(self, stream, name, policy=None):
        """Write a stream's records, as text, to a folder of the output."""
        sink = FileSink.for_row_format(f"{self._output}/{name}", Encoder.simple_string_encoder())
        sink = sink.with_rolling_policy(policy or RollingPolicy.on_checkpoint_rolling_policy()).build()
        stream.map(str).sink_to(with_failures(sink, self._failures)).uid(f"files of {name}")
