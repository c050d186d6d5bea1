"""Rows of declared types as Avro: round trips, what other writers and readers make of the bytes, damaged bytes."""

from __future__ import annotations

import io
import json
import pickle
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, Types
from datastream.errors import FormatError, UnsupportedOperation, ValidationError
from datastream.formats.avro import (
    AvroRowDeserializationSchema,
    AvroRowSerializationSchema,
    AvroSchema,
    from_row_type,
    to_row_type,
)
from datastream.time import Instant
from tests.support.draws import draws
from tests.support.formats.strategies import Limits, damaged, equal, row_types, values

MANY = draws(1000)
LIMITS = Limits(instant_step=1000, instants=(-9_000_000_000, 9_000_000_000))
ANY = row_types(depth=2)
SIMPLE = row_types(local=False, times=False, bigs=False, instants=False, void=False, unnamed=False)
ORDER = json.dumps(
    {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "name", "type": ["null", "string"], "default": None},
            {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "DONE"]}},
            {
                "name": "items",
                "type": {
                    "type": "array",
                    "items": {
                        "type": "record",
                        "name": "Item",
                        "fields": [{"name": "sku", "type": "string"}, {"name": "count", "type": "int"}],
                    },
                },
            },
            {"name": "tags", "type": {"type": "map", "values": "double"}},
        ],
    }
)


def order(**changes: Any) -> Row:
    fields = {
        "id": 7,
        "name": "n",
        "price": Decimal("1.50"),
        "at": datetime(2024, 1, 2, 3, 4, 5, 6000),
        "state": "DONE",
        "items": [Row(sku="a", count=1), Row(sku="b", count=2)],
        "tags": {"x": 1.0},
    }
    return Row(**{**fields, **changes})


@pytest.mark.long
@MANY
@given(st.data())
def test_a_row_of_any_type_comes_back_and_damaged_bytes_are_format_errors(data: st.DataObject) -> None:
    kind = data.draw(ANY)
    rows = data.draw(st.lists(values(kind, LIMITS), min_size=1, max_size=2))
    writer, reader = AvroRowSerializationSchema.for_type(kind), AvroRowDeserializationSchema.for_type(kind)
    messages = writer.serialize_block(rows)
    assert equal(reader.deserialize_block(messages), rows)
    for spoilt in (data.draw(damaged(messages[0])), data.draw(st.binary(max_size=40))):
        try:
            row = reader.deserialize(spoilt)
        except FormatError:
            continue
        assert equal(reader.deserialize(writer.serialize(row)), row)


@draws(200)
@given(st.data())
def test_fastavro_reads_what_we_write(data: st.DataObject) -> None:
    kind = data.draw(SIMPLE)
    row = data.draw(values(kind, LIMITS))
    schema = fastavro.parse_schema(json.loads(str(from_row_type(kind))))
    message = AvroRowSerializationSchema.for_type(kind).serialize(row)
    stream = io.BytesIO(message)
    found = fastavro.schemaless_reader(stream, schema, None)
    assert stream.tell() == len(message)
    assert list(found) == list(row._fields or ())
    written = io.BytesIO()
    fastavro.schemaless_writer(written, schema, found)
    assert equal(AvroRowDeserializationSchema.for_type(kind).deserialize(written.getvalue()), row)


def test_rows_of_a_schema() -> None:
    writer = AvroRowSerializationSchema(avro_schema_string=ORDER)
    reader = AvroRowDeserializationSchema(avro_schema_string=ORDER)
    rows = [order(), order(name=None, items=[], tags={})]
    assert reader.deserialize_block([*writer.serialize_block(rows), None]) == rows
    assert reader.get_produced_type().get_field_names() == ["id", "name", "price", "at", "state", "items", "tags"]
    copy = pickle.loads(pickle.dumps(reader))
    assert copy.deserialize(pickle.loads(pickle.dumps(writer)).serialize(rows[0])) == rows[0]


def test_rows_may_have_no_names_or_another_order_and_be_of_other_kinds() -> None:
    writer = AvroRowSerializationSchema(avro_schema_string=ORDER)
    plain = writer.serialize(order())
    named = order()
    assert writer.serialize(Row(*named)) == plain
    assert writer.serialize(Row(**dict(reversed(named.as_dict().items())))) == plain
    assert writer.serialize(order(items=[("a", 1), ("b", 2)])) == plain
    assert writer.serialize(order(price=Decimal("1.5"), tags={"x": 1})) == plain


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": 1 << 63}, "field id: expected Long"),
        ({"id": True}, "field id: expected Long"),
        ({"id": None}, "field id: expected Long"),
        ({"price": Decimal("1.234")}, "field price: Decimal('1.234') has more digits after the point"),
        ({"price": Decimal("12345678.00")}, "has more digits than decimal(9, 2) holds"),
        ({"price": Decimal("NaN")}, "field price: expected BigDecimal"),
        ({"price": Decimal("1E+999999")}, "more digits"),
        ({"price": Decimal("1E-999999")}, "more digits after the point"),
        ({"price": 1.5}, "field price: expected BigDecimal"),
        ({"at": datetime(2024, 1, 1, 0, 0, 0, 1)}, "field at: it is finer than the milliseconds"),
        ({"at": datetime(2024, 1, 1, tzinfo=UTC)}, "field at: expected TimestampTypeInfo"),
        ({"at": date(2024, 1, 1)}, "field at: expected TimestampTypeInfo"),
        ({"state": "GONE"}, "field state: the enum shop.State has no symbol 'GONE'"),
        ({"items": [Row(sku="a", count=1), Row(sku="b", count=1 << 31)]}, "field items[1].count: expected Integer"),
        ({"items": [Row(sku="a")]}, "field items[0]"),
        ({"items": 5}, "field items: expected"),
        ({"tags": {"x": "y"}}, "field tags['x']: expected Double"),
        ({"tags": {1: 1.0}}, "field tags[1]: expected String"),
        ({"name": "\ud800"}, "field name: the text '\\ud800' holds a lone surrogate"),
        ({"extra": 1}, "the type has no fields ['extra']"),
    ],
)
@pytest.mark.usefixtures("strict")
def test_a_value_that_does_not_fit_is_told_with_its_place(changes: dict[str, Any], words: str) -> None:
    writer = AvroRowSerializationSchema(avro_schema_string=ORDER)
    with pytest.raises(FormatError) as caught:
        writer.serialize_block([order(), order(**changes)])
    assert words in str(caught.value)


@pytest.mark.parametrize("value", [None, 1, "x", {"id": 1}, Row(1)])
def test_what_is_no_row_of_the_schema_is_a_format_error(value: Any) -> None:
    with pytest.raises(FormatError, match="cannot write as Avro"):
        AvroRowSerializationSchema(avro_schema_string=ORDER).serialize(value)


def test_times_of_all_units() -> None:
    units = ["time-millis", "time-micros", "timestamp-millis", "timestamp-micros", "timestamp-nanos"]
    units += ["local-timestamp-millis", "local-timestamp-micros", "date"]
    fields = [
        {"name": unit.replace("-", "_"), "type": {"type": base, "logicalType": unit}}
        for unit in units
        for base in ["int" if unit in ("time-millis", "date") else "long"]
    ]
    text = json.dumps({"type": "record", "name": "r", "fields": fields})
    millis, micros = datetime(1969, 12, 31, 23, 59, 59, 999000), datetime(2024, 5, 6, 7, 8, 9, 123456)
    row = Row(time(1, 2, 3, 4000), micros.time(), millis, micros, Instant(-1, 5), millis, micros, date(1, 1, 1))
    row.set_field_names([unit.replace("-", "_") for unit in units])
    message = AvroRowSerializationSchema(avro_schema_string=text).serialize(row)
    assert AvroRowDeserializationSchema(avro_schema_string=text).deserialize(message) == row
    with pytest.raises(FormatError, match="field timestamp_nanos.*more than 64 bits"):
        AvroRowSerializationSchema(avro_schema_string=text).serialize(Row(*row[:4], Instant(1 << 40, 0), *row[5:]))
    ours = fastavro.schemaless_reader(io.BytesIO(message), json.loads(text), None)
    assert ours["timestamp_micros"].replace(tzinfo=None) == micros
    assert ours["local_timestamp_micros"] == micros
    assert (ours["time_millis"], ours["time_micros"], ours["date"]) == (row[0], row[1], row[7])


def test_an_instant_finer_than_the_schema_is_refused() -> None:
    kind = Types.ROW_NAMED(["at"], [Types.INSTANT()])
    with pytest.raises(FormatError, match="field at: .* finer than the microseconds"):
        AvroRowSerializationSchema.for_type(kind).serialize(Row(at=Instant(1, 1)))


def test_recursive_records_and_unions_are_of_any_type() -> None:
    text = """{"type": "record", "name": "Node", "fields": [
        {"name": "value", "type": ["null", "long", "string", "double"]},
        {"name": "next", "type": ["null", "Node"], "default": null}]}"""
    kind = to_row_type(AvroSchema(text))
    assert kind.get_field_types() == [Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY()]
    row = Row(value=1, next=Row(value="x", next=Row(value=2.5, next=Row(value=None, next=None))))
    writer, reader = (
        AvroRowSerializationSchema(avro_schema_string=text),
        AvroRowDeserializationSchema(avro_schema_string=text),
    )
    assert reader.deserialize(writer.serialize(row)) == row
    endless = Row(value=1, next=None)
    endless["next"] = endless
    with pytest.raises(FormatError, match="nested too deeply"):
        writer.serialize(endless)
    with pytest.raises(FormatError, match="nested too deeply"):
        reader.deserialize(b"\0\2" * 100_000 + b"\0\0")
    with pytest.raises(FormatError, match="field next.value: expected one of union"):
        writer.serialize(Row(value=1, next=Row(value=b"", next=None)))


def test_rows_in_unions() -> None:
    text = """{"type": "record", "name": "Top", "fields": [{"name": "u", "type": ["null", "string",
        {"type": "record", "name": "A", "fields": [{"name": "x", "type": "int"}, {"name": "y", "type": "int"}]},
        {"type": "record", "name": "B", "fields": [{"name": "z", "type": "int"}, {"name": "y", "type": "int"}]}]}]}"""
    writer = AvroRowSerializationSchema(avro_schema_string=text)
    reader = AvroRowDeserializationSchema(avro_schema_string=text)
    for value in (None, "s", Row(x=1, y=2), Row(z=1, y=2)):
        assert reader.deserialize(writer.serialize(Row(u=value))) == Row(u=value)
    assert reader.deserialize(writer.serialize(Row(u=Row(1, 2)))) == Row(u=Row(x=1, y=2))
    assert reader.deserialize(writer.serialize(Row(u=("B", Row(1, 2))))) == Row(u=Row(z=1, y=2))
    with pytest.raises(FormatError, match="field u: expected one of union"):
        writer.serialize(Row(u=Row(1)))


def test_records_that_are_used_twice() -> None:
    text = """{"type": "record", "name": "Pair", "fields": [
        {"name": "a", "type": {"type": "record", "name": "P", "fields": [{"name": "x", "type": "int"}]}},
        {"name": "b", "type": "P"}]}"""
    row = Row(a=Row(x=1), b=Row(x=-1))
    message = AvroRowSerializationSchema(avro_schema_string=text).serialize(row)
    assert message == b"\2\1"
    assert AvroRowDeserializationSchema(avro_schema_string=text).deserialize(message) == row
    with pytest.raises(FormatError, match=r"field b\.x: expected Integer"):
        AvroRowSerializationSchema(avro_schema_string=text).serialize(Row(a=Row(x=1), b=Row(x="1")))


def test_record_classes_of_java_and_missing_schemas_are_refused() -> None:
    for made in (AvroRowSerializationSchema, AvroRowDeserializationSchema):
        with pytest.raises(UnsupportedOperation, match="avro_schema_string="):
            made("org.example.User")
        with pytest.raises(ValidationError, match="pass avro_schema_string="):
            made()
        with pytest.raises(ValidationError, match="top is a record"):
            made(avro_schema_string='"string"')


def test_types_without_a_form_are_refused() -> None:
    with pytest.raises(ValidationError, match="'a b'"):
        from_row_type(Types.ROW_NAMED(["a b"], [Types.INT()]))
    pickled = Types.ROW_NAMED(["a"], [Types.PICKLED_BYTE_ARRAY()])
    assert AvroRowSerializationSchema.for_type(pickled).serialize(Row(a={1, 2}))
    with pytest.raises(ValidationError, match="not read from outside"):
        AvroRowDeserializationSchema.for_type(pickled)


def test_records_named_alike_get_names_of_their_own() -> None:
    inner = Types.ROW_NAMED(["x"], [Types.INT()])
    kind = Types.ROW_NAMED(["a", "a_b"], [Types.ROW_NAMED(["b_c"], [inner]), Types.ROW_NAMED(["c"], [inner])])
    row = Row(a=Row(b_c=Row(x=1)), a_b=Row(c=Row(x=2)))
    message = AvroRowSerializationSchema.for_type(kind).serialize(row)
    assert AvroRowDeserializationSchema.for_type(kind).deserialize(message) == row
    fastavro.parse_schema(json.loads(str(from_row_type(kind))))


def test_the_place_of_a_bad_message_is_told() -> None:
    kind = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.LIST(Types.STRING())])
    reader = AvroRowDeserializationSchema.for_type(kind)
    good = AvroRowSerializationSchema.for_type(kind).serialize(Row(a=1, b=["x"]))
    bad = good[:-2] + b"\xff" + good[-1:]

    def position(index: int) -> tuple[str, int, int]:
        return "topic", 3, 100 + index

    with pytest.raises(FormatError, match=r"of topic, partition 3, offset 102: field b\[0\]: a string is not UTF-8"):
        reader.deserialize_block([good, None, bad], position)


def test_many_fields_and_deep_types() -> None:
    deep = Types.LONG()
    for _ in range(30):
        deep = Types.LIST(deep)
    value: Any = 5
    for _ in range(30):
        value = [value]
    names = [f"f{i}" for i in range(1000)]
    kind = Types.ROW_NAMED([*names, "deep"], [Types.INT()] * 1000 + [deep])
    row = Row(*range(1000), value)
    row.set_field_names([*names, "deep"])
    message = AvroRowSerializationSchema.for_type(kind).serialize(row)
    assert AvroRowDeserializationSchema.for_type(kind).deserialize(message) == row
