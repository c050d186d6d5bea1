"""Projections, filters, user functions and table functions, written into the fused loop."""

from __future__ import annotations

import pytest

from datastream.api.step import node_of
from datastream.config.settings import settings
from datastream.errors import FunctionError, UnsupportedOperation
from datastream.table.catalogs.errors import TableException
from datastream.table.plan.expressions import Literal, Order
from datastream.table.plan.relations import Column, Correlate, SetOperation, Sort, StreamScan
from datastream.table.types.logical_types import ArrayType, DateType
from datastream.types import Row, Types
from tests.table.plans import (
    DOUBLE,
    LONG,
    TEXT,
    TRUTH,
    Functions,
    UserFunction,
    call,
    constant,
    context,
    field_of,
    lower,
    project,
    rows,
    stream_of,
    values,
    where,
)

NUMBERS = values({"a": LONG, "b": LONG}, (1, 2), (3, None), (None, 0), (8, 0))
A, B = field_of(NUMBERS, "a"), field_of(NUMBERS, "b")
NULL = Literal(None, type=LONG)


@pytest.fixture(autouse=True)
def local(monkeypatch, request):
    if "run" not in request.fixturenames:
        monkeypatch.setattr(settings(), "executor", "local")


def made(*expressions, given=NUMBERS, functions=None):
    columns = {f"c{i}": each for i, each in enumerate(expressions)}
    return rows(project(given, **columns), context(functions=functions or Functions()))


def test_strict_functions_give_null_for_null():
    assert made(call("plus", A, B)) == [(3,), (None,), (None,), (8,)]
    assert made(call("twice", call("plus", A, B))) == [(6,), (None,), (None,), (16,)]


def test_nested_null():
    assert made(call("plus", A, NULL)) == [(None,)] * 4
    assert made(call("isNull", call("plus", A, B), type=TRUTH)) == [(False,), (True,), (True,), (False,)]


def test_where_keeps_what_is_true():
    assert rows(where(NUMBERS, call("greaterThan", A, 2, type=TRUTH))) == [(3, None), (8, 0)]
    assert rows(where(NUMBERS, call("not", call("greaterThan", A, 2, type=TRUTH), type=TRUTH))) == [(1, 2)]


def test_three_valued_logic():
    truths = values({"p": TRUTH, "q": TRUTH}, *((p, q) for p in (True, False, None) for q in (True, False, None)))
    p, q = field_of(truths, "p"), field_of(truths, "q")
    both = [r[0] for r in made(call("and", p, q, type=TRUTH), given=truths)]
    one = [r[0] for r in made(call("or", p, q, type=TRUTH), given=truths)]
    assert both == [True, False, None, False, False, False, None, False, None]
    assert one == [True, True, True, True, False, None, True, None, None]
    assert rows(where(truths, call("or", p, q, type=TRUTH))) == [r[:2] for r in truths.rows if True in r]
    assert rows(where(truths, call("and", p, q, type=TRUTH))) == [(True, True)]


def test_branches_that_are_not_taken_are_not_evaluated():
    zero = call("equals", B, 0, type=TRUTH)
    ratio = call("divide", A, B, type=DOUBLE)
    assert made(call("case", zero, -1, ratio, type=DOUBLE)) == [(0.5,), (None,), (-1,), (-1,)]
    assert made(call("or", zero, call("greaterThan", ratio, 0, type=TRUTH), type=TRUTH)) == [
        (True,),
        (None,),
        (True,),
        (True,),
    ]
    some = call("coalesce", call("plus", constant(1), constant(2), type=LONG.not_null()), call("fail", A))
    assert made(some) == [(3,)] * 4
    nonzero = call("and", call("not", zero, type=TRUTH), call("greaterThan", ratio, 0, type=TRUTH), type=TRUTH)
    assert rows(where(NUMBERS, nonzero)) == [(1, 2)]


def test_columns_of_a_projection_below_are_evaluated_where_they_are_used():
    below = project(NUMBERS, ratio=call("divide", A, B, type=DOUBLE), b=B)
    b, ratio = field_of(below, "b"), field_of(below, "ratio")
    kept = where(below, call("greaterThan", b, 0, type=TRUTH))
    assert rows(project(kept, r=ratio, s=call("plus", ratio, ratio, type=DOUBLE))) == [(0.5, 1.0)]
    safe = call("case", call("greaterThan", b, 0, type=TRUTH), ratio, -1.0, type=DOUBLE)
    assert rows(project(below, r=safe)) == [(0.5,), (-1.0,), (-1.0,), (-1.0,)]


def test_case_without_default_and_coalesce():
    big = call("greaterThan", A, 2, type=TRUTH)
    assert made(call("case", big, call("plus", A, 1))) == [(None,), (4,), (None,), (9,)]
    assert made(call("coalesce", B, A, 7)) == [(2,), (3,), (0,), (0,)]


def test_errors_name_the_expression_and_the_record():
    with pytest.raises(FunctionError) as error:
        made(call("divide", A, B, type=DOUBLE))
    assert "ZeroDivisionError" in str(error.value)
    assert error.value.failure.function == "divide(a, b)"
    assert error.value.failure.record == "(8, 0)"


class Joined:
    def open(self, context):
        self.prefix = "<"

    def eval(self, a, b):
        return None if a is None else f"{self.prefix}{a}{b}>"


class Day:
    def eval(self, day):
        return day.replace(day=1)


class Wrong:
    def eval(self, a):
        return "no number"


def test_user_functions_are_opened_and_called():
    functions = Functions({"joined": UserFunction("joined", "scalar", Joined(), TEXT)})
    assert made(call("joined", A, B, type=TEXT), functions=functions) == [("<12>",), ("<3None>",), (None,), ("<80>",)]


def test_user_functions_get_python_objects():
    days = values({"day": DateType()}, (31,), (None,))
    functions = Functions({"day": UserFunction("day", "scalar", Day(), DateType())})
    column = field_of(days, "day")
    shown = call(
        "case",
        call("isNull", column, type=TRUTH),
        Literal(None, type=DateType()),
        call("day", column, type=DateType()),
        type=DateType(),
    )
    assert rows(project(days, d=shown), context(functions=functions)) == [(31,), (None,)]


def test_results_of_user_functions_are_tested():
    functions = Functions({"wrong": UserFunction("wrong", "scalar", Wrong(), LONG)})
    with pytest.raises(FunctionError, match="no number") as error:
        made(call("wrong", A), functions=functions)
    assert error.value.failure.function == "wrong"
    assert "returned by wrong" in str(error.value)


class Split:
    def eval(self, text):
        for part in (text or "").split():
            yield part, len(part)


@pytest.mark.parametrize(("kind", "none"), [("inner", []), ("left", [(" ", None, None)])])
def test_table_functions(kind, none):
    from datastream.table.types.row_type import RowField, RowType

    texts = values({"t": TEXT}, ("a bc",), (" ",))
    functions = Functions(
        {"split": UserFunction("split", "table", Split(), RowType([RowField("w", TEXT), RowField("n", LONG)]))}
    )
    columns = (*texts.columns, Column("w", TEXT), Column("n", LONG))
    plan = Correlate(texts, call("split", field_of(texts, "t")), kind, columns=columns)
    found = rows(
        project(plan, w=field_of(plan, "w"), n=field_of(plan, "n"), t=field_of(plan, "t")), context(functions=functions)
    )
    assert found == [("a", 1, "a bc"), ("bc", 2, "a bc"), *((w, n, t) for t, w, n in none)]


def test_unnest():
    lists = values({"l": ArrayType(LONG)}, ((1, 2),), (None,), ((),))
    plan = Correlate(lists, call("UNNEST", field_of(lists, "l")), "inner", columns=(*lists.columns, Column("x", LONG)))
    assert rows(plan) == [((1, 2), 1), ((1, 2), 2)]


def test_union_all_and_distinct():
    columns = NUMBERS.columns
    both = SetOperation(NUMBERS, NUMBERS, "union", True, columns=columns)
    assert sorted(rows(both), key=str) == sorted([*NUMBERS.rows] * 2, key=str)
    once = SetOperation(NUMBERS, values({"a": LONG, "b": LONG}, (1, 2)), "union", False, columns=columns)
    assert sorted(rows(once), key=str) == sorted(NUMBERS.rows, key=str)


def test_records_of_a_stream():
    given = context()
    kind = Types.ROW_NAMED(["n", "t"], [Types.LONG(), Types.STRING()])
    given.streams["s"] = node_of(given.env.from_collection([Row(1, "x"), Row(2, None)], kind))
    scan = StreamScan("s", columns=(Column("t", TEXT), Column("n", LONG)))
    assert rows(scan, given) == [("x", 1), (None, 2)]


def test_single_values_of_a_stream():
    given = context()
    given.streams["s"] = node_of(given.env.from_collection([1, 2], Types.LONG()))
    assert rows(StreamScan("s", columns=(Column("f0", LONG),)), given) == [(1,), (2,)]


def test_limit_and_order():
    numbers = values({"a": LONG}, *((n,) for n in (5, None, 3, 9, 1)))
    order = field_of(numbers, "a")

    def sorted_by(*orders, **more):
        return [a for (a,) in rows(Sort(numbers, orders, columns=numbers.columns, **more), context(batch=True))]

    assert sorted_by(Order(order)) == [None, 1, 3, 5, 9]
    assert sorted_by(Order(order, False)) == [9, 5, 3, 1, None]
    assert sorted_by(Order(order, nulls_first=False), limit=2, offset=1) == [3, 5]
    assert sorted_by(Order(call("minus", 0, order))) == [None, 9, 5, 3, 1]
    assert sorted_by(limit=2) == [5, None]
    with pytest.raises(TableException, match="Sort on a non-time-attribute field"):
        rows(Sort(numbers, (Order(order),), columns=numbers.columns))


def test_what_is_not_there_is_refused():
    from datastream.table.plan.relations import RowFunction

    plan = RowFunction(NUMBERS, "map", call("x"), columns=())
    with pytest.raises(UnsupportedOperation, match="RowFunction"):
        lower(plan, context())


def test_on_both_executors(run):
    given = context()
    given.env = run.environment()
    plan = where(project(NUMBERS, s=call("plus", A, B)), call("isNull", field_of(NUMBERS, "a"), type=TRUTH))
    assert run.collect(stream_of(lower(plan, given))) == [(None,), (None,)]


def test_user_functions_on_both_executors(run):
    functions = Functions({"joined": UserFunction("joined", "scalar", Joined(), TEXT)})
    given = context(functions=functions)
    given.env = run.environment()
    plan = project(NUMBERS, s=call("joined", A, B, type=TEXT))
    assert run.collect(stream_of(lower(plan, given))) == [("<12>",), ("<3None>",), (None,), ("<80>",)]
