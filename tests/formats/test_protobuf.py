"""Protobuf messages and their rows: round trips, damaged bytes, classes that travel by their description."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import timestamp_pb2
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, Types
from datastream.errors import FormatError, ValidationError
from datastream.formats.protobuf import (
    ProtobufDeserializationSchema,
    ProtobufRowDeserializationSchema,
    ProtobufRowSerializationSchema,
    ProtobufSerializationSchema,
    row_type,
)
from datastream.time import Instant
from datastream.types.pickles import dumps_records, loads
from tests.support.draws import draws
from tests.support.formats.protobuf_files import SINGLE, shop
from tests.support.formats.strategies import damaged, equal

POOL, CLASSES = shop()
ORDER, ITEM, NODE, OLD = CLASSES.values()
READ, WRITE = ProtobufRowDeserializationSchema(ORDER), ProtobufRowSerializationSchema(ORDER)


def item(sku: str = "s", count: int = 1) -> Row:
    return Row(sku=sku, count=count)


def ints(bits: int, signed: bool) -> st.SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else st.integers(0, (1 << bits) - 1)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "float": st.floats(width=32),
    "double": st.floats(),
    "bool": st.booleans(),
    "string": TEXT,
    "bytes": st.binary(max_size=4),
}
for name in SINGLE:
    if name not in VALUES:
        VALUES[name] = ints(64 if "64" in name else 32, not name.startswith(("u", "fixed")))
STATES = st.sampled_from(["NEW", "PAID", "SENT"])
ITEMS = st.builds(item, TEXT, VALUES["int32"])
INSTANTS = st.builds(Instant, st.integers(-62_135_596_800, 253_402_300_799), st.integers(0, 999_999_999))


@st.composite
def orders(draw: st.DrawFn) -> Row:
    row = empty()
    for name, values in VALUES.items():
        if draw(st.integers(0, 3)) == 0:
            row[f"a_{name}"] = draw(values)
            row[f"r_{name}"] = draw(st.lists(values, max_size=2))
    row["state"], row["states"] = draw(STATES), draw(st.lists(STATES, max_size=2))
    row["item"], row["items"] = draw(st.none() | ITEMS), draw(st.lists(ITEMS, max_size=2))
    row["at"], row["from"] = draw(st.none() | INSTANTS), draw(TEXT)
    row[draw(st.sampled_from(["card"]))] = draw(st.none() | TEXT)
    row["counts"] = draw(st.dictionaries(TEXT, VALUES["int64"], max_size=2))
    row["parts"] = draw(st.dictionaries(VALUES["int32"], ITEMS, max_size=2))
    row["marks"] = draw(st.dictionaries(st.booleans(), STATES, max_size=2))
    row["o_int32"], row["o_string"] = draw(st.none() | VALUES["int32"]), draw(st.none() | TEXT)
    return row


def empty(**changes: Any) -> Row:
    row = READ.deserialize(b"")
    for name, value in changes.items():
        row[name] = value
    return row


@draws(1000)
@given(orders(), st.data())
def test_rows_come_back_and_damaged_bytes_are_format_errors(row: Row, data: st.DataObject) -> None:
    message = WRITE.serialize(row)
    assert equal(READ.deserialize(message), row)
    for spoilt in (data.draw(damaged(message)), data.draw(st.binary(max_size=30))):
        try:
            found = READ.deserialize(spoilt)
        except FormatError:
            continue
        assert equal(READ.deserialize(WRITE.serialize(found)), found)


def test_the_row_type_of_a_message() -> None:
    kind = READ.get_produced_type()
    found = dict(zip(kind.get_field_names(), kind.get_field_types(), strict=True))
    assert found["a_int32"] == found["a_sfixed32"] == Types.INT()
    assert found["a_uint32"] == found["a_int64"] == Types.LONG()
    assert found["a_uint64"] == Types.BIG_INT()
    assert found["r_bytes"] == Types.LIST(Types.PRIMITIVE_ARRAY(Types.BYTE()))
    assert found["at"] == Types.INSTANT()
    assert found["marks"] == Types.MAP(Types.BOOLEAN(), Types.STRING())
    assert found["item"] == row_type(ITEM.DESCRIPTOR) == Types.ROW_NAMED(["s", "c"], [Types.STRING(), Types.INT()])


def test_absent_fields() -> None:
    row = empty()
    assert row["a_int32"] == 0 and row["r_int32"] == [] and row["counts"] == {}
    assert row["item"] is None and row["o_int32"] is None and row["card"] is None
    assert READ.deserialize(WRITE.serialize(empty(o_int32=0)))["o_int32"] == 0
    assert READ.deserialize(WRITE.serialize(empty(item=item("", 0))))["item"] == item("", 0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"a_int32": 1 << 31}, "field a_int32: expected Integer"),
        ({"a_int32": True}, "field a_int32: expected Integer"),
        ({"a_uint32": -1}, "field a_uint32: Value out of range: -1"),
        ({"a_uint64": 1 << 64}, "field a_uint64: "),
        ({"a_float": 1e300}, "field a_float: expected Float"),
        ({"a_bool": 1}, "field a_bool: expected Boolean"),
        ({"a_string": b"x"}, "field a_string: expected String"),
        ({"a_string": "\ud800"}, "field a_string: the text"),
        ({"a_bytes": "x"}, "field a_bytes: expected bytes"),
        ({"a_int32": None}, "field a_int32: the field is never absent"),
        ({"r_int32": None}, "field r_int32: expected"),
        ({"r_int32": [1, None]}, r"field r_int32\[1\]: expected Integer"),
        ({"state": "LOST"}, "the enum shop.State has no value 'LOST'"),
        ({"items": [item(), item(count="x")]}, r"field items\[1\].count: expected Integer"),  # type: ignore[arg-type]
        ({"counts": {"a": "b"}}, r"field counts\['a'\]: expected Long"),
        ({"card": "x", "cash": 1}, "of the oneof pick only one may be there: card, cash"),
        ({"at": Instant(1 << 50, 0)}, "field at: .*no google.protobuf.Timestamp"),
        ({"from": 5}, "field from: expected String"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_place(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(FormatError, match=words):
        WRITE.serialize(empty(**changes))


def test_rows_without_names_and_other_kinds() -> None:
    write = ProtobufRowSerializationSchema(ITEM)
    assert write.serialize(Row("a", 1)) == write.serialize(Row(count=1, sku="a")) == b"\n\1a\x10\1"
    for wrong in (None, 5, Row(1), {"sku": 1}):
        with pytest.raises(FormatError, match="cannot write as shop.Item"):
            write.serialize(wrong)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (ORDER(state=77), "field state: the enum shop.State has no value of number 77"),
        (ORDER(states=[1, 77]), r"field states\[1\]: the enum"),
        (ORDER(at=timestamp_pb2.Timestamp(nanos=-1).SerializeToString() and {"nanos": -1}), "field at: 0 s and -1 ns"),
    ],
)
def test_messages_that_are_no_rows(message: Any, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        READ.deserialize(message.SerializeToString())


def test_messages_that_hold_themselves() -> None:
    read, write = ProtobufRowDeserializationSchema(NODE), ProtobufRowSerializationSchema(NODE)
    row = Row(value=1, next=Row(value=2, next=None))
    assert read.deserialize(write.serialize(row)) == row
    assert read.get_produced_type().get_field_types() == [Types.INT(), Types.PICKLED_BYTE_ARRAY()]
    endless = Row(value=1, next=None)
    endless["next"] = endless
    with pytest.raises(FormatError, match="nested too deeply"):
        write.serialize(endless)
    data = b""
    for _ in range(300):
        size = len(data)
        data = b"\x12" + bytes([size] if size < 128 else [size & 127 | 128, size >> 7]) + data
    with pytest.raises(FormatError, match="cannot read a shop.Node"):
        read.deserialize(data)


def test_messages_as_objects() -> None:
    read, write = ProtobufDeserializationSchema(ITEM), ProtobufSerializationSchema(ITEM)
    messages = [ITEM(sku="a"), ITEM(count=5)]
    assert read.deserialize_block([*write.serialize_block(messages), None]) == messages
    for wrong in (None, b"x", NODE(), Row(1)):
        with pytest.raises(FormatError, match="expected a message shop.Item"):
            write.serialize(wrong)
    for data in (b"\xff", b"\x0a\x05a", b"\x0a\x02\xff\xfe"):
        with pytest.raises(FormatError, match="cannot read a shop.Item"):
            read.deserialize(data)
    with pytest.raises(FormatError, match="topic, offset 1: cannot read a shop.Item"):
        read.deserialize_block([b"", b"\xff"], lambda index: ("topic", None, index))
    with pytest.raises(FormatError, match="topic, offset 1: cannot read a shop.Item"):
        ProtobufRowDeserializationSchema(ITEM).deserialize_block([b"", b"\xff"], lambda i: ("topic", None, i))


def test_required_fields() -> None:
    with pytest.raises(FormatError, match=r"required fields \['id'\] are missing"):
        ProtobufDeserializationSchema(OLD).deserialize(b"")
    with pytest.raises(FormatError, match="cannot write a old.Old: .*required"):
        ProtobufSerializationSchema(OLD).serialize(OLD())
    row = Row(id=1, name=None)
    message = ProtobufRowSerializationSchema(OLD).serialize(row)
    assert ProtobufRowDeserializationSchema(OLD).deserialize(message) == row


@draws(1000)
@given(st.binary(max_size=40))
def test_any_bytes_are_a_message_or_a_format_error(data: bytes) -> None:
    for schema in _schemas():
        try:
            assert schema.deserialize(data) is not None
        except FormatError:
            continue


def _schemas(made: list[Any] = []) -> list[Any]:  # noqa: B006  made once
    if not made:
        made += [ProtobufDeserializationSchema(cls) for cls in CLASSES.values()]
        made += [ProtobufRowDeserializationSchema(cls) for cls in CLASSES.values()]
    return made


@pytest.mark.parametrize("wrong", [int, ITEM(), "shop.Item", None])
def test_what_is_no_class_of_messages_is_refused(wrong: Any) -> None:
    for made in (ProtobufDeserializationSchema, ProtobufRowSerializationSchema):
        with pytest.raises(ValidationError, match="needs a class of protobuf messages"):
            made(wrong)


CHILD = """
import pickle, sys
from tests.support.draws import draws
data = sys.stdin.buffer.read()
records, schema, writer = pickle.loads(data)
assert [m.sku for m in records] == ["a", "b"], records
assert schema.deserialize(b"\\n\\x01c").sku == "c"
again = pickle.loads(pickle.dumps(records + [schema.deserialize(b"\\n\\x01c")]))
assert [writer.serialize(m) for m in again] == [b"\\n\\x01a", b"\\n\\x01b", b"\\n\\x01c"]
"""


def test_classes_and_messages_travel_to_processes_that_do_not_have_them() -> None:
    schema, writer = ProtobufDeserializationSchema(ITEM), ProtobufSerializationSchema(ITEM)
    data = pickle.dumps(([ITEM(sku="a"), ITEM(sku="b")], schema, writer))
    done = subprocess.run([sys.executable, "-c", CHILD], input=data, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    records = [ITEM(sku="a")] * 3 + [ITEM(sku="b")]
    assert loads(dumps_records(records)) == records
    assert len(dumps_records([ITEM(sku=str(i)) for i in range(1000)])) < 100_000


def test_a_generated_class_stays_that_class() -> None:
    schema = pickle.loads(pickle.dumps(ProtobufDeserializationSchema(timestamp_pb2.Timestamp)))
    found = schema.deserialize(b"\x08\x05")
    assert type(found) is timestamp_pb2.Timestamp
    assert type(pickle.loads(pickle.dumps(found))) is timestamp_pb2.Timestamp


def test_a_point_of_time_has_no_row() -> None:
    for schema in (ProtobufRowDeserializationSchema, ProtobufRowSerializationSchema):
        with pytest.raises(ValidationError, match="Timestamp as the whole message has no row.*ProtobufDes"):
            schema(timestamp_pb2.Timestamp)


def test_the_modules_are_cheap_to_import() -> None:
    code = "import datastream.formats.protobuf, datastream.formats.avro, sys; "
    code += (
        "bad = {'google.protobuf', 'fastavro', 'confluent_kafka', 'pyarrow'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
