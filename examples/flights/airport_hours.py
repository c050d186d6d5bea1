"""Delays of the flights that were to leave an airport in the same hour."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from event_time import scheduled
from output import lines_of
from parsing import Flight, clock_time
from pyflink.datastream import AggregateFunction, OutputTag, ProcessWindowFunction

HOUR_MS = 3_600_000
LATENESS_MS = HOUR_MS // 2
"""For so long after its end an hour takes flights that left late; each gives its result anew."""

TOO_LATE = OutputTag("too-late")
"""Flights that left when their hour was gone."""

Departed = tuple[str, int, int]
"""What crosses the exchange: airport, scheduled departure in ms, delay in minutes."""

Delays = tuple[int, int, int]
"""Number of flights, sum and maximum of their delays in minutes."""


class AirportHour(NamedTuple):
    """What is known of an airport's hour; the columns of the output files.

    Attributes:
        origin: The airport.
        hour: When it begins, as text.
        flights: How many of its flights have left.
        delay_sum: In minutes.
        delay_max: In minutes.
    """

    origin: str
    hour: str
    flights: int
    delay_sum: int
    delay_max: int

    @property
    def delay_mean(self) -> float:
        """In minutes."""
        return self.delay_sum / self.flights


def to_departed(flight: Flight) -> Departed:
    return flight.origin, scheduled(flight), flight.dep_delay


class SumOfDelays(AggregateFunction):
    """An hour holds three numbers, however many flights there are."""

    def create_accumulator(self) -> Delays | None:
        return None

    def add(self, value: Departed, accumulator: Delays | None) -> Delays:
        delay = value[2]
        if accumulator is None:
            return 1, delay, delay
        flights, total, longest = accumulator
        return flights + 1, total + delay, delay if delay > longest else longest

    def get_result(self, accumulator: Delays) -> Delays:
        return accumulator

    def merge(self, a: Delays, b: Delays) -> Delays:
        return a[0] + b[0], a[1] + b[1], max(a[2], b[2])


class NameHour(ProcessWindowFunction):
    """Says which airport and hour the delays are of."""

    def process(
        self, key: str, context: ProcessWindowFunction.Context, elements: Iterable[Delays]
    ) -> Iterator[AirportHour]:
        for delays in elements:
            yield AirportHour(key, clock_time(context.window().start), *delays)


def hour_of(flight: Departed) -> AirportHour:
    """A flight as an hour of its own: what it would have added."""
    origin, time, delay = flight
    return AirportHour(origin, clock_time(time - time % HOUR_MS), 1, delay, delay)


def together(hours: Iterable[AirportHour]) -> dict[tuple[str, str], AirportHour]:
    """One line for each airport and hour."""
    found: dict[tuple[str, str], AirportHour] = {}
    for new in hours:
        old = found.get(new[:2])
        if old is not None:
            longest = max(old.delay_max, new.delay_max)
            new = AirportHour(*new[:2], old.flights + new.flights, old.delay_sum + new.delay_sum, longest)
        found[new[:2]] = new
    return found


def to_csv(hour: AirportHour) -> str:
    """One line of the output, without the line's end."""
    return ",".join(map(str, hour))


def read(output: Path) -> list[AirportHour]:
    """All lines that the job wrote to a folder."""
    rows = csv.reader(lines_of(output))
    return [AirportHour(row[0], row[1], int(row[2]), int(row[3]), int(row[4])) for row in rows]


def final(output: Path) -> dict[tuple[str, str], AirportHour]:
    """The last line of each airport's hour in the files of a folder: the one with the most flights."""
    last: dict[tuple[str, str], AirportHour] = {}
    for row in read(output):
        if row[:2] not in last or row.flights > last[row[:2]].flights:
            last[row[:2]] = row
    return last
