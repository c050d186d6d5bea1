"""JSON without a declared type."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError, ValidationError
from datastream.formats import Encoder
from datastream.formats.json import JsonDeserializationSchema, JsonRowDeserializationSchema, JsonSerializationSchema
from datastream.time import Instant
from datastream.types import Row, Types
from tests.support.draws import draws
from tests.support.formats.strategies import damaged

thorough = draws(1000)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
anything = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=8)
reads, writes = JsonDeserializationSchema(), JsonSerializationSchema()

Point = namedtuple("Point", "x y")


@dataclass
class Order:
    id: int
    _secret: Point


class Colour(Enum):
    RED = "red"


@thorough
@given(anything)
def test_values_come_back_as_they_were(value):
    found = reads.deserialize(writes.serialize(value))
    assert found == value and type(found) is type(value)


@thorough
@given(anything.map(writes.serialize).flatmap(damaged) | st.binary(max_size=30))
def test_bytes_give_a_value_or_an_error(data):
    try:
        found = reads.deserialize(data)
        assert writes.serialize(found) is not None
        assert reads.deserialize_block([data]) == ([] if found is None else [found])
    except FormatError:
        pass


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Row(a=1, b=Row(1, None)), '{"a":1,"b":[1,null]}'),
        (Order(1, Point(1, 2)), '{"id":1,"_secret":[1,2]}'),
        ((date(2024, 1, 2), time(1, 2), datetime(2024, 1, 2, 3)), '["2024-01-02","01:02:00","2024-01-02T03:00:00"]'),
        (datetime(2024, 1, 2, tzinfo=UTC), '"2024-01-02T00:00:00+00:00"'),
        (datetime(1880, 1, 2, tzinfo=timezone(timedelta(seconds=1172))), '"1880-01-02T00:00:00+00:19:32"'),
        (Decimal("1.10"), '"1.10"'),
        (Instant(0, 1), '"1970-01-01T00:00:00.000000001Z"'),
        (Colour.RED, '"red"'),
        (UUID(int=0), '"00000000-0000-0000-0000-000000000000"'),
        ({2: 10**30, True: None, 1.5: "é"}, '{"2":1000000000000000000000000000000,"true":null,"1.5":"é"}'),
        ({"a": 10**30, "b": [Row(1), Colour.RED]}, '{"a":1000000000000000000000000000000,"b":[[1],"red"]}'),
    ],
)
def test_forms(value, expected):
    assert writes.serialize(value).decode() == expected
    assert Encoder.json_lines().encode(value).decode() == expected + "\n"


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        {"a": [1.0, None, math.inf]},
        Row(a=Row(math.nan)),
        Order(1, Point(None, math.nan)),
        {math.nan: 1, 1: 2},
        "\ud800",
        b"bytes",
        {1, 2},
        {(1, 2): 3},
        {1: 2, "1": 3},
        [Row(a={True: 1, "true": 2})],
        object(),
        Order,
        pytest.param(10**5000, id="5001 digits"),
    ],
)
def test_what_has_no_form(value):
    with pytest.raises(FormatError, match="Cannot write .* as JSON"):
        writes.serialize(value)
    with pytest.raises(ValidationError, match="Cannot write .* as JSON"):
        Encoder.json_lines().encode(value)


def test_a_value_inside_itself():
    endless: list[object] = []
    endless.append(endless)
    row = Row(None)
    row[0] = row
    for value in (endless, row):
        with pytest.raises(FormatError, match="Cannot write"):
            writes.serialize(value)


@pytest.mark.parametrize("data", [b"NaN", b"1e400", b"[" * 100_000, b'"\\ud800"', b'"\xff"', b"", b"1 2", b"9" * 5000])
def test_what_is_no_value(data):
    with pytest.raises(FormatError, match="not JSON: .*; the message is"):
        reads.deserialize(data)
    with pytest.raises(FormatError, match="^t, partition 0, offset 8: not JSON"):
        reads.deserialize_block([b"1", None, data], lambda i: ("t", 0, 6 + i))


def test_numbers_keep_their_digits():
    assert reads.deserialize(b"[18446744073709551616, 1.0, -5]") == [18446744073709551616, 1.0, -5]
    assert reads.deserialize_block([b"null", None, b"0", b"false"]) == [0, False]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'"\\ud800"', "half of a surrogate pair"),
        (b'["\\ud800x", 1]', "half of a surrogate pair"),
        (b'"\\udc00"', "half of a surrogate pair"),
        (b'"\\ud800', "it ends too early"),
        pytest.param(b"9" * 5000, "more than 4,300 digits", id="5000 digits"),
    ],
)
def test_the_reason_is_told(data, reason):
    rows = JsonRowDeserializationSchema(Types.ROW_NAMED(["f"], [Types.BIG_INT()]))
    for message, schema in ((data, reads), (b'{"f":' + data + b"}", rows)):
        with pytest.raises(FormatError, match=f"not JSON: .*{reason}"):
            schema.deserialize(message)
