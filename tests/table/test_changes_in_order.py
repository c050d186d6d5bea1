"""Changes that come out of one subtask reach tables and streams in order, whatever the job's parallelism."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.table import StreamTableEnvironment

ROWS = ", ".join(f"('{'abcad'[i % 5]}', {i})" for i in range(40))
ALL = "SELECT 'all' AS w, COUNT(*) AS n FROM sales"
TOP = "SELECT w, COUNT(*) AS n FROM sales GROUP BY w ORDER BY n DESC, w LIMIT 2"
#: Queries whose changes come out of one subtask.
QUERIES = {
    "all": ALL,
    "computed": f"SELECT UPPER(w), n + 1 FROM ({ALL})",
    "filtered": f"SELECT * FROM ({ALL}) WHERE MOD(n, 3) = 0",
    "top": TOP,
    "cross join": f"SELECT a.w, b.n FROM (VALUES ('x')) AS a (w) CROSS JOIN ({ALL}) AS b",
    "unnested": f"SELECT e, n FROM ({ALL}) CROSS JOIN UNNEST(ARRAY[w, w]) AS u (e)",
    "two of one": f"{ALL} UNION ALL SELECT 'max', CAST(MAX(i) AS BIGINT) FROM sales",
    "one and many": f"{ALL} UNION ALL SELECT w, COUNT(*) FROM sales GROUP BY w",
    "many and one": f"SELECT w, COUNT(*) FROM sales GROUP BY w UNION ALL {ALL}",
    "one and new rows": f"{ALL} UNION ALL SELECT w, CAST(i AS BIGINT) FROM sales",
}


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> StreamTableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamTableEnvironment.create(StreamExecutionEnvironment.get_execution_environment())
    env.get_config().set("parallelism.default", "4")
    env.execute_sql(f"CREATE TEMPORARY VIEW sales AS SELECT * FROM (VALUES {ROWS}) AS v (w, i)")
    return env


def check(changes: list[tuple[str, str]]) -> Counter[str]:
    """The rows that are left; a row is there before it goes."""
    there: Counter[str] = Counter()
    for kind, row in changes:
        there[row] += 1 if kind[0] == "+" else -1
        assert there[row] >= 0, f"{row} goes before it comes"
    return +there


def printed(text: str) -> dict[str, list[tuple[str, str]]]:
    """The changes of each table, in the order of its subtasks: what one of them writes is in order only by itself."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in text.splitlines():
        name, kind, row = re.fullmatch(r"([\w ]+)(?::\d+)?> (..)(\[.*\])", line).groups()  # type: ignore[union-attr]
        found.setdefault(name, []).append((kind, row))
    return found


def test_tables(tables: StreamTableEnvironment, capfd: pytest.CaptureFixture[str]) -> None:
    statements = tables.create_statement_set()
    for i, (name, query) in enumerate(QUERIES.items()):
        tables.execute_sql(
            f"CREATE TABLE o{i} (w STRING, n BIGINT) WITH ('connector' = 'print', 'print-identifier' = '{name}')"
        )
        statements.add_insert_sql(f"INSERT INTO o{i} {query}")
    statements.execute().wait()
    found = printed(capfd.readouterr().out)
    for name, query in QUERIES.items():
        with tables.sql_query(query).execute().collect() as rows:
            wanted = check([(str(row.get_row_kind()), f"[{row[0]}, {row[1]}]") for row in rows])
        assert check(found[name]) == wanted, name


def test_streams_of_changes(tables: StreamTableEnvironment) -> None:
    for query in (QUERIES["computed"], TOP):
        table = tables.sql_query(query)
        with tables.to_changelog_stream(table).execute_and_collect() as rows:
            changes = [(str(row.get_row_kind()), repr(tuple(row))) for row in rows]
        pairs = tables.to_retract_stream(table, Types.TUPLE([Types.STRING(), Types.LONG()]))
        with pairs.execute_and_collect() as rows:
            assert [("+" if added else "-", repr(row)) for added, row in rows] == [(k[0], r) for k, r in changes]
        assert sum(check(changes).values()) == (1 if query != TOP else 2)


def test_a_stream_of_changes_out_of_one_subtask(tables: StreamTableEnvironment, capfd: pytest.CaptureFixture) -> None:
    def change(n: int) -> Row:
        row = Row(w="k", n=n // 2)
        row.set_row_kind(RowKind.INSERT if n % 2 == 0 else RowKind.DELETE)
        return row

    kind = Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.LONG()])
    changes = tables._session.env.from_collection([0, *range(41)]).map(change, kind).set_parallelism(1)
    tables.create_temporary_view("given", tables.from_changelog_stream(changes))
    tables.execute_sql("CREATE TABLE o (w STRING, n BIGINT) WITH ('connector' = 'print', 'print-identifier' = 'o')")
    tables.execute_sql("INSERT INTO o SELECT UPPER(w), n FROM given").wait()
    assert check(printed(capfd.readouterr().out)["o"]) == {"[K, 0]": 1, "[K, 20]": 1}


def test_sinks_with_a_parallelism_of_their_own(tables: StreamTableEnvironment, capfd: pytest.CaptureFixture) -> None:
    options = "'connector' = 'print', 'print-identifier' = 'o', 'sink.parallelism' = '3'"
    tables.execute_sql(f"CREATE TABLE by_w (w STRING, n BIGINT, PRIMARY KEY (w) NOT ENFORCED) WITH ({options})")
    tables.execute_sql(f"CREATE TABLE o (w STRING, n BIGINT) WITH ({options})")
    tables.execute_sql(f"INSERT INTO by_w {TOP}").wait()
    out = capfd.readouterr().out
    assert len(check(printed(out)["o"])) == 2
    tasks: dict[str, set[str]] = {}
    for task, row in re.findall(r"^o:(\d+)> ..\[(\w)", out, re.M):
        tasks.setdefault(row, set()).add(task)
    assert tasks.keys() == {"a", "b", "c"}
    assert all(len(each) == 1 for each in tasks.values())
    with pytest.raises(ValidationError, match="'sink.parallelism' is 3, while the parallelism of the query is 1"):
        tables.execute_sql(f"INSERT INTO o {ALL}")
    tables.execute_sql("INSERT INTO o SELECT w, CAST(i AS BIGINT) FROM sales").wait()
    assert len(capfd.readouterr().out.splitlines()) == 40


@pytest.mark.parametrize("ttl", [None, "1 h"], ids=["kept for good", "kept for an hour"])
def test_updates_go_through_outer_joins_as_flink_has_them(tables: StreamTableEnvironment, ttl: str | None) -> None:
    """A row that goes is an update where it comes from the side that need not have partners, else a deletion."""
    if ttl is not None:
        tables.get_config().set("table.exec.state.ttl", ttl)
    counts = f"(SELECT * FROM ({ALL}) WHERE n <= 2)"
    names = "(VALUES ('all', 'x')) AS b (w, name)"
    wanted = {
        f"SELECT name, n FROM {names} LEFT JOIN {counts} AS a ON a.w = b.w": "-U",
        f"SELECT name, n FROM {counts} AS a RIGHT JOIN {names} ON a.w = b.w": "-U",
        f"SELECT name, n FROM {counts} AS a LEFT JOIN {names} ON a.w = b.w": "-D",
        f"SELECT name, n FROM {counts} AS a FULL JOIN {names} ON a.w = b.w": "-D",
        f"SELECT name, n FROM {counts} AS a JOIN {names} ON a.w = b.w": "-U",
    }
    for query, gone in wanted.items():
        with tables.sql_query(query).execute().collect() as rows:
            changes = [(str(row.get_row_kind()), tuple(row)) for row in rows]
        assert {kind for kind, row in changes if kind[0] == "-" and None not in row} == {gone}, query
        assert {kind for kind, row in changes if kind[0] == "-" and None in row} <= {"-D"}, query


@pytest.mark.parametrize("records", ["1", "100"], ids=["epochs of a record", "one epoch"])
def test_nan_that_goes_is_neither_minimum_nor_maximum(
    tables: StreamTableEnvironment, monkeypatch: pytest.MonkeyPatch, records: str
) -> None:
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": records})
    come, go = RowKind.INSERT, RowKind.DELETE
    changes = [(come, "NaN"), (come, "1"), (come, "NaN"), (come, "2"), (go, "NaN"), (go, "1"), (go, "NaN")]
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    t_env = StreamTableEnvironment.create(env)
    stream = env.from_collection(
        [Row.of_kind(kind, float(text)) for kind, text in changes], Types.ROW_NAMED(["x"], [Types.DOUBLE()])
    )
    t_env.create_temporary_view("t", t_env.from_changelog_stream(stream))
    with t_env.execute_sql("SELECT MIN(x), MAX(x) FROM t").collect() as rows:
        found = [str(tuple(row)) for row in rows if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER)]
    assert found == ["(nan, nan)", "(1.0, nan)", "(2.0, nan)", "(2.0, 2.0)"]
    others = "FIRST_VALUE(x), LAST_VALUE(x), ARRAY_AGG(x), COLLECT(x), JSON_ARRAYAGG(x)"
    with t_env.execute_sql(f"SELECT {others} FROM t").collect() as rows:
        assert tuple(list(rows)[-1]) == (2.0, 2.0, [2.0], {2.0: 1}, "[2.0]")
