"""Values of two types beside each other, and points in time across a change of the clocks. The values are Flink's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, TableEnvironment

#: Half past midnight before the clocks go forward, and a day later on the clock; noon in summer.
TIMES = """(
    SELECT CAST(a AS TIMESTAMP_LTZ(3)) AS a, CAST(b AS TIMESTAMP_LTZ(3)) AS b, c, CAST(c AS TIMESTAMP_LTZ(3)) AS z
    FROM (
        VALUES (TIMESTAMP '2024-03-31 00:30:00', TIMESTAMP '2024-04-01 00:30:00', TIMESTAMP '2024-06-29 12:00:00')
    ) AS t (a, b, c)
)"""


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set_local_timezone("Europe/Berlin")
    return t_env


def rows(tables: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    with tables.execute_sql(query).collect() as found:
        return [tuple(row) for row in found]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("c = z", True),
        ("z = c", True),
        ("c <> z", False),
        ("c < z + INTERVAL '1' HOUR", True),
        ("z - INTERVAL '1' HOUR >= c", False),
        ("z BETWEEN c AND c", True),
        ("z IN (c)", True),
        ("z IS NOT DISTINCT FROM c", True),
        ("NULLIF(c, z) IS NULL", True),
        ("CASE z WHEN c THEN TRUE ELSE FALSE END", True),
        ("z > TIMESTAMP '2024-06-29 11:30:00'", True),
        ("z < TIMESTAMP '2024-06-29 12:30:00'", True),
    ],
)
def test_points_in_time_are_compared_with_times_of_the_sessions_clock(
    tables: TableEnvironment, condition: str, holds: bool
) -> None:
    assert rows(tables, f"SELECT {condition} FROM {TIMES}") == [(holds,)]


def test_a_join_of_points_in_time_and_clock_times(tables: TableEnvironment) -> None:
    query = f"SELECT x.c, y.z FROM (SELECT c FROM {TIMES}) AS x JOIN (SELECT z FROM {TIMES}) AS y ON x.c = y.z"
    assert len(rows(tables, query)) == 1
    assert len(rows(tables, f"SELECT c FROM {TIMES} WHERE c IN (SELECT z FROM {TIMES})")) == 1


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("TIMESTAMPDIFF(HOUR, a, b)", 23),
        ("TIMESTAMPDIFF(HOUR, b, a)", -23),
        ("TIMESTAMPDIFF(DAY, a, b)", 0),
        ("TIMESTAMPDIFF(SECOND, a, b)", 82_800),
        ("TIMESTAMPDIFF(MONTH, a, b)", 0),
        ("TIMESTAMPDIFF(DAY, TIMESTAMP '2024-03-31 00:30:00', TIMESTAMP '2024-04-01 00:30:00')", 1),
        ("CAST((b - a) SECOND AS STRING)", "+0 23:00:00.000"),
        ("CAST(TIMESTAMPADD(HOUR, 24, a) AS STRING)", "2024-04-01 01:30:00.000"),
        ("CAST(TIMESTAMPADD(DAY, 1, a) AS STRING)", "2024-04-01 01:30:00.000"),
        ("CAST(a + INTERVAL '1' DAY AS STRING)", "2024-04-01 01:30:00.000"),
        ("CAST(TIMESTAMPADD(MONTH, 1, a) AS STRING)", "2024-05-01 01:30:00.000"),
        ("CAST(a + INTERVAL '1' MONTH AS STRING)", "2024-05-01 01:30:00.000"),
        ("CAST(TIMESTAMPADD(DAY, 1, TIMESTAMP '2024-03-31 00:30:00') AS STRING)", "2024-04-01 00:30:00"),
    ],
)
def test_a_day_of_23_hours(tables: TableEnvironment, expression: str, value: Any) -> None:
    assert rows(tables, f"SELECT {expression} FROM {TIMES}") == [(value,)]


def test_a_join_of_decimals_and_doubles(tables: TableEnvironment) -> None:
    decimals = "(VALUES (999.995), (1.5)) AS x (d)"
    doubles = "(VALUES (999.995e0), (1.25e0)) AS y (f)"
    joined = rows(tables, f"SELECT d, f FROM {decimals} JOIN {doubles} ON d = f")
    assert joined == [(Decimal("999.995"), 999.995)]
    assert rows(tables, f"SELECT d FROM {decimals} WHERE d IN (SELECT f FROM {doubles})") == [(Decimal("999.995"),)]
