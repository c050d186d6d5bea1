"""Delays of flights from New York City in 2013, live.

Running statistics by carrier, delays of each airport by the hour, and alerts of planes that leave later and later.

datastream run examples/flights/job.py
datastream run examples/flights/job.py --month-only --output /tmp/flights
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import dataset
from live import Board
from parsing import is_flight, parse_flight
from pipelines import Result, environment, lay_out
from pyflink.common import Encoder, WatermarkStrategy
from pyflink.datastream import DataStream, RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Delays of flights from New York City.")
    parser.add_argument("--input", type=Path, help="a flights table in order of departure, CSV, plain or .gz")
    parser.add_argument("--output", type=Path, help="folder for the result; default: a new temporary one")
    parser.add_argument("--month-only", action="store_true", help="read the shipped January only")
    parser.add_argument("--batch", action="store_true", help="write final values only, not every update")
    parser.add_argument("--no-live", action="store_true", help="no live table")
    return parser.parse_args()


def build(env: StreamExecutionEnvironment, table: Path, output: Path, board: Board) -> None:
    """Lay out the job from a file to files."""
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(table))
        .process_static_file_set()
        .build()
    )
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "flights")
    flights = lines.filter(is_flight).name("without header").map(parse_flight).name("parse")

    def write(stream: DataStream, result: Result) -> None:
        folder = output / result.name.replace(" ", "-")
        files = FileSink.for_row_format(str(folder), Encoder.simple_string_encoder()).build()
        stream.map(result.to_csv).name(f"{result.name} to CSV").sink_to(files).name(f"{result.name} files")

    lay_out(env, flights, write, board)


def main() -> None:
    args = arguments()
    output = args.output or Path(tempfile.gettempdir()) / f"flights-{os.getpid()}"
    board = Board(live=not args.no_live)
    env = environment(board)
    if args.batch:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    build(env, args.input or dataset.flights(args.month_only), output, board)
    with board:
        env.execute("flights")
    print(board.summary())
    print(f"files: {output}")


if __name__ == "__main__":
    main()
