"""Fields of ROW columns that a query does not use are not read, where no error is lost by that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from datastream.config.settings import settings
from datastream.table import EnvironmentSettings, TableEnvironment

ROW = "ROW<a INT, b STRING, c ROW<d INT, e STRING, f STRING>, g ARRAY<STRING>>"
LINES = [
    '{"k": 1, "r": {"a": 1, "b": "x", "c": {"d": 5, "e": "y", "f": "z"}, "g": ["q"]}, "s": {"h": "u", "i": "v"}}',
    '{"k": 2, "r": {"a": 2, "b": {"not": "text"}, "c": {"d": 6}}, "s": {"h": null, "i": "w"}}',
    '{"k": 3, "r": null, "s": null}',
]


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    path = tmp_path / "in.json"
    path.write_text("".join(line + "\n" for line in LINES))
    for name, options in (("t", ""), ("ignoring", ", 'json.ignore-parse-errors' = 'true'")):
        env.execute_sql(
            f"CREATE TABLE {name} (k INT, r {ROW}, s ROW<h STRING, i STRING>) WITH "
            f"('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json'{options})"
        )
    return env


def read(env: TableEnvironment, query: str) -> list[str]:
    """What is read of each table."""
    plan = env.explain_sql(query).split("== Optimized Execution Plan ==\n")[1]
    found = re.findall(r"table=\[\[default_catalog, default_database, \w+(?:, project=\[(.*?)])?]]", plan)
    return [each or "all" for each in found]


def rows(env: TableEnvironment, query: str) -> list[str]:
    with env.execute_sql(query).collect() as results:
        return sorted(str(row) for row in results)


@pytest.mark.parametrize(
    ("query", "parts", "result"),
    [
        ("SELECT r.b FROM t", ["r"], ["<Row('x')>", '<Row(\'{"not":"text"}\')>', "<Row(None)>"]),
        ("SELECT s.h FROM t WHERE s.i <> 'v' AND k < 3", ["k, s"], ["<Row(None)>"]),
        ("SELECT s.i FROM t WHERE k < 3", ["k, s.i"], ["<Row('v')>", "<Row('w')>"]),
        ("SELECT r.c.f FROM t", ["r.a, r.c.d, r.c.f, r.g"], ["<Row('z')>", "<Row(None)>", "<Row(None)>"]),
        ("SELECT r.c.f FROM ignoring WHERE r.a = 1", ["r.a, r.c.f"], ["<Row('z')>"]),
        ("SELECT k FROM ignoring WHERE r IS NOT NULL", ["k, r.a"], ["<Row(1)>", "<Row(2)>"]),
        ("SELECT k FROM t WHERE s IS NULL", ["k, s.h"], ["<Row(3)>"]),
        ("SELECT COUNT(s.i) AS n FROM t GROUP BY k > 0", ["k, s.i"], ["<Row(1)>", "<Row(1)>", "<Row(2)>", "<Row(2)>"]),
        ("SELECT c.e FROM (SELECT r.c AS c FROM ignoring)", ["r.c.e"], ["<Row('y')>", "<Row(None)>", "<Row(None)>"]),
        ("SELECT s FROM t WHERE s.i = 'v'", ["s"], ["<Row(<Row('u', 'v')>)>"]),
    ],
)
def test_only_what_is_used_is_read(tables: TableEnvironment, query: str, parts: list[str], result: list[str]) -> None:
    assert read(tables, query) == parts
    if "COUNT" not in query:
        assert rows(tables, query) == sorted(result)


def test_a_table_that_is_read_in_several_places_is_read_once_with_all_that_is_used(tables: TableEnvironment) -> None:
    both = "SELECT s.h AS v FROM ignoring UNION ALL SELECT r.b AS v FROM ignoring UNION ALL SELECT r.c.e FROM ignoring"
    assert read(tables, both) == ["s.h, r.b, r.c.e"]
    assert rows(tables, both) == [
        "<Row('u')>",
        "<Row('x')>",
        "<Row('y')>",
        '<Row(\'{"not":"text"}\')>',
        *["<Row(None)>"] * 5,
    ]
    assert read(tables, "SELECT s.h AS v FROM t UNION ALL SELECT CAST(s AS STRING) AS v FROM t") == ["s"]


def test_rows_that_operators_keep_are_whole(tables: TableEnvironment) -> None:
    """Another query over the same state may read the other fields."""
    joined = "SELECT x.s.i FROM t AS x JOIN t AS y ON x.k = y.k"
    assert read(tables, joined) == ["k, s"]
    assert rows(tables, joined) == ["<Row('v')>", "<Row('w')>", "<Row(None)>"]
    latest = "SELECT s.h FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY k) AS n FROM t) WHERE n = 1"
    assert read(tables, latest) == ["all"]


@pytest.mark.parametrize(
    ("connector", "parts"),
    [
        (
            "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'x:1', "
            "'scan.startup.mode' = 'earliest-offset', 'format' = 'json'",
            "r.a, r.b",
        ),
        ("'connector' = 'mqtt', 'url' = 'mqtt://x', 'topic' = 't', 'client-id' = 'c', 'format' = 'json'", "r.a, r.b"),
        ("'connector' = 'filesystem', 'path' = '/t', 'format' = 'json', 'json.fail-on-missing-field' = 'true'", "r"),
        ("'connector' = 'filesystem', 'path' = '/t', 'format' = 'parquet'", "r"),
        ("'connector' = 'filesystem', 'path' = '/t', 'format' = 'debezium-json'", "r"),
    ],
)
def test_systems_and_formats(tables: TableEnvironment, connector: str, parts: Sequence[str]) -> None:
    tables.execute_sql(f"CREATE TABLE m (k INT, r ROW<a INT, b STRING, c STRING>) WITH ({connector})")
    assert read(tables, "SELECT r.b FROM m") == [parts]
