"""JSON rows: every type there and back, what is refused, and bytes that are no JSON."""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError, TypeMismatch, ValidationError
from datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from datastream.formats.json.exact_reading import ExactReader, parse
from datastream.formats.json.fast_reading import fast_reader
from datastream.types import Row, Types
from tests.support.draws import draws
from tests.support.formats.strategies import NAMES, damaged, equal, row_types, values

thorough = draws(1000)
FIVE = Types.ROW_NAMED(
    ["id", "name", "price", "flag", "at"],
    [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP()],
)
ROW = Row(id=1, name="a", price=1.5, flag=True, at=datetime(2024, 1, 31, 23, 59, 59, 1))
TEXT = b'{"id":1,"name":"a","price":1.5,"flag":true,"at":"2024-01-31T23:59:59.000001"}'


def reader(kind, **flags):
    return JsonRowDeserializationSchema(kind, **flags)


# -- there and back ---------------------------------------------------------------------------------


odd_names = NAMES | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
rows = row_types(names=odd_names, empty_rows=True).flatmap(
    lambda kind: st.tuples(st.just(kind), st.lists(values(kind, nan=False, infinity=False), max_size=3))
)


@thorough
@given(rows)
def test_rows_come_back_as_they_were(drawn):
    kind, records = drawn
    schema = pickle.loads(pickle.dumps(JsonRowDeserializationSchema.builder().type_info(kind).build()))
    sink = pickle.loads(pickle.dumps(JsonRowSerializationSchema.builder().with_type_info(kind).build()))
    messages = sink.serialize_block(records)
    assert equal(schema.deserialize_block(messages), records)
    for message, record in zip(messages, records, strict=True):
        assert sink.serialize(record) == message
        assert list(json.loads(message)) == kind.get_field_names()
        assert equal(schema.deserialize(message), record)
        assert equal(ExactReader().read(parse(message), kind), record)


@pytest.mark.long
@thorough
@given(rows.flatmap(lambda drawn: st.tuples(st.just(drawn[0]), st.sampled_from(drawn[1] or [None]))), st.data())
def test_damaged_messages_give_the_same_fast_and_slowly(drawn, data):
    kind, record = drawn
    message = b"{}" if record is None else JsonRowSerializationSchema(kind).serialize(record)
    message = data.draw(damaged(message))
    try:
        expected = ExactReader().read(parse(message), kind)
    except (FormatError, TypeMismatch) as error:
        expected = error
    try:
        fast = fast_reader(kind, False)([message])[0]
    except Exception:
        pass
    else:  # only what stands behind a name that the type does not have may be wrong
        unseen = isinstance(expected, FormatError) and str(expected).startswith(
            ("not JSON: not UTF-8", "not JSON that can")
        )
        assert unseen or equal(fast, expected)
    with suppress(FormatError):
        reader(kind).deserialize_block([message])
    assert len(reader(kind, ignore_parse_errors=True).deserialize_block([message])) < 2


@thorough
@given(row_types(), st.binary(max_size=40) | st.text(st.sampled_from('{}[]",:truefalsn01-.eE\\u ')).map(str.encode))
def test_random_bytes_give_a_row_or_an_error(kind, message):
    try:
        found = reader(kind).deserialize(message)
        assert found is None or isinstance(found, Row)
    except FormatError:
        pass
    assert len(reader(kind, ignore_parse_errors=True).deserialize_block([message])) < 2


moments = st.builds(
    lambda day, mark, hour, digits, zone: f"{day}{mark}{hour}{digits and '.' + digits}{zone}",
    st.dates().map(str) | st.sampled_from(["", "2024-W01-1", "20240101", "2024-02-30", "0000-01-01"]),
    st.sampled_from(["T", "T", " ", "t", "", "_"]),
    st.times().map(lambda t: str(t)[:8]) | st.sampled_from(["", "24:00:00", "23:59:60", "1000", "10:00"]),
    st.text("0123456789", max_size=10),
    st.sampled_from(["", "", "Z", "z", "+00:00", "-00:00", "+01:30", "-23:59", "+24:00"]),
)
TEMPORAL = [Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP(), Types.LOCAL_DATE_TIME(), Types.INSTANT()]


@thorough
@given(moments, st.sampled_from(TEMPORAL))
def test_texts_of_moments_give_the_same_fast_and_slowly(text, kind):
    row_type = Types.ROW_NAMED(["f"], [kind])
    message = json.dumps({"f": text}).encode()
    try:
        expected = ExactReader().read(parse(message), row_type)
    except TypeMismatch:
        with pytest.raises(ValueError):
            fast_reader(row_type, False)([message])
    else:
        assert reader(row_type).deserialize(message) == expected
        assert fast_reader(row_type, False)([message]) == [expected]


def test_the_builders_of_pyflink_and_of_the_flip():
    for schema in (
        JsonRowDeserializationSchema.builder().type_info(FIVE).build(),
        JsonRowDeserializationSchema.Builder(FIVE).build(),
    ):
        assert schema.deserialize(TEXT) == ROW
        assert schema.get_produced_type() is FIVE
    for schema in (
        JsonRowSerializationSchema.builder().with_type_info(FIVE).build(),
        JsonRowSerializationSchema.Builder(FIVE).build(),
    ):
        assert schema.serialize(ROW) == TEXT
    read_by_schema = JsonRowDeserializationSchema.builder().json_schema(
        '{"type": "object", "properties": {"id": {"type": "integer"}}}'
    )
    assert read_by_schema.build().deserialize(b'{"id": 123456789012345678901}') == Row(id=123456789012345678901)


@pytest.mark.parametrize(
    "build",
    [
        lambda: JsonRowDeserializationSchema.builder().build(),
        lambda: JsonRowSerializationSchema.builder().build(),
        lambda: JsonRowDeserializationSchema.Builder(Types.STRING()).build(),
        lambda: JsonRowSerializationSchema.Builder(Types.TUPLE([Types.INT()])).build(),
        lambda: JsonRowDeserializationSchema.Builder(FIVE).fail_on_missing_field().ignore_parse_errors().build(),
    ],
)
def test_builders_refuse(build):
    with pytest.raises(ValidationError):
        build()


def test_types_without_a_form_are_refused_by_field():
    inner = Types.ROW_NAMED(["b"], [Types.LIST(Types.MAP(Types.LIST(Types.INT()), Types.INT()))])
    with pytest.raises(FormatError, match=r"field a\.b\[\]: keys of type"):
        reader(Types.ROW_NAMED(["a"], [inner]))
    with pytest.raises(FormatError, match="field f: a pickled value is not read"):
        reader(Types.ROW_NAMED(["f"], [Types.PICKLED_BYTE_ARRAY()]))
