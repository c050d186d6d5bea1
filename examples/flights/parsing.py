"""From a line of the flights table to a `Flight`."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

HEADER = "year,"
MISSING = ("NA", "")
MINUTE_MS = 60_000

# Columns of the table, counted from 0.
DEP_TIME, DEP_DELAY, ARR_DELAY, CARRIER, TAIL, ORIGIN = 3, 5, 8, 9, 11, 12


class Flight(NamedTuple):
    """What the job needs of a flight.

    Attributes:
        carrier: Two-letter code of the airline.
        tail: Registration of the plane; empty if not known, as for many cancelled flights.
        origin: The airport that it leaves from.
        departure: When it left, in ms since 1970 by the clocks of New York; None if cancelled.
        dep_delay: Delay of the departure in minutes; None if cancelled. Negative: early.
        arr_delay: Delay of the arrival in minutes; None if cancelled, diverted or not recorded.
    """

    carrier: str
    tail: str
    origin: str
    departure: int | None
    dep_delay: int | None
    arr_delay: int | None


def is_flight(line: str) -> bool:
    """Whether a line of the file is a flight: neither the header nor empty."""
    return line != "" and not line.startswith(HEADER)


def parse_flight(line: str) -> Flight:
    """Parse one line of the table, 19 columns divided by commas."""
    fields = line.split(",", ORIGIN + 1)
    year, month, day, dep_time = fields[: DEP_TIME + 1]
    tail = fields[TAIL]
    return Flight(
        fields[CARRIER],
        "" if tail in MISSING else tail,
        fields[ORIGIN],
        None if dep_time in MISSING else midnight(year, month, day) + since_midnight(int(dep_time)),
        minutes(fields[DEP_DELAY]),
        minutes(fields[ARR_DELAY]),
    )


def minutes(text: str) -> int | None:
    """A delay, or None for a missing one."""
    return None if text in MISSING else int(text)


@lru_cache(maxsize=512)
def midnight(year: str | int, month: str | int, day: str | int) -> int:
    """The start of a day, in ms; the day of a flight is that of its departure."""
    return int(datetime(int(year), int(month), int(day), tzinfo=UTC).timestamp()) * 1000


def since_midnight(clock: int) -> int:
    """What a clock shows, such as 1605 for 16:05, in ms; 2400 is the day's end."""
    return (clock // 100 * 60 + clock % 100) * MINUTE_MS


def clock_time(ms: int) -> str:
    """A time as people read it, to the minute."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def departed(flight: Flight) -> bool:
    """Whether the flight took off."""
    return flight.departure is not None


def cancelled(flight: Flight) -> bool:
    """Whether the flight did not take off."""
    return flight.departure is None
