"""Delays of flights from New York City in 2013, live.

Running statistics by carrier, delays of each airport by the hour, and alerts of planes that leave later and later.

datastream run examples/flights/job.py
datastream run examples/flights/job.py --month-only --output /tmp/flights
"""

from __future__ import annotations

import argparse
import os
import tempfile
from operator import itemgetter
from pathlib import Path

import airport_hours
import alerts
import carrier_statistics
import dataset
from airlines import NAMES, WithAirline, read_airlines
from airport_hours import HOUR_MS, LATENESS_MS, TOO_LATE
from board_sinks import Count, LiveAlerts, LiveHours, LiveTable
from event_time import BY_DEPARTURE, BY_SCHEDULE
from live import Board
from parsing import cancelled, departed, is_flight, parse_flight
from pyflink.common import Configuration, Encoder, Time, WatermarkStrategy
from pyflink.datastream import BroadcastStream, DataStream, RuntimeExecutionMode, StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat
from pyflink.datastream.window import TumblingEventTimeWindows


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Delays of flights from New York City.")
    parser.add_argument("--input", type=Path, help="a flights table in order of departure, CSV, plain or .gz")
    parser.add_argument("--output", type=Path, help="folder for the result; default: a new temporary one")
    parser.add_argument("--month-only", action="store_true", help="read the shipped January only")
    parser.add_argument("--batch", action="store_true", help="write final values only, not every update")
    parser.add_argument("--no-live", action="store_true", help="no live table")
    return parser.parse_args()


def build(env: StreamExecutionEnvironment, table: Path, output: Path, board: Board) -> None:
    """Lay out the job: three parts behind one source; each writes files and tells the board."""
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(table))
        .process_static_file_set()
        .build()
    )
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "flights")
    flights = lines.filter(is_flight).name("without header").map(parse_flight).name("parse")

    left = flights.filter(departed).name("departed")
    airlines = env.from_collection(read_airlines(dataset.AIRLINES)).name("airlines").broadcast(NAMES)

    add_carriers(left, airlines, output / "carriers", board)
    add_hours(left, output, board)
    add_alerts(left, airlines, output / "alerts", board)
    flights.filter(cancelled).name("cancelled").sink_to(Count(board, "cancelled")).name("count of cancelled")


def add_carriers(left: DataStream, airlines: BroadcastStream, output: Path, board: Board) -> None:
    """Running statistics by carrier."""
    statistics = (
        left.map(carrier_statistics.of_flight)
        .name("statistics of one")
        .key_by(itemgetter(0))
        .reduce(carrier_statistics.merge)
        .name("statistics by carrier")
        .uid("carrier-statistics")
        .connect(airlines)
        .process(WithAirline())
        .name("with airline")
        .uid("carriers-airlines")
    )
    write(statistics.map(carrier_statistics.to_csv), "carriers", output)
    statistics.sink_to(LiveTable(board)).name("live table")


def add_hours(left: DataStream, output: Path, board: Board) -> None:
    """Delays of each airport by the hour in which flights were to leave."""
    hours = (
        left.assign_timestamps_and_watermarks(BY_SCHEDULE)
        .name("by schedule")
        .map(airport_hours.to_departed)
        .name("delay")
        .key_by(itemgetter(0))
        .window(TumblingEventTimeWindows.of(Time.milliseconds(HOUR_MS)))
        .allowed_lateness(LATENESS_MS)
        .side_output_late_data(TOO_LATE)
        .aggregate(airport_hours.SumOfDelays(), airport_hours.NameHour())
        .name("airport hours")
        .uid("airport-hours")
    )
    write(hours.map(airport_hours.to_csv), "hours", output / "hours")
    hours.sink_to(LiveHours(board)).name("worst hours")

    too_late = hours.get_side_output(TOO_LATE)
    write(too_late.map(airport_hours.hour_of).map(airport_hours.to_csv), "too late", output / "too-late")
    too_late.sink_to(Count(board, "too_late")).name("count of too late")


def add_alerts(left: DataStream, airlines: BroadcastStream, output: Path, board: Board) -> None:
    """Planes whose delays grow from flight to flight."""
    growing = (
        left.assign_timestamps_and_watermarks(BY_DEPARTURE)
        .name("by departure")
        .map(alerts.to_departed)
        .name("plane")
        .key_by(itemgetter(0))
        .process(alerts.GrowingDelays())
        .name("growing delays")
        .uid("growing-delays")
        .connect(airlines)
        .process(WithAirline())
        .name("alert with airline")
        .uid("alerts-airlines")
        .map(alerts.alert_of)
        .name("alert")
    )
    write(growing.map(alerts.to_csv), "alerts", output)
    growing.sink_to(LiveAlerts(board)).name("worst alerts")


def write(lines: DataStream, name: str, output: Path) -> None:
    """Write lines of CSV to files."""
    files = FileSink.for_row_format(str(output), Encoder.simple_string_encoder()).build()
    lines.name(f"{name} to CSV").sink_to(files).name(f"{name} files")


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
