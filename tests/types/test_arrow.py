"""Types and values through Arrow and back: the same, or an error that says where."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError
from datastream.time.instant import Instant
from datastream.types import Row, Types
from datastream.types.arrow import (
    from_arrow,
    from_arrow_array,
    from_arrow_batch,
    row_reader,
    row_writer,
    to_arrow,
    to_arrow_array,
    to_arrow_batch,
    to_arrow_schema,
)
from datastream.types.checking import checker
from tests.support.draws import draws
from tests.support.formats.strategies import equal, row_types, types, values

MANY = draws(1000)
UTC = dt.UTC
BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())


def through(value, kind):
    return from_arrow_array(to_arrow_array([value], kind), kind, unpickle=True)[0]


@MANY
@given(types(pickled=True, empty_rows=True).flatmap(lambda t: st.tuples(st.just(t), st.lists(values(t) | st.none()))))
def test_columns_round_trip(drawn):
    kind, column = drawn
    array = to_arrow_array(column, kind)
    array.validate(full=True)
    assert array.type == to_arrow(kind)
    assert equal(from_arrow_array(array, kind, unpickle=True), column)
    chunked = pa.chunked_array([array.slice(1), array.slice(0, 1)])
    assert equal(from_arrow_array(chunked, kind, unpickle=True), column[1:] + column[:1])


@draws(300)
@given(row_types(empty_rows=True).flatmap(lambda t: st.tuples(st.just(t), st.lists(values(t), max_size=3))))
def test_batches_round_trip(drawn):
    kind, rows = drawn
    batch = to_arrow_batch(rows, kind)
    assert batch.schema == to_arrow_schema(kind)
    assert equal(from_arrow_batch(batch, kind), rows)
    assert equal(from_arrow_batch(pa.Table.from_batches([batch, batch]), kind), rows + rows)


@draws(300)
@given(row_types(empty_rows=True).flatmap(lambda t: st.tuples(st.just(t), st.lists(values(t), max_size=3))))
def test_tuples_stand_for_rows(drawn):
    kind, rows = drawn
    batch = to_arrow_batch(rows, kind)
    made = row_reader(kind, tuples=True)(batch)
    assert [type(each) for each in made] == [tuple] * len(rows)
    assert equal(made, [tuple(row) for row in from_arrow_batch(batch, kind)])
    assert row_writer(kind, tuples=True)(made).equals(batch)


@pytest.mark.parametrize("values", [(1, "no number"), (1, 2**31), (1, 2, 3)])
def test_a_tuple_that_does_not_fit_is_named_as_a_row_is(values):
    kind = Types.ROW_NAMED(["a", "b"], [Types.LONG(), Types.INT()])
    with pytest.raises(FormatError) as of_rows:
        row_writer(kind)([Row(1, 2), Row(*values)])
    with pytest.raises(FormatError) as of_tuples:
        row_writer(kind, tuples=True)([(1, 2), values])
    assert str(of_tuples.value).startswith(str(of_rows.value).partition(", found")[0])


@MANY
@given(types())
def test_types_come_back_with_the_same_arrow_type(kind):
    assert to_arrow(from_arrow(to_arrow(kind))) == to_arrow(kind)


OTHERS = types(depth=2).filter(lambda kind: "Float" not in repr(kind))  # FLOAT rounds


@draws(500)
@given(types(depth=2).flatmap(lambda kind: values(kind, nan=False)), OTHERS)
def test_values_of_other_types_are_refused_or_the_same(value, other):
    try:
        back = through(value, other)
    except FormatError:
        return
    assert nameless(back) == nameless(value)


def nameless(value):
    """Rows as tuples: a type without names drops those of a row."""
    if isinstance(value, Row):
        return (Row, *map(nameless, value))
    if isinstance(value, dict):
        return {key: nameless(item) for key, item in value.items()}
    return type(value)(map(nameless, value)) if isinstance(value, (list, tuple)) else value


@draws(500)
@given(types(depth=2).flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values(kind)))), types(depth=2))
def test_columns_read_as_other_types_give_legal_values_or_an_error(drawn, other):
    kind, column = drawn
    try:
        found = from_arrow_array(to_arrow_array(column, kind), other)
    except FormatError:
        return
    assert len(found) == len(column)
    check = checker(other)
    assert all(value is None or check(value) is value for value in found)


NESTED = Types.ROW_NAMED(
    ["id", "items", "tags"],
    [
        Types.LONG(),
        Types.LIST(Types.ROW_NAMED(["price"], [Types.DOUBLE()])),
        Types.MAP(Types.STRING(), Types.TUPLE([Types.INT()])),
    ],
)


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (1, Types.STRING(), "expected String, a str, found int 1"),
        (b"x", Types.STRING(), "expected String, a str, found bytes b'x'"),
        ("\ud800", Types.STRING(), "surrogate"),
        ("ab", Types.CHAR(), "one character"),
        ("", Types.CHAR(), "one character"),
        (1, Types.BOOLEAN(), "Boolean"),
        (True, Types.LONG(), "found bool True"),
        (1.0, Types.LONG(), "found float"),
        (128, Types.BYTE(), "from -128 to 127, found int 128"),
        (2**63, Types.LONG(), "Long"),
        (2**53 + 1, Types.DOUBLE(), "exactly"),
        (2**24 + 1, Types.FLOAT(), "declare DOUBLE"),
        (1e300, Types.FLOAT(), "declare DOUBLE"),
        (10**38, Types.BIG_INT(), "38 digits"),
        pytest.param(10**5000, Types.BIG_INT(), "38 digits", id="huge"),
        (Decimal("NaN"), Types.BIG_DEC(), "finite"),
        (Decimal("sNaN"), Types.BIG_DEC(), "finite"),
        (Decimal("1E+20"), Types.BIG_DEC(), "before the point"),
        (Decimal("1E-19"), Types.BIG_DEC(), "after the point"),
        (Decimal("1E-999999"), Types.BIG_DEC(), "after the point"),
        (1, Types.BIG_DEC(), "found int"),
        (dt.datetime(2020, 1, 1), Types.SQL_DATE(), "found datetime"),
        (dt.date(2020, 1, 1), Types.SQL_TIMESTAMP(), "found date"),
        (dt.datetime(2020, 1, 1, tzinfo=UTC), Types.SQL_TIMESTAMP(), "astimezone"),
        (dt.time(1, tzinfo=UTC), Types.SQL_TIME(), "no time zone"),
        (Instant(10**10, 0), Types.INSTANT(), "1678 to 2261"),
        (bytearray(b"x"), BYTES, "expected bytes, found bytearray"),
        (0, Types.VOID(), "expected None, found int 0"),
        (lambda: (yield), Types.LIST(Types.INT()), "expected a list"),
        ((x for x in ()), Types.PICKLED_BYTE_ARRAY(), "pickle refused it"),
        ([None], Types.PRIMITIVE_ARRAY(Types.INT()), r"field \[0\]: expected Integer without None, found"),
        ((1,), Types.LIST(Types.INT()), "found tuple"),
        ([1], Types.TUPLE([Types.INT()]), "found list"),
        ((None,), Types.TUPLE([Types.INT()]), "field f0: "),
        ((1, 2), Types.TUPLE([Types.INT()]), "tuple of 1 fields"),
        ((1,), Types.ROW([Types.INT()]), "a Row of 1 fields, found tuple"),
        (Row(1, 2), Types.ROW([Types.INT()]), "a Row of 1 fields"),
        ({None: 1}, Types.MAP(Types.STRING(), Types.INT()), r"\[key None\]"),
        (Row(id=1, items=[Row(price=1.0), Row(price="x")], tags={}), NESTED, r"field items\[1\]\.price: expected Doub"),
        (Row(id=1, items=[], tags={"a": (2**40,)}), NESTED, r"field tags\['a'\]\.f0: expected Integer"),
        (Row(id=1, items=[], label={}), NESTED, r"the row has the fields \['id', 'items', 'label'\]"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(value, kind, text):
    with pytest.raises(FormatError, match=text):
        to_arrow_array([None, value], kind)


@pytest.mark.parametrize(
    ("value", "kind", "back"),
    [
        (1, Types.DOUBLE(), 1.0),
        (Decimal("0E+50"), Types.BIG_DEC(), Decimal(0)),
        (Decimal("1." + "0" * 30), Types.BIG_DEC(), Decimal(1)),
        (Row(b=1, a=2), Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.INT()]), Row(a=2, b=1)),
        (Row(1, 2), Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.INT()]), Row(a=1, b=2)),
    ],
)
def test_other_forms_of_legal_values(value, kind, back):
    assert equal(through(value, kind), back)


def test_records_are_never_none():
    kind = Types.ROW([Types.INT()])
    with pytest.raises(FormatError, match="without None, found NoneType"):
        to_arrow_batch([Row(1), None], kind)
    with pytest.raises(FormatError, match="type of records"):
        to_arrow_batch([1], Types.INT())


@pytest.mark.parametrize(
    ("array", "kind", "found"),
    [
        (pa.array([1, 2], pa.uint8()), Types.INT(), [1, 2]),
        (pa.array([1, None], pa.int64()), Types.BYTE(), [1, None]),
        (pa.array([2**64 - 1], pa.uint64()), Types.BIG_INT(), [2**64 - 1]),
        (pa.array([1.5], pa.float32()), Types.DOUBLE(), [1.5]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), Types.STRING(), ["a", "b", "a"]),
        (pa.array(["a"], pa.large_string()), Types.STRING(), ["a"]),
        (pa.array([b"ab"], pa.binary(2)), BYTES, [b"ab"]),
        (pa.array([10**9], pa.timestamp("ns")), Types.SQL_TIMESTAMP(), [dt.datetime(1970, 1, 1, 0, 0, 1)]),
        (pa.array([1], pa.timestamp("s", "Asia/Tokyo")), Types.SQL_TIMESTAMP(), [dt.datetime(1970, 1, 1, 0, 0, 1)]),
        (pa.array([-1], pa.timestamp("ms", "UTC")), Types.INSTANT(), [Instant(-1, 999_000_000)]),
        (pa.array([Decimal("1.50")], pa.decimal256(60, 2)), Types.BIG_DEC(), [Decimal("1.50")]),
        (pa.array([[1, 2], None], pa.list_(pa.int32(), 2)), Types.LIST(Types.INT()), [[1, 2], None]),
        (pa.array([[1], None, [2, 3]], pa.list_view(pa.int32())), Types.LIST(Types.INT()), [[1], None, [2, 3]]),
        (pa.array([[1], []], pa.large_list(pa.int32())), Types.LIST(Types.INT()), [[1], []]),
        (pa.array([None, None], pa.null()), Types.STRING(), [None, None]),
        (
            pa.array([{"x": 1, "b": "b", "a": 2}]),
            Types.ROW_NAMED(["a", "b"], [Types.LONG(), Types.STRING()]),
            [Row(a=2, b="b")],
        ),
        (pa.array([{"x": 1, "y": 2}]), Types.TUPLE([Types.LONG(), Types.LONG()]), [(1, 2)]),
        (pa.array([{"f1": 1, "f0": 2}]), Types.ROW([Types.LONG(), Types.LONG()]), [Row(f0=2, f1=1)]),
    ],
)
def test_columns_of_others_are_read(array, kind, found):
    assert equal(from_arrow_array(array, kind), found)


@pytest.mark.parametrize(
    ("array", "kind", "text"),
    [
        (pa.array([300], pa.int64()), Types.BYTE(), "a value is not a Byte"),
        (pa.array(["1"]), Types.INT(), "expected Integer, found Arrow's string"),
        (pa.array([1]), Types.STRING(), "declare a type"),
        (pa.array([1.5]), Types.FLOAT(), "found Arrow's double"),
        (pa.array([True]), Types.INT(), "found Arrow's bool"),
        (pa.array(["ab"]), Types.CHAR(), "one character"),
        (pa.array([1], pa.timestamp("ns")), Types.SQL_TIMESTAMP(), "not a TimestampTypeInfo"),
        (pa.array([2**62], pa.timestamp("us")), Types.SQL_TIMESTAMP(), "years 1 to 9999"),
        (pa.array([-(2**63)], pa.int64()).view(pa.timestamp("us")), Types.SQL_TIMESTAMP(), "years 1 to 9999"),
        (pa.array([2**30], pa.int32()).view(pa.date32()), Types.SQL_DATE(), "years 1 to 9999"),
        (pa.array([2**60], pa.int64()).view(pa.time64("us")), Types.SQL_TIME(), "not within a day"),
        (pa.array([-1], pa.int64()).view(pa.time64("us")), Types.SQL_TIME(), "not within a day"),
        (pa.array([1], pa.timestamp("us")), Types.INSTANT(), "found Arrow's timestamp"),
        (pa.array([[1, None]]), Types.PRIMITIVE_ARRAY(Types.LONG()), r"field \[\]: expected Long without nulls"),
        (pa.array([{"x": 1}]), Types.ROW_NAMED(["a"], [Types.LONG()]), "expected a column 'a', found no such"),
        (pa.array([{"x": 1}]), Types.TUPLE([Types.LONG()] * 2), "expected a column 'f0'"),
        (pa.array([b"x"]), Types.PICKLED_BYTE_ARRAY(), "foreign"),
        (pa.array([b"\xff"]).view(pa.string()), Types.STRING(), "utf-8"),
        (
            pa.array([[(1, 2), (1, 3)]], pa.map_(pa.int64(), pa.int64())),
            Types.MAP(Types.LONG(), Types.LONG()),
            "same key twice",
        ),
    ],
)
def test_columns_that_do_not_fit_are_refused(array, kind, text):
    with pytest.raises(FormatError, match=text):
        from_arrow_array(array, kind)


@pytest.mark.parametrize(
    ("arrow", "kind"),
    [
        (pa.timestamp("ns", "Europe/Berlin"), Types.INSTANT()),
        (pa.dictionary(pa.int8(), pa.string()), Types.STRING()),
        (pa.decimal128(10, 0), Types.BIG_DEC()),
        (pa.uuid(), BYTES),
        (pa.run_end_encoded(pa.int32(), pa.bool_()), Types.BOOLEAN()),
        (pa.list_view(pa.int8()), Types.LIST(Types.BYTE())),
    ],
)
def test_types_of_others(arrow, kind):
    assert from_arrow(arrow) == kind


def test_types_without_counterparts():
    with pytest.raises(FormatError, match="duration"):
        from_arrow(pa.duration("s"))
    with pytest.raises(FormatError, match="must differ"):
        from_arrow(pa.schema([("a", pa.int8()), ("a", pa.int8())]))
    with pytest.raises(FormatError, match="no legal key"):
        to_arrow(Types.MAP(Types.VOID(), Types.INT()))
    kind = Types.INT()
    for _ in range(5000):
        kind = Types.LIST(kind)
    with pytest.raises(FormatError, match="too deeply"):
        to_arrow(kind)


def test_names_come_back():
    kind = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.ROW_NAMED(["c"], [Types.STRING()])])
    assert repr(from_arrow(to_arrow_schema(kind))) == repr(kind)
