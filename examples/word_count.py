"""Word count in PyFlink's own style; it runs unchanged.

datastream run examples/word_count.py
datastream run examples/word_count.py --input book.txt --output /tmp/words
"""

import argparse

from pyflink.common import Encoder, Types, WatermarkStrategy
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import (
    FileSink,
    FileSource,
    OutputFileConfig,
    RollingPolicy,
    StreamFormat,
)

LINES = [
    "a stream is a river of records",
    "and a record is a drop in the river",
    "the river runs by day and by night",
    "and nobody asks the river when it will end",
    "count the drops and the river is known",
]


def split(line):
    yield from line.split()


def word_count(input_path, output_path):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    # All words in one file.
    env.set_parallelism(1)

    if input_path is not None:
        lines = env.from_source(
            source=FileSource.for_record_stream_format(StreamFormat.text_line_format(), input_path)
            .process_static_file_set()
            .build(),
            watermark_strategy=WatermarkStrategy.for_monotonous_timestamps(),
            source_name="file_source",
        )
    else:
        lines = env.from_collection(LINES)

    counts = (
        lines.flat_map(split)
        .map(lambda word: (word, 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda pair: pair[0])
        .reduce(lambda a, b: (a[0], a[1] + b[1]))
    )

    if output_path is not None:
        counts.sink_to(
            sink=FileSink.for_row_format(base_path=output_path, encoder=Encoder.simple_string_encoder())
            .with_output_file_config(
                OutputFileConfig.builder().with_part_prefix("words").with_part_suffix(".txt").build()
            )
            .with_rolling_policy(RollingPolicy.default_rolling_policy())
            .build()
        )
    else:
        counts.print()

    env.execute("word count")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Counts words.")
    parser.add_argument("--input", help="text file or folder; default: five lines of our own")
    parser.add_argument("--output", help="folder for the counts; default: the terminal")
    args, _ = parser.parse_known_args()
    word_count(args.input, args.output)
