"""Names of airlines, and the step that adds them to flights."""

from __future__ import annotations

import csv
from pathlib import Path

from carrier_statistics import Statistics, of_flight
from parsing import Flight
from pyflink.datastream import MapFunction


def read_airlines(path: Path) -> dict[str, str]:
    """Carrier code -> name, from a CSV file with the columns ``carrier`` and ``name``."""
    with path.open(newline="", encoding="utf-8") as file:
        return {row["carrier"]: row["name"] for row in csv.DictReader(file)}


class WithAirline(MapFunction):
    """Flight -> statistics of this one flight, with the airline's name.

    The names travel to the workers with the function; the table is small.
    """

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def map(self, value: Flight) -> Statistics:
        return of_flight(value, self.names.get(value.carrier, value.carrier))
