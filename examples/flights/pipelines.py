"""The job's three parts of one stream of flights, wherever it comes from and the results go to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import airport_hours
import alerts
import carrier_statistics
import dataset
from airlines import NAMES, WithAirline, read_airlines
from airport_hours import HOUR_MS, LATENESS_MS, TOO_LATE
from board_sinks import Count, LiveAlerts, LiveHours, LiveTable
from event_time import BY_DEPARTURE, BY_SCHEDULE
from live import Board
from parsing import cancelled, departed
from pyflink.common import Configuration, Time
from pyflink.datastream import BroadcastStream, DataStream, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows


@dataclass(frozen=True)
class Result:
    """A stream of results, and how to write it.

    Attributes:
        name: What it is called.
        to_csv: A record of it -> a line of CSV.
        to_row: A record of it -> a named tuple with the same columns.
    """

    name: str
    to_csv: Callable[[Any], str]
    to_row: Callable[[Any], Any]


def itself(row: Any) -> Any:
    return row


CARRIERS = Result("carriers", carrier_statistics.to_csv, carrier_statistics.carrier_of)
HOURS = Result("hours", airport_hours.to_csv, itself)
LATE_FLIGHTS = Result("too late", airport_hours.to_csv, itself)
ALERTS = Result("alerts", alerts.to_csv, itself)
RESULTS = (CARRIERS, HOURS, LATE_FLIGHTS, ALERTS)

Write = Callable[[DataStream, Result], None]
"""Writes a stream of results somewhere."""


def environment(board: Board) -> StreamExecutionEnvironment:
    configuration = Configuration()
    if board.live:
        # Smaller epochs than would be fastest: the table changes with each. -D wins.
        configuration.set_integer("datastream.epoch.max-records", 40_000)
    return StreamExecutionEnvironment.get_execution_environment(configuration)


def lay_out(env: StreamExecutionEnvironment, flights: DataStream, write: Write, board: Board) -> None:
    """Three parts of one stream of flights; each writes its results and tells the board."""
    left = flights.filter(departed).name("departed")
    airlines = env.from_collection(read_airlines(dataset.AIRLINES)).name("airlines").broadcast(NAMES)

    add_carriers(left, airlines, write, board)
    add_hours(left, write, board)
    add_alerts(left, airlines, write, board)
    flights.filter(cancelled).name("cancelled").sink_to(Count(board, "cancelled")).name("count of cancelled")


def add_carriers(left: DataStream, airlines: BroadcastStream, write: Write, board: Board) -> None:
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
    write(statistics, CARRIERS)
    statistics.sink_to(LiveTable(board)).name("live table")


def add_hours(left: DataStream, write: Write, board: Board) -> None:
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
    write(hours, HOURS)
    hours.sink_to(LiveHours(board)).name("worst hours")

    too_late = hours.get_side_output(TOO_LATE)
    write(too_late.map(airport_hours.hour_of), LATE_FLIGHTS)
    too_late.sink_to(Count(board, "too_late")).name("count of too late")


def add_alerts(left: DataStream, airlines: BroadcastStream, write: Write, board: Board) -> None:
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
    write(growing, ALERTS)
    growing.sink_to(LiveAlerts(board)).name("worst alerts")
