"""What the flights job must give, by pandas and plain Python over the same table."""

from __future__ import annotations

import csv
import gzip
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

#: Airport and hour -> number of flights, sum and maximum of delays.
Hours = dict[tuple[str, str], tuple[int, int, int]]


def expected_carriers(table: Path, airlines: Path) -> dict[str, tuple[Any, ...]]:
    """The statistics by carrier, by pandas."""
    names = pd.read_csv(airlines).set_index("carrier")["name"]
    flights = pd.read_csv(table, usecols=["dep_time", "dep_delay", "arr_delay", "carrier"])
    left = flights[flights.dep_time.notna()]
    rows = {}
    for carrier, group in left.groupby("carrier"):
        delays, arrived = group.dep_delay.astype(int), group.arr_delay.dropna().astype(int)
        rows[str(carrier)] = (
            carrier,
            names[carrier],
            len(group),
            int(delays.sum()),
            int(delays.sum()) / len(group),
            int(delays.max()),
            len(arrived),
            int(arrived.sum()),
            int(arrived.sum()) / len(arrived),
            int(arrived.max()),
            int((delays > 15).sum()),
        )
    return rows


class Left:
    """A flight that departed, of one row of the table."""

    def __init__(self, row: dict[str, str]) -> None:
        clock = int(row["dep_time"])
        day = datetime(int(row["year"]), int(row["month"]), int(row["day"]))
        self.departure = day + timedelta(hours=clock // 100, minutes=clock % 100)
        self.delay = int(row["dep_delay"])
        self.scheduled = self.departure - timedelta(minutes=self.delay)
        self.hour = row["origin"], f"{self.scheduled:%Y-%m-%d %H}:00"
        self.tail, self.carrier = row["tailnum"], row["carrier"]


def flights_that_left(table: Path) -> list[Left]:
    """In the order of the table."""
    data = gzip.decompress(table.read_bytes()) if table.suffix == ".gz" else table.read_bytes()
    return [Left(row) for row in csv.DictReader(data.decode().splitlines()) if row["dep_time"] not in ("", "NA")]


def expected_hours(flights: list[Left]) -> Hours:
    """Delays of all flights by airport and hour."""
    delays: dict[tuple[str, str], list[int]] = {}
    for flight in flights:
        delays.setdefault(flight.hour, []).append(flight.delay)
    return {hour: (len(some), sum(some), max(some)) for hour, some in delays.items()}


def expected_alerts(flights: list[Left], airlines: Path) -> list[tuple[Any, ...]]:
    """Three delays that grow within a day, the last of them over 15 minutes, by plane."""
    with airlines.open() as file:
        names = {row["carrier"]: row["name"] for row in csv.DictReader(file)}
    planes: dict[str, list[Left]] = {}
    for flight in sorted(flights, key=lambda flight: flight.departure):
        planes.setdefault(flight.tail, []).append(flight)
    found = []
    for tail, some in planes.items():
        for a, b, c in zip(some, some[1:], some[2:], strict=False):
            soon = c.departure - a.departure <= timedelta(hours=24)
            if a.delay < b.delay < c.delay and c.delay > 15 and soon:
                found.append((names[c.carrier], tail, f"{c.departure:%Y-%m-%d %H:%M}", a.delay, b.delay, c.delay))
    return sorted(found)


def possibly_late(flights: list[Left]) -> Hours:
    """Flights that come too late where a watermark follows each single flight: no others can."""
    late, latest = [], datetime(1970, 1, 1)
    for flight in flights:
        end = datetime.fromisoformat(flight.hour[1]) + timedelta(hours=1)
        if latest - timedelta(minutes=15) >= end + timedelta(minutes=30):
            late.append(flight)
        latest = max(latest, flight.scheduled)
    return expected_hours(late)
