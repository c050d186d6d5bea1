"""EXPLAIN: what really runs, with Flink's names, exchanges, what sources take, and the kinds of changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from datastream.config.settings import settings
from datastream.table import DataTypes, EnvironmentSettings, ExplainDetail, TableEnvironment
from datastream.table.udf import udf

SUMS = "(SELECT k, SUM(x) AS x FROM f GROUP BY k)"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    (tmp_path / "in.csv").write_text("a,1,2026-01-01 00:00:01\na,2,2026-01-01 00:00:05\nb,3,2026-01-01 00:00:31\n")
    for name in "fe":
        env.execute_sql(
            f"CREATE TABLE {name} (k STRING, x INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH "
            f"('connector' = 'filesystem', 'path' = '{tmp_path / 'in.csv'}', 'format' = 'csv')"
        )
    env.execute_sql("CREATE TABLE by_x (k STRING, x INT, PRIMARY KEY (x) NOT ENFORCED) WITH ('connector' = 'print')")
    return env


def physical(env: TableEnvironment, query: str) -> str:
    text = env.sql_query(query).explain(ExplainDetail.CHANGELOG_MODE)
    return text.split("== Optimized Physical Plan ==\n")[1].split("\n\n")[0]


def execution(env: TableEnvironment, query: str) -> str:
    return env.sql_query(query).explain().split("== Optimized Execution Plan ==\n")[1].rstrip()


def nodes(text: str) -> list[str]:
    return re.findall(r"^[ :+-]*(\w+)\(", text, re.MULTILINE)


def test_one_calc_with_what_the_source_leaves_out(tables: TableEnvironment) -> None:
    query = "SELECT u FROM (SELECT UPPER(k) AS u, k FROM f WHERE k <> 'z') WHERE CHAR_LENGTH(k) > 1"
    assert execution(tables, query) == (
        "Calc(select=[UPPER(k) AS u], where=[((k <> 'z') AND (CHAR_LENGTH(k) > 1))])\n"
        "+- WatermarkAssigner(rowtime=[ts], watermark=[ts])\n"
        "   +- TableSourceScan(table=[[default_catalog, default_database, f, project=[k, ts]]], fields=[k, ts])"
    )
    assert "where=[AND(<>(k, 'z'), >(CHAR_LENGTH(k), 1))], changelogMode=[I])" in physical(tables, query)


def test_what_is_computed_once_is_shown_once(tables: TableEnvironment) -> None:
    tables.create_temporary_function("twice", udf(lambda x: 2 * x, result_type=DataTypes.INT()))
    text = execution(tables, "SELECT y, y + 1 AS z FROM (SELECT twice(x) AS y FROM f)")
    assert text.count("twice(x)") == 1


@pytest.mark.parametrize(
    ("query", "node", "mode"),
    [
        ("SELECT k, COUNT(*) FROM f GROUP BY k", "GroupAggregate", "I,UB,UA"),
        (f"SELECT x, COUNT(*) FROM {SUMS} GROUP BY x", "GroupAggregate", "I,UB,UA,D"),
        ("SELECT DISTINCT k FROM f", "GroupAggregate", "I"),
        ("SELECT a.x FROM f a JOIN e b ON a.k = b.k", "Join", "I"),
        ("SELECT a.x FROM f a LEFT JOIN e b ON a.k = b.k", "Join", "I,D"),
        (f"SELECT a.x FROM f a JOIN {SUMS} b ON a.k = b.k WHERE b.x > 1", "Join", "I,UB,UA"),
        ("SELECT k FROM f WHERE x NOT IN (SELECT x FROM e WHERE x > 1) AND x IS NOT NULL", "Join", "I,D"),
        ("SELECT k, x FROM f ORDER BY x LIMIT 3", "SortLimit", "I,D"),
        ("SELECT k, x FROM f ORDER BY x LIMIT 1", "SortLimit", "I,UB,UA"),
        ("SELECT k, x FROM f ORDER BY x LIMIT 3 OFFSET 1", "SortLimit", "I,UB,UA"),
        (
            "SELECT a.x FROM f a JOIN e b ON a.k = b.k AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '5' SECOND",
            "IntervalJoin",
            "I",
        ),
    ],
)
def test_kinds_of_changes(tables: TableEnvironment, query: str, node: str, mode: str) -> None:
    found = re.search(rf"\b{node}\(.*changelogMode=\[(.*?)\]\)$", physical(tables, query), re.MULTILINE)
    assert found is not None
    assert found[1] == mode


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, COUNT(*) AS n FROM f GROUP BY k",
        f"SELECT x, COUNT(*) AS n FROM {SUMS} GROUP BY x",
        "SELECT a.k, b.x FROM f a LEFT JOIN e b ON a.k = b.k AND a.x < b.x",
        f"SELECT a.x, b.x AS y FROM f a FULL JOIN {SUMS} b ON a.k = b.k",
        f"SELECT k FROM f WHERE x IN (SELECT x FROM {SUMS})",
        "SELECT k FROM f a WHERE NOT EXISTS (SELECT 1 FROM e WHERE e.x > a.x)",
        "SELECT k, x, r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC) AS r FROM f) WHERE r <= 2",
        f"SELECT x FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY x) AS r FROM {SUMS}) WHERE r <= 1",
        f"SELECT k, x FROM {SUMS} LIMIT 1",
        f"SELECT k, SUM(x) OVER (PARTITION BY k ORDER BY x) AS s FROM {SUMS}",
    ],
)
def test_no_other_kinds_come(tables: TableEnvironment, query: str) -> None:
    mode = re.search(r"changelogMode=\[(.*?)\]\)$", physical(tables, query).splitlines()[0])
    assert mode is not None
    names = {"INSERT": "I", "UPDATE_BEFORE": "UB", "UPDATE_AFTER": "UA", "DELETE": "D"}
    with tables.execute_sql(query).collect() as rows:
        came = {names[row.get_row_kind().name] for row in rows}
    assert came <= set(mode[1].split(","))


def test_rows_are_exchanged_where_they_are_keyed(tables: TableEnvironment) -> None:
    text = execution(tables, "SELECT a.k, b.x FROM f a JOIN e b ON a.k = b.k AND a.x < b.x")
    assert text.count("Exchange(distribution=[hash[k]])") == 2
    assert "Exchange(distribution=[single])" in execution(tables, "SELECT COUNT(*) FROM f")
    assert "Exchange" not in execution(tables, "SELECT k FROM f UNION ALL SELECT k FROM e")


def test_aggregates_of_two_phases_are_shown_as_two(tables: TableEnvironment) -> None:
    window = "TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
    query = f"SELECT k, COUNT(*) AS n FROM {window} GROUP BY k, window_start, window_end"
    shown = nodes(execution(tables, query))
    assert [each for each in shown if each not in ("Calc", "WatermarkAssigner")] == [
        "GlobalWindowAggregate",
        "Exchange",
        "LocalWindowAggregate",
        "TableSourceScan",
    ]


def test_first_and_last_rows(tables: TableEnvironment) -> None:
    def of(by: str, last: int = 1) -> str:
        rows = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY {by}) AS r FROM f"
        return execution(tables, f"SELECT k, x FROM ({rows}) WHERE r <= {last}")

    assert "Deduplicate(keep=[LastRow], key=[k], order=[ROWTIME], outputInsertOnly=[false])" in of("ts DESC")
    assert "Deduplicate(keep=[FirstRow], key=[k], order=[ROWTIME], outputInsertOnly=[true])" in of("ts")
    assert "Deduplicate(keep=[FirstRow], key=[k], order=[PROCTIME], outputInsertOnly=[true])" in of("pt")
    assert "Rank(strategy=[AppendFastStrategy], rankType=[ROW_NUMBER]" in of("x DESC", 3)


def test_a_sink_that_keeps_rows_says_so(tables: TableEnvironment) -> None:
    insert = f"INSERT INTO by_x SELECT k, x FROM {SUMS} ON CONFLICT DO DEDUPLICATE"
    text = tables.explain_sql(insert, ExplainDetail.CHANGELOG_MODE)
    sink = "Sink(table=[default_catalog.default_database.by_x], fields=[k, x]"
    kept = ", upsertMaterialize=[true], conflictStrategy=[DEDUPLICATE]"
    assert f"{sink}{kept}, changelogMode=[NONE])" in text
    assert f"{sink}{kept})" in text


def test_upserts_are_normalized(tables: TableEnvironment) -> None:
    pytest.importorskip("confluent_kafka")
    tables.execute_sql(
        "CREATE TABLE u (k STRING, x INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = "
        "'t', 'properties.bootstrap.servers' = 'localhost:1', 'key.format' = 'json', 'value.format' = 'json')"
    )
    assert [line.lstrip(" +-") for line in physical(tables, "SELECT k, x FROM u").splitlines()] == [
        "ChangelogNormalize(key=[k], changelogMode=[I,UB,UA,D])",
        "Exchange(distribution=[hash[k]], changelogMode=[I,UA,D])",
        "TableSourceScan(table=[[default_catalog, default_database, u]], fields=[k, x], changelogMode=[I,UA,D])",
    ]
