"""A job with states, and with part files that are not finished."""

from __future__ import annotations

import sys
from pathlib import Path

from datastream import Configuration, StreamExecutionEnvironment
from datastream.connectors.files import FileSink, FileSource, RollingPolicy, StreamFormat
from datastream.formats import Encoder
from datastream.time import WatermarkStrategy

LINES = 12_000


def prepare(folder: Path) -> None:
    """Make the input."""
    (folder / "input").write_text("".join(f"{number},k{number % 50},{'x' * 80}\n" for number in range(LINES)))


def run(folder: Path, records: int) -> None:
    """Run the job.

    Args:
        folder: Has the input; takes checkpoint and output.
        records: Of an epoch.
    """
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.dir", str(folder / "checkpoint"))
    configuration.set_string("datastream.epoch.max-records", str(records))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    text = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder / "input")).build()
    lines = env.from_source(text, WatermarkStrategy.no_watermarks(), "lines").uid("lines")
    keyed = lines.map(lambda line: (line.split(",")[1], 1)).key_by(lambda pair: pair[0])
    counts = keyed.reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts").map(str)
    for stream, name, policy in (
        (counts, "counts", RollingPolicy.on_checkpoint_rolling_policy()),
        (lines, "copy", RollingPolicy.default_rolling_policy()),
    ):
        sink = FileSink.for_row_format(str(folder / "out" / name), Encoder.simple_string_encoder())
        stream.sink_to(sink.with_rolling_policy(policy).build()).uid(f"files of {name}")
    env.execute("damaged")


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]))
