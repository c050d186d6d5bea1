"""Queries in SQL, with the function library, down to their rows."""

from __future__ import annotations

from decimal import Decimal

import pytest

from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.functions import library
from datastream.table.planner import queries
from datastream.table.rules import optimized
from datastream.table.sql.parser import parse
from tests.table.plans import context, lower, run, timed, values

S = 1_000_000
COLUMNS = {
    "a": DataTypes.INT(),
    "b": DataTypes.STRING(),
    "d": DataTypes.DECIMAL(10, 2),
    "x": DataTypes.DOUBLE(),
    "ts": DataTypes.TIMESTAMP(3),
}
TABLE = timed(
    values(
        COLUMNS,
        (1, "one", Decimal("1.50"), 0.5, 1 * S),
        (2, "two", None, 2.5, 6 * S),
        (None, "Zed", Decimal("2.25"), None, 12 * S),
        (2, None, Decimal("0.25"), 1.0, 13 * S),
    ),
    "ts",
)


class Library:
    of_batch = False

    def find(self, name):
        return library.find(name)

    def names(self):
        return [name for entry in library.entries() for name in entry.sql]


class Tables:
    def find(self, path):
        return TABLE if path[-1] == "t" else None

    def names(self, path=()):
        return ["t"]

    def missing_place(self, path):
        return None


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


def found(text, batch=False):
    [statement] = parse(text)
    plan = optimized(queries.plan(statement.tree, Tables(), Library()), Library())
    return run(lower(plan, context(batch=batch, functions=Library())))


def test_conditions_and_common_types():
    assert found("SELECT CASE WHEN a = 1 THEN 10 WHEN x > 1 THEN 2.5 ELSE d END, COALESCE(a, 0) FROM t") == [
        (Decimal("10.00"), 1),
        (Decimal("2.50"), 2),
        (Decimal("2.25"), 0),
        (Decimal("0.25"), 2),
    ]
    assert found("SELECT b FROM t WHERE a > 1 OR b LIKE 'Z%'") == [("two",), ("Zed",), (None,)]


def test_casts():
    assert found("SELECT CAST(a AS STRING), CAST(d AS INT), TRY_CAST(b AS INT), CAST(ts AS DATE) FROM t") == [
        ("1", 1, None, 0),
        ("2", None, None, 0),
        (None, 2, None, 0),
        ("2", 0, None, 0),
    ]


def test_aggregates():
    text = "SELECT b, COUNT(*), SUM(d), AVG(x), MAX(a), MIN(d) FROM t GROUP BY b"
    assert (0, "two", 1, None, 2.5, 2, None) in found(text)
    last = found("SELECT COUNT(DISTINCT a), SUM(DISTINCT a), COUNT(*) FILTER (WHERE x > 0.7), LISTAGG(b, '|') FROM t")[
        -1
    ]
    assert last == (2, 2, 3, 2, "one|two|Zed")
    inner = "(SELECT a, COUNT(*) AS c FROM t GROUP BY a)"
    changes = found(f"SELECT c, COUNT(*), MAX(a), MIN(a), SUM(a) FROM {inner} GROUP BY c")
    assert changes[-2:] == [(2, 1, 2, 1, 1, 1), (0, 2, 1, 2, 2, 2)]


def test_windows():
    text = """SELECT window_start, window_end, COUNT(*), SUM(d)
        FROM TABLE({0}(TABLE t, DESCRIPTOR(ts), {1} INTERVAL '10' SECOND)) GROUP BY window_start, window_end"""
    assert found(text.format("TUMBLE", "")) == [
        (0, 10 * S, 2, Decimal("1.50")),
        (10 * S, 20 * S, 2, Decimal("2.50")),
    ]
    assert [row[2] for row in found(text.format("HOP", "INTERVAL '5' SECOND,"))] == [1, 2, 3, 2]
    assert [row[2] for row in found(text.format("CUMULATE", "INTERVAL '5' SECOND,"))] == [1, 2, 2, 2]


def test_joins_and_order():
    assert found("SELECT l.a, r.b FROM t l JOIN t r ON l.a = r.a AND l.x < r.x") == [(2, "two")]
    assert found("SELECT a, x FROM t ORDER BY x DESC LIMIT 2", batch=True) == [(2, 2.5), (2, 1.0)]
    assert found("SELECT COUNT(*), SUM(a) FROM t WHERE a > 100", batch=True) == [(0, None)]
    assert found("SELECT a, w FROM t CROSS JOIN UNNEST(ARRAY[1, 2]) AS u(w) WHERE a = 1") == [(1, 1), (1, 2)]


def answers(query):
    """The rows of a query in batch mode."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()).execute_sql(query).collect() as found:
        return sorted((tuple(row) for row in found), key=str)


def test_what_tells_of_grouping_sets():
    rows = "(VALUES (1, 'x'), (1, 'y'), (2, 'x')) AS t (a, b)"
    query = f"SELECT a, b, GROUPING(a), GROUPING_ID(b), GROUPING(a, b), COUNT(*) FROM {rows} GROUP BY ROLLUP (a, b)"
    assert answers(query) == [
        (1, "x", 0, 0, 0, 1),
        (1, "y", 0, 0, 0, 1),
        (1, None, 0, 1, 1, 2),
        (2, "x", 0, 0, 0, 1),
        (2, None, 0, 1, 1, 1),
        (None, None, 1, 1, 3, 3),
    ]
    assert answers(f"SELECT a FROM {rows} GROUP BY CUBE (a, b) HAVING GROUPING(b) = 1 AND GROUPING(a) = 0") == [
        (1,),
        (2,),
    ]
    assert answers(f"SELECT t.a, GROUPING(a) FROM {rows} GROUP BY a") == [(1, 0), (2, 0)]
    assert answers(f"SELECT t.a, COUNT(*) FROM {rows} GROUP BY ROLLUP (a)") == [(1, 2), (2, 1), (None, 3)]
    ordered = f"SELECT a FROM {rows} GROUP BY ROLLUP (a) ORDER BY GROUPING(a) DESC, -SUM(a), a"
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()).execute_sql(ordered).collect() as found:
        assert [row[0] for row in found] == [None, 1, 2]
    with pytest.raises(ValidationError, match="line 1, column 8: GROUPING is about keys"):
        answers(f"SELECT GROUPING(b) FROM {rows} GROUP BY a")


def test_queries_over_elements_of_the_row_around_them():
    rows = "(VALUES (1, ARRAY['p', 'q']), (2, CAST(NULL AS ARRAY<STRING>)), (3, ARRAY['p'])) AS t (a, b)"
    lateral = f"SELECT a, x.u FROM {rows}, LATERAL (SELECT UPPER(v) AS u FROM UNNEST(t.b) AS e (v) WHERE v < 'q') AS x"
    assert answers(lateral) == [(1, "P"), (3, "P")]
    assert answers(lateral.replace("t.b", "b").replace(" WHERE v < 'q'", " WHERE a < 3")) == [(1, "P"), (1, "Q")]
    numbered = "SELECT v AS u FROM UNNEST(b) WITH ORDINALITY AS e (v, i) WHERE i = a"
    joined = f"SELECT a, u FROM {rows} %s ({numbered}) AS x ON %s"
    assert answers(joined % ("JOIN LATERAL", "u <> 'z'")) == [(1, "p")]
    assert answers(joined % ("LEFT JOIN LATERAL", "TRUE")) == [(1, "p"), (2, None), (3, None)]
    assert answers(f"SELECT a, (SELECT COUNT(v) FROM UNNEST(b) AS e (v)) FROM {rows}") == [(1, 2), (2, 0), (3, 1)]
    assert answers(f"SELECT a FROM {rows} WHERE 'q' IN (SELECT v FROM UNNEST(b) AS e (v))") == [(1,)]
    pairs = "SELECT v, w FROM UNNEST(b) AS e (v) LEFT JOIN UNNEST(b) AS f (w) ON v < w"
    assert answers(f"SELECT a, v, w FROM {rows}, LATERAL ({pairs})") == [(1, "p", "q"), (1, "q", None), (3, "p", None)]
    counted = f"SELECT a, n FROM {rows}, LATERAL (SELECT COUNT(*) AS n FROM ({pairs}))"
    assert answers(counted) == [(1, 2), (2, 0), (3, 1)]


def test_what_rows_before_and_after_have():
    rows = "(VALUES (1, 5), (2, CAST(NULL AS INT)), (3, 1)) AS t (id, v)"
    found = answers(f"SELECT id, LAG(v, 1, id) OVER w, LEAD(v, 1, 0) OVER w FROM {rows} WINDOW w AS (ORDER BY id)")
    assert found == [(1, 1, None), (2, 5, 1), (3, None, 0)]
    others = f"SELECT id, LAG(id, 2, id + 0.7) OVER w, LEAD(id, 2, '7') OVER w FROM {rows} WINDOW w AS (ORDER BY id)"
    assert answers(others) == [(1, 1, 3), (2, 2, 7), (3, 1, 7)]


def test_conditions_on_windows():
    rows = "(VALUES (1, 'a', 10), (2, 'a', 30), (3, 'b', 20), (4, 'b', 40), (5, 'a', 5)) AS t (id, k, v)"
    first = "ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1"
    assert answers(f"SELECT id FROM {rows} QUALIFY {first}") == [(1,), (3,)]
    summed = f"SELECT * FROM {rows} WHERE v < 30 QUALIFY SUM(v) OVER (PARTITION BY k) > 15"
    assert answers(summed) == [(3, "b", 20)]
    numbered = f"SELECT id, ROW_NUMBER() OVER w AS n FROM {rows} WINDOW w AS (PARTITION BY k ORDER BY id)"
    assert answers(f"{numbered} QUALIFY n = 2 AND id < 4") == [(2, 2)]
    assert answers(f"SELECT id AS k FROM {rows} QUALIFY {first}") == [(1,), (2,), (3,), (4,), (5,)]
    assert answers(f"SELECT v + 1 AS w FROM {rows} QUALIFY w > 11 AND {first}") == [(21,)]
    assert answers(f"SELECT DISTINCT k FROM {rows} QUALIFY COUNT(*) OVER (PARTITION BY k) = 3") == [("a",)]
    grouped = f"SELECT k, SUM(v) AS s FROM {rows} GROUP BY k QUALIFY RANK() OVER (ORDER BY SUM(v) DESC) = 1"
    assert answers(grouped) == [("b", 60)]
    assert answers(f"SELECT id FROM {rows} QUALIFY {first} UNION ALL SELECT 9") == [(1,), (3,), (9,)]
    ordered = f"SELECT id FROM {rows} QUALIFY COUNT(*) OVER (PARTITION BY k) > 1 ORDER BY -v LIMIT 1"
    assert answers(ordered) == [(4,)]
    assert answers(ordered.replace("-v", "id DESC")) == [(5,)]
    with pytest.raises(ValidationError, match="QUALIFY is a condition on a window"):
        answers(f"SELECT id FROM {rows} QUALIFY id > 1")
    with pytest.raises(UnsupportedOperation, match="A query in QUALIFY"):
        answers(f"SELECT id FROM {rows} QUALIFY {first} AND id IN (SELECT 1)")


def test_unnested_rows_have_places():
    rows = "(VALUES (1, ARRAY['p', 'q']), (2, ARRAY[CAST(NULL AS STRING)])) AS t (a, b)"
    query = f"SELECT a, v, i FROM {rows} CROSS JOIN UNNEST(b) WITH ORDINALITY AS u (v, i)"
    assert answers(query) == [(1, "p", 1), (1, "q", 2), (2, None, 1)]
    joined = f"SELECT a, v FROM {rows} JOIN UNNEST(b) WITH ORDINALITY AS u (v, i) ON i = 2 AND v = 'q'"
    assert answers(joined) == [(1, "q")]
    with pytest.raises(ValidationError, match="No column 'nothing'"):
        answers(joined.replace("i = 2", "nothing = 2"))
    outer = joined.replace("JOIN", "LEFT JOIN")
    assert answers(outer) == [(1, "q"), (2, None)]
    assert answers(outer.replace("i = 2", "i <= a")) == [(1, None), (2, None)]
    assert answers(outer.replace("i = 2 AND v = 'q'", "UPPER(v) <= 'Q' AND a < 2")) == [(1, "p"), (1, "q"), (2, None)]
    assert answers(outer.replace("i = 2 AND v = 'q'", "FALSE")) == [(1, None), (2, None)]
    with pytest.raises(UnsupportedOperation, match="A query in ON of a LEFT JOIN with a table function"):
        answers(outer.replace("i = 2", "i IN (SELECT 1)"))
    rows = "(VALUES (ARRAY[ROW(1, 'x'), ROW(2, 'y')])) AS t (b)"
    assert answers(f"SELECT n, i FROM {rows} CROSS JOIN UNNEST(b) WITH ORDINALITY AS u (n, s, i)") == [(1, 1), (2, 2)]
