"""Joins FOR SYSTEM_TIME AS OF an event time: what is planned, what is refused, and what comes out over a restart."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from datastream import Types
from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table import (
    ChangelogMode,
    DataTypes,
    EnvironmentSettings,
    Schema,
    StreamTableEnvironment,
    TableEnvironment,
)
from datastream.table.catalogs.errors import TableException
from datastream.types import Row, RowKind
from tests.support.savepoints import Part

START = datetime(2024, 1, 1)
ROW = Types.ROW_NAMED(["k", "v", "ts"], [Types.STRING(), Types.INT(), Types.SQL_TIMESTAMP()])
DELAY = 5
VIEW = """CREATE VIEW v AS SELECT k, v, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM {0}) WHERE n = 1"""
JOIN = "SELECT o.k, o.v, r.v FROM o LEFT JOIN {0} FOR SYSTEM_TIME AS OF {1} AS r ON {2}"


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def tables(tmp_path):
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    (tmp_path / "o").write_text("a,1,2024-01-01 00:00:01\na,2,2024-01-01 00:00:05\nb,3,2024-01-01 00:00:06\n")
    (tmp_path / "r").write_text("a,10,2024-01-01 00:00:01\na,20,2024-01-01 00:00:03\nb,30,2024-01-01 00:00:09\n")

    def table(name, file, more):
        env.execute_sql(
            f"CREATE TABLE {name} (k STRING, v INT, ts TIMESTAMP(3), p AS PROCTIME(){more}) WITH "
            f"('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / file}')"
        )

    marked = ", WATERMARK FOR ts AS ts"
    table("o", "o", marked)
    table("h", "r", marked)
    table("keyed", "r", f"{marked}, PRIMARY KEY (k) NOT ENFORCED")
    table("untimed", "r", ", PRIMARY KEY (k) NOT ENFORCED")
    env.execute_sql(VIEW.format("h"))
    return env


def rows(env, query):
    with env.execute_sql(query).collect() as found:
        return sorted(tuple(row) for row in found)


def join(table, time="o.ts", condition="o.k = r.k"):
    return JOIN.format(table, time, condition)


def test_a_view_of_last_rows_and_a_table_with_a_key(tables):
    for table in ("v", "keyed"):
        assert rows(tables, join(table)) == [("a", 1, 10), ("a", 2, 20), ("b", 3, None)]
    assert rows(tables, join("v").replace("LEFT ", "")) == [("a", 1, 10), ("a", 2, 20)]
    assert rows(tables, join("v", condition="o.k = r.k AND r.v > o.v * 9")) == [
        ("a", 1, 10),
        ("a", 2, 20),
        ("b", 3, None),
    ]
    assert rows(tables, "SELECT * FROM (SELECT k, v, ts FROM o) o JOIN keyed FOR SYSTEM_TIME AS OF o.ts USING (k)")


def test_the_plan(tables):
    text = tables.explain_sql(join("v"))
    assert "TemporalJoin(joinType=[LeftOuterJoin], where=[AND(" in text
    assert "__TEMPORAL_JOIN_CONDITION(ts, ts0)" in text


def test_the_left_time_goes_on_and_the_right_one_does_not(tables):
    joined = "SELECT o.k, o.ts AS ts, r.ts AS rt FROM o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k"
    windows = "TABLE(TUMBLE(({}), DESCRIPTOR({}), INTERVAL '5' SECOND))"
    counts = f"SELECT COUNT(*) FROM {windows} GROUP BY window_start, window_end"
    assert rows(tables, counts.format(joined, "ts")) == [(1,), (1,)]
    with pytest.raises(ValidationError, match="time attribute"):
        tables.execute_sql(counts.format(joined, "rt"))


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (join("h"), ValidationError, "requires primary key in versioned table"),
        (join("untimed"), ValidationError, "no row time attribute can be found"),
        (join("keyed", "o.p"), TableException, "Processing-time temporal join is not supported yet"),
        (join("h", "o.p"), ValidationError, "requires primary key in versioned table"),
        (join("keyed", condition="o.v = r.v"), ValidationError, "requires primary key in versioned table"),
        (join("keyed", condition="o.v < r.v"), ValidationError, "join key in Temporal Table Join can not be empty"),
        (join("keyed", condition="r.k = 'a'"), ValidationError, "join key in Temporal Table Join can not be empty"),
        (join("keyed", "o.ts + INTERVAL '1' SECOND"), ValidationError, "left table's time attribute field"),
        (join("keyed", "r.ts"), ValidationError, "requires time attribute in the left table"),
        (join("keyed", "o.k"), ValidationError, "expects Timestamp type but is"),
        (join("keyed", "TIMESTAMP '2024-01-01 00:00:00'"), UnsupportedOperation, "only after JOIN"),
        (join("keyed").replace("LEFT", "FULL"), ValidationError, "allowed after JOIN and LEFT JOIN"),
        ("SELECT * FROM keyed FOR SYSTEM_TIME AS OF keyed.ts", UnsupportedOperation, "only after JOIN"),
    ],
)
def test_what_is_refused(tables, query, error, message):
    with pytest.raises(error, match=message):
        tables.explain_sql(query)


def test_times_of_different_types(tables):
    tables.execute_sql(
        "CREATE TABLE z (k STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED) "
        "WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '/none')"
    )
    with pytest.raises(ValidationError, match="requires same rowtime type"):
        tables.explain_sql("SELECT o.v FROM o JOIN z FOR SYSTEM_TIME AS OF o.ts ON o.k = z.k")


def test_batch_mode_has_no_event_time(tables, tmp_path):
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    for name, key in (("o", ""), ("r", ", PRIMARY KEY (k) NOT ENFORCED")):
        env.execute_sql(
            f"CREATE TABLE {name} (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts{key}) WITH "
            f"('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path / name}')"
        )
    with pytest.raises(TableException, match="in streaming mode only"):
        env.execute_sql("SELECT o.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k")


def test_a_compiled_plan(tables, tmp_path):
    tables.execute_sql("CREATE TABLE s (k STRING, v INT, w INT) WITH ('connector' = 'print')")
    plan = tables.compile_plan_sql(f"INSERT INTO s {join('v')}")
    nodes = json.loads(plan.as_json_string())["nodes"]
    (made,) = [node for node in nodes if node["node"] == "TemporalJoin"]
    assert (made["kind"], made["time"], made["versioned_at"]) == ("left", 2, 2)
    assert "TemporalJoin" in plan.explain()


# -- changes ---------------------------------------------------------------------------------------


def view(env: StreamTableEnvironment, name: str, stream: Any, mode: ChangelogMode | None, delay: int = DELAY) -> None:
    """A table of a stream of rows; with a mode one of changes by the key ``k``."""
    kind = DataTypes.STRING() if mode is None else DataTypes.STRING().not_null()
    schema = Schema.new_builder().column("k", kind).column("v", DataTypes.INT()).column("ts", DataTypes.TIMESTAMP(3))
    schema = schema.watermark("ts", f"ts - INTERVAL '{delay}' SECOND")
    if mode is None:
        env.create_temporary_view(name, env.from_data_stream(stream, schema.build()))
    else:
        env.create_temporary_view(name, env.from_changelog_stream(stream, schema.primary_key("k").build(), mode))


class Drawn:
    """Rows and changes of some seconds, in random order within the delay."""

    def __init__(self, seed: int, mode: ChangelogMode | None) -> None:
        draw = random.Random(seed)
        self.mode, self.left, self.kept = mode, list[Row](), dict[str, dict[int, int | None]]()
        changes: list[tuple[float, Row]] = []
        for second in range(40):
            key, gone = draw.choice("abc"), mode is not None and draw.random() < 0.25
            if gone and not any(value is not None for value in list(self.kept.get(key, {}).values())[-1:]):
                continue
            self.kept.setdefault(key, {})[second] = None if gone else second
            kind = RowKind.INSERT if mode is None else RowKind.DELETE if gone else RowKind.UPDATE_AFTER
            changes.append((second, Row.of_kind(kind, key, second, START + timedelta(seconds=second))))
        self.right = [row for _, row in changes]
        wanted = [(draw.choice("abcd"), n, draw.randint(0, 45)) for n in range(40)]
        for key, n, second in sorted(wanted, key=lambda each: each[2] + draw.uniform(0, DELAY - 1)):
            self.left.append(Row(key, n, START + timedelta(seconds=second)))

    def build(self, env: Any, numbers: Any) -> Any:
        t_env = StreamTableEnvironment.create(env)
        left, right = self.left, self.right
        view(t_env, "o", numbers.flat_map(lambda n: left[n - 1 : n], ROW), None)
        view(t_env, "r", numbers.flat_map(lambda n: right[n - 1 : n], ROW), self.mode)
        table = "r"
        if self.mode is None:
            t_env.execute_sql(VIEW.format("r"))
            table = "v"
        stream = t_env.to_changelog_stream(t_env.sql_query(join(table)))
        return stream.map(lambda row: (row.get_row_kind(), *row))

    @property
    def expected(self) -> Counter[tuple[Any, ...]]:
        found: Counter[tuple[Any, ...]] = Counter()
        for key, n, time in self.left:
            second = (time - START).total_seconds()
            versions = self.kept.get(key, {})
            before = [at for at in versions if at <= second]
            found[key, n, versions[max(before)] if before else None] += 1
        return found


@pytest.mark.parametrize(
    "mode", [None, ChangelogMode.upsert(), ChangelogMode.all()], ids=["view", "upserts", "changes"]
)
@pytest.mark.parametrize("seed", range(3))
def test_each_row_has_the_version_of_its_time_over_a_restart(seed, mode, tmp_path: Path):
    drawn = Drawn(seed, mode)
    draw = random.Random(seed)
    more = {"datastream.epoch.max-records": str(draw.randint(3, 15))}
    end = max(len(drawn.left), len(drawn.right))
    # Changes of a key must stay in order on their way to it.
    widths = [1, 1] if mode is not None else [draw.randint(1, 3), draw.randint(1, 3)]
    first = Part(drawn.build, epochs=2, parallelism=widths[0], more=more, end=end)
    first.handle.savepoint(tmp_path / "one")
    rest = Part(drawn.build, savepoint=tmp_path / "one", parallelism=widths[1], more=more, end=end)
    found = first.results + rest.results
    assert {kind for kind, *_ in found} == {RowKind.INSERT}
    assert Counter(tuple(row) for _, *row in found) == drawn.expected


def test_a_filter_of_changes_is_refused(local):
    from datastream import StreamExecutionEnvironment

    env = StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment())
    stream = env._session.env.from_collection([Row("a", 1, START)], ROW)
    view(env, "o", stream, None)
    view(env, "r", stream, ChangelogMode.all())
    env.execute_sql("CREATE VIEW f AS SELECT * FROM r WHERE v > 3")
    with pytest.raises(TableException, match="Filter is not allowed for right changelog input"):
        env.explain_sql(join("f"))
