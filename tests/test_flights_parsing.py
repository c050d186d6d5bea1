"""The flights example's own functions, against pandas and plain Python on the shipped month."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from datastream.compat import install, installed, uninstall
from datastream.connectors.files import FileSource, StreamFormat
from tests.support.drive import Driven

FOLDER = Path(__file__).parent.parent / "examples" / "flights"
MONTH = FOLDER / "data" / "flights-2013-01.csv.gz"
MODULES = ("output", "parsing", "carrier_statistics", "event_time", "airport_hours", "alerts", "dataset")


@pytest.fixture(scope="module")
def example() -> Iterator[dict[str, ModuleType]]:
    """The example's modules, found as they are when `job.py` runs."""
    before = installed()
    install()  # the example imports pyflink
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(FOLDER))
        for name in MODULES:
            del sys.modules[name]
        if not before:
            uninstall()


@pytest.fixture(scope="module")
def lines() -> list[str]:
    with gzip.open(MONTH, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(MONTH)


def test_every_line_parses_and_cancelled_flights_are_known(
    example: dict[str, ModuleType], lines: list[str], table: pd.DataFrame
) -> None:
    parsing = example["parsing"]
    flights = [parsing.parse_flight(line) for line in lines if parsing.is_flight(line)]
    assert len(flights) == len(table) == 27004
    assert sum(map(parsing.cancelled, flights)) == table.dep_time.isna().sum()
    assert [flight.carrier for flight in flights] == table.carrier.tolist()
    assert [flight.arr_delay for flight in flights] == table.arr_delay.astype(object).where(
        table.arr_delay.notna(), None
    ).tolist()


def test_header_and_empty_lines_are_no_flights(example: dict[str, ModuleType], lines: list[str]) -> None:
    is_flight = example["parsing"].is_flight
    assert [is_flight(lines[0]), is_flight(""), is_flight(lines[1])] == [False, False, True]


@pytest.fixture(scope="module")
def by_carrier(example: dict[str, ModuleType], lines: list[str]) -> dict[str, list[object]]:
    parsing, statistics = example["parsing"], example["carrier_statistics"]
    groups: dict[str, list[object]] = {}
    for line in lines[1:]:
        flight = parsing.parse_flight(line)
        if parsing.departed(flight):
            groups.setdefault(flight.carrier, []).append(statistics.of_flight(flight))
    return groups


def test_statistics_equal_pandas_exactly(
    example: dict[str, ModuleType], by_carrier: dict[str, list[object]], table: pd.DataFrame
) -> None:
    statistics = example["carrier_statistics"]
    expected = table[table.dep_time.notna()].groupby("carrier")
    assert set(by_carrier) == set(expected.groups)
    for carrier, rows in expected:
        got = statistics.carrier_of(("An Airline, Inc.", reduce(statistics.merge, by_carrier[carrier])))
        assert got.flights == len(rows)
        assert got.dep_delay_sum == rows.dep_delay.sum()
        assert got.dep_delay_mean == rows.dep_delay.mean()
        assert got.dep_delay_max == rows.dep_delay.max()
        assert got.arrivals == rows.arr_delay.count()
        assert got.arr_delay_sum == rows.arr_delay.sum()
        assert got.arr_delay_mean == rows.arr_delay.mean()
        assert got.arr_delay_max == rows.arr_delay.max()
        assert got.late == (rows.dep_delay > 15).sum()


def test_merging_in_another_order_gives_the_same(
    example: dict[str, ModuleType], by_carrier: dict[str, list[object]]
) -> None:
    merge = example["carrier_statistics"].merge
    flights = by_carrier["UA"]
    halves = [reduce(merge, flights[::2]), reduce(merge, flights[1::2])]
    assert merge(*halves) == reduce(merge, reversed(flights)) == reduce(merge, flights)


def test_a_carrier_without_arrivals(example: dict[str, ModuleType]) -> None:
    parsing, statistics = example["parsing"], example["carrier_statistics"]
    lost = statistics.of_flight(parsing.Flight("XX", "N1", "EWR", 0, 3, None))
    both = "X", statistics.merge(lost, lost)
    assert statistics.from_csv([statistics.to_csv(both)]) == [statistics.carrier_of(both)]
    assert statistics.carrier_of(both).arr_delay_max is None


def test_final_takes_the_last_update_of_each_carrier(
    example: dict[str, ModuleType], by_carrier: dict[str, list[object]], tmp_path: Path
) -> None:
    statistics = example["carrier_statistics"]
    expected = {}
    bucket = tmp_path / "2024-01-01--00"
    bucket.mkdir()
    for number, (carrier, flights) in enumerate(sorted(by_carrier.items())):
        updates = [flights[0]]
        for flight in flights[1:50]:
            updates.append(statistics.merge(updates[-1], flight))
        name = f"{carrier}, Inc."
        expected[carrier] = statistics.carrier_of((name, updates[-1]))
        rows = [statistics.to_csv((name, update)) + "\n" for update in updates]
        half = len(rows) // 2
        # The file with the later half sorts first.
        (bucket / f"part-{number}-a").write_text("".join(rows[half:]))
        (bucket / f"part-{number}-b").write_text("".join(rows[:half]))
    (bucket / ".part-9.inprogress").write_text("UA,not,finished")
    assert statistics.final(tmp_path) == expected


def test_times_of_a_flight(example: dict[str, ModuleType], lines: list[str]) -> None:
    parsing, event_time = example["parsing"], example["event_time"]
    flight = parsing.parse_flight("2013,1,31,2400,2355,5,1,1,NA,UA,1,NA,EWR,ORD,1,1,1,1,x")
    assert parsing.clock_time(flight.departure) == "2013-02-01 00:00"
    assert parsing.clock_time(event_time.scheduled(flight)) == "2013-01-31 23:55"
    assert flight.tail == ""
    departures = [f.departure for f in map(parsing.parse_flight, lines[1:]) if parsing.departed(f)]
    assert departures == sorted(departures)


def test_months_are_put_in_order(example: dict[str, ModuleType]) -> None:
    table = b"year,month\n2013,1,a\n2013,10,b\n2013,2,c\n2013,2,d\n"
    assert example["dataset"].by_month(table) == b"year,month\n2013,1,a\n2013,2,c\n2013,2,d\n2013,10,b\n"


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the job writes of the month with the local executor and one subtask."""
    folder = tmp_path_factory.mktemp("flights")
    job = [FOLDER / "job.py", "--month-only", "--no-live", "--output", folder]
    command = [sys.executable, "-m", "datastream.cli", "run", "--executor", "local", "-p", "1", *map(str, job)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return folder


def blocks_of_lines() -> Iterator[list[str]]:
    """The month as the source gives it to the job."""
    text = StreamFormat.text_line_format()
    source = FileSource.for_record_stream_format(text, str(MONTH)).process_static_file_set().build()
    reading = Driven(source)
    start = reading.initial_offset()
    for split in reading.splits(start, reading.latest_offset(start, 1_000_000), 1):
        yield from reading.read(split)


def test_an_hour_takes_flights_until_it_is_too_late(example: dict[str, ModuleType], output: Path) -> None:
    """A watermark follows each block of lines; an hour waits for its flights 30 minutes and those of the watermark."""
    parsing, hours, scheduled = example["parsing"], example["airport_hours"], example["event_time"].scheduled
    in_time: list[Any] = []
    too_late: list[Any] = []
    watermark = -1
    for lines in blocks_of_lines():
        flights = [parsing.parse_flight(line) for line in lines if parsing.is_flight(line)]
        left = [flight for flight in flights if parsing.departed(flight)]
        for flight in left:
            time = scheduled(flight)
            end = time - time % 3_600_000 + 3_600_000
            late = end - 1 + 1_800_000 <= watermark
            (too_late if late else in_time).append(hours.hour_of(hours.to_departed(flight)))
        watermark = max(watermark, *(scheduled(flight) - 15 * 60_000 - 1 for flight in left))
    assert len(too_late) > 5
    assert sorted(hours.read(output / "too-late")) == sorted(too_late)
    assert hours.final(output / "hours") == hours.together(in_time)
    lines_written = hours.read(output / "hours")
    assert len(lines_written) > len(hours.together(in_time))  # some hours fired again


def test_alerts_are_those_of_planes_whose_delays_grow(
    example: dict[str, ModuleType], table: pd.DataFrame, output: Path
) -> None:
    left = table[table.dep_time.notna()]
    times = left.dep_time.astype(int)
    days = pd.to_datetime(left[["year", "month", "day"]])
    left = left.assign(departure=days + pd.to_timedelta(times // 100 * 60 + times % 100, "min"))
    flights = left.sort_values(["tailnum", "departure"])
    before = flights.groupby("tailnum")[["dep_delay", "departure"]]
    first, second = before.shift(2), before.shift(1)
    grown = (first.dep_delay < second.dep_delay) & (second.dep_delay < flights.dep_delay) & (flights.dep_delay > 15)
    soon = flights.departure - first.departure <= pd.Timedelta(hours=24)
    found = flights[grown & soon]
    expected = {(row.tailnum, f"{row.departure:%Y-%m-%d %H:%M}", int(row.dep_delay)) for row in found.itertuples()}
    alerts = example["alerts"].read(output / "alerts")
    assert len(alerts) == len(expected) > 300
    assert {(alert.tail, alert.departure, alert.third) for alert in alerts} == expected
    assert all(alert.first < alert.second < alert.third for alert in alerts)
    assert "United Air Lines Inc." in {alert.airline for alert in alerts}
