"""From SQL to plans: names, types, groupings, windows, rewrites, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table import DataTypes
from datastream.table.functions import library
from datastream.table.plan.explain import logical_plan
from datastream.table.plan.relations import (
    Aggregate,
    Column,
    Filter,
    Project,
    Relation,
    Scan,
    Values,
    WindowAggregate,
    WindowTable,
)
from datastream.table.planner import queries
from datastream.table.rules import optimized
from datastream.table.sql.parser import parse

COLUMNS = (
    Column("a", DataTypes.INT()),
    Column("b", DataTypes.STRING()),
    Column("c", DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())])),
    Column("ts", DataTypes.TIMESTAMP(3), "rowtime"),
)


class Functions:
    """The library alone."""

    of_batch = False

    def find(self, name: str) -> Any:
        return library.find(name)

    def names(self) -> Iterable[str]:
        return [name for entry in library.entries() for name in entry.sql]


class Tables:
    """Two tables of the same columns."""

    def find(self, path: tuple[str, ...]) -> Relation | None:
        return Scan(("c", "d", path[-1]), columns=COLUMNS) if path[-1] in ("orders", "others") else None

    def names(self, path: tuple[str, ...] = ()) -> Iterable[str]:
        return ["orders", "others"]

    def missing_place(self, path: tuple[str, ...]) -> None:
        return None


def planned(text: str) -> Relation:
    [statement] = parse(text)
    return queries.plan(statement.tree, Tables(), Functions())  # type: ignore[attr-defined]


def best(text: str) -> Relation:
    return optimized(planned(text), Functions())


def nodes(relation: Relation) -> Iterator[Relation]:
    yield relation
    for each in relation.inputs:
        yield from nodes(each)


def the(kind: Any, relation: Relation) -> Any:
    [found] = [each for each in nodes(relation) if isinstance(each, kind)]
    return found


def refusal(text: str) -> str:
    with pytest.raises(ValidationError) as raised:
        planned(text)
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT * FROM orders", ["a", "b", "c", "ts"]),
        ("SELECT o.* , 1 FROM orders AS o", ["a", "b", "c", "ts", "EXPR$4"]),
        ("SELECT a, a AS a, a + 1 FROM orders", ["a", "a0", "EXPR$2"]),
        ("SELECT c.x, orders.c.y FROM orders", ["x", "y"]),
        ("SELECT x FROM (SELECT a AS x FROM orders)", ["x"]),
        ("SELECT t.n FROM (VALUES (1), (2)) AS t(n)", ["n"]),
        ("WITH w AS (SELECT a FROM orders) SELECT a + 1 AS b FROM w", ["b"]),
        ("SELECT b, COUNT(*) FROM orders GROUP BY b", ["b", "EXPR$1"]),
        ("SELECT a, b FROM orders UNION ALL SELECT a, b FROM others", ["a", "b"]),
        ("SELECT orders.a, others.a FROM orders JOIN others ON orders.a = others.a", ["a", "a0"]),
    ],
)
def test_the_names_of_columns(text: str, names: list[str]) -> None:
    assert list(planned(text).names) == names


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT a + 1 FROM orders", "IntType(true)"),
        ("SELECT 1 + 1", "IntType(false)"),
        ("SELECT a + CAST(1 AS BIGINT) FROM orders", "BigIntType(true)"),
        ("SELECT COUNT(*) FROM orders", "BigIntType(false)"),
        ("SELECT SUM(a) FROM orders", "IntType(true)"),
        ("SELECT a FROM orders UNION ALL SELECT CAST(1 AS BIGINT)", "BigIntType(true)"),
        ("SELECT c.x FROM orders", "IntType(true)"),
        ("SELECT a > 1 FROM orders", "BooleanType(true)"),
    ],
)
def test_the_types_of_columns(text: str, kind: str) -> None:
    assert repr(planned(text).columns[0].type) == kind


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT aa FROM orders", "line 1, column 8: No column 'aa': did you mean 'a'?"),
        ("SELECT a FROM order_", "line 1, column 15: No table 'order_': did you mean 'orders'?"),
        ("SELECT UPER(b) FROM orders", "line 1, column 8: No function 'UPER': did you mean 'UPPER'?"),
        ("SELECT a FROM orders, others", "Column 'a' is ambiguous: orders and others have it"),
        ("SELECT c.z FROM orders", "No field of c 'z'"),
        ("SELECT a FROM orders WHERE b", "WHERE takes a BOOLEAN, but b is"),
        ("SELECT a, SUM(a) FROM orders", "Column 'a' is neither a key of the group nor inside an aggregate"),
        ("SELECT SUM(SUM(a)) FROM orders", "aggregates take no aggregates"),
        ("SELECT a FROM orders WHERE SUM(a) > 1", "WHERE takes no aggregates"),
        ("SELECT UPPER(b, b) FROM orders", "UPPER takes 1 argument, got 2"),
        ("SELECT a FROM orders UNION ALL SELECT a, b FROM others", "the left side has 1 columns (a), the right side 2"),
        ("SELECT CAST(ARRAY[1] AS INT)", "cannot be cast to"),
        ("SELECT a FROM orders GROUP BY 1", "a number there is a constant, and not the place of a column"),
        ("VALUES (1), (2, 3)", "VALUES: a row has 2 values, the first 1"),
        (
            "SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(a), INTERVAL '1' HOUR))",
            "A window needs a time attribute",
        ),
        ("SELECT COUNT(*) FROM orders GROUP BY TUMBLE(ts, 5)", "Expected an interval"),
        ("SELECT DISTINCT UPPER(DISTINCT b) FROM orders", "DISTINCT is allowed only in aggregates"),
        ("SELECT COUNT(DISTINCT MAP[b, a]) FROM orders", "DISTINCT of an aggregate takes no values with maps"),
    ],
)
def test_what_is_wrong(text: str, says: str) -> None:
    assert says in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM orders FOR SYSTEM_TIME AS OF orders.ts",
    ],
)
def test_what_is_not_carried_out(text: str) -> None:
    with pytest.raises(UnsupportedOperation, match="only after JOIN"):
        planned(text)


def test_a_grouping() -> None:
    plan = planned("SELECT b, SUM(a) + 1 AS s FROM orders GROUP BY b HAVING COUNT(*) > 2")
    group = the(Aggregate, plan)
    assert [str(call) for call in group.calls] == ["sum(a)", "count()"]
    assert group.keys == (0,) and group.input.names == ("b", "a")
    assert str(the(Filter, plan).condition) == "greaterThan($1, 2)"


def test_one_aggregate_is_computed_once() -> None:
    assert len(the(Aggregate, planned("SELECT SUM(a), SUM(a) * 2 FROM orders")).calls) == 1


def test_grouping_sets() -> None:
    plan = planned("SELECT a, b, COUNT(*) FROM orders GROUP BY GROUPING SETS ((a), (a, b), ())")
    keys = [each.keys for each in nodes(plan) if isinstance(each, Aggregate)]
    assert sorted(map(len, keys)) == [0, 1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT window_start, SUM(a) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND)) "
        "WHERE a > 1 GROUP BY window_start, window_end, b",
        "SELECT s, SUM(a) FROM (SELECT window_start AS s, window_end AS e, a, b FROM "
        "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))) GROUP BY s, e, b",
        "SELECT TUMBLE_START(ts, INTERVAL '10' SECOND), SUM(a) FROM orders "
        "GROUP BY TUMBLE(ts, INTERVAL '10' SECOND), b",
    ],
)
def test_a_window_aggregate(text: str) -> None:
    window = the(WindowAggregate, planned(text))
    assert (window.window.kind, window.window.size_us) == ("tumble", 10_000_000)
    assert [window.input.names[i] for i in window.keys] == ["b"]
    assert window.input.names[window.window.time].endswith("ts") and window.properties == ("start",)


def test_a_window_that_is_no_group() -> None:
    hop = "HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)"
    plan = planned(f"SELECT window_start, a FROM TABLE({hop})")
    window = the(WindowTable, plan).window
    assert (window.kind, window.slide_us, window.size_us) == ("hop", 5_000_000, 10_000_000)


def test_constants_are_computed() -> None:
    assert the(Project, best("SELECT 1 + 2 * 3 AS n")).expressions[0].value == 7
    assert the(Values, best("VALUES (1 + 1, 'a' || 'b'), (3, CAST(NULL AS STRING))")).rows == ((2, "ab"), (3, None))
    assert not any(isinstance(each, Filter) for each in nodes(best("SELECT a FROM orders WHERE 1 = 1")))


def test_only_what_is_read_is_scanned() -> None:
    assert the(Scan, best("SELECT a FROM orders WHERE b = 'x'")).wanted == ("a", "b")
    assert the(Scan, best("SELECT COUNT(*) FROM orders")).wanted == ("a",)
    assert the(Scan, best("SELECT n FROM (SELECT a AS n, b FROM orders)")).wanted == ("a",)


def test_conditions_go_down() -> None:
    plan = best("SELECT * FROM (SELECT a + 1 AS n, b FROM orders UNION ALL SELECT a, b FROM others) WHERE n > 5")
    below = [each.condition for each in nodes(plan) if isinstance(each, Filter)]
    assert sorted(map(str, below)) == ["greaterThan(a, 5)", "greaterThan(plus(a, 1), 5)"]
    assert all(isinstance(each.input, Scan) for each in nodes(plan) if isinstance(each, Filter))


def test_options_of_a_hint() -> None:
    assert dict(the(Scan, planned("SELECT a FROM orders /*+ OPTIONS('k' = 'v') */")).options) == {"k": "v"}


def test_the_text_of_a_plan() -> None:
    assert logical_plan(planned("SELECT b, COUNT(*) AS n FROM orders WHERE a > 1 GROUP BY b")).splitlines() == [
        "LogicalProject(b=[$0], n=[$1])",
        "+- LogicalAggregate(group=[{0}], $0=[count()])",
        "   +- LogicalProject(b=[$1])",
        "      +- LogicalFilter(condition=[greaterThan($0, 1)])",
        "         +- LogicalTableScan(table=[[c, d, orders]])",
    ]


def test_totals_of_nothing_are_known_when_the_query_is_planned() -> None:
    made = list(nodes(best("SELECT SUM(a), AVG(a), COUNT(*) FROM orders WHERE FALSE")))
    assert [each.rows for each in made if isinstance(each, Values)] == [((None, None, 0),)]
    assert not any(isinstance(each, Aggregate) for each in made)
