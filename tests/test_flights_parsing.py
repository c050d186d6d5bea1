"""The flights example's own functions, against pandas on the shipped month."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

FOLDER = Path(__file__).parent.parent / "examples" / "flights"
MONTH = FOLDER / "data" / "flights-2013-01.csv.gz"
MODULES = ("parsing", "carrier_statistics")


@pytest.fixture(scope="module")
def example() -> Iterator[dict[str, ModuleType]]:
    """The example's modules, found as they are when `job.py` runs."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(FOLDER))
        for name in MODULES:
            del sys.modules[name]


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
            groups.setdefault(flight.carrier, []).append(statistics.of_flight(flight, "An Airline, Inc."))
    return groups


def test_statistics_equal_pandas_exactly(
    example: dict[str, ModuleType], by_carrier: dict[str, list[object]], table: pd.DataFrame
) -> None:
    statistics = example["carrier_statistics"]
    expected = table[table.dep_time.notna()].groupby("carrier")
    assert set(by_carrier) == set(expected.groups)
    for carrier, rows in expected:
        got = statistics.carrier_of(reduce(statistics.merge, by_carrier[carrier]))
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
    lost = statistics.of_flight(parsing.Flight("XX", True, 3, None), "X")
    both = statistics.merge(lost, lost)
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
        expected[carrier] = statistics.carrier_of(updates[-1])
        rows = [statistics.to_csv(update) + "\n" for update in updates]
        half = len(rows) // 2
        # The file with the later half sorts first.
        (bucket / f"part-{number}-a").write_text("".join(rows[half:]))
        (bucket / f"part-{number}-b").write_text("".join(rows[:half]))
    (bucket / ".part-9.inprogress").write_text("UA,not,finished")
    assert statistics.final(tmp_path) == expected
