"""Where a condition is tested: in a join, or below joins, groups and sets."""

from __future__ import annotations

import re

import pytest

from datastream.table import EnvironmentSettings, TableEnvironment


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in (("a", "v"), ("b", "w"), ("c", "x")):
        time = f"{value}_time"
        made.execute_sql(
            f"CREATE TABLE {name} (k INT, {value} INT, {time} TIMESTAMP(3), WATERMARK FOR {time} AS {time})"
            " WITH ('connector' = 'datagen')"
        )
    return made


def plan(env: TableEnvironment, query: str) -> str:
    return str(env.explain_sql(query)).split("== Optimized Execution Plan ==")[1]


@pytest.mark.parametrize(
    ("query", "on"),
    [
        ("SELECT v, w FROM a, b WHERE a.k = b.k", ["(k = k0)"]),
        (
            "SELECT v, w FROM a, b WHERE a.k = b.k AND v BETWEEN w AND w + 5",
            ["((k = k0) AND BETWEEN(v, w, (w + 5)))"],
        ),
        ("SELECT v, w, x FROM a, b, c WHERE a.k = b.k AND b.k = c.k", ["(k0 = k)", "(k = k0)"]),
        ("SELECT v FROM (SELECT v, a.k AS k1, b.k AS k2 FROM a, b) WHERE k1 = k2", ["(k = k0)"]),
        ("SELECT v, w FROM a JOIN b ON v > w WHERE a.k = b.k", ["((v > w) AND (k = k0))"]),
        ("SELECT v FROM a LEFT JOIN b ON a.k = b.k WHERE v > w", ["((k = k0) AND (v > w))"]),
    ],
)
def test_a_condition_of_both_sides_belongs_to_the_join(env: TableEnvironment, query: str, on: list[str]) -> None:
    assert re.findall(r"Join\(.*?where=\[(.*?)\], select", plan(env, query)) == on


def test_a_condition_of_one_side_is_tested_below(env: TableEnvironment) -> None:
    above, below = plan(env, "SELECT v, w FROM a JOIN b ON a.k = b.k AND v > 3 AND w > 4").split("where=[(k = k0)]")
    assert "where=" not in above
    assert "where=[(v > 3)]" in below
    assert "where=[(w > 4)]" in below


def test_what_gives_another_value_each_time_stays_where_it_is(env: TableEnvironment) -> None:
    shown = plan(env, "SELECT v, w FROM a, b WHERE a.k = b.k AND v > w * RAND()")
    assert "where=[(k = k0)]" in shown
    assert "RAND" in shown.split("Join(")[0]


@pytest.mark.parametrize(
    ("query", "above"),
    [
        ("SELECT * FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) WHERE k > 5 AND n > 2", "GroupAggregate"),
        ("SELECT k, COUNT(*) FROM a GROUP BY k HAVING k > 5 AND MAX(v) > 2", "GroupAggregate"),
        ("SELECT k FROM (SELECT k FROM a INTERSECT SELECT k FROM b) WHERE k > 5", "Intersect"),
        ("SELECT k, x FROM a, UNNEST(ARRAY[v]) AS t (x) WHERE k > 5 AND x > 3", "Correlate"),
        (
            "SELECT * FROM (SELECT k, window_end, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(v_time), "
            "INTERVAL '1' MINUTE)) GROUP BY k, window_start, window_end) WHERE k > 5 AND n > 2",
            "GlobalWindowAggregate",
        ),
        (
            "SELECT * FROM (SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v_time) AS s FROM a) WHERE k > 5 AND s > 2",
            "OverAggregate",
        ),
        (
            "SELECT k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS r FROM a) WHERE r < 3 AND k > 5",
            "Rank",
        ),
    ],
)
def test_a_condition_that_leaves_out_whole_groups_is_tested_below(
    env: TableEnvironment, query: str, above: str
) -> None:
    before, below = re.split(rf"\b{above}\(", plan(env, query))
    assert "(k > 5)" not in before
    assert "where=[(k > 5)]" in below


def test_a_condition_of_an_aggregate_of_all_rows_stays(env: TableEnvironment) -> None:
    shown = plan(env, "SELECT * FROM (SELECT COUNT(*) AS n FROM a) WHERE n > 5")
    assert "where" in shown.split("GroupAggregate(")[0]


@pytest.mark.parametrize("kind", ["INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"])
def test_chance_is_not_asked_on_each_side_of_a_set(env: TableEnvironment, kind: str) -> None:
    shown = plan(env, f"SELECT k FROM (SELECT k FROM a {kind} SELECT k FROM b) WHERE RAND() < 0.5 AND k > 5")
    assert shown.count("RAND") == 1
    assert "RAND" in shown.split("(all=")[0]
    assert shown.count("where=[(k > 5)]") == 2
