"""Expressions of SQL: what they become, how tightly operators bind, and the types of constants."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from datastream.table import DataTypes
from datastream.table.plan.expressions import Alias, Call, Cast, Literal, Name, Over, Position, Subquery
from datastream.table.sql.errors import SqlError
from datastream.table.sql.parser import parse_expression
from datastream.table.sql.syntax import Select
from datastream.table.types.logical_types import CharType
from datastream.table.types.type_text import summary
from tests.support.sql_trees import expression, tree

DAY = 86_400_000_000
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a + b * c", "+(a, *(b, c))"),
        ("a - b - c", "-(-(a, b), c)"),
        ("(a - b) * c", "*(-(a, b), c)"),
        ("a + b || c", "+(a, ||(b, c))"),
        ("a % b / c", "/(%(a, b), c)"),
        ("-a * -b", "*(-(a), -(b))"),
        ("+a", "+(a)"),
        ("- -3", "3"),
        ("a or b and not c = d", "OR(a, AND(b, NOT(=(c, d))))"),
        ("a = b IS NOT NULL", "IS NOT NULL(=(a, b))"),
        ("NOT a IS TRUE", "NOT(IS TRUE(a))"),
        ("a IS NOT UNKNOWN IS FALSE", "IS FALSE(IS NOT UNKNOWN(a))"),
        ("a < b = c", "=(<(a, b), c)"),
        ("a <> b", "<>(a, b)"),
        ("a IS DISTINCT FROM b + 1 AND c", "AND(IS DISTINCT FROM(a, +(b, 1)), c)"),
        ("a IS NOT DISTINCT FROM b", "IS NOT DISTINCT FROM(a, b)"),
        ("a BETWEEN b AND c AND d", "AND(BETWEEN(a, b, c), d)"),
        ("a NOT BETWEEN ASYMMETRIC 1 AND 2 + 3", "NOT BETWEEN(a, 1, +(2, 3))"),
        ("a BETWEEN SYMMETRIC 1 AND 2", "BETWEEN SYMMETRIC(a, 1, 2)"),
        ("a IN (1, 2) = b", "=(IN(a, 1, 2), b)"),
        ("a NOT IN (1)", "NOT IN(a, 1)"),
        ("a LIKE 'x%' ESCAPE '!'", "LIKE(a, 'x%', '!')"),
        ("a NOT LIKE b || '%'", "NOT LIKE(a, ||(b, '%'))"),
        ("a SIMILAR TO 'x.*' OR a NOT SIMILAR TO b", "OR(SIMILAR TO(a, 'x.*'), NOT SIMILAR TO(a, b))"),
        ("(a, b) OVERLAPS (c, d)", "OVERLAPS(a, b, c, d)"),
        ("a IS JSON", "IS JSON(a)"),
        ("a IS NOT JSON OBJECT", "NOT(IS JSON(a, 'OBJECT'))"),
        ("CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END", "CASE(a, 1, b, 2, 3)"),
        ("CASE a + 1 WHEN 1 THEN 'x' WHEN 2, 3 THEN 'y' END", "CASE(=(+(a, 1), 1), 'x', IN(+(a, 1), 2, 3), 'y', null)"),
        ("ROW(1, 'x')", "ROW(1, 'x')"),
        ("(a, b)", "ROW(a, b)"),
        ("ARRAY[1, 2][1]", "ITEM(ARRAY(1, 2), 1)"),
        ("ARRAY[]", "ARRAY()"),
        ("MAP['a', 1]['a'] + 1", "+(ITEM(MAP('a', 1), 'a'), 1)"),
        ("t.r.a", "t.r.a"),
        ("t.list[1].`the field`", "DOT(ITEM(t.list, 1), 'the field')"),
        ("`from`.`a``b`", "from.a`b"),
        ("COUNT(*)", "COUNT(*)"),
        ("count(DISTINCT a)", "distinct(COUNT(a))"),
        ("sum(ALL a)", "SUM(a)"),
        ("left(a, 2)", "LEFT(a, 2)"),
        ("my_cat.db.F(a, b)", "my_cat.db.F(a, b)"),
        ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP()"),
        ("localtime", "LOCALTIME()"),
        ("CURRENT_DATABASE()", "currentDatabase()"),
        ("EXTRACT(day FROM ts + d)", "EXTRACT('DAY', +(ts, d))"),
        ("TIMESTAMPADD(SQL_TSI_HOUR, 1, ts)", "TIMESTAMPADD('HOUR', 1, ts)"),
        ("TIMESTAMPDIFF(SECOND, a, b)", "TIMESTAMPDIFF('SECOND', a, b)"),
        ("FLOOR(ts TO minute)", "FLOOR(ts, 'MINUTE')"),
        ("CEIL(a, 2)", "CEIL(a, 2)"),
        ("TRIM(a)", "TRIM('BOTH', ' ', a)"),
        ("TRIM('x' FROM a)", "TRIM('BOTH', 'x', a)"),
        ("TRIM(TRAILING FROM a)", "TRIM('TRAILING', ' ', a)"),
        ("TRIM(LEADING 'x' FROM a)", "TRIM('LEADING', 'x', a)"),
        ("POSITION('x' IN a)", "POSITION('x', a)"),
        ("SUBSTRING(a FROM 2 FOR 3)", "SUBSTRING(a, 2, 3)"),
        ("SUBSTRING(a, 2)", "SUBSTRING(a, 2)"),
        ("OVERLAY(a PLACING 'x' FROM 2)", "OVERLAY(a, 'x', 2)"),
        ("JSON_EXISTS(a, '$.x')", "JSON_EXISTS(a, '$.x')"),
        ("JSON_EXISTS(a, '$.x' TRUE ON ERROR)", "JSON_EXISTS(a, '$.x', 'TRUE')"),
        ("JSON_VALUE(a, '$.x')", "JSON_VALUE(a, '$.x')"),
        (
            "JSON_VALUE(a, '$.x' DEFAULT -1 ON EMPTY ERROR ON ERROR)",
            "JSON_VALUE(a, '$.x', null, 'DEFAULT', -1, 'ERROR', null)",
        ),
        (
            "JSON_QUERY(a, '$' WITH CONDITIONAL ARRAY WRAPPER EMPTY ARRAY ON EMPTY)",
            "JSON_QUERY(a, '$', null, 'CONDITIONAL', 'EMPTY ARRAY', 'NULL')",
        ),
        ("JSON_OBJECT()", "JSON_OBJECT('NULL')"),
        ("JSON_OBJECT(KEY 'a' VALUE 1, 'b' : 2 ABSENT ON NULL)", "JSON_OBJECT('ABSENT', 'a', 1, 'b', 2)"),
        ("JSON_ARRAY(1, NULL NULL ON NULL)", "JSON_ARRAY('NULL', 1, null)"),
        ("JSON_OBJECTAGG(KEY k VALUE v)", "JSON_OBJECTAGG('NULL', k, v)"),
        ("JSON_ARRAYAGG(v NULL ON NULL)", "JSON_ARRAYAGG('NULL', v)"),
        ("TUMBLE_START(ts, INTERVAL '1' HOUR)", "TUMBLE_START(ts, 3600000)"),
        ("a AS b", "as(a, 'b')"),
        ("((a))", "a"),
    ],
)
def test_expression(text: str, meaning: str) -> None:
    assert str(parse_expression(text)) == meaning


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("1", 1, DataTypes.INT()),
        ("-1", -1, DataTypes.INT()),
        ("2147483647", 2**31 - 1, DataTypes.INT()),
        ("2147483648", 2**31, DataTypes.BIGINT()),
        ("-2147483648", -(2**31), DataTypes.INT()),
        ("-9223372036854775808", -(2**63), DataTypes.BIGINT()),
        ("9223372036854775808", Decimal(2**63), DataTypes.DECIMAL(19, 0)),
        ("1.5", Decimal("1.5"), DataTypes.DECIMAL(2, 1)),
        ("-0.050", Decimal("-0.050"), DataTypes.DECIMAL(4, 3)),
        (".5", Decimal("0.5"), DataTypes.DECIMAL(1, 1)),
        ("1e3", 1000.0, DataTypes.DOUBLE()),
        ("'it''s'", "it's", DataTypes.CHAR(4)),
        ("''", "", CharType(0)),
        ("'a'\n'b'", "ab", DataTypes.CHAR(2)),
        (r"U&'\00e4\\!\+01f600'", "ä\\!😀", DataTypes.CHAR(4)),
        ("u&'!00e4!!' UESCAPE '!'", "ä!", DataTypes.CHAR(2)),
        ("X'4d5E'", b"M^", DataTypes.BINARY(2)),
        ("TRUE", True, DataTypes.BOOLEAN()),
        ("false", False, DataTypes.BOOLEAN()),
        ("DATE '1970-01-03'", 2, DataTypes.DATE()),
        ("DATE '1969-12-31'", -1, DataTypes.DATE()),
        ("TIME '00:01:02'", 62 * SECOND, DataTypes.TIME(0)),
        ("TIME '00:00:00.25'", 250_000, DataTypes.TIME(2)),
        ("TIMESTAMP '1970-01-02 00:00:01'", DAY + SECOND, DataTypes.TIMESTAMP(0)),
        ("TIMESTAMP '1970-01-01 00:00:00.123456789'", 123456, DataTypes.TIMESTAMP(9)),
    ],
)
def test_constant(text: str, value: Any, kind: Any) -> None:
    assert expression(text) == Literal(value, type=kind.not_null())


def test_null_has_a_type_of_its_own() -> None:
    assert expression("NULL") == Literal(None, type=DataTypes.NULL())
    assert expression("UNKNOWN") == Literal(None, type=DataTypes.BOOLEAN())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("INTERVAL '5' SECOND", 5 * SECOND),
        ("INTERVAL '1.5' SECONDS", 1_500_000),
        ("INTERVAL '1.123456' SECOND", 1_123_000),
        ("INTERVAL -'5' minutes", -300 * SECOND),
        ("INTERVAL '-5' DAY", -5 * DAY),
        ("INTERVAL '100' DAY(3)", 100 * DAY),
        ("INTERVAL '2' WEEK", 14 * DAY),
        ("INTERVAL '1 02:03:04.5' DAY TO SECOND(3)", DAY + 7_384_500_000),
        ("INTERVAL '1 02' DAY TO HOUR", DAY + 7_200 * SECOND),
        ("INTERVAL '10:30' MINUTE TO SECOND", 630 * SECOND),
    ],
)
def test_interval_of_days_and_times(text: str, value: int) -> None:
    made = expression(text)
    assert made.value == value
    assert summary(made.type) == "INTERVAL SECOND(3) NOT NULL"


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("INTERVAL '2' YEAR", 24),
        ("INTERVAL '-1-2' YEAR TO MONTH", -14),
        ("INTERVAL '3' MONTHS", 3),
        ("INTERVAL '1' QUARTER", 3),
    ],
)
def test_interval_of_months(text: str, months: int) -> None:
    made = expression(text)
    assert made.value == months
    assert summary(made.type) == "INTERVAL MONTH NOT NULL"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("INTEGER", DataTypes.INT()),
        ("INT NOT NULL", DataTypes.INT().not_null()),
        ("STRING NULL", DataTypes.STRING()),
        ("CHAR", DataTypes.CHAR(1)),
        ("CHARACTER VARYING(5)", DataTypes.VARCHAR(5)),
        ("VARBINARY(3)", DataTypes.VARBINARY(3)),
        ("NUMERIC(5)", DataTypes.DECIMAL(5, 0)),
        ("DEC", DataTypes.DECIMAL(10, 0)),
        ("DOUBLE PRECISION", DataTypes.DOUBLE()),
        ("TIME(3) WITHOUT TIME ZONE", DataTypes.TIME(3)),
        ("TIMESTAMP", DataTypes.TIMESTAMP(6)),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", DataTypes.TIMESTAMP_LTZ(3)),
        ("TIMESTAMP_LTZ(3)", DataTypes.TIMESTAMP_LTZ(3)),
        ("INTERVAL DAY(3) TO SECOND(3)", DataTypes.INTERVAL(DataTypes.DAY(3), DataTypes.SECOND(3))),
        ("INTERVAL YEAR", DataTypes.INTERVAL(DataTypes.YEAR())),
        ("MAP<STRING, ARRAY<INT NOT NULL>>", DataTypes.MAP(DataTypes.STRING(), DataTypes.ARRAY(DataTypes.INT(False)))),
        ("MULTISET<BYTES>", DataTypes.MULTISET(DataTypes.BYTES())),
        ("INT ARRAY NOT NULL", DataTypes.ARRAY(DataTypes.INT()).not_null()),
        (
            "ROW<a INT 'first', `b c` ROW(x DATE)>",
            DataTypes.ROW(
                [
                    DataTypes.FIELD("a", DataTypes.INT(), "first"),
                    DataTypes.FIELD("b c", DataTypes.ROW([DataTypes.FIELD("x", DataTypes.DATE())])),
                ]
            ),
        ),
        ("ROW<>", DataTypes.ROW([])),
    ],
)
def test_data_type(text: str, kind: Any) -> None:
    assert expression(f"CAST(a AS {text})") == Cast(Name(("a",)), kind)
    assert expression(f"TRY_CAST(a AS {text})") == Cast(Name(("a",)), kind, safe=True)


def test_json_value_returns_the_type_that_is_asked_for() -> None:
    made = expression("JSON_VALUE(a, '$.x' RETURNING INT NULL ON EMPTY)")
    assert made.args[2] == Literal(None, type=DataTypes.INT())


def test_over_with_all_its_parts() -> None:
    made = expression("SUM(a) OVER (PARTITION BY b, c ORDER BY ts DESC ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)")
    assert isinstance(made, Over)
    assert made.call == Call("SUM", (Name(("a",)),))
    assert made.partition == (Name(("b",)), Name(("c",)))
    assert [(str(each), each.ascending) for each in made.order] == [("desc(ts)", False)]
    zero = Literal(0, type=DataTypes.INT(False))
    assert made.frame == ("ROWS", Literal(2, type=DataTypes.INT(False)), zero)


@pytest.mark.parametrize(
    ("frame", "first", "last"),
    [
        ("RANGE UNBOUNDED PRECEDING", None, 0),
        ("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", None, None),
        ("RANGE BETWEEN INTERVAL '1' DAY PRECEDING AND CURRENT ROW", DAY, 0),
        ("ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING", 0, -3),
    ],
)
def test_frames(frame: str, first: int | None, last: int | None) -> None:
    made = expression(f"SUM(a) OVER (ORDER BY ts {frame})").frame
    assert made[0] == frame.split()[0]
    assert [None if each is None else each.value for each in made[1:]] == [first, last]


def test_named_windows_stand_in_the_query() -> None:
    made = tree(
        "SELECT SUM(a) OVER w, MAX(a) OVER (w ORDER BY b), (SELECT 1) FROM t "
        "WINDOW w AS (PARTITION BY c), v AS (w ORDER BY d)"
    )
    first, second, _ = made.expressions
    assert first.partition == second.partition == (Name(("c",)),)
    assert [str(each) for each in second.order] == ["asc(b)"]


def test_filter_of_an_aggregate() -> None:
    made = expression("COUNT(*) FILTER (WHERE a > 1)")
    assert str(made.filter) == ">(a, 1)"


def test_subqueries() -> None:
    scalar = expression("(SELECT MAX(a) FROM t) + 1").args[0]
    assert isinstance(scalar, Subquery) and scalar.kind == "scalar"
    assert isinstance(scalar.relation, Select)
    exists = expression("NOT EXISTS (SELECT 1 FROM t)").args[0]
    assert exists.kind == "exists"
    assert str(expression("a NOT IN (SELECT 1)")) == "NOT(in(subquery))"
    inside = expression("(a, b) IN (SELECT a, b FROM t)")
    assert (inside.kind, [str(each) for each in inside.args]) == ("in", ["a", "b"])


@pytest.mark.parametrize(
    ("text", "function"),
    [("((SELECT 1) + 1)", "+"), ("a IN ((SELECT 1), 2)", "IN"), ("((((SELECT 1)) * 2))", "*")],
)
def test_parentheses_around_subqueries_in_expressions(text: str, function: str) -> None:
    assert expression(text).function == function


@pytest.mark.parametrize("text", ["((SELECT 1))", "((SELECT 1) UNION (SELECT 2))", "(((SELECT 1) LIMIT 1))"])
def test_parentheses_around_queries(text: str) -> None:
    assert expression(text).kind == "scalar"


def test_positions_are_those_of_the_beginning() -> None:
    made = parse_expression("a +\n  CAST(b AS INT) * f(\n'x')")
    assert isinstance(made, Call)
    assert made.position == Position(1, 1)
    product = made.args[1]
    assert isinstance(product, Call)
    assert [product.position, product.args[1].position] == [Position(2, 3), Position(2, 20)]
    assert product.args[1].args[0].position == Position(3, 1)  # type: ignore[attr-defined]


def test_alias_of_an_expression() -> None:
    assert expression("a b") == Alias(Name(("a",)), "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 +", "expected an expression, found the end of the text"),
        ("a BETWEEN 1 2", "expected AND, found 2"),
        ("CASE WHEN a 1 END", "expected THEN, found 1"),
        ("CASE WHEN a THEN 1", "expected WHEN, ELSE or END"),
        ("f(a,)", "expected an expression, found ')'"),
        ("f(a", "expected ',' or ')', found the end"),
        ("(a", "expected ',' or ')'"),
        ("a[1", "expected ']'"),
        ("a b c", "expected the end, found c"),
        ("1abc", "a name does not begin with a digit"),
        ("0x1F", "bytes are written X'4d'"),
        ("X'4'", "an even number of hexadecimal digits"),
        ('"a"', "use single quotes for strings and backticks for names"),
        ("'a' 'b'", "expected AS or the end, found 'b'"),
        ("'a", "expected a closing '"),
        ("`a", "expected a closing `"),
        ("a /* b", "expected a closing */"),
        ("a::INT", "expected AS or the end, found ':'"),
        ("a -> b", "expected an expression, found '>'"),
        ("SELECT", "expected an expression, found SELECT"),
        ("DATE '2026-02-30'", "DATE '2026-02-30': day is out of range"),
        ("DATE '26-1-1'", "expected a form like '2026-01-31'"),
        ("TIME '25:00:00'", "there is no such time of day"),
        ("TIMESTAMP '2026-01'", "expected a form like '2026-01-31 12:30:00'"),
        ("INTERVAL '1' FORTNIGHT", "expected a unit such as"),
        ("INTERVAL 1 DAY", "expected the interval in single quotes, found 1"),
        ("INTERVAL '1' MONTH TO DAY", "there is no INTERVAL MONTH TO DAY"),
        ("INTERVAL '1:70' HOUR TO MINUTE", "70 is too many for MINUTE"),
        ("INTERVAL 'x' DAY", "INTERVAL 'x' DAY: expected a form like '1'"),
        ("CAST(a AS INTT)", "expected a data type, found INTT; did you mean INT?"),
        ("CAST(a AS DECIMAL(0))", "precision must be an integer from 1 to 38"),
        ("CAST(a AS RAW('x', 'y'))", "RAW: values of Java's classes have no meaning here"),
        ("CAST(a, INT)", "expected AS, found ','"),
        ("f(a => 1)", "arguments by name are those of window functions"),
        ("f(TABLE t)", "TABLE is allowed only in window functions"),
        ("LISTAGG(a) WITHIN GROUP (ORDER BY a)", "WITHIN GROUP is not known here"),
        ("FIRST_VALUE(a) IGNORE NULLS", "IGNORE NULLS is not known here"),
        ("a = ANY (1, 2)", "expected a query in parentheses"),
        ("SUM(a) OVER w", "no window w; the query has no clause WINDOW"),
        ("SUM(a) OVER (ROWS 1.5 PRECEDING)", "expected a whole number of rows"),
        ("EXTRACT(DAYS FROM a)", "expected a unit such as SECOND"),
        ("JSON_VALUE(a, '$' NULL ON ERROR NULL ON EMPTY)", "ON EMPTY may appear once, then ON ERROR once"),
        ("MAP[1]", "MAP takes keys and values by turns"),
        ("(a, b, c) OVERLAPS (d, e)", "OVERLAPS needs two pairs"),
        (r"U&'\00'", "expected four hexadecimal digits"),
        ("12345678901234567890123456789012345678901", "at most 38 digits"),
        ("f(t.*)", "found '*'"),
        ("a.1", "expected"),
    ],
)
def test_wrong_expression(text: str, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        expression(text)
    assert message in str(caught.value)


def test_deep_nesting_is_an_error_of_the_text() -> None:
    with pytest.raises(SqlError, match="nested too deeply"):
        expression("(" * 5_000 + "a")


def test_many_operands_are_no_deep_nesting() -> None:
    assert len(expression(f"a IN ({', '.join(map(str, range(5_000)))})").args) == 5_001
