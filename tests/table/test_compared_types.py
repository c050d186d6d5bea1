"""Values of two types beside each other, and points in time across a change of the clocks. The values are Flink's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from datastream import RowKind
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


NUMBERS = "(VALUES (0e0), (CAST('NaN' AS DOUBLE)), (-1e0), (1.5e0), (CAST('NaN' AS DOUBLE))) AS t (x)"


#: With an end only: streaming mode orders no rows without a LIMIT.
BATCH = [
    (f"SELECT x FROM {NUMBERS} ORDER BY x", ["-1.0", "0.0", "1.5", "nan", "nan"]),
    (f"SELECT x FROM {NUMBERS} ORDER BY x DESC", ["nan", "nan", "1.5", "0.0", "-1.0"]),
    (f"SELECT n FROM (SELECT x, ROW_NUMBER() OVER (ORDER BY x) AS n FROM {NUMBERS}) AS q WHERE x = 1.5e0", ["3"]),
]
BOTH = [
    (f"SELECT x FROM {NUMBERS} ORDER BY x LIMIT 3", ["-1.0", "0.0", "1.5"]),
    (f"SELECT x FROM (SELECT x, ROW_NUMBER() OVER (ORDER BY x) AS n FROM {NUMBERS}) AS q WHERE n = 3", ["1.5"]),
    (f"SELECT COUNT(DISTINCT x) FROM {NUMBERS}", ["4"]),
    (f"SELECT SUM(DISTINCT x) FROM {NUMBERS}", ["nan"]),
]


@pytest.mark.parametrize(("query", "found"), BATCH + BOTH)
def test_nan_is_one_number_and_the_greatest(tables: TableEnvironment, query: str, found: list[str]) -> None:
    tables.get_config().set("execution.runtime-mode", "batch")
    assert [str(value) for (value,) in rows(tables, query)] == found


@pytest.mark.parametrize(("query", "found"), BOTH)
def test_nan_in_a_table_that_changes(tables: TableEnvironment, query: str, found: list[str]) -> None:
    table: list[str] = []
    with tables.execute_sql(query).collect() as changes:
        for row in changes:
            if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER):
                table.append(str(row[0]))
            else:
                table.remove(str(row[0]))
    assert sorted(table) == found


def test_signs_behind_exponents(tables: TableEnvironment) -> None:
    assert rows(tables, "SELECT 1e2+1, 1e2-1, 1e-2-1e+2, 2E0*3 -- 1e2+1") == [(101.0, 99.0, -99.99, 6.0)]
