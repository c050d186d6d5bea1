"""Hints that name tables: how long rows are kept, and what is wrong."""

from __future__ import annotations

import json

import pytest

from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.graph.operators import GroupAggregate, TableJoin
from datastream.table import EnvironmentSettings, TableEnvironment

JOIN = "t.x, z FROM t JOIN u ON t.x = u.x"
GROUPED = "x, COUNT(*) FROM t GROUP BY x"
DAY = 86_400_000


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.execute_sql("CREATE TABLE t (x INT, y INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')")
    env.execute_sql("CREATE TABLE u (x INT, z INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3')")
    env.execute_sql("CREATE TABLE s (x INT, y BIGINT) WITH ('connector' = 'blackhole')")
    return env


def operators(env, query, kind):
    """The operators of a kind that a query becomes."""
    builder = env._session.builder
    before = len(builder.operators)
    env.execute_sql(query).collect().close()
    return [op for id, op in builder.operators.items() if id >= before and isinstance(op, kind)]


@pytest.mark.parametrize(
    ("hint", "ttls", "whole"),
    [
        ("STATE_TTL('t' = '1 d', 'u' = '2 d')", (DAY, 2 * DAY), 2 * DAY),
        ("STATE_TTL('u' = '1 d')", (0, DAY), 1 << 53),
        ("STATE_TTL('t' = '0 s')", (0, 0), 0),
        ("BROADCAST(t)", (0, 0), 0),
    ],
)
def test_sides_of_a_join(tables, hint, ttls, whole):
    (join,) = operators(tables, f"SELECT /*+ {hint} */ {JOIN}", TableJoin)
    assert (join.ttls, join.ttl_ms) == (ttls, whole)


def test_a_hint_goes_over_the_setting(tables):
    tables.get_config().set("table.exec.state.ttl", "3 d")
    (join,) = operators(tables, f"SELECT /*+ STATE_TTL('t' = '1 d') */ {JOIN}", TableJoin)
    assert join.ttls == (DAY, 3 * DAY)
    (groups,) = operators(tables, f"SELECT /*+ STATE_TTL('t' = '1 d') */ {GROUPED}", GroupAggregate)
    assert groups.ttl_ms == DAY
    (groups,) = operators(tables, f"SELECT {GROUPED}", GroupAggregate)
    assert groups.ttl_ms == 3 * DAY


def test_names_of_other_queries_do_not_count(tables):
    query = f"SELECT /*+ STATE_TTL('j' = '1 d') */ j.x, COUNT(*) FROM (SELECT {JOIN}) AS j GROUP BY j.x"
    (join,) = operators(tables, query, TableJoin)
    assert join.ttls == (0, 0)


def test_a_compiled_plan_keeps_it(tables):
    plan = tables.compile_plan_sql(f"INSERT INTO s SELECT /*+ STATE_TTL('t' = '1 d') */ {JOIN}")
    nodes = json.loads(plan.as_json_string())["nodes"]
    assert [node["ttls"] for node in nodes if node["node"] == "Join"] == [[DAY, None]]
    plan.explain()


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("BROADCAST(x)", "cannot match the name of input tables or views: `x` in `BROADCAST`"),
        ("SHUFFLE_HASH()", "expecting at least one table or view specified in hint SHUFFLE_HASH"),
        ("STATE_TTL('x' = '1 d')", "cannot match the name of input tables or views: `x` in `STATE_TTL`"),
        ("STATE_TTL(t)", "Invalid list options in STATE_TTL hint"),
        ("STATE_TTL()", "expecting at least one key-value options"),
        ("STATE_TTL('t' = 'x')", "Invalid STATE_TTL hint value"),
        ("NOPE(t)", "expected a hint"),
    ],
)
def test_what_is_refused(tables, hint, message):
    with pytest.raises(ValidationError, match=message):
        tables.explain_sql(f"SELECT /*+ {hint} */ {JOIN}")
