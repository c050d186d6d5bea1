"""The fast tests of declared types agree with the careful conversion, and neither bends a value."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from math import inf, nan
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, Types
from datastream.errors import TypeMismatch
from datastream.time import Instant
from datastream.types.checking import checker
from datastream.types.compact import compact_blocks
from datastream.types.conversion import COERCE, FORM, RESULTS, fit
from tests.support.draws import draws
from tests.support.formats.strategies import equal, types, values

MANY = draws(1000)
NOON = datetime(2024, 5, 1, 12)


@pytest.mark.long
@MANY
@given(st.data())
def test_values_of_a_type_pass_as_they_are(data):
    kind = data.draw(types(pickled=True))
    value = data.draw(values(kind))
    assert equal(checker(kind)(value), value)
    assert equal(fit(value, kind), value)


@pytest.mark.long
@MANY
@given(st.data())
def test_the_fast_test_passes_only_what_the_careful_one_leaves_alone(data):
    kind, other = data.draw(types(depth=2)), data.draw(types(depth=2))
    value = data.draw(values(other))
    for rules in (FORM, RESULTS, COERCE):
        try:
            careful = fit(value, kind, rules)
        except TypeMismatch:
            with pytest.raises(TypeMismatch):
                checker(kind, rules)(value)
        else:
            assert equal(checker(kind, rules)(value), careful)
            assert equal(fit(careful, kind), careful), "what was converted fits"


class Colour(StrEnum):
    RED = "red"


class Size(IntEnum):
    S = 1


class Offer(NamedTuple):
    id: int
    price: int


AB = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.INT()])


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Types.INT(), np.int64(7), 7),
        (Types.INT(), Size.S, 1),
        (Types.DOUBLE(), 3, 3.0),
        (Types.DOUBLE(), np.float32(0.5), 0.5),
        (Types.FLOAT(), inf, inf),
        (Types.STRING(), Colour.RED, "red"),
        (Types.BOOLEAN(), np.bool_(True), True),
        (Types.BIG_DEC(), 3, Decimal(3)),
        (Types.LIST(Types.INT()), (1, None), [1, None]),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), bytearray(b"a"), b"a"),
        (Types.PRIMITIVE_ARRAY(Types.DOUBLE()), np.array([1.0, 2.0]), [1.0, 2.0]),
        (Types.TUPLE([Types.INT(), Types.DOUBLE()]), [1, 2], (1, 2.0)),
        (AB, Row(b=2, a=1), Row(a=1, b=2)),
        (Types.ROW_NAMED(["price", "id"], [Types.INT()] * 2), Offer(id=1, price=2), Row(price=2, id=1)),
        (Types.BIG_DEC(), np.int64(2**62 + 1), Decimal(2**62 + 1)),
        (Types.SQL_TIMESTAMP(), pd.Timestamp("2024-05-01 12:00"), NOON),
        (Types.INSTANT(), pd.Timestamp(1_000_000_007, tz="UTC"), Instant(1, 7)),
        (Types.INSTANT(), datetime(1969, 12, 31, 23, 59, 59, 5, tzinfo=UTC), Instant(-1, 5000)),
        (Types.SQL_TIMESTAMP(), NOON.replace(fold=1), NOON),
    ],
)
def test_values_take_the_types_own_form(kind, value, expected):
    found = checker(kind)(value)
    assert found == expected
    assert type(found) is type(expected)


def overfull():
    row = Row(1, 2, 3)
    row.set_field_names(["b", "a"])
    return row


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Types.INT(), 2**31, "expected Integer (32 bits), found int 2147483648; it is out of range: use Types.LONG()"),
        (Types.INT(), True, "expected Integer, found bool True; use int(value)"),
        (Types.INT(), 1.0, "expected Integer, found float 1.0; use int(value) or round(value)"),
        (Types.INT(), None, "expected Integer, found NoneType None; None is legal in row fields"),
        (Types.LONG(), 2**63, "use Types.BIG_INT()"),
        (Types.DOUBLE(), 2**53 + 1, "a float cannot hold it exactly"),
        (Types.DOUBLE(), 10**400, "out of range"),
        (Types.DOUBLE(), "1", "expected Double, found str '1'"),
        (Types.FLOAT(), 1e39, "use Types.DOUBLE()"),
        (Types.STRING(), b"a", "expected String, found bytes b'a'"),
        (Types.CHAR(), "ab", "Char (one character)"),
        (Types.BOOLEAN(), 1, "expected Boolean, found int 1"),
        (Types.BIG_DEC(), Decimal("NaN"), "finite"),
        (Types.BIG_DEC(), 1.5, "decimal.Decimal"),
        (Types.SQL_DATE(), NOON, "use value.date()"),
        (Types.SQL_TIME(), time(1, tzinfo=UTC), "no time zone"),
        (Types.SQL_TIMESTAMP(), NOON.replace(tzinfo=UTC), "the type has no time zone"),
        (Types.SQL_TIMESTAMP(), date(2024, 5, 1), "use datetime.datetime"),
        (Types.SQL_TIMESTAMP(), pd.Timestamp(1), "it has nanoseconds"),
        (Types.SQL_TIMESTAMP(), pd.NaT, "use None"),
        (Types.INSTANT(), NOON, "Instant.of_epoch_milli"),
        (Types.LIST(Types.INT()), [1, "x"], "field [1]: expected Integer, found str 'x'"),
        (Types.LIST(Types.INT()), {1}, "use list(value)"),
        (Types.TUPLE([Types.INT()]), (None,), "field [0]: expected Integer, found NoneType"),
        (Types.TUPLE([Types.INT()]), (1, 2), "expected a tuple of 1, found tuple (1, 2); it has 2"),
        (Types.MAP(Types.STRING(), Types.INT()), {"a": "b"}, "field ['a']: expected Integer"),
        (Types.MAP(Types.FLOAT(), Types.INT()), {2.0**24: 1, 2.0**24 + 1: 2}, "two of its keys become one"),
        (Types.MAP(Types.STRING(), Types.INT()), {None: 1}, "field [None] (its key): expected String"),
        (Types.ROW_NAMED(["a"], [Types.LIST(Types.INT())]), Row(a=[1, 2.5]), "field a[1]: expected Integer"),
        (Types.ROW_NAMED(["a"], [Types.INT()]), {"a": 1, "b": 2}, "the type has no fields ['b']"),
        (Types.ROW_NAMED(["a", "b"], [Types.INT()] * 2), {"a": 1}, "the fields ['b'] are missing"),
        (Types.ROW_NAMED(["a"], [Types.INT()]), "x", "use a Row, a tuple or a dict"),
        (AB, Offer(1, 2), "the type has no fields ['id', 'price']"),
        (AB, overfull(), "its names are ['b', 'a']"),
        (Types.INSTANT(), Instant(0, -5), "nanos must be from 0 to 999,999,999"),
    ],
)
def test_what_does_not_fit_says_where_and_why(kind, value, message):
    with pytest.raises(TypeMismatch) as caught:
        checker(kind)(value)
    assert message in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value), "the error travels"


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Types.INT(), " 12 ", 12),
        (Types.INT(), 2.0, 2),
        (Types.LIST(Types.INT()), range(2), [0, 1]),
        (Types.ROW_NAMED(["a"], [Types.SQL_TIMESTAMP()]), {"a": pd.NaT}, Row(a=None)),
        (Types.ROW_NAMED(["n", "c"], [Types.STRING(), Types.INT()]), pd.Series({"n": "x", "c": 1}), Row(n="x", c=1)),
        (Types.INT(), True, 1),
        (Types.DOUBLE(), "nan", nan),
        (Types.DOUBLE(), Decimal("1.5"), 1.5),
        (Types.STRING(), 1, "1"),
        (Types.STRING(), "é".encode(), "é"),
        (Types.BOOLEAN(), "TRUE", True),
        (Types.BIG_DEC(), 0.1, Decimal("0.1")),
        (Types.SQL_DATE(), NOON, NOON.date()),
        (Types.SQL_DATE(), "2024-05-01", NOON.date()),
        (Types.SQL_TIMESTAMP(), NOON.replace(tzinfo=UTC), NOON),
        (Types.INSTANT(), "1970-01-01T00:00:01+00:00", Instant(1, 0)),
        (Types.ROW_NAMED(["a", "b"], [Types.INT()] * 2), {"a": "1"}, Row(a=1, b=None)),
    ],
)
def test_coercion(kind, value, expected):
    assert equal(checker(kind, COERCE)(value), expected)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (Types.INT(), True, 1),
        (Types.LONG(), False, 0),
        (Types.FLOAT(), True, 1.0),
        (Types.DOUBLE(), False, 0.0),
        (Types.BOOLEAN(), 1, True),
        (Types.BOOLEAN(), 0.0, False),
        (Types.TUPLE([Types.INT(), Types.BOOLEAN()]), (True, 0), (1, False)),
        (Types.ROW_NAMED(["a"], [Types.BOOLEAN()]), Row(a=1), Row(a=True)),
        (Types.MAP(Types.INT(), Types.DOUBLE()), {True: True}, {1: 1.0}),
        (Types.PRIMITIVE_ARRAY(Types.SHORT()), [True, 2], [1, 2]),
    ],
)
def test_truths_of_results_are_numbers(kind, value, expected):
    assert equal(checker(kind, RESULTS)(value), expected)
    with pytest.raises(TypeMismatch):
        checker(kind)(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Types.BOOLEAN(), 2), (Types.BOOLEAN(), "true"), (Types.BIG_INT(), True), (Types.INT(), 1.5)],
)
def test_other_results_are_not_converted(kind, value):
    with pytest.raises(TypeMismatch):
        checker(kind, RESULTS)(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Types.INT(), "x"),
        (Types.INT(), 2.9),
        (Types.INT(), "1_000"),
        (Types.INT(), "\u0661"),
        (Types.DOUBLE(), "1e400"),
        (Types.DOUBLE(), Decimal("1E+400")),
        (Types.BIG_DEC(), Fraction(1, 3)),
        (Types.SQL_TIMESTAMP(), "0001-01-01T00:00:00+14:00"),
        (Types.INSTANT(), "2024-01-01T00:00:00.123456789+00:00"),
        (Types.SQL_TIMESTAMP(), pd.NaT),
        (Types.ROW_NAMED(["a", "b"], [Types.INT()] * 2), {"a": "1", "c": 0}),
        (Types.ROW_NAMED(["a", "b"], [Types.INT()] * 2), {"A": 1, "B": 2}),
        (Types.ROW_NAMED(["a", "b"], [Types.INT()] * 2), object()),
        (Types.BYTE(), "300"),
        (Types.INT(), inf),
        (Types.STRING(), b"\xff"),
        (Types.BOOLEAN(), "maybe"),
        (Types.SQL_DATE(), "yesterday"),
        (Types.INSTANT(), NOON),
    ],
)
def test_coercion_refuses_what_it_cannot_convert(kind, value):
    with pytest.raises(TypeMismatch):
        checker(kind, COERCE)(value)


@pytest.mark.parametrize("depth", [9, 60, 150])
def test_types_that_nest_deep(depth):
    kind, value = Types.ROW_NAMED(["x"], [Types.INT()]), Row(x=1)
    for _ in range(depth):
        kind, value = Types.ROW_NAMED(["x"], [kind]), Row(x=value)
    assert checker(kind)(value) is value
    blocks = compact_blocks(kind)
    assert blocks is None or blocks.loads(blocks.dumps([value])) == [value]


@pytest.mark.parametrize(
    ("kind", "row", "values", "names"),
    [
        (Types.ROW([Types.INT(), Types.INT()]), Row(f1=1, f0=2), [2, 1], ("f0", "f1")),
        (Types.ROW([Types.INT(), Types.INT()]), Row(f0=1, f1=2), [1, 2], ("f0", "f1")),
        (Types.ROW([Types.INT(), Types.INT()]), Row(b=1, a=2), [1, 2], ("b", "a")),
        (Types.ROW([Types.INT(), Types.INT()]), Row(f0=1, x=2), [1, 2], ("f0", "x")),
        (Types.ROW([Types.INT(), Types.INT()]), Row(1, 2), [1, 2], None),
        (Types.ROW([Types.INT()] * 3), Row(f2=3, f0=1, f1=2), [1, 2, 3], ("f0", "f1", "f2")),
        (Types.ROW([Types.INT(), Types.STRING()]), Row(f1="a", f0=2), [2, "a"], ("f0", "f1")),
        (Types.ROW_NAMED(["a", "b"], [Types.INT()] * 2), Row(b=1, a=2), [2, 1], ("a", "b")),
    ],
)
def test_names_of_a_row_in_another_order(kind, row, values, names):
    for check in (checker(kind), lambda value: fit(value, kind)):
        found = check(row)
        assert (list(found), found._fields) == (values, names)
