"""OVER windows and the first rows of each key: random ones against DuckDB, over many epochs; what is given when."""

from __future__ import annotations

import datetime
import math
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import duckdb
import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.table import EnvironmentSettings, Schema, StreamTableEnvironment, TableEnvironment
from datastream.table.catalogs.errors import TableException
from datastream.table.lowering.rank import only_forward
from datastream.table.plan.expressions import Call, Field, Order
from datastream.table.plan.relations import Aggregate, Column, Rank, Scan
from datastream.table.types.data_types import DataTypes

#: Queries of the quick run, and of the long one.
QUICK, LONG = 20, 1500
ROWS = [
    *[("a", 1, 1), ("b", 2, 2), ("a", 3, 2), ("a", 4, 2), ("b", 5, 3), ("a", 6, 9), ("b", None, 10), ("a", 9, 12)],
    *[("c", 10, 12), ("a", 2, 14)],
]


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "3"})


def _second(number: int) -> datetime.datetime:
    return datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=number)


def streaming(rows: Iterable[tuple[Any, ...]], late: int = 0, parallelism: int = 1) -> StreamTableEnvironment:
    """A table `t` of rows (key, number, second of event time, their number), in the order in which they come.

    Args:
        rows: (key, number, second).
        late: Seconds by which the watermark is behind.
        parallelism: Of the query.
    """
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    tables = StreamTableEnvironment.create(env)
    tables.get_config().set_local_timezone("UTC")
    kind = Types.ROW_NAMED(["k", "v", "ts", "id"], [Types.STRING(), Types.INT(), Types.SQL_TIMESTAMP(), Types.INT()])
    made = [Row(k, v, _second(second), i) for i, (k, v, second) in enumerate(rows)]
    schema = Schema.new_builder().column("k", "STRING").column("v", "INT").column("ts", "TIMESTAMP(3)")
    schema = schema.column("id", "INT").column_by_expression("p", "PROCTIME()")
    schema = schema.watermark("ts", f"ts - INTERVAL '{late}' SECOND").build()
    stream = env.from_collection(made, kind).set_parallelism(1)
    tables.create_temporary_view("t", tables.from_data_stream(stream, schema))
    return tables


def batch(rows: Iterable[tuple[Any, ...]]) -> TableEnvironment:
    """The same in batch mode, without a time attribute."""
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    kinds = [DataTypes.STRING(), DataTypes.INT(), DataTypes.TIMESTAMP(3), DataTypes.INT()]
    names = ("k", "v", "ts", "id")
    kind = DataTypes.ROW([DataTypes.FIELD(name, of) for name, of in zip(names, kinds, strict=True)])
    made = [(k, v, _second(second), i) for i, (k, v, second) in enumerate(rows)]
    tables.create_temporary_view("t", tables.from_elements(made, kind))
    return tables


def changes(tables: Any, query: str) -> list[tuple[Any, ...]]:
    with tables.sql_query(query).execute().collect() as rows:
        return [(row.get_row_kind(), *row) for row in rows]


def folded(found: Iterable[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """What changes come to; a row is only taken out when it is there."""
    whole: Counter[tuple[Any, ...]] = Counter()
    for kind, *row in found:
        if kind in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            whole[tuple(row)] += 1
        else:
            assert whole[tuple(row)] > 0, (kind, row)
            whole[tuple(row)] -= 1
    return +whole


def of_duckdb(rows: Iterable[tuple[Any, ...]], query: str) -> Counter[tuple[Any, ...]]:
    with duckdb.connect() as database:
        database.execute("CREATE TABLE t (k VARCHAR, v INTEGER, ts TIMESTAMP, id INTEGER)")
        for i, (k, v, second) in enumerate(rows):
            database.execute("INSERT INTO t VALUES (?, ?, ?, ?)", [k, v, _second(second), i])
        return Counter(map(_plain, database.execute(query).fetchall()))


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(int(value) if isinstance(value, float) and value.is_integer() else value for value in row)


class Draw:
    """Draws rows, and queries whose results do not depend on the order of rows of one place."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def rows(self, count: int = 40) -> list[tuple[Any, ...]]:
        draw = self.random
        kept = draw.choice([0, 1, 7, count])
        keys = draw.choice([["a"], ["a", "b", None], list("abcdefgh")])
        return [
            (draw.choice(keys), None if draw.random() < 0.1 else draw.randint(-5, 9), draw.randint(0, 30))
            for _ in range(kept)
        ]

    def partition(self) -> str:
        return self.random.choice(["", "PARTITION BY k ", "PARTITION BY k ", "PARTITION BY k, MOD(id, 2) "])

    def bound(self, most: str, way: str) -> str:
        return self.random.choice([f"UNBOUNDED {most}", "CURRENT ROW", f"{self.random.randint(0, 3)} {way}"])

    def frame(self, rows: bool) -> str:
        """Any frame; over the order of one column, unique for ROWS."""
        start, end = self.bound("PRECEDING", "PRECEDING"), self.bound("FOLLOWING", "FOLLOWING")
        return f"{'ROWS' if rows else 'RANGE'} BETWEEN {start} AND {end}"

    def aggregate(self) -> str:
        return self.random.choice(["SUM(v)", "COUNT(*)", "COUNT(v)", "MIN(v)", "MAX(v)", "SUM(id)"])

    def window(self) -> str:
        """An aggregate over a window that DuckDB and batch mode know."""
        draw, by, way = self.random, self.partition(), self.random.choice(["", " DESC"])
        match draw.randint(0, 4):
            case 0:
                return f"{self.aggregate()} OVER ({by}ORDER BY id{way} {self.frame(True)})"
            case 1:
                return f"{self.aggregate()} OVER ({by}ORDER BY id{way} {self.frame(False)})"
            case 2:
                return f"{self.aggregate()} OVER ({by})"
            case 3:
                name = draw.choice(["ROW_NUMBER()", "LAG(v)", "LEAD(v, 2)", "LAG(id, 2, -7)", "LAG(v, 0)", "NTILE(3)"])
                return f"{name} OVER ({by}ORDER BY id{way})"
        name = draw.choice(["RANK()", "DENSE_RANK()", self.aggregate(), "CUME_DIST()", "PERCENT_RANK()"])
        return f"{name} OVER ({by}ORDER BY ts{way})"


@pytest.mark.parametrize("count", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
def test_batch_mode_against_duckdb(count: int) -> None:
    for seed in range(count):
        draw = Draw(seed)
        rows = draw.rows()
        query = f"SELECT id, {', '.join(draw.window() for _ in range(draw.random.randint(1, 3)))} FROM t"
        found = Counter(_plain(tuple(row)) for _, *row in changes(batch(rows), query))
        assert found == of_duckdb(rows, query), (seed, query, rows)


@pytest.mark.parametrize("count", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
def test_event_time_against_duckdb(count: int) -> None:
    for seed in range(count):
        draw = Draw(1000 + seed)
        rows, by = draw.rows(), draw.partition()
        size = draw.random.choice(["UNBOUNDED PRECEDING", f"INTERVAL '{draw.random.randint(0, 9)}' SECOND PRECEDING"])
        frame = f"ORDER BY ts RANGE BETWEEN {size} AND CURRENT ROW"
        aggregates = (draw.aggregate() for _ in range(draw.random.randint(1, 3)))
        query = f"SELECT id, {', '.join(f'{each} OVER ({by}{frame})' for each in aggregates)} FROM t"
        found = changes(streaming(rows, 31, 2), query)
        assert {kind for kind, *_ in found} <= {RowKind.INSERT}
        assert folded(found) == of_duckdb(rows, query), (seed, query, rows)


@pytest.mark.parametrize("count", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
def test_rows_of_event_time_against_duckdb(count: int) -> None:
    """Rows come in the order of time, those of one time in the order of their numbers."""
    for seed in range(count):
        draw = Draw(2000 + seed)
        rows = sorted(draw.rows(), key=lambda row: row[2])
        size = draw.random.choice(["UNBOUNDED", "0", "1", "4"])
        frame, by = f"ROWS BETWEEN {size} PRECEDING AND CURRENT ROW", draw.partition()
        aggregates = [draw.aggregate() for _ in range(draw.random.randint(1, 3))]
        ours = ", ".join(f"{each} OVER ({by}ORDER BY ts {frame})" for each in aggregates)
        query = f"SELECT id, {ours}, LAG(v, 2) OVER (PARTITION BY id ORDER BY ts) FROM t"
        assert folded(changes(streaming(rows, late=1), query)) == of_duckdb(
            rows, query.replace("ORDER BY ts ROWS", "ORDER BY ts, id ROWS")
        ), (seed, query, rows)


@pytest.mark.parametrize("count", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
def test_changes_against_duckdb(count: int) -> None:
    """In the order of another column, rows change when an earlier one comes or goes."""
    sources = ("t", "(SELECT k, MAX(id) AS id, SUM(v) AS v, COUNT(*) AS n FROM t GROUP BY k, MOD(id, 5))")
    for seed in range(count):
        draw = Draw(3000 + seed)
        rows, source, by = draw.rows(), draw.random.choice(sources), draw.random.choice(["", "PARTITION BY k "])
        size = draw.random.randint(0, 4)
        order = draw.random.choice(
            ["id", "v", "id ROWS UNBOUNDED PRECEDING", f"id ROWS {size} PRECEDING", f"v RANGE {size} PRECEDING"]
        )
        if draw.random.random() < 0.2:
            source = "(SELECT k, MAX(id) AS id, SUM(v) AS v, MAX(ts) AS ts FROM t GROUP BY k, MOD(id, 5))"
            order = f"ts RANGE INTERVAL '{size}' SECOND PRECEDING"
        query = f"SELECT id, v, SUM(v) OVER ({by}ORDER BY {order}), COUNT(*) OVER ({by}ORDER BY {order}) FROM {source}"
        wanted = of_duckdb(
            rows, query.replace("BY v)", "BY v NULLS FIRST)").replace("BY v RANGE", "BY v NULLS FIRST RANGE")
        )
        assert folded(changes(streaming(rows), query)) == wanted, (seed, query, rows)


def test_rows_that_change_are_in_the_order_of_their_time() -> None:
    """A new first row of a key takes the place of the one before, with its own time."""
    best = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM t)"
    rows = [("a", 1, 1), ("b", 2, 2), ("c", 4, 3), ("a", 8, 4), ("b", 1, 5)]
    query = f"SELECT k, SUM(v) OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM {best} WHERE r = 1"
    assert folded(changes(streaming(rows), query)) == Counter([("b", 2), ("c", 6), ("a", 12)])
    query = f"SELECT k, SUM(v) OVER (ORDER BY PROCTIME()) FROM {best} WHERE r = 1"
    with pytest.raises(TableException, match="doesn't support consuming update and delete changes"):
        streaming(rows).sql_query(query).execute()


@pytest.mark.parametrize("count", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
def test_first_rows_against_duckdb(count: int) -> None:
    sources = (
        "t",
        "(SELECT k, MAX(id) AS id, SUM(v) AS v FROM t GROUP BY k, MOD(id, 5))",
        "(SELECT MAX(k) AS k, id, COUNT(*) AS v FROM (SELECT k, MOD(id, 9) AS id FROM t) GROUP BY id)",
    )
    for seed in range(count):
        draw = Draw(4000 + seed)
        rows, source = draw.rows(), draw.random.choice(sources)
        by = draw.random.choice(["", "PARTITION BY k "])
        order = draw.random.choice(["id", "id DESC", "v DESC, id", "v, id DESC"])
        last = draw.random.randint(1, 5)
        condition = draw.random.choice([f"r <= {last}", f"r = {last}", f"r BETWEEN 2 AND {last}", f"{last} > r"])
        columns = draw.random.choice(["k, id, v", "k, id, v, r", "id, r * 10"])
        query = (
            f"SELECT {columns} FROM (SELECT k, id, v, ROW_NUMBER() OVER ({by}ORDER BY {order}) AS r FROM {source} AS s)"
            f" AS q WHERE {condition}"
        )
        if condition == "1 > r":
            continue
        plain = query.replace("v DESC,", "v DESC NULLS LAST,").replace("BY v,", "BY v NULLS FIRST,")
        assert folded(changes(streaming(rows, 0, 2), query)) == of_duckdb(rows, plain), (seed, query, rows)


def test_late_rows_are_dropped() -> None:
    rows = [("a", 1, 1), ("a", 2, 20), ("z", 0, 22), ("a", 4, 5), ("a", 8, 23), ("b", 16, 2), ("b", 32, 30)]
    unbounded = "SELECT v, SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM t"
    assert sorted(row for _, *row in changes(streaming(rows), unbounded)) == [[0, 0], [1, 1], [2, 3], [8, 11], [32, 32]]
    few = "SELECT v, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING) FROM t"
    taken = sorted(row for _, *row in changes(streaming(rows), few))  # as Flink, what is later than the last row given
    assert [16, 16] in taken and [32, 48] in taken


def test_by_the_clock_rows_are_given_as_they_come() -> None:
    query = "SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t"
    assert sorted(row for _, *row in changes(streaming(ROWS), query)) == [
        *[[0, 1], [1, 1], [2, 2], [3, 2], [4, 2], [5, 2], [6, 2], [7, 2], [8, 1], [9, 2]]
    ]
    hour = "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"
    query = f"SELECT MAX(n) FROM (SELECT COUNT(*) OVER (PARTITION BY k ORDER BY p {hour}) AS n FROM t)"
    assert changes(streaming(ROWS), query)[-1][1] == 6


def test_windows_differ_in_one_select() -> None:
    query = (
        "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts), SUM(v) OVER (ORDER BY ts), "
        "ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) FROM t"
    )
    assert folded(changes(streaming(ROWS, 1), query)) == of_duckdb(ROWS, query.replace("ts) FROM", "ts, id) FROM"))


def test_time_attributes_stay_behind_over_windows() -> None:
    query = (
        "SELECT window_end, MAX(s) FROM TUMBLE(TABLE sums, DESCRIPTOR(ts), INTERVAL '10' SECOND) "
        "GROUP BY window_start, window_end"
    )
    tables = streaming(ROWS, 1)
    sums = tables.sql_query("SELECT ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM t")
    tables.create_temporary_view("sums", sums)
    assert [row for _, _, *row in changes(tables, query)] == [[14], [25]]


def test_functions_of_users() -> None:
    from datastream.table import AggregateFunction
    from datastream.table.udf import udaf

    class Spread(AggregateFunction):
        def create_accumulator(self):
            return []

        def accumulate(self, accumulator, value):
            accumulator.append(value)

        def get_value(self, accumulator):
            known = [value for value in accumulator if value is not None]
            return max(known) - min(known) if known else None

    spread = udaf(Spread(), result_type=DataTypes.INT(), accumulator_type=DataTypes.ARRAY(DataTypes.INT()))
    tables = streaming(ROWS)
    tables.create_temporary_function("spread", spread)
    query = "SELECT id, spread(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t"
    assert dict(row for _, *row in changes(tables, query)) == {
        **{0: 0, 1: 0, 2: 2, 3: 1, 4: 3, 5: 2, 6: 0, 7: 3, 8: 0, 9: 7},
    }


def test_the_first_row_in_event_time_comes_with_the_watermark() -> None:
    first = "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS r FROM t) WHERE r = 1"
    rows = [("a", 1, 5), ("a", 2, 3), ("b", 3, 9), ("a", 4, 1), ("a", 5, 40), ("a", 0, 41), ("b", 6, 2), ("b", 7, 50)]
    assert sorted(changes(streaming(rows, late=10), first)) == [(RowKind.INSERT, "a", 4), (RowKind.INSERT, "b", 3)]


def test_an_upsert_takes_what_has_one_row_of_each_key() -> None:
    tables = streaming(ROWS)
    options = "'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'localhost:1'"
    options += ", 'key.format' = 'json', 'value.format' = 'json'"
    tables.execute_sql(f"CREATE TABLE last (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ({options})")
    tables.execute_sql(
        f"CREATE TABLE best (k STRING, r BIGINT, v INT, PRIMARY KEY (k, r) NOT ENFORCED) WITH ({options})"
    )
    rows = "(SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM t)"
    tables.explain_sql(f"INSERT INTO last SELECT k, v FROM {rows} WHERE r = 1")
    tables.explain_sql(f"INSERT INTO best SELECT k, r, v FROM {rows} WHERE r <= 3")
    with pytest.raises(ValidationError, match="ON CONFLICT"):
        tables.explain_sql(f"INSERT INTO last SELECT k, v FROM {rows} WHERE r <= 3")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT SUM(v) OVER (ORDER BY ts DESC) FROM t", "can only be ordered in ASCENDING mode"),
        ("SELECT SUM(v) OVER (PARTITION BY k) FROM t", "can only be ordered by a single time column"),
        ("SELECT SUM(v) OVER (ORDER BY ts, v) FROM t", "can only be ordered by a single time column"),
        ("SELECT SUM(v) OVER (ORDER BY ts ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM t", "ends with CURRENT ROW"),
        ("SELECT LEAD(v) OVER (ORDER BY ts) FROM t", "LEAD Function is not supported in stream mode"),
        ("SELECT v FROM (SELECT v, ROW_NUMBER() OVER (ORDER BY v) r FROM t) WHERE r < 1", "Rank end should not less"),
    ],
)
def test_what_streaming_mode_refuses(query: str, message: str) -> None:
    with pytest.raises(TableException, match=message):
        streaming(ROWS).sql_query(query).execute()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT v FROM t WHERE SUM(v) OVER (ORDER BY ts) > 1", "line 1, column 23: .* illegal in WHERE clause"),
        ("SELECT UPPER(k) OVER (ORDER BY ts) FROM t", "OVER must be applied to aggregate function"),
        ("SELECT SUM(v) FILTER (WHERE v > 1) OVER (ORDER BY ts) FROM t", "OVER must be applied to aggregate"),
        ("SELECT ROW_NUMBER() FROM t", "ROW_NUMBER needs an OVER clause"),
        ("SELECT SUM(v) OVER (ORDER BY ts RANGE 2 PRECEDING) FROM t", "mismatch between ORDER BY and RANGE clause"),
        ("SELECT LAG(v) OVER (ORDER BY ts ROWS 2 PRECEDING) FROM t", "ROW/RANGE not allowed with"),
        ("SELECT SUM(SUM(v) OVER (ORDER BY ts)) OVER (ORDER BY ts) FROM t", "cannot be nested"),
        ("SELECT k FROM t GROUP BY k HAVING SUM(v) OVER (ORDER BY k) > 1", "illegal in HAVING clause"),
    ],
)
def test_what_is_wrong_is_refused(query: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        streaming(ROWS).sql_query(query)


def test_shares_are_exact() -> None:
    query = "SELECT id, PERCENT_RANK() OVER (ORDER BY ts), CUME_DIST() OVER (ORDER BY ts) FROM t"
    found = {row[0]: row[1:] for _, *row in changes(batch(ROWS), query)}
    assert math.isclose(found[3][0], 1 / 9) and math.isclose(found[3][1], 0.4)


def test_rows_numbered_within_windows_are_of_them() -> None:
    windows = "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)"
    numbered = (
        f"SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC) AS r FROM {windows}"
    )
    query = f"SELECT window_end, SUM(v), COUNT(*) FROM ({numbered}) WHERE r <= 2 GROUP BY window_start, window_end"
    found = changes(streaming(ROWS, 1), query)
    assert [(kind, total, count) for kind, _, total, count in found] == [
        *[(RowKind.INSERT, 9, 2), (RowKind.INSERT, 6, 1), (RowKind.INSERT, 19, 2)],
    ]


@pytest.mark.parametrize(("only_adds", "expected"), [(True, (0,)), (False, None)])
def test_counts_of_rows_that_replace_each_other_may_fall(only_adds: bool, expected: Any) -> None:
    text, number = Column("k", DataTypes.STRING()), Column("n", DataTypes.BIGINT(False))
    scan = Scan(("c", "d", "t"), columns=(text,))
    counts = Aggregate(scan, (0,), (Call("count", type=number.type),), columns=(text, number))
    most = Order(Field(1, "n", type=number.type), False)
    rank = Rank(counts, (), (most,), 1, 3, False, columns=counts.columns)
    assert only_forward(rank, lambda scan: only_adds) == expected
