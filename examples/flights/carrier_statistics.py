"""Running statistics of a carrier: exact whole numbers, so that any order of merging gives the same result.

`Statistics` is a plain tuple, not a class, because every flight crosses the exchange as one: pickling a tuple
of eight takes about a sixth of the time of pickling a named tuple.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from output import lines_of
from parsing import Flight

LATE_MINUTES = 15
COLUMNS = (
    "carrier,name,flights,dep_delay_sum,dep_delay_mean,dep_delay_max,"
    "arrivals,arr_delay_sum,arr_delay_mean,arr_delay_max,late"
)

Statistics = tuple[str, int, int, int, int, int, int | None, int]
"""carrier, flights, sum and maximum of departure delays, arrivals, sum and maximum of their delays
(None while nothing has arrived), flights that left more than 15 minutes late; delays in minutes."""


def of_flight(flight: Flight) -> Statistics:
    """Statistics of one flight that took off."""
    left = flight.dep_delay or 0
    late = int(left > LATE_MINUTES)
    if flight.arr_delay is None:
        return flight.carrier, 1, left, left, 0, 0, None, late
    return flight.carrier, 1, left, left, 1, flight.arr_delay, flight.arr_delay, late


def merge(a: Statistics, b: Statistics) -> Statistics:
    """Statistics of both together."""
    latest = a[6]
    if latest is None or (b[6] is not None and b[6] > latest):
        latest = b[6]
    return (
        a[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] if a[3] > b[3] else b[3],
        a[4] + b[4],
        a[5] + b[5],
        latest,
        a[7] + b[7],
    )


class Carrier(NamedTuple):
    """Statistics of a carrier as people read them; the columns of the output files.

    Means are in minutes, None where nothing has arrived.
    """

    carrier: str
    name: str
    flights: int
    dep_delay_sum: int
    dep_delay_mean: float
    dep_delay_max: int
    arrivals: int
    arr_delay_sum: int
    arr_delay_mean: float | None
    arr_delay_max: int | None
    late: int


def carrier_of(named: tuple[str, Statistics]) -> Carrier:
    """An airline's name and statistics, with their means."""
    name, (carrier, flights, left, left_max, arrivals, arrived, arrived_max, late) = named
    mean = arrived / arrivals if arrivals else None
    return Carrier(carrier, name, flights, left, left / flights, left_max, arrivals, arrived, mean, arrived_max, late)


def to_csv(named: tuple[str, Statistics]) -> str:
    """One line of the output, without the line's end; see `COLUMNS`. Called for every flight, so no loop over cells."""
    name, (carrier, flights, left, left_max, arrivals, arrived, arrived_max, late) = named
    mean = latest = ""
    if arrivals:
        mean, latest = str(arrived / arrivals), str(arrived_max)
    return (
        f"{carrier},{_quoted(name)},{flights},{left},{left / flights},{left_max},"
        f"{arrivals},{arrived},{mean},{latest},{late}"
    )


def _quoted(text: str) -> str:
    if "," in text or '"' in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def from_csv(lines: Iterable[str]) -> list[Carrier]:
    """Output lines back to carriers."""
    return [
        Carrier(
            carrier=row[0],
            name=row[1],
            flights=int(row[2]),
            dep_delay_sum=int(row[3]),
            dep_delay_mean=float(row[4]),
            dep_delay_max=int(row[5]),
            arrivals=int(row[6]),
            arr_delay_sum=int(row[7]),
            arr_delay_mean=float(row[8]) if row[8] else None,
            arr_delay_max=int(row[9]) if row[9] else None,
            late=int(row[10]),
        )
        for row in csv.reader(lines)
    ]


def final(output: Path) -> dict[str, Carrier]:
    """The last line of each carrier in the files that the job wrote.

    Streaming emits a line for every flight. A carrier's count only grows, so its last line is the one with
    the most flights, in whatever order the files are read.

    Args:
        output: The folder ``carriers`` in the one given as ``--output``.
    """
    last: dict[str, Carrier] = {}
    for row in from_csv(lines_of(output)):
        if row.carrier not in last or row.flights > last[row.carrier].flights:
            last[row.carrier] = row
    return dict(sorted(last.items()))
