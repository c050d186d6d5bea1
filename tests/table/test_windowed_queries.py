"""Windows of windows, window joins and interval joins of random rows, over restarts, against DuckDB."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from datastream import Types
from datastream.table import DataTypes, Schema, StreamTableEnvironment
from datastream.types import Row, RowKind
from tests.support.savepoints import Part

START = datetime(2024, 1, 1)
DELAY = 6
ROW = Types.ROW_NAMED(["k", "v", "ts"], [Types.STRING(), Types.INT(), Types.SQL_TIMESTAMP()])
KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
ROWS = {"t": 61, "u": 43}

TUMBLED = "(SELECT * FROM TABLE(TUMBLE(TABLE {0}, DESCRIPTOR(ts), INTERVAL '10' SECOND)))"
OF_TEN = "(SELECT *, s - s % 10 AS w FROM {0})"
TOTALS = (
    "SELECT window_start, window_end, k, SUM(v) AS x FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
    "GROUP BY window_start, window_end, k"
)
SAME = "L.window_start = R.window_start AND L.window_end = R.window_end"

#: A query, and what DuckDB computes of seconds.
QUERIES = {
    "a window of a window": (
        f"SELECT MAX(x), COUNT(*) FROM ({TOTALS}) GROUP BY window_start, window_end",
        "SELECT MAX(x), COUNT(*) FROM (SELECT s - s % 10 AS w, k, SUM(v) AS x FROM t GROUP BY 1, 2) GROUP BY w",
    ),
    "a window of a window with a key": (
        f"SELECT k, MAX(x), COUNT(*) FROM (SELECT * FROM ({TOTALS}) WHERE x > 5) GROUP BY window_start, window_end, k",
        "SELECT k, MAX(x), COUNT(*) FROM (SELECT s - s % 10 AS w, k, SUM(v) AS x FROM t GROUP BY 1, 2) WHERE x > 5 "
        "GROUP BY w, k",
    ),
    "a window of a window join": (
        f"SELECT COUNT(*), SUM(L.v + R.v) FROM {TUMBLED.format('t')} L JOIN {TUMBLED.format('u')} R "
        f"ON L.k = R.k AND {SAME} GROUP BY L.window_start, L.window_end",
        f"SELECT COUNT(*), SUM(L.v + R.v) FROM {OF_TEN.format('t')} L "
        f"JOIN {OF_TEN.format('u')} R USING (k, w) GROUP BY w",
    ),
    "a window of an interval join": (
        "SELECT COUNT(*), SUM(v) FROM TABLE(TUMBLE((SELECT t.ts AS ts, t.v + COALESCE(u.v, 0) AS v FROM t LEFT JOIN u "
        "ON t.k = u.k AND u.ts BETWEEN t.ts - INTERVAL '7' SECOND AND t.ts + INTERVAL '3' SECOND), DESCRIPTOR(ts), "
        "INTERVAL '10' SECOND)) GROUP BY window_start, window_end",
        "SELECT COUNT(*), SUM(t.v + COALESCE(u.v, 0)) FROM t LEFT JOIN u "
        "ON t.k = u.k AND u.s BETWEEN t.s - 7 AND t.s + 3 GROUP BY t.s - t.s % 10",
    ),
    "rows of a window that are in another table": (
        f"SELECT k, v FROM {TUMBLED.format('t')} WHERE (window_start, window_end, k) IN "
        f"(SELECT window_start, window_end, k FROM {TUMBLED.format('u')} WHERE v > 2)",
        f"SELECT k, v FROM {OF_TEN.format('t')} WHERE (w, k) IN (SELECT w, k FROM {OF_TEN.format('u')} WHERE v > 2)",
    ),
    "rows of a window that are in no other table": (
        f"SELECT k, v FROM {TUMBLED.format('t')} WHERE k IS NOT NULL AND (window_start, window_end, k) NOT IN "
        f"(SELECT window_start, window_end, k FROM {TUMBLED.format('u')} WHERE v > 2 AND k IS NOT NULL)",
        f"SELECT k, v FROM {OF_TEN.format('t')} WHERE k IS NOT NULL AND (w, k) NOT IN "
        f"(SELECT w, k FROM {OF_TEN.format('u')} WHERE v > 2 AND k IS NOT NULL)",
    ),
}
for kind in KINDS:
    QUERIES[f"window {kind}"] = (
        f"SELECT L.k, L.v, R.k, R.v FROM {TUMBLED.format('t')} L {kind} {TUMBLED.format('u')} R "
        f"ON L.k = R.k AND {SAME} AND L.v <> R.v",
        f"SELECT L.k, L.v, R.k, R.v FROM {OF_TEN.format('t')} L {kind} {OF_TEN.format('u')} R "
        "ON L.k = R.k AND L.w = R.w AND L.v <> R.v",
    )
    for lower, upper in ((-5, 5), (0, 12), (-12, -2), (3, 4)):
        QUERIES[f"interval {kind} {lower} {upper}"] = (
            f"SELECT t.k, t.v, u.k, u.v FROM t {kind} u ON t.k = u.k AND t.v <> u.v AND "
            f"u.ts >= t.ts + INTERVAL '{lower}' SECOND AND u.ts <= t.ts + INTERVAL '{upper}' SECOND",
            f"SELECT t.k, t.v, u.k, u.v FROM t {kind} u ON t.k = u.k AND t.v <> u.v "
            f"AND u.s BETWEEN t.s + {lower} AND t.s + {upper}",
        )


def drawn(draw: random.Random) -> dict[str, list[tuple[str | None, int, int]]]:
    """Rows of key, value and second, none of which is late."""
    return {
        name: [
            (draw.choice(["a", "b", "c", "d", None]), draw.randint(1, 9), max(0, i + draw.randint(0, DELAY - 1)))
            for i in range(count)
        ]
        for name, count in ROWS.items()
    }


def by_duckdb(rows: dict[str, list[tuple[str | None, int, int]]], query: str) -> Counter[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        for name, given in rows.items():
            connection.execute(f"CREATE TABLE {name} (k VARCHAR, v INTEGER, s INTEGER)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", given)
        return Counter(connection.execute(query).fetchall())


@pytest.mark.long
@pytest.mark.parametrize("name", QUERIES)
def test_time_gives_each_result_once(name: str, tmp_path: Path) -> None:
    check(name, 0, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", QUERIES)
def test_many_draws(name: str, tmp_path: Path) -> None:
    for seed in range(1, 11):
        check(name, seed, tmp_path)


def check(name: str, seed: int, folder: Path) -> None:
    """Draw rows, epochs and parallelism for a query, and compare its results over a restart."""
    query, of_seconds = QUERIES[name]
    draw = random.Random(f"{name} {seed}")
    rows = drawn(draw)

    def build(env: Any, numbers: Any) -> Any:
        t_env = StreamTableEnvironment.create(env)
        schema = (
            Schema.new_builder()
            .column("k", DataTypes.STRING())
            .column("v", DataTypes.INT())
            .column("ts", DataTypes.TIMESTAMP(3))
            .watermark("ts", f"ts - INTERVAL '{DELAY}' SECOND")
            .build()
        )
        for table, given in rows.items():
            stream = numbers.flat_map(
                lambda n, given=given: [Row(k, v, START + timedelta(seconds=s)) for k, v, s in given[n - 1 : n]], ROW
            )
            t_env.create_temporary_view(table, t_env.from_data_stream(stream, schema))
        stream = t_env.to_changelog_stream(t_env.sql_query(query))
        return stream.map(lambda row: (row.get_row_kind(), *row))

    more = {"datastream.epoch.max-records": str(draw.randint(3, 25))}
    widths = draw.choices([1, 2, 3], k=2)
    end = max(ROWS.values())
    first = Part(build, epochs=draw.randint(1, 2), parallelism=widths[0], more=more, end=end)
    first.handle.savepoint(folder / str(seed))
    rest = Part(build, savepoint=folder / str(seed), parallelism=widths[1], more=more, end=end)
    found = first.results + rest.results
    assert {kind for kind, *_ in found} == {RowKind.INSERT}
    assert Counter(tuple(row) for _, *row in found) == by_duckdb(rows, of_seconds), f"{seed} {widths} {more} {rows}"
