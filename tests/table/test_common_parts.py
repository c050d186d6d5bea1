"""Equal parts of a job's queries are made once: fewer operators, the same rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from datastream.config.settings import settings
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.udf import udf

SUMS = "(SELECT k, SUM(x) AS x FROM f GROUP BY k)"
WINDOWS = (
    "(SELECT k, COUNT(*) AS n, window_start AS s, window_end AS e FROM TABLE(HOP(TABLE f, DESCRIPTOR(ts), "
    "INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end)"
)


@pytest.fixture(params=["streaming", "batch"])
def tables(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    streaming = request.param == "streaming"
    env = TableEnvironment.create(
        EnvironmentSettings.in_streaming_mode() if streaming else EnvironmentSettings.in_batch_mode()
    )
    lines = [f"{'abc'[i % 3]},{i * 7 % 5},2026-01-01 00:00:{i:02}\n" for i in range(40)]
    (tmp_path / "in.csv").write_text("".join(lines))
    env.execute_sql(
        "CREATE TABLE f (k STRING, x INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 'in.csv'}', 'format' = 'csv')"
    )
    env.create_temporary_function("plain", udf(lambda x: x + 1, result_type=DataTypes.INT()))
    env.create_temporary_function("chance", udf(lambda x: x + 1, result_type=DataTypes.INT(), deterministic=False))
    return env


def left(env: TableEnvironment, query: str) -> Counter[str]:
    found: Counter[str] = Counter()
    with env.execute_sql(query).collect() as rows:
        for row in rows:
            found[repr(list(row))] += 1 if str(row.get_row_kind()) in ("+I", "+U") else -1
    return +found


def execution(env: TableEnvironment, query: str) -> str:
    return env.explain_sql(query).split("== Optimized Execution Plan ==\n")[1]


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT a.k, a.x, b.x AS y FROM {SUMS} a JOIN {SUMS} b ON a.k = b.k",
        f"SELECT a.k, a.x, b.x AS y FROM {SUMS} a LEFT JOIN {SUMS} b ON a.x = b.x AND a.k <> b.k",
        f"SELECT * FROM {SUMS} UNION ALL SELECT * FROM {SUMS}",
        f"SELECT k, SUM(x) AS s FROM (SELECT * FROM {SUMS} UNION ALL SELECT * FROM {SUMS}) GROUP BY k",
        f"SELECT k, x FROM {SUMS} WHERE x IN (SELECT x FROM {SUMS})",
        "SELECT k, plain(x) AS y FROM f UNION ALL SELECT k, plain(x) AS y FROM f",
        f"SELECT a.k, a.n FROM {WINDOWS} a JOIN (SELECT MAX(n) AS n, s, e FROM {WINDOWS} GROUP BY s, e) b "
        "ON a.s = b.s AND a.e = b.e AND a.n >= b.n",
        f"SELECT a.k, a.n, b.n AS m FROM {WINDOWS} a JOIN {WINDOWS} b ON a.s = b.s AND a.e = b.e AND a.k = b.k",
        "SELECT a.k, b.x FROM f a JOIN f b ON a.k = b.k AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '3' SECOND",
    ],
)
def test_rows_are_the_same_if_equal_parts_are_one(tables: TableEnvironment, query: str) -> None:
    shared = left(tables, query)
    assert shared
    assert execution(tables, query).count("Reused(reference_id=[1])") == 1
    tables.get_config().set("table.optimizer.reuse-sub-plan-enabled", "false")
    assert left(tables, query) == shared
    assert "Reused" not in execution(tables, query)


@pytest.mark.parametrize("call", ["RAND()", "UUID()", "chance(x)"])
def test_calls_that_are_not_deterministic_stay_apart(tables: TableEnvironment, call: str) -> None:
    one = f"SELECT k, MAX(y) AS y FROM (SELECT k, {call} AS y FROM f) GROUP BY k"
    text = execution(tables, f"{one} UNION ALL {one}")
    assert text.count("TableSourceScan") == 1
    assert text.count(call) == 2
    assert text.count("Aggregate(groupBy") in (2, 4)  # of one phase or two


def test_constants_that_are_equal_as_numbers_only_stay_apart(tables: TableEnvironment) -> None:
    zeros = (tables.from_elements([(zero,)], ["y"]) for zero in (0.0, -0.0))
    with next(zeros).union_all(next(zeros)).execute().collect() as rows:
        assert sorted(repr(row[0]) for row in rows) == ["-0.0", "0.0"]


def test_parts_of_several_inserts_are_made_once(tables: TableEnvironment) -> None:
    for name in "abc":
        tables.execute_sql(f"CREATE TABLE {name} (k STRING, x INT) WITH ('connector' = 'print')")
    inserts = tables.create_statement_set()
    inserts.add_insert_sql("INSERT INTO a SELECT k, SUM(x) FROM f GROUP BY k")
    inserts.add_insert_sql("INSERT INTO b SELECT k, SUM(x) FROM f GROUP BY k")
    inserts.add_insert_sql("INSERT INTO c SELECT k, x FROM f")
    text = inserts.explain().split("== Optimized Execution Plan ==\n")[1]
    trees = [tree.splitlines() for tree in text.strip().split("\n\n")]
    assert [tree[0].partition("(")[0] for tree in trees[-3:]] == ["Sink", "Sink", "Sink"]
    assert [tree[1:] for tree in trees[-3:]] == [
        ["+- Reused(reference_id=[1])"],
        ["+- Reused(reference_id=[1])"],
        ["+- Reused(reference_id=[2])"],
    ]
    assert text.count("SUM(x)") in (1, 2)  # of one phase or two


def test_tables_are_read_apart_if_the_setting_says_so(tables: TableEnvironment) -> None:
    query = "SELECT k, x FROM f WHERE x > 1 UNION ALL SELECT k, x + 1 FROM f WHERE x > 2"
    together = left(tables, query)
    tables.get_config().set("table.optimizer.reuse-source-enabled", "false")
    assert left(tables, query) == together
