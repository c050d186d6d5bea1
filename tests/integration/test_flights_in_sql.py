"""The flights in SQL: statement by statement as `datastream run` does, against pandas and plain Python."""

from __future__ import annotations

from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.sql.parser import parse_script
from tests.support.flights import expected_carriers, expected_hours, flights_that_left
from tests.support.processes import ROOT

FOLDER = ROOT / "examples" / "flights"
TABLE = FOLDER / "data" / "flights-2013-01.csv.gz"


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    monkeypatch.setattr(settings(), "executor", "local")
    monkeypatch.chdir(ROOT)
    text = (FOLDER / "flights.sql").read_text().replace("ORDER BY delay_sum DESC\nLIMIT 5", "")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    found = []
    for _, statement in parse_script(text):
        result = env.execute_sql(statement)
        if statement.startswith("SELECT"):
            with result.collect() as rows:
                found.append(list(rows))
    return found


def test_the_flights_of_a_month(results: list[list[Any]]) -> None:
    carriers, hours = results
    # Without the means, which SQL has as whole numbers.
    wanted = [
        (*row[:4], row[5], *row[6:8], *row[9:])
        for row in expected_carriers(TABLE, FOLDER / "data" / "airlines.csv").values()
    ]
    assert [tuple(row) for row in carriers] == sorted(wanted)
    shown = {(row[0], row[1].strftime("%Y-%m-%d %H:%M")): tuple(row[2:]) for row in hours}
    assert shown == expected_hours(flights_that_left(TABLE)) and len(shown) == len(hours)
