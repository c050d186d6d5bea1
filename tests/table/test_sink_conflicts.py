"""Rows that have one primary key of the table that is written, and are several rows of the query."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, ValidationError
from datastream.graph.operators import SinkMaterialize
from datastream.runtime.hosts.host import Host, Setting
from datastream.runtime.hosts.relational.choices import sink_materialize_host
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.time import MIN_WATERMARK
from tests.support.keyed_harness import MemoryStore

INSERT, BEFORE, AFTER, DELETE = range(4)
Row = tuple[Any, ...]


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def host_of(conflict: str, upsert: tuple[int, ...] | None) -> Host:
    op = SinkMaterialize(
        0, "sink", uid="s", conflict=conflict, key=(("k", 0),), upsert=upsert, changes=True, parallelism=1
    )
    return sink_materialize_host(op, Setting(max_parallelism=4, timed=False))


def changes_of(draw: random.Random, there: dict[int, Row], count: int) -> list[Row]:
    """Changes of rows (key of the sink, id, value), each of which is of one id."""
    made: list[Row] = []
    for _ in range(count):
        id = draw.randrange(6)
        row = (draw.randrange(3), id, draw.randrange(100))
        before = there.pop(id, None)
        if before is not None:
            made.append((BEFORE if draw.random() < 0.7 else DELETE, *before))
            if made[-1][0] == DELETE:
                continue
        made.append((INSERT if before is None else AFTER, *row))
        there[id] = row
    return made


def folded(shown: dict[int, Row], out: Sequence[Row]) -> None:
    for kind, *row in out:
        if kind == DELETE:
            assert shown.pop(row[0]) is not None
        else:
            assert (row[0] in shown) == (kind == AFTER)
            shown[row[0]] = tuple(row)


def epoch_of(
    host: Host, store: MemoryStore, changes: list[Row], watermark: int, advanced: int, fails: bool = False
) -> list[Row]:
    """The results of an epoch; of one that fails nothing is stored."""
    host.begin(store, range(4), watermark)
    out: list[Row] = list(host.process(0, changes, [row[1] for row in changes], None)[0])
    for records, _ in host.advance(advanced):
        out += records
    if not fails:
        host.flush()
    return out


@pytest.mark.parametrize("upsert", [(1,), None], ids=["by id", "by all columns"])
@pytest.mark.parametrize("conflict", ["deduplicate", "nothing"])
def test_a_key_has_one_of_its_rows(conflict: str, upsert: tuple[int, ...] | None) -> None:
    draw = random.Random(f"{conflict} {upsert}")
    host, store = host_of(conflict, upsert), MemoryStore()
    there: dict[int, Row] = {}
    order: dict[int, list[int]] = {}  # the ids of a key of the sink, in the order in which they came
    shown: dict[int, Row] = {}
    watermark = MIN_WATERMARK
    for epoch in range(120):
        changes = changes_of(draw, there, draw.randrange(1, 6))
        for kind, key, id, _ in changes:
            ids = order.setdefault(key, [])
            if kind & 1:
                ids.remove(id)
            else:
                ids.append(id)
        advanced = epoch * 10
        if draw.random() < 0.3:
            epoch_of(host, store, changes[: draw.randrange(len(changes) + 1)], watermark, advanced, fails=True)
        before = {key: row[1] for key, row in shown.items() if upsert is not None or there.get(row[1]) == row}
        folded(shown, epoch_of(host, store, changes, watermark, advanced))
        watermark = advanced
        wanted = {}
        for key, ids in order.items():
            if not ids:
                continue
            kept = before.get(key) if before.get(key) in ids else ids[0]
            wanted[key] = there[ids[-1] if conflict == "deduplicate" else kept]
        assert shown == wanted, f"epoch {epoch}: {changes}"


# -- queries ---------------------------------------------------------------------------------------------

TABLES = """
CREATE TABLE events (id INT, w STRING, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'datagen');
CREATE TABLE untimed (id INT, w STRING, v BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE keyed (id INT, w STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'datagen');
CREATE TABLE by_id (id INT, w STRING, v BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ({0});
CREATE TABLE by_w (w STRING, n BIGINT, PRIMARY KEY (w) NOT ENFORCED) WITH ({0});
CREATE TABLE by_n (w STRING, n BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ({0});
CREATE TABLE by_both (w STRING, n BIGINT, PRIMARY KEY (w, n) NOT ENFORCED) WITH ({0});
CREATE TABLE of_windows (s TIMESTAMP(3), w STRING, n BIGINT, PRIMARY KEY (s, w) NOT ENFORCED) WITH ({0});
CREATE TABLE starts (s TIMESTAMP(3), n BIGINT, PRIMARY KEY (s) NOT ENFORCED) WITH ({0});
CREATE TABLE pairs (id INT, other INT, v BIGINT, PRIMARY KEY (id, other) NOT ENFORCED) WITH ({0})
""".format(
    "'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'here:1', 'key.format' = 'json', "
    "'value.format' = 'json'"
)
TABLES += "; CREATE TABLE printed (w STRING, n BIGINT, PRIMARY KEY (w) NOT ENFORCED) WITH ('connector' = 'print')"
COUNTS = "SELECT w, COUNT(*) AS n FROM untimed GROUP BY w"
TUMBLE = "TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, w"
CUMULATE = TUMBLE.replace("TUMBLE", "CUMULATE").replace("))", ", INTERVAL '5' MINUTE))")
SESSIONS = (
    "SELECT window_start, window_end, w FROM TABLE(SESSION(TABLE events PARTITION BY w, DESCRIPTOR(ts), "
    "INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, w"
)

#: What Flink 2.3 refuses, as it loses the query's keys where the rows of a key are in order all the same.
REFUSED_BY_FLINK = [
    "by_id VALUES (1, 'a', 1), (2, 'b', 2)",
    f"of_windows SELECT window_start, w, COUNT(*) FROM {TUMBLE}",
    f"of_windows SELECT window_end, w, COUNT(*) FROM {TUMBLE}",
    f"by_w SELECT v.w, n FROM ({COUNTS}) AS a JOIN (VALUES ('a'), ('b')) AS v (w) ON a.w = v.w",
    f"by_w SELECT v.w, n FROM (VALUES ('a'), ('b')) AS v (w) LEFT JOIN ({COUNTS}) AS a ON a.w = v.w",
    f"by_w SELECT a.w, n + x FROM ({COUNTS}) AS a CROSS JOIN (VALUES (1)) AS v (x)",
    f"by_w SELECT * FROM ({COUNTS}) WHERE w = 'a'",
    f"by_w SELECT * FROM ({COUNTS}) ORDER BY n LIMIT 3",
    f"by_both {COUNTS} INTERSECT {COUNTS}",
    f"by_both {COUNTS} EXCEPT SELECT w, v FROM untimed",
]

#: Whether an INSERT is planned, or the keys of the query that the error names: as in Flink 2.3.
INSERTS = {
    f"by_w {COUNTS}": True,
    f"by_n {COUNTS}": "[w]",
    f"by_both {COUNTS}": True,
    "by_w SELECT UPPER(w), COUNT(*) FROM untimed GROUP BY w": "",
    "by_w SELECT CAST(id AS STRING), COUNT(*) FROM untimed GROUP BY id": True,
    "by_w SELECT w, COUNT(*) FROM untimed GROUP BY w, id": "",
    "by_w SELECT w, MAX(id) FROM untimed GROUP BY w HAVING COUNT(*) > 1": True,
    "by_w SELECT 'x', COUNT(*) FROM untimed": True,
    "by_w SELECT 'x', COUNT(*) FROM untimed GROUP BY id": "",
    "by_w SELECT w, v FROM untimed": "",
    "by_w SELECT w, v FROM untimed ON CONFLICT DO DEDUPLICATE": True,
    "by_id SELECT * FROM by_id": True,
    "by_id SELECT id, w, v FROM keyed": True,
    "by_w SELECT w, v FROM by_id": "",
    "by_id SELECT a.id, a.w, b.v FROM by_id a JOIN by_id b ON a.id = b.id": True,
    "by_id SELECT a.id, a.w, b.v FROM by_id a LEFT JOIN by_id b ON a.id = b.id": True,
    "by_id SELECT b.id, a.w, b.v FROM by_id a RIGHT JOIN by_id b ON a.id = b.id": True,
    "by_id SELECT a.id, a.w, b.v FROM by_id a FULL JOIN by_id b ON a.id = b.id": "",
    "by_id SELECT a.id, a.w, b.v FROM by_id a LEFT JOIN by_id b ON a.v = b.id": "",
    "by_id SELECT a.id, a.w, b.v FROM keyed a LEFT JOIN untimed b ON a.id = b.id": "",
    "by_id SELECT a.id, a.w, b.n FROM keyed a LEFT JOIN by_w b ON a.w = b.w": "",
    "pairs SELECT a.id, b.id, b.v FROM by_id a FULL JOIN by_id b ON a.id = b.id": True,
    f"by_w {COUNTS} UNION ALL SELECT w, v FROM untimed": "",
    f"by_w {COUNTS} UNION SELECT w, v FROM untimed": "[w, n]",
    f"by_both {COUNTS} UNION SELECT w, v FROM untimed": True,
    "by_w SELECT DISTINCT w, v FROM untimed": "[w, n]",
    "by_id SELECT DISTINCT id, w, v FROM keyed": True,
    "by_id SELECT DISTINCT id, w, v FROM untimed": "[id, w, v]",
    f"by_w SELECT DISTINCT w, n FROM ({COUNTS})": True,
    f"by_n SELECT DISTINCT w, n FROM ({COUNTS})": "[w]",
    "printed SELECT DISTINCT w, v FROM untimed": "[w, n]",
    "printed SELECT w, v FROM untimed": True,
    "printed SELECT DISTINCT w, CAST(1 AS BIGINT) FROM untimed": True,
    "by_w SELECT w, n FROM (SELECT DISTINCT w, CAST(5 AS BIGINT) AS n FROM untimed) WHERE n > 3": True,
    f"printed SELECT DISTINCT w, n FROM ({COUNTS})": True,
    f"by_w {COUNTS} ORDER BY w LIMIT 3": True,
    "by_n SELECT w, v FROM untimed ORDER BY v LIMIT 3": "",
    f"by_w SELECT w, SUM(v) FROM {TUMBLE}": "",
    f"of_windows SELECT window_start, w, COUNT(*) FROM {CUMULATE}": "",
    f"of_windows SELECT window_end, w, COUNT(*) FROM {CUMULATE}": True,
    f"starts SELECT window_start, COUNT(*) FROM ({SESSIONS}) GROUP BY window_start, window_end": "",
    "by_id VALUES (1, 'a', 1), (1, 'b', 2)": "[w], [v]",
    "by_w SELECT CAST(ts AS STRING), COUNT(*) FROM events GROUP BY ts": True,
    "by_w SELECT CAST(w AS VARCHAR(3)), COUNT(*) FROM untimed GROUP BY w": "",
    "pairs SELECT a.id, b.id, b.v FROM by_id a CROSS JOIN by_id b": True,
    "pairs SELECT a.id, b.id, b.v FROM by_id a JOIN by_id b ON a.v = b.v": "",
    "by_id SELECT id, w, v FROM by_id LIMIT 3": True,
    "by_id SELECT id, w, COUNT(*) FROM untimed GROUP BY id, w": "[id, w]",
    "by_id SELECT id, w, v FROM by_id WHERE id IN (SELECT id FROM keyed)": True,
    "by_id SELECT id, w, COUNT(*) FROM untimed GROUP BY id, w HAVING w IS NULL": True,
    "by_id SELECT * FROM (SELECT id, w, COUNT(*) AS n FROM untimed GROUP BY id, w) WHERE w IS NULL AND n > 1": True,
    "by_id SELECT * FROM (SELECT id, w, COUNT(*) AS n FROM untimed GROUP BY id, w) WHERE w IS NULL OR n > 1": "[id, w]",
    "by_w SELECT w, MAX(x) FROM (SELECT w, n, n + 1 AS x FROM (" + COUNTS + ")) GROUP BY w, n": True,
    "by_n SELECT MAX(w), n FROM (SELECT w, n, n + 1 AS x FROM (" + COUNTS + ")) GROUP BY w, n": "[w]",
    "by_n SELECT MAX(w), MIN(x) FROM (SELECT w, n, n + 1 AS x FROM (" + COUNTS + ")) GROUP BY w, n": "[w]",
    "by_n SELECT MAX(w), COUNT(x) FROM (SELECT w, n, n + 1 AS x FROM (" + COUNTS + ")) GROUP BY w, n": "",
    "by_id SELECT id, w, MAX(v) FROM by_id GROUP BY id, w": True,
    "by_id SELECT id, w, MAX(v) FROM untimed GROUP BY id, w": "[id, w]",
    **dict.fromkeys(REFUSED_BY_FLINK, True),
}


@pytest.fixture(scope="module")
def tables() -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for statement in TABLES.split(";"):
        env.execute_sql(statement)
    return env


@pytest.mark.parametrize("insert", INSERTS)
def test_keys_of_queries(tables: TableEnvironment, insert: str) -> None:
    wanted = INSERTS[insert]
    if wanted is True:
        tables.compile_plan_sql(f"INSERT INTO {insert}")
        assert tables.explain_sql(f"INSERT INTO {insert}").startswith("== Abstract Syntax Tree ==\nLogicalSink(")
        return
    for plan in (tables.compile_plan_sql, tables.explain_sql):
        with pytest.raises(ValidationError, match="ON CONFLICT DO DEDUPLICATE") as error:
            plan(f"INSERT INTO {insert}")
        assert f"upsert key: {wanted}. " in str(error.value)


#: Queries of `sales` (w, n) whose rows are told apart by w; Flink refuses most.
BY_W = [
    "SELECT a.w, n FROM counts AS a JOIN (VALUES ('a'), ('b')) AS v (w) ON a.w = v.w",
    "SELECT v.w, n FROM (VALUES ('a'), ('z')) AS v (w) LEFT JOIN counts AS a ON a.w = v.w",
    "SELECT w, n + x FROM counts CROSS JOIN (VALUES (1)) AS v (x)",
    "SELECT * FROM counts WHERE w = 'a'",
    "SELECT * FROM counts ORDER BY n DESC, w LIMIT 2",
    "SELECT * FROM counts ORDER BY n LIMIT 1",
    "SELECT * FROM (VALUES ('a', CAST(1 AS BIGINT)), ('b', CAST(2 AS BIGINT))) AS v (a, b)",
    "SELECT w, MAX(n) FROM counts GROUP BY w, n",  # taken by Flink, which groups by w alone
]


def test_rows_end_as_those_of_a_batch(capfd: pytest.CaptureFixture[str]) -> None:
    def environment(mode: EnvironmentSettings) -> TableEnvironment:
        env = TableEnvironment.create(mode)
        rows = ", ".join(f"('{'abcad'[i % 5]}', {i})" for i in range(40))
        env.execute_sql(f"CREATE TEMPORARY VIEW sales AS SELECT * FROM (VALUES {rows}) AS v (w, i)")
        env.execute_sql("CREATE TEMPORARY VIEW counts AS SELECT w, COUNT(*) AS n FROM sales GROUP BY w")
        return env

    env = environment(EnvironmentSettings.in_streaming_mode())
    env.get_config().set("parallelism.default", "4")
    for i in range(len(BY_W)):
        env.execute_sql(
            f"CREATE TABLE o{i} (w STRING, n BIGINT, PRIMARY KEY (w) NOT ENFORCED) "
            f"WITH ('connector' = 'print', 'print-identifier' = 'o{i}')"
        )
    statements = env.create_statement_set()
    for i, query in enumerate(BY_W):
        statements.add_insert_sql(f"INSERT INTO o{i} {query}")
    statements.execute().wait()
    shown: list[dict[str, str]] = [{} for _ in BY_W]
    for line in capfd.readouterr().out.splitlines():
        table, kind, w, n = re.fullmatch(r"o(\d+)(?::\d+)?> (..)\[(\w+), (\w+)\]", line).groups()  # type: ignore[union-attr]
        if kind[0] == "+":
            shown[int(table)][w] = n
        else:
            assert shown[int(table)].pop(w) == n
    batch = environment(EnvironmentSettings.in_batch_mode())
    for query, found in zip(BY_W, shown, strict=True):
        with batch.sql_query(query).execute().collect() as rows:
            assert found == {row[0]: "null" if row[1] is None else str(row[1]) for row in rows}, query


#: INSERTs that are not supported, and why: EXPLAIN refuses them with the same words.
REFUSED = {
    "files SELECT w, COUNT(*) FROM untimed GROUP BY w": "doesn't support consuming update and delete changes",
    "files SELECT DISTINCT w, n FROM by_w": "doesn't support consuming update and delete changes",
    "files SELECT w, v FROM untimed ON CONFLICT DO NOTHING": "only allowed for upsert sinks",
    f"by_n {COUNTS} ON CONFLICT DO ERROR": "requires all source tables to define watermarks",
    f"by_n {COUNTS}": "upsert key: [w]",
    "generated SELECT w, v FROM untimed": "datagen",
}


@pytest.mark.parametrize("insert", REFUSED)
def test_what_is_not_carried_out_is_not_explained(tables: TableEnvironment, insert: str) -> None:
    tables.execute_sql("CREATE TABLE IF NOT EXISTS generated (w STRING, n BIGINT) WITH ('connector' = 'datagen')")
    tables.execute_sql(
        "CREATE TABLE IF NOT EXISTS files (w STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'none', "
        "'format' = 'csv')"
    )
    statements = tables.create_statement_set()
    statements.add_insert_sql(f"INSERT INTO {insert}")
    said = []
    for refuse in (
        lambda: tables.execute_sql(f"INSERT INTO {insert}"),
        lambda: tables.explain_sql(f"INSERT INTO {insert}"),
        lambda: tables.execute_sql(f"EXPLAIN INSERT INTO {insert}"),
        lambda: statements.explain(),
    ):
        with pytest.raises(ValidationError) as error:
            refuse()
        said.append(str(error.value))
    assert REFUSED[insert] in said[0] and set(said) == {said[0]}


@pytest.mark.parametrize("conflict", ["NOTHING", "ERROR"])
def test_conflicts_that_are_looked_at_in_time_need_watermarks(tables: TableEnvironment, conflict: str) -> None:
    tables.compile_plan_sql(f"INSERT INTO by_w SELECT w, v FROM events ON CONFLICT DO {conflict}")
    with pytest.raises(ValidationError, match="requires all source tables to define watermarks.*database.untimed"):
        tables.compile_plan_sql(f"INSERT INTO by_n {COUNTS} ON CONFLICT DO {conflict}")


def test_a_conflict_is_an_error_that_names_the_key() -> None:
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.execute_sql("CREATE TABLE o (l INT, w STRING, PRIMARY KEY (l) NOT ENFORCED) WITH ('connector' = 'print')")
    env.execute_sql("CREATE TEMPORARY VIEW words AS SELECT * FROM (VALUES ('a'), ('b'), ('a')) AS v (w)")
    with pytest.raises(FunctionError, match=r"Conflicting key: \[l=1\]"):
        env.execute_sql("INSERT INTO o SELECT CHAR_LENGTH(w), MAX(w) FROM words GROUP BY w ON CONFLICT DO ERROR").wait()
