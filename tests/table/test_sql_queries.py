"""Queries of SQL: clauses, tables and joins, sets, windows, hints."""

from __future__ import annotations

from typing import Any

import pytest

from datastream.table.plan.expressions import Name, Position, Star
from datastream.table.sql.errors import SqlError
from datastream.table.sql.parser import parse
from datastream.table.sql.statements import Query
from datastream.table.sql.syntax import (
    GroupBy,
    Hint,
    JoinRef,
    LateralRef,
    Select,
    SetQuery,
    SubqueryRef,
    TableRef,
    ValuesQuery,
    WindowRef,
    With,
)
from tests.support.sql_trees import tree

MINUTE = 60_000_000


def source(text: str) -> Any:
    """What stands behind FROM."""
    return tree(f"SELECT * FROM {text}").source


def names(*columns: str) -> tuple[Name, ...]:
    return tuple(Name((column,)) for column in columns)


def test_all_clauses_of_a_select() -> None:
    made = tree(
        "SELECT DISTINCT a, SUM(b) AS total FROM c.d.t AS x WHERE b > 1 GROUP BY a HAVING SUM(b) > 2 "
        "ORDER BY total DESC NULLS LAST, a LIMIT 10 OFFSET 2"
    )
    assert isinstance(made, Select)
    assert [str(each) for each in made.expressions] == ["a", "as(SUM(b), 'total')"]
    assert made.distinct
    assert made.source == TableRef(("c", "d", "t"), "x")
    assert str(made.where) == ">(b, 1)"
    assert made.group == GroupBy(names("a"))
    assert str(made.having) == ">(SUM(b), 2)"
    assert [(str(each), each.nulls_first) for each in made.order] == [("desc(total)", False), ("asc(a)", None)]
    assert (made.offset, made.limit) == (2, 10)


def test_select_without_from() -> None:
    assert tree("SELECT 1").source is None


def test_stars() -> None:
    assert tree("SELECT *, t.*, t.r.*, `a b`.* FROM t").expressions == (
        Star(),
        Star(("t",)),
        Star(("t", "r")),
        Star(("a b",)),
    )


@pytest.mark.parametrize("text", ["SELECT a x FROM t", "SELECT a AS x FROM t", "SELECT a AS `x` FROM t"])
def test_alias(text: str) -> None:
    assert str(tree(text).expressions[0]) == "as(a, 'x')"


@pytest.mark.parametrize(
    ("text", "offset", "limit"),
    [
        ("LIMIT 5", 0, 5),
        ("LIMIT ALL", 0, None),
        ("LIMIT 5 OFFSET 3 ROWS", 3, 5),
        ("OFFSET 3 ROWS FETCH NEXT 5 ROWS ONLY", 3, 5),
        ("FETCH FIRST ROW ONLY", 0, 1),
    ],
)
def test_limits(text: str, offset: int, limit: int | None) -> None:
    made = tree(f"SELECT * FROM t {text}")
    assert (made.offset, made.limit) == (offset, limit)


@pytest.mark.parametrize(
    ("text", "keys", "sets"),
    [
        ("a, b", ("a", "b"), None),
        ("a, a", ("a",), None),
        ("(a, b), c", ("a", "b", "c"), None),
        ("()", (), None),
        ("GROUPING SETS ((a, b), a, ())", ("a", "b"), ((0, 1), (0,), ())),
        ("a, GROUPING SETS ((b), (c, a))", ("a", "b", "c"), ((0, 1), (0, 2))),
        ("ROLLUP (a, b)", ("a", "b"), ((0, 1), (0,), ())),
        ("CUBE (a, b)", ("a", "b"), ((0, 1), (0,), (1,), ())),
        ("ROLLUP ((a, b), c)", ("a", "b", "c"), ((0, 1, 2), (0, 1), ())),
        ("ROLLUP (a), CUBE (b)", ("a", "b"), ((0, 1), (0,), (1,), ())),
        ("GROUPING SETS (ROLLUP (a), (b))", ("a", "b"), ((0,), (), (1,))),
    ],
)
def test_group_by(text: str, keys: tuple[str, ...], sets: Any) -> None:
    assert tree(f"SELECT 1 FROM t GROUP BY {text}").group == GroupBy(names(*keys), sets)


def test_a_row_is_one_key() -> None:
    (key,) = tree("SELECT 1 FROM t GROUP BY ROW(a, b)").group.keys
    assert str(key) == "ROW(a, b)"


def test_group_windows_are_calls() -> None:
    (window, _) = tree("SELECT a FROM t GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '2' MINUTE), a").group.keys
    assert str(window) == "HOP(ts, 60000, 120000)"


def test_intersect_binds_tighter_than_union() -> None:
    made = tree("SELECT a FROM t UNION ALL SELECT a FROM u INTERSECT SELECT a FROM v EXCEPT SELECT a FROM w")
    assert isinstance(made, SetQuery)
    assert (made.kind, made.all) == ("minus", False)
    assert isinstance(made.left, SetQuery)
    assert (made.left.kind, made.left.all) == ("union", True)
    assert isinstance(made.left.right, SetQuery)
    assert made.left.right.kind == "intersect"


def test_order_behind_a_union_is_that_of_the_union() -> None:
    made = tree("SELECT a FROM t UNION (SELECT a FROM u ORDER BY b LIMIT 1) ORDER BY a LIMIT 3")
    assert isinstance(made, SetQuery)
    assert (len(made.order), made.limit) == (1, 3)
    assert isinstance(made.right, Select)
    assert (len(made.right.order), made.right.limit) == (1, 1)


def test_limit_around_a_limit() -> None:
    made = tree("(SELECT a FROM t LIMIT 5) LIMIT 3")
    assert made.limit == 3
    assert isinstance(made.source, SubqueryRef)
    assert isinstance(made.source.query, Select)
    assert made.source.query.limit == 5


def test_order_of_values() -> None:
    made = tree("VALUES (1), (2) ORDER BY 1")
    assert isinstance(made, Select)
    assert isinstance(made.source, SubqueryRef)
    assert isinstance(made.source.query, ValuesQuery)


def test_values() -> None:
    made = tree("VALUES (1, 'a'), ROW(2, 'b'), 3")
    assert [[str(each) for each in row] for row in made.rows] == [["1", "'a'"], ["2", "'b'"], ["3"]]


def test_with() -> None:
    made = tree(
        "WITH x AS (SELECT a FROM t), y (b, c) AS (WITH z AS (SELECT 1) SELECT * FROM z) SELECT * FROM y LIMIT 1"
    )
    assert isinstance(made, With)
    assert [(name, columns) for name, columns, _ in made.tables] == [("x", ()), ("y", ("b", "c"))]
    assert isinstance(made.tables[1][2], With)
    assert isinstance(made.query, Select)
    assert made.query.limit == 1


def test_table_alone_is_all_of_it() -> None:
    assert tree("TABLE c.t") == Select((Star(),), TableRef(("c", "t")))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("JOIN", "inner"),
        ("INNER JOIN", "inner"),
        ("LEFT JOIN", "left"),
        ("LEFT OUTER JOIN", "left"),
        ("RIGHT JOIN", "right"),
        ("FULL OUTER JOIN", "full"),
    ],
)
def test_joins(text: str, kind: str) -> None:
    made = source(f"a {text} b AS c ON a.x = c.y")
    assert made.kind == kind
    assert (made.left, made.right) == (TableRef(("a",)), TableRef(("b",), "c"))
    assert str(made.condition) == "=(a.x, c.y)"


def test_joins_follow_each_other_and_commas_come_last() -> None:
    made = source("a, b JOIN c USING (x, y) CROSS JOIN d")
    assert isinstance(made, JoinRef)
    assert (made.kind, made.left) == ("cross", TableRef(("a",)))
    right = made.right
    assert isinstance(right, JoinRef) and isinstance(right.left, JoinRef)
    assert (right.kind, right.left.kind, right.left.using) == ("cross", "inner", ("x", "y"))


@pytest.mark.parametrize("text", ["a JOIN (b JOIN c ON p) ON q", "a JOIN ((SELECT 1) AS b JOIN c ON p) ON q"])
def test_parentheses_around_joins(text: str) -> None:
    made = source(text)
    assert isinstance(made.right, JoinRef)
    assert (str(made.right.condition), str(made.condition)) == ("p", "q")


def test_subquery_with_names() -> None:
    made = source("(SELECT 1) AS t (a, b)")
    assert (made.alias, made.names) == ("t", ("a", "b"))
    assert source("((SELECT 1) UNION ALL (SELECT 2))").query.kind == "union"
    assert isinstance(source("(VALUES (1), (2)) t").query, ValuesQuery)


def test_versions_of_tables() -> None:
    made = source("orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.c = r.c")
    assert made.right == TableRef(("rates",), "r", as_of=Name(("o", "ts")))


@pytest.mark.parametrize("text", ["t, LATERAL TABLE(f(a)) AS x (b, c)", "t CROSS JOIN LATERAL TABLE (f(a)) x (b, c)"])
def test_table_functions(text: str) -> None:
    made = source(text)
    assert made.kind == "cross"
    assert isinstance(made.right, LateralRef)
    assert (str(made.right.call), made.right.alias, made.right.names) == ("F(a)", "x", ("b", "c"))


def test_left_join_of_a_table_function_keeps_its_condition() -> None:
    made = source("t LEFT JOIN LATERAL TABLE(f(a)) AS x (b) ON TRUE")
    assert (made.kind, str(made.condition)) == ("left", "true")


@pytest.mark.parametrize("text", ["TABLE(my.fun(1)) AS x", "my.fun(1) AS x"])
def test_table_function_alone(text: str) -> None:
    made = source(text)
    assert isinstance(made, LateralRef)
    assert (str(made.call), made.alias) == ("my.fun(1)", "x")


def test_unnest() -> None:
    assert str(source("t CROSS JOIN UNNEST(t.tags) AS x (a)").right.call) == "UNNEST(t.tags)"
    assert str(source("t, UNNEST(tags) WITH ORDINALITY AS x (a, n)").right.call) == "UNNEST WITH ORDINALITY(tags)"


@pytest.mark.parametrize(
    ("text", "kind", "minutes"),
    [
        ("TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES)", "tumble", [10]),
        ("TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' MINUTE)", "tumble", [10, 1]),
        ("TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' MINUTES)", "tumble", [10]),
        (
            "HOP(DATA => TABLE t, SIZE => INTERVAL '10' MINUTE, SLIDE => INTERVAL '5' MINUTE, "
            "TIMECOL => DESCRIPTOR(ts), OFFSET => INTERVAL '1' MINUTE)",
            "hop",
            [5, 10, 1],
        ),
        ("HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)", "hop", [5, 10]),
        ("CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' MINUTE, INTERVAL '10' MINUTE)", "cumulate", [2, 10]),
        ("SESSION(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE)", "session", [5]),
    ],
)
@pytest.mark.parametrize("form", ["TABLE({}) AS w", "{} AS w"])
def test_window_functions(form: str, text: str, kind: str, minutes: list[int]) -> None:
    made = source(form.format(text))
    assert isinstance(made, WindowRef)
    assert (made.kind, made.table, made.time, made.alias) == (kind, TableRef(("t",)), "ts", "w")
    assert [each.value for each in made.intervals] == [each * MINUTE for each in minutes]  # type: ignore[attr-defined]


def test_session_windows_by_columns() -> None:
    for columns in ("a", "(a)"):
        made = source(f"TABLE(SESSION(TABLE t PARTITION BY {columns}, DESCRIPTOR(ts), INTERVAL '5' MINUTE))")
        assert made.partition == ("a",)


def test_window_over_a_query() -> None:
    made = source("TABLE(TUMBLE((SELECT * FROM t), DESCRIPTOR(ts), INTERVAL '5' MINUTE))")
    assert isinstance(made.table, SubqueryRef)


def test_hints_of_tables() -> None:
    made = source("t /*+ OPTIONS('scan.startup.mode' = 'earliest-offset', 'a' = 'it''s') */ AS x")
    assert made == TableRef(("t",), "x", options={"scan.startup.mode": "earliest-offset", "a": "it's"})


def test_hints_of_queries() -> None:
    made = tree(
        "SELECT /*+ BROADCAST(a, b), LOOKUP('table' = 'd', 'async' = 'true'), STATE_TTL('o' = '1d') */ * FROM a"
    )
    assert made.hints == (
        Hint("BROADCAST", ("a", "b")),
        Hint("LOOKUP", (), {"table": "d", "async": "true"}),
        Hint("STATE_TTL", (), {"o": "1d"}),
    )


def test_comments_are_blank() -> None:
    text = "SELECT -- all; of 'it\n a /* FROM x; */ FROM /**/ t -- the end"
    assert tree(text) == tree("SELECT a FROM t")


def test_text_of_a_query_is_as_written() -> None:
    (found,) = parse("  SELECT a,\n  b FROM t -- behind\n ;")
    assert isinstance(found, Query)
    assert found.text == "SELECT a,\n  b FROM t"


def test_positions() -> None:
    (found,) = parse("SELECT *\nFROM a JOIN (\n  SELECT b FROM c) AS d ON x")
    assert isinstance(found, Query)
    made = found.tree
    assert made.position == Position(1, 1)
    assert made.source.position == Position(2, 6)
    assert made.source.right.position == Position(2, 13)
    assert made.source.right.query.position == Position(3, 3)
    assert made.source.right.query.expressions[0].position == Position(3, 10)
    assert made.source.condition.position == Position(3, 28)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT a, FROM t", "line 1, column 11: expected an expression, found FROM"),
        ("SELECT a FORM t", "line 1, column 15: expected ',', FROM, HAVING"),
        ("SELECT a FROM t WERE b", "expected"),
        ("SELECT a FROM t GRUOP BY b", "found BY"),
        ("SELECT a FROM t WHERE b GRUOP BY c", "did you mean GROUP BY?"),
        ("SELECT a FROM", "expected a table, found the end of the text"),
        (
            "SELECT a FROM select",
            "expected a table, found select; a name like this keyword needs backticks: `select`",
        ),
        ("SELECT a FROM t JOIN u", "expected FOR SYSTEM_TIME, AS, USING or ON, found the end"),
        ("SELECT a FROM t *", "found '*'"),
        ("SELECT a FROM t NATURAL CROSS JOIN u", "NATURAL is allowed only before JOIN"),
        ("SELECT a FROM t TABLESAMPLE BERNOULLI (10)", "TABLESAMPLE is not known here"),
        ("SELECT a FROM t QUALIFY", "expected an expression, found the end of the text"),
        ("SELECT a FROM t WHERE b QUALIFY c WINDOW w AS (ORDER BY d)", "found WINDOW"),
        ("SELECT a FROM VALUES (1)", "VALUES needs parentheses"),
        ("SELECT a FROM LATERAL UNNEST(b)", "LATERAL is allowed only before TABLE"),
        ("SELECT a FROM a.b.c.d", "at most three parts"),
        ("SELECT TOP 3 a FROM t", "found 3"),
        ("SELECT a FROM t LIMIT x", "expected a whole number or ALL, found x"),
        ("SELECT a FROM t LIMIT 1, 2", "found ','"),
        ("SELECT a FROM t FETCH NEXT 3 ROWS", "expected ONLY"),
        ("SELECT a FROM t GROUP BY GROUPING SETS (a", "expected ',' or ')'"),
        ("SELECT a FROM t GROUP BY", "expected an expression"),
        ("SELECT a FROM t ORDER BY a NULLS", "expected FIRST or LAST"),
        ("SELECT a FROM t, ", "expected a table"),
        ("SELECT a FROM (SELECT b FROM u", "expected"),
        ("WITH RECURSIVE x AS (SELECT 1) SELECT * FROM x", "WITH RECURSIVE is not known here"),
        ("WITH x AS SELECT 1 SELECT 2", "expected '(', found SELECT"),
        ("SELECT /*+ BRODCAST(a) */ * FROM a", "did you mean BROADCAST?"),
        ("SELECT a FROM t /*+ OPTIONS('a') */", "expected '=', found ')'"),
        ("SELECT a /*+ x */ FROM t", "found /*+ x */"),
        ("SELECT a, /*+ x */ b FROM t", "a hint is allowed only after SELECT or the name of a table"),
        ("SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts)))", "expected ',', found ')'"),
        ("SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), 5))", "expected an INTERVAL, found 5"),
        ("SELECT * FROM TABLE(TUMBLE(t, DESCRIPTOR(ts), 5))", "expected TABLE, '(' or a query in parentheses"),
        ("SELECT * FROM TABLE(TUMBLE(TABLE t PARTITION BY a, 5))", "PARTITION BY is allowed only in SESSION"),
        ("SELECT * FROM TABLE(TUMBLE(DATEN => TABLE t))", "did you mean DATA?"),
        ("SELECT * FROM TABLE(SESSION(TABLE t, DESCRIPTOR(a), INTERVAL '1' DAY, INTERVAL '1' DAY))", "found ','"),
        ("SELECT a FROM t UNION", "expected"),
        ("SELECT SUM(a) OVER v FROM t WINDOW w AS (ORDER BY b)", "no window v; there are w"),
        ("SELECT a FROM t WINDOW", "expected a window's name"),
    ],
)
def test_wrong_query(text: str, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert message in str(caught.value)
