"""The results of the flights job in Kafka, compared with a batch computation over the same table.

The job does not end: event time stands where the last flights of the topic have brought it. What it has not passed
yet, the last hours and the last alerts, must be missing.
"""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support.flights import (
    Hours,
    Left,
    expected_alerts,
    expected_carriers,
    expected_hours,
    flights_that_left,
    possibly_late,
)
from tests.support.servers.kafka import Broker

Row = dict[str, Any]

DATA = Path(__file__).parents[2] / "examples" / "flights" / "data"
TABLE, AIRLINES = DATA / "flights-2013-01.csv.gz", DATA / "airlines.csv"
OUT_OF_ORDER = timedelta(minutes=15)
HOUR = timedelta(hours=1)


def rows(broker: Broker, topic: str) -> list[Row]:
    """The committed records of a topic, by partition and offset."""
    return [json.loads(record.value or b"") for record in broker.read(topic)]


def written(broker: Broker, source: str) -> int:
    """About how many records the job has written to its largest topic; transactions' marks count too."""
    return sum(broker.ends(f"{source}-carriers", committed=True).values())


def flights_of_the_table() -> int:
    """How many flights the table has that have left."""
    return len(flights_that_left(TABLE))


class Expected:
    """What the job must have written once it has read a topic.

    Args:
        broker: Where the topic is.
        source: The topic of the flights.
        restored: Whether the job has started from savepoints. There are no watermarks in these, so an hour that was
            over may have begun once more, for flights that would have been too late.
    """

    def __init__(self, broker: Broker, source: str, restored: bool = False) -> None:
        self._restored = restored
        self.flights = flights_that_left(TABLE)
        by_partition: dict[int, list[Left]] = {}
        for record in broker.read(source):
            row = json.loads(record.value or b"")
            if row.get("dep_time") is not None:
                by_partition.setdefault(record.partition, []).append(Left(row))
        found = sum(map(len, by_partition.values()))
        assert found == len(self.flights), f"{source} has {found} departed flights, not {len(self.flights)}"
        for number, some in by_partition.items():
            behind = sum(after.departure < before.departure for before, after in pairwise(some))
            assert not behind, f"partition {number} of {source} is not in order of departure, at {behind} places"
        # Each partition has a watermark of its own, and the lowest counts.
        self.departed = min(max(left.departure for left in some) for some in by_partition.values())
        self.scheduled = min(max(left.scheduled for left in some) for some in by_partition.values()) - OUT_OF_ORDER

    def problems(self, broker: Broker, source: str) -> list[str]:
        """What is wrong or missing in the topics of the results; nothing: all is right."""
        found = {name: rows(broker, f"{source}-{name}") for name in ("carriers", "hours", "too-late", "alerts")}
        return [
            *self._carriers(found["carriers"]),
            *self._hours(found["hours"], found["too-late"]),
            *self._alerts(found["alerts"]),
        ]

    def _carriers(self, got: list[Row]) -> list[str]:
        """One record for each flight, the last of each carrier with all of them."""
        if len(got) != len(self.flights):
            return [f"carriers: {len(got)} records, not one for each of {len(self.flights)} flights"]
        last = {row["carrier"]: tuple(row.values()) for row in got}
        return [] if last == expected_carriers(TABLE, AIRLINES) else ["carriers: other statistics"]

    def _hours(self, got: list[Row], late: list[Row]) -> list[str]:
        sums: Hours = {_hour(row): _numbers(row) for row in got}
        for row in late:
            flights, total, longest = sums.get(_hour(row), (0, 0, -10_000))
            more, delay, delay_max = _numbers(row)
            sums[_hour(row)] = flights + more, total + delay, max(longest, delay_max)
        over = {left.hour for left in self.flights if _end_of_hour(left) <= self.scheduled}
        wanted = {hour: numbers for hour, numbers in expected_hours(self.flights).items() if hour in over}
        if self._restored:
            sums = {hour: _begun_once_more(got, late, hour, wanted.get(hour), sums[hour]) for hour in sums}
        wrong = [hour for hour in sums.keys() | wanted.keys() if sums.get(hour) != wanted.get(hour)]
        unexpected = {_hour(row) for row in late} - possibly_late(self.flights).keys()
        return [
            *(f"hours: {len(wrong)} of {len(wanted)} are other or missing, such as {hour}" for hour in wrong[:1]),
            *(
                f"too late: {len(unexpected)} hours cannot have late flights, such as {hour}"
                for hour in list(unexpected)[:1]
            ),
        ]

    def _alerts(self, got: list[Row]) -> list[str]:
        found = sorted(tuple(row.values()) for row in got)
        all_of_them = expected_alerts(self.flights, AIRLINES)
        # Times are whole minutes, so what departs in the minute of the watermark may be there or not.
        now = f"{self.departed:%Y-%m-%d %H:%M}"
        must = [alert for alert in all_of_them if alert[2] < now]
        missing = set(must) - set(found)
        wrong = set(found) - {alert for alert in all_of_them if alert[2] <= now}
        double = len(found) - len(set(found)) - (len(must) - len(set(must)))
        return [
            *(f"alerts: {len(missing)} of {len(must)} are missing" for _ in missing and [0]),
            *(f"alerts: {len(wrong)} are wrong, such as {alert}" for alert in list(wrong)[:1]),
            *([f"alerts: {double} are there twice"] if double > 0 else []),
        ]


def _begun_once_more(
    got: list[Row], late: list[Row], hour: tuple[str, str], wanted: tuple[int, int, int] | None, last: Any
) -> Any:
    """What is wanted of an hour, if it can be the sum of its beginnings and of what was too late; else `last`."""
    if last == wanted:
        return last
    results = [_numbers(row) for row in got if _hour(row) == hour]
    sums = {(0, 0, -10_000)}
    for now, following in zip(results, [*results[1:], None], strict=True):
        # A result that another one of the same beginning follows does not count.
        ends = sums if following is not None and following[0] > now[0] else set()
        sums = {_added(before, now) for before in sums} | ends
    for row in late:
        if _hour(row) == hour:
            sums = {_added(before, _numbers(row)) for before in sums}
    return wanted if wanted in sums else last


def _added(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], max(one[2], other[2])


def _hour(row: Row) -> tuple[str, str]:
    return row["origin"], row["hour"]


def _numbers(row: Row) -> tuple[int, int, int]:
    return row["flights"], row["delay_sum"], row["delay_max"]


def _end_of_hour(left: Left) -> Any:
    return left.scheduled.replace(minute=0) + HOUR
