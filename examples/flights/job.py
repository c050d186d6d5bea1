"""Delays of flights from New York City in 2013, by carrier: running statistics, live.

datastream run examples/flights/job.py
datastream run examples/flights/job.py --month-only --output /tmp/flights
"""

from __future__ import annotations

import argparse
import os
import tempfile
from operator import itemgetter
from pathlib import Path

import dataset
from airlines import WithAirline, read_airlines
from carrier_statistics import merge, to_csv
from live import Board, CancelledCount, LiveTable
from parsing import cancelled, departed, is_flight, parse_flight
from pyflink.common import Configuration, Encoder, WatermarkStrategy
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Delays of flights from New York City, by carrier.")
    parser.add_argument("--input", type=Path, help="a flights table as CSV, plain or .gz")
    parser.add_argument("--output", type=Path, help="folder for the result; default: a new temporary one")
    parser.add_argument("--month-only", action="store_true", help="read the shipped January only")
    parser.add_argument("--batch", action="store_true", help="write final values only, not every update")
    parser.add_argument("--no-live", action="store_true", help="no live table")
    return parser.parse_args()


def build(env: StreamExecutionEnvironment, table: Path, output: Path, board: Board) -> None:
    """Lay out the job: three sinks behind one source."""
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(table))
        .process_static_file_set()
        .build()
    )
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "flights")
    flights = lines.filter(is_flight).name("without header").map(parse_flight).name("parse")

    statistics = (
        flights.filter(departed)
        .name("departed")
        .map(WithAirline(read_airlines(dataset.AIRLINES)))
        .name("with airline")
        .key_by(itemgetter(0))
        .reduce(merge)
        .name("statistics by carrier")
        .uid("carrier-statistics")
    )

    files = FileSink.for_row_format(str(output), Encoder.simple_string_encoder()).build()
    statistics.map(to_csv).name("to CSV").sink_to(files).name("files")
    statistics.sink_to(LiveTable(board)).name("live table")
    flights.filter(cancelled).name("cancelled").sink_to(CancelledCount(board)).name("count of cancelled")


def main() -> None:
    args = arguments()
    output = args.output or Path(tempfile.gettempdir()) / f"flights-{os.getpid()}"
    board = Board(live=not args.no_live)
    configuration = Configuration()
    if board.live:
        # Smaller epochs than would be fastest: the table changes with each. -D wins.
        configuration.set_integer("datastream.epoch.max-records", 40_000)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    if args.batch:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    build(env, args.input or dataset.flights(args.month_only), output, board)
    with board:
        env.execute("flights")
    print(board.summary())
    print(f"files: {output}")


if __name__ == "__main__":
    main()
