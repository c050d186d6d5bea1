"""The line of a record by its type. The expected texts are those that PyFlink 2.3 prints."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, RowKind, Types
from datastream.time import Instant
from datastream.types.java_text import narrowed
from datastream.types.printed import java_printer, printer

DOUBLES = {
    0.0: "0.0", 1.5: "1.5", 0.001: "0.001", 9.99e-4: "9.99E-4", 9999999.0: "9999999.0", 1e7: "1.0E7",
    12345678.9: "1.23456789E7", 1e10: "1.0E10", 1e300: "1.0E300", float("inf"): "Infinity", float("-inf"): "-Infinity",
}  # fmt: skip
FLOATS = {1.1: "1.1", 1 / 3: "0.33333334", 16777216.0: "1.6777216E7", 1e10: "1.0E10", 3.4e38: "3.4E38", 1e-3: "0.001"}
TINY = {
    2.0**-149: "1.4E-45", 2.0**-148: "2.8E-45", -7 * 2.0**-149: "-9.8E-45",
}  # fmt: skip
INSIDE = Types.TUPLE([Types.INT(), Types.STRING()])
ROW = Types.ROW([Types.INT(), Types.STRING()])


@pytest.mark.parametrize(("value", "text"), DOUBLES.items())
def test_doubles(value, text):
    assert printer(Types.DOUBLE())(value) == text


@pytest.mark.parametrize(("value", "text"), (FLOATS | TINY).items())
def test_floats_have_the_digits_of_32_bits(value, text):
    assert printer(Types.FLOAT())(value) == text


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_is_known_by_its_text(value):
    text = printer(Types.FLOAT())(value)
    assert narrowed(float(text)) == value
    assert len(text.partition("E")[0].strip("-").replace(".", "").strip("0")) <= 9


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Types.STRING(), "a b", "a b"),
        (Types.BOOLEAN(), True, "true"),
        (Types.DOUBLE(), float("nan"), "NaN"),
        (Types.BIG_INT(), 10**25, "10000000000000000000000000"),
        (Types.BIG_DEC(), Decimal("1.50"), "1.50"),
        (Types.SQL_DATE(), date(2020, 1, 2), "2020-01-02"),
        (Types.SQL_TIME(), time(1, 2, 3), "01:02:03"),
        (Types.SQL_TIMESTAMP(), datetime(2020, 1, 2, 3, 4, 5), "2020-01-02 03:04:05.0"),
        (Types.SQL_TIMESTAMP(), datetime(2020, 1, 2, 3, 4, 5, 120000), "2020-01-02 03:04:05.12"),
        (Types.INSTANT(), Instant(0, 0), "1970-01-01T00:00:00Z"),
        (Types.INSTANT(), Instant(-1, 999_000_000), "1969-12-31T23:59:59.999Z"),
        (Types.INSTANT(), Instant(5, 1000), "1970-01-01T00:00:05.000001Z"),
        (Types.LIST(Types.STRING()), ["a", None], "[a, null]"),
        (Types.PRIMITIVE_ARRAY(Types.INT()), [1, 2], "[1, 2]"),
        (Types.MAP(Types.STRING(), Types.INT()), {"b": 1, "a": 2, "zz": None}, "{zz=null, a=2, b=1}"),
        (Types.MAP(Types.INT(), Types.STRING()), {5: "a", 100: "b", 17: "c", -1: "d"}, "{-1=d, 17=c, 100=b, 5=a}"),
        (INSIDE, (1, "x"), "(1,x)"),
        (Types.TUPLE([INSIDE, Types.DOUBLE()]), ((1, "x"), 1e10), "((1,x),1.0E10)"),
        (Types.TUPLE([Types.PRIMITIVE_ARRAY(Types.BYTE())]), (b"ab\xff",), "([97, 98, -1])"),
        (Types.TUPLE([ROW]), (Row(1, None),), "(+I[1, null])"),
        (Types.LIST(ROW), [Row(1, "x"), None], "[+I[1, x], null]"),
    ],
)  # fmt: skip
def test_typed_values_are_printed_in_javas_form(kind, value, text):
    assert printer(kind)(value) == text


@pytest.mark.parametrize(
    ("number", "order"),
    [(3, (0, 2, 1)), (6, (0, 3, 2, 4, 5, 1)), (12, (0, 3, 2, 4, 5, 1, 6, 8, 11, 7, 10, 9))],
)
def test_a_map_that_fills_its_table_is_printed_in_the_order_of_javas(number, order):
    value = {str(i * 7919): i for i in range(number)}
    text = "{" + ", ".join(f"{i * 7919}={i}" for i in order) + "}"
    assert printer(Types.MAP(Types.STRING(), Types.INT()))(value) == text


def test_rows_are_printed_with_their_kind_and_pythons_text_of_each_field():
    kind = Types.ROW([Types.INT(), Types.STRING(), Types.DOUBLE(), Types.LIST(Types.STRING()), INSIDE])
    row = Row(1, None, 1e10, ["a", None], (1, "x"))
    assert printer(kind)(row) == "+I[1,None,10000000000.0,['a', None],(1, 'x')]"
    for sort, text in ((RowKind.DELETE, "-D"), (RowKind.UPDATE_BEFORE, "-U"), (RowKind.UPDATE_AFTER, "+U")):
        assert printer(ROW)(Row.of_kind(sort, 1, "x")) == f"{text}[1,x]"


@pytest.mark.parametrize("kind", [None, Types.PICKLED_BYTE_ARRAY()])
@pytest.mark.parametrize("value", [("a", 1), 1.0, None, Row(1, "x"), Row(a=1), [1], True])
def test_records_without_a_type_are_printed_as_python_does(kind, value):
    assert printer(kind)(value) == str(value)


def test_text_files_hold_rows_in_javas_form_too():
    assert java_printer(ROW)(Row(1, None)) == "+I[1, null]"
    assert java_printer(INSIDE)((1, "x")) == "(1,x)"
    assert java_printer(None)([1]) == "[1]"
