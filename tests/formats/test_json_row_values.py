"""JSON rows: what is read, what is refused, what is written."""

from __future__ import annotations

import json
import pickle
from base64 import b64decode
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal

import pytest

from datastream.errors import FormatError, TypeMismatch
from datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from datastream.time import Instant
from datastream.types import Row, Types

FIVE = Types.ROW_NAMED(
    ["id", "name", "price", "flag", "at"],
    [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP()],
)
ROW = Row(id=1, name="a", price=1.5, flag=True, at=datetime(2024, 1, 31, 23, 59, 59, 1))
TEXT = b'{"id":1,"name":"a","price":1.5,"flag":true,"at":"2024-01-31T23:59:59.000001"}'


def reader(kind, **flags):
    return JsonRowDeserializationSchema(kind, **flags)


def one(kind, **flags):
    return reader(Types.ROW_NAMED(["f"], [kind]), **flags)


def read(kind, text, **flags):
    return one(kind, **flags).deserialize(b'{"f":' + (text if isinstance(text, bytes) else text.encode()) + b"}")["f"]


def write(kind, value):
    return JsonRowSerializationSchema(Types.ROW_NAMED(["f"], [kind])).serialize(Row(f=value))


# -- what is read -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Types.INT(), "1.0", 1),
        (Types.LONG(), "9007199254740993.0", 9007199254740993),
        (Types.BIG_INT(), "1e30", 10**30),
        (Types.DOUBLE(), "3", 3.0),
        (Types.FLOAT(), "3.4028235E38", 3.4028234663852886e38),
        (Types.BIG_DEC(), "1.10", Decimal("1.10")),
        (Types.BIG_DEC(), '"1.10"', Decimal("1.10")),
        (Types.BIG_DEC(), "9007199254740993.00000000001", Decimal("9007199254740993.00000000001")),
        (Types.BIG_DEC(), "1e400", Decimal("1e400")),
        (Types.SQL_DATE(), '"2024-02-29"', date(2024, 2, 29)),
        (Types.SQL_TIME(), '"10:00:00Z"', time(10)),
        (Types.LOCAL_TIME(), '"10:00:00.5"', time(10, 0, 0, 500_000)),
        (Types.SQL_TIMESTAMP(), '"2024-02-29 10:00:00"', datetime(2024, 2, 29, 10)),
        (Types.SQL_TIMESTAMP(), '"2024-02-29T10:00:00.123456Z"', datetime(2024, 2, 29, 10, 0, 0, 123456)),
        (Types.SQL_TIMESTAMP(), '"2024-02-29T10:00:00.123456000Z"', datetime(2024, 2, 29, 10, 0, 0, 123456)),
        (Types.INSTANT(), '"1969-12-31T23:59:59.000000001Z"', Instant(-1, 1)),
        (Types.INSTANT(), '"1970-01-01T01:00:00+01:00"', Instant(0, 0)),
        (Types.MAP(Types.INT(), Types.STRING()), '{"1":"a","-2":null}', {1: "a", -2: None}),
        (Types.TUPLE([Types.INT(), Types.SQL_TIME()]), '[1,"10:00:00"]', (1, time(10))),
        (Types.STRING(), '"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
    ],
)  # fmt: skip
def test_values_that_are_read(kind, text, value):
    found = read(kind, text)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (Types.INT(), '"1"', "field f: expected Integer"),
        (Types.INT(), "1.5", "field f: expected Integer"),
        (Types.INT(), "true", "field f: expected Integer"),
        (Types.INT(), "2147483648", "out of range"),
        (Types.BYTE(), "128", "8 bits"),
        (Types.LONG(), "9223372036854775808", "out of range"),
        (Types.BIG_INT(), "1e999999", "field f: expected BigInteger.*more than 4,300 digits"),
        (Types.BIG_INT(), "1" * 5000, "more than 4,300 digits"),
        (Types.DOUBLE(), "1e400", "out of range"),
        (Types.DOUBLE(), '"NaN"', "must be a number"),
        (Types.DOUBLE(), "NaN", "not JSON"),
        (Types.FLOAT(), "3.5e38", "out of range"),
        (Types.BIG_DEC(), '"NaN"', "expected BigDecimal"),
        (Types.BIG_DEC(), '"x"', "expected BigDecimal"),
        (Types.BIG_DEC(), "1e9999999999999999999", "exponent is out of range"),
        (Types.STRING(), "1", "expected String"),
        (Types.CHAR(), '"ab"', "one character"),
        (Types.STRING(), '"\\ud800"', "not JSON"),
        (Types.STRING(), b'"\xff"', r"not JSON: not UTF-8: invalid start byte at byte 6\b"),
        (Types.SQL_DATE(), '"2024-02-30"', "expected DateTypeInfo"),
        (Types.SQL_TIME(), '"10:00:00.0000001"', "23:59:59"),
        (Types.SQL_TIMESTAMP(), '"2024-02-29T10:00:00.1234567"', "write it as"),
        (Types.SQL_TIMESTAMP(), '"2024-02-29T10:00:00+02:00"', "in UTC"),
        (Types.LOCAL_DATE_TIME(), '"2024-02-29T10:00:00Z"', "without a zone"),
        (Types.INSTANT(), '"2024-02-29T10:00:00"', "write it as"),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), '"a"', "base64"),
        (Types.PRIMITIVE_ARRAY(Types.INT()), "[1,null]", r"field f\[1\]"),
        (Types.LIST(Types.ROW_NAMED(["g"], [Types.INT()])), '[null,{"g":"x"}]', r"field f\[1\]\.g: expected Integer"),
        (Types.MAP(Types.STRING(), Types.INT()), '{"k":"x"}', r"field f\['k'\]: expected Integer"),
        (Types.MAP(Types.INT(), Types.INT()), '{"k":1}', r"field f\['k'\]: expected Integer.*digits"),
        (Types.TUPLE([Types.INT()]), "[1,2]", "it has 2 elements, not 1"),
        (Types.TUPLE([Types.INT()]), "[null]", r"field f\[0\]"),
        (Types.ROW([Types.INT()]), "[1]", "must be an object"),
        (Types.LIST(Types.INT()), "{}", "must be an array"),
        (Types.STRING(), "[" * 100_000, "nested too deeply"),
        (Types.VOID(), "1", "expected Void"),
    ],
)
@pytest.mark.usefixtures("strict")
def test_values_that_are_refused(kind, text, message):
    with pytest.raises(FormatError, match=message):
        read(kind, text)
    with suppress(TypeError):  # such a value is None, or the message no record
        assert read(kind, text, ignore_parse_errors=True) in (None, [None, Row(g=None)], {"k": None})


def test_missing_unknown_and_repeated_fields():
    kind = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.ROW_NAMED(["c"], [Types.INT()])])
    assert reader(kind).deserialize(b'{"x":[{}],"b":{},"a":1,"a":2}') == Row(a=2, b=Row(c=None))
    strict = JsonRowDeserializationSchema.Builder(kind).fail_on_missing_field().build()
    assert strict.deserialize(b'{"a":null,"b":{"c":1}}') == Row(a=None, b=Row(c=1))
    with pytest.raises(FormatError, match=r"field b\.c is missing"):
        strict.deserialize(b'{"a":1,"b":{}}')


def test_a_repeated_field_counts_by_its_last_value_even_after_a_wrong_one():
    assert read(Types.INT(), '"x","f":1') == 1


def test_unnamed_rows_are_f0_f1():
    kind = Types.ROW([Types.INT(), Types.STRING()])
    assert reader(kind).deserialize(b'{"f1":"a","f0":1}') == Row(f0=1, f1="a")
    assert JsonRowSerializationSchema(kind).serialize(Row(1, "a")) == b'{"f0":1,"f1":"a"}'


def test_ignore_parse_errors_keeps_what_can_be_read():
    kind = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.LIST(Types.INT())])
    schema = JsonRowDeserializationSchema.Builder(kind).ignore_parse_errors().build()
    messages = [b'{"a":"x","b":[1,"y"]}', b"{", b"[]", b'{"a":1,"b":2}', None, b"null"]
    assert schema.deserialize_block(messages) == [Row(a=None, b=[1, None]), Row(a=1, b=None)]


def test_null_and_tombstones_are_no_records():
    assert reader(FIVE).deserialize(b"null") is None
    assert reader(FIVE).deserialize_block([None, TEXT, b"null"]) == [ROW]


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("message", [b"", b"\xef\xbb\xbf{}", b"{} {}", b"{", b'{"id":1}x'])
def test_messages_that_are_not_json(message):
    with pytest.raises(FormatError, match="cannot read a row: not JSON.*; the message is"):
        reader(FIVE).deserialize(message)


def test_errors_in_a_block_name_the_place():
    with pytest.raises(FormatError, match=r"^orders, partition 3, offset 11: cannot read a row: field id"):
        reader(FIVE).deserialize_block([TEXT, b'{"id":"x"}'], lambda i: ("orders", 3, 10 + i))
    with pytest.raises(FormatError, match=r"^a.json, offset 1: cannot"):
        reader(FIVE).deserialize_block([None, b"1"], lambda i: ("a.json", None, i))


# -- what is written --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Types.BIG_DEC(), Decimal("1.10"), "1.10"),
        (Types.BIG_DEC(), Decimal("1E+3"), "1E+3"),
        (Types.BIG_INT(), 10**30, str(10**30)),
        (Types.DOUBLE(), 3, "3.0"),
        (Types.INSTANT(), Instant(0, 5), '"1970-01-01T00:00:00.000000005Z"'),
        (Types.INSTANT(), Instant(0, 0), '"1970-01-01T00:00:00Z"'),
        (Types.SQL_TIMESTAMP(), datetime(999, 1, 1), '"0999-01-01T00:00:00"'),
        (Types.PRIMITIVE_ARRAY(Types.BYTE()), b"hi", '"aGk="'),
        (Types.MAP(Types.BOOLEAN(), Types.DOUBLE()), {True: 1.0, False: None}, '{"true":1.0,"false":null}'),
        (Types.TUPLE([Types.INT(), Types.STRING()]), (1, 'é"'), '[1,"é\\""]'),
        (Types.ROW([Types.INT()]), Row(None), '{"f0":null}'),
    ],
)
def test_values_that_are_written(kind, value, text):
    assert write(kind, value).decode() == f'{{"f":{text}}}'


@pytest.mark.parametrize(
    ("kind", "value", "error", "message"),
    [
        (Types.INT(), "1", TypeMismatch, "field f: expected Integer"),
        (Types.INT(), True, TypeMismatch, "field f: expected Integer"),
        (Types.STRING(), "\ud800", FormatError, "field f: the text .* surrogate"),
        (Types.MAP(Types.STRING(), Types.INT()), {"\ud800": 1}, FormatError, "its key.*surrogate"),
        (Types.MAP(Types.DOUBLE(), Types.INT()), {float("nan"): 1, -float("nan"): 2}, FormatError, "the text 'NaN'"),
        (Types.ROW_NAMED(["g"], [Types.STRING()]), Row(g="\udfff"), FormatError, r"field f\.g"),
        pytest.param(Types.BIG_INT(), 10**5000, FormatError, "field f: the number is too long", id="5001 digits"),
        (Types.INSTANT(), Instant(10**15, 0), FormatError, "field f: .*years 1 to 9999"),
        (Types.PICKLED_BYTE_ARRAY(), (i for i in []), FormatError, "field f: .* cannot be pickled"),
    ],
)
def test_values_that_are_not_written(kind, value, error, message):
    with pytest.raises(error, match=message):
        write(kind, value)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        (Types.LONG(), ["1", "01"]),
        (Types.BIG_INT(), ["0", "-0"]),
        (Types.DOUBLE(), ["1", "1.0"]),
        (Types.BIG_DEC(), ["1", "1.00"]),
        (Types.SQL_TIMESTAMP(), ["2024-01-31T00:00:00", "2024-01-31T00:00:00Z"]),
    ],
)
def test_names_that_are_one_key_are_refused(key, names):
    kind = Types.MAP(key, Types.INT())
    with pytest.raises(FormatError, match=r"field f\['.*'\]: another name of this object is the same key"):
        read(kind, json.dumps(dict.fromkeys(names, 1)))
    assert list(read(kind, f'{{"{names[0]}": 1, "{names[0]}": 2}}').values()) == [2]  # of one name the last counts


def test_any_object_is_written_as_its_pickle():
    assert pickle.loads(b64decode(json.loads(write(Types.PICKLED_BYTE_ARRAY(), {1}))["f"])) == {1}


def test_a_row_that_is_none_or_has_other_fields_is_refused():
    sink = JsonRowSerializationSchema(FIVE)
    for row in (None, Row(1), Row(id=1), 5):
        with pytest.raises(TypeMismatch):
            sink.serialize(row)
    assert sink.serialize(Row(at=ROW.at, flag=True, price=1.5, name="a", id=1)) == TEXT
