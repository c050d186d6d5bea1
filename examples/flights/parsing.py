"""From a line of the flights table to a `Flight`."""

from __future__ import annotations

from typing import NamedTuple

HEADER = "year,"
MISSING = ("NA", "")

# Columns of the table, counted from 0.
DEP_TIME, DEP_DELAY, ARR_DELAY, CARRIER = 3, 5, 8, 9


class Flight(NamedTuple):
    """What the job needs of a flight.

    Attributes:
        carrier: Two-letter code of the airline.
        departed: False for a cancelled flight.
        dep_delay: Delay of the departure in minutes; None if cancelled. Negative: early.
        arr_delay: Delay of the arrival in minutes; None if cancelled, diverted or not recorded.
    """

    carrier: str
    departed: bool
    dep_delay: int | None
    arr_delay: int | None


def is_flight(line: str) -> bool:
    """Whether a line of the file is a flight: neither the header nor empty."""
    return line != "" and not line.startswith(HEADER)


def parse_flight(line: str) -> Flight:
    """Parse one line of the table, 19 columns divided by commas."""
    fields = line.split(",", CARRIER + 1)
    return Flight(
        carrier=fields[CARRIER],
        departed=fields[DEP_TIME] not in MISSING,
        dep_delay=minutes(fields[DEP_DELAY]),
        arr_delay=minutes(fields[ARR_DELAY]),
    )


def minutes(text: str) -> int | None:
    """A delay, or None for a missing one."""
    return None if text in MISSING else int(text)


def departed(flight: Flight) -> bool:
    """Whether the flight took off."""
    return flight.departed


def cancelled(flight: Flight) -> bool:
    """Whether the flight did not take off."""
    return not flight.departed
