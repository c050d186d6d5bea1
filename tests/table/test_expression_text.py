"""Expressions: the text that they have in plans, and what they refuse."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from datastream.errors import ValidationError
from datastream.table import DataTypes
from datastream.table.expression import Expression, TimeIntervalUnit, TimePointUnit
from datastream.table.expressions import (
    CURRENT_ROW,
    UNBOUNDED_RANGE,
    and_,
    array,
    call,
    call_sql,
    col,
    concat,
    concat_ws,
    if_then_else,
    lit,
    map_,
    null_of,
    or_,
    range_,
    row_interval,
    timestamp_diff,
    with_columns,
)
from datastream.table.udf import udf

A, B, C = col("a"), col("b"), col("c")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (A == B, "equals(a, b)"),
        (A != B, "notEquals(a, b)"),
        (A < B, "lessThan(a, b)"),
        (A >= 1, "greaterThanOrEqual(a, 1)"),
        (A & B, "and(a, b)"),
        (A | B, "or(a, b)"),
        (~A, "isNotTrue(a)"),
        (2 + A, "plus(2, a)"),
        (A - B, "minus(a, b)"),
        (2 - A, "minus(2, a)"),
        (A / 2, "divide(a, 2)"),
        (2 % A, "mod(2, a)"),
        (A**2, "power(a, 2)"),
        (-A, "minusPrefix(a)"),
        (A.is_not_null, "isNotNull(a)"),
        (A.between(1, B), "between(a, 1, b)"),
        (A.then(B, C), "ifThenElse(a, b, c)"),
        (A.alias("a", "b"), "as(a, 'a', 'b')"),
        (A.cast(DataTypes.INT()), "cast(a, INT)"),
        (A.in_(1, 2), "in(a, 1, 2)"),
        (A.substring(B, 3), "substring(a, b, 3)"),
        (A.substring(B), "substring(a, b)"),
        (A.char_length, "charLength(a)"),
        (A.upper_case, "upper(a)"),
        (A.trim(), "trim(BOTH, ' ', a)"),
        (A.log(10), "log(10, a)"),
        (A.get("x"), "get(a, 'x')"),
        (A.at(1), "at(a, 1)"),
        (A.extract(TimeIntervalUnit.YEAR), "extract(YEAR, a)"),
        (A.floor(TimeIntervalUnit.DAY), "floor(a, DAY)"),
        (A.desc, "desc(a)"),
        (A.count, "count(a)"),
        (A.sum.distinct, "distinct(sum(a))"),
        (A.over("w"), "over(a, w)"),
        (lit("it's"), "'it''s'"),
        (lit(True), "true"),
        (lit(None), "null"),
        (lit(Decimal("1.50")), "1.50"),
        (and_(A, B, C), "and(a, b, c)"),
        (or_(A, B), "or(a, b)"),
        (range_("a", "c"), "rangeTo(a, c)"),
        (with_columns(A, B), "withColumns(a, b)"),
        (array(1, 2), "array(1, 2)"),
        (map_("k", 1), "map('k', 1)"),
        (concat(A, "x"), "concat(a, 'x')"),
        (concat_ws(",", A, B), "concat_ws(',', a, b)"),
        (if_then_else(A > B, C, None), "ifThenElse(greaterThan(a, b), c, null)"),
        (timestamp_diff(TimePointUnit.DAY, A, B), "timestampDiff(DAY, a, b)"),
        (row_interval(4), "4"),
        (UNBOUNDED_RANGE, "UNBOUNDED_RANGE"),
        (CURRENT_ROW, "CURRENT_ROW"),
        (call("MY_FUNC", A, 1), "MY_FUNC(a, 1)"),
    ],
)
def test_text_as_in_flink(expression, text):
    assert str(expression) == repr(expression) == text


@pytest.mark.parametrize(
    ("value", "kind", "inside"),
    [
        (1, DataTypes.INT(False), 1),
        (1 << 40, DataTypes.BIGINT(False), 1 << 40),
        (1.5, DataTypes.DOUBLE(False), 1.5),
        ("abc", DataTypes.CHAR(3, False), "abc"),
        (b"ab", DataTypes.BINARY(2, False), b"ab"),
        (Decimal("12.345"), DataTypes.DECIMAL(5, 3, False), Decimal("12.345")),
        (dt.date(1970, 1, 3), DataTypes.DATE(False), 2),
        (dt.time(0, 0, 1), DataTypes.TIME(0, False), 1_000_000),
        (dt.datetime(1970, 1, 1, 0, 1), DataTypes.TIMESTAMP(0, False), 60_000_000),
    ],
)
def test_constants_have_the_narrowest_type(value, kind, inside):
    node = lit(value).node
    assert (node.type, node.value) == (kind, inside)


def test_constants_of_a_given_type():
    assert lit(1, DataTypes.BIGINT()).node.type == DataTypes.BIGINT(False)
    assert null_of(DataTypes.INT()).node.type == DataTypes.INT()
    with pytest.raises(TypeError, match="expected BIGINT"):
        lit("x", DataTypes.BIGINT())
    with pytest.raises(ValidationError, match="is no constant of SQL"):
        lit([1])


def test_intervals_are_constants():
    assert lit(2).hours.node.value == 7_200_000_000
    assert lit(2).weeks.node.value == 14 * 86_400_000_000
    assert lit(3).quarters.node.value == 9
    with pytest.raises(ValidationError, match="Invalid constant for day-time interval: a"):
        A.minutes  # noqa: B018


def test_truth_of_an_expression_is_refused():
    for use in (lambda: A and B, lambda: 1 < A < 3, lambda: not A, lambda: bool(A)):
        with pytest.raises(ValidationError, match="combine conditions with &"):
            use()


def test_names_that_are_missing():
    assert str(A.city.name) == "get(get(a, 'city'), 'name')"
    assert str(A.as_argument("x")) == "x => a"


def test_calls_of_functions():
    plus = udf(lambda x: x + 1, result_type=DataTypes.BIGINT())
    called = plus(A)
    assert isinstance(called, Expression)
    (name,) = called.functions
    assert str(called) == "<lambda>(a)" and name.startswith("lambda$")
    assert str(plus(B)) == repr(plus(B)) == "<lambda>(b)"
    assert (plus(A) + plus(B)).functions.keys() == called.functions.keys()
    assert str(call(plus, 1)) == "<lambda>(1)"


def test_expressions_in_sql():
    assert call_sql("a + 1").node.function == "+"
