"""Values as their bytes alone: raw, text, bytes, and one field of a row."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, Types
from datastream.errors import FormatError, ValidationError
from datastream.formats import ByteArraySchema, SimpleStringSchema
from datastream.formats.raw import RawDeserializationSchema, RawSerializationSchema
from datastream.formats.row_field_extractor import RowFieldExtractorSchema
from tests.support.draws import draws
from tests.support.formats.strategies import equal, values

BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())
NUMBERS = [Types.BYTE(), Types.SHORT(), Types.INT(), Types.LONG(), Types.FLOAT(), Types.DOUBLE()]
KINDS = [*NUMBERS, Types.BOOLEAN(), Types.STRING(), BYTES]


@draws(1000)
@given(st.sampled_from(KINDS), st.sampled_from(["big-endian", "little-endian"]), st.data())
def test_values_come_back_and_any_bytes_are_a_value_or_a_format_error(kind: Any, order: str, data: Any) -> None:
    value = data.draw(values(kind))
    writer, reader = RawSerializationSchema(kind, endianness=order), RawDeserializationSchema(kind, endianness=order)
    assert equal(reader.deserialize(writer.serialize(value)), value)
    assert reader.get_produced_type() == kind
    try:
        found = reader.deserialize(data.draw(st.binary(max_size=9)))
    except FormatError:
        return
    assert equal(reader.deserialize(writer.serialize(found)), found)


def test_the_bytes_are_those_of_flink() -> None:
    assert RawSerializationSchema(Types.INT()).serialize(258) == b"\0\0\1\2"
    assert RawSerializationSchema(Types.INT(), endianness="little-endian").serialize(258) == b"\2\1\0\0"
    assert RawSerializationSchema(Types.BOOLEAN()).serialize(True) == b"\1"
    assert RawSerializationSchema(Types.STRING(), "ISO-8859-1").serialize("é") == b"\xe9"
    assert RawDeserializationSchema(Types.BOOLEAN()).deserialize(b"\2") is True
    reader = pickle.loads(pickle.dumps(RawDeserializationSchema(Types.LONG())))
    assert reader.deserialize_block([b"\xff" * 8, None]) == [-1]


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Types.INT(), 1 << 31), (Types.INT(), True), (Types.INT(), None), (Types.BOOLEAN(), 1), (Types.FLOAT(), 1e300),
     (Types.DOUBLE(), "1"), (Types.STRING(), b"x"), (Types.STRING(), "\ud800"), (BYTES, "x"), (BYTES, None)],
)  # fmt: skip
def test_values_of_another_type_are_format_errors(kind: Any, value: Any) -> None:
    with pytest.raises(FormatError):
        RawSerializationSchema(kind).serialize(value)


@pytest.mark.parametrize("kind", [*NUMBERS, Types.BOOLEAN()])
def test_other_lengths_are_format_errors(kind: Any) -> None:
    for data in (b"", b"\0" * 3, b"\0" * 9):
        with pytest.raises(FormatError, match=f"expected a {kind} of . bytes, found {len(data)}"):
            RawDeserializationSchema(kind).deserialize(data)


def test_other_types_charsets_and_orders_are_refused() -> None:
    for arguments in [
        (Types.ROW([]),),
        (Types.LIST(Types.INT()),),
        (Types.STRING(), "klingon"),
        (Types.INT(), "UTF-8", "pdp"),
    ]:
        with pytest.raises(ValidationError):
            RawDeserializationSchema(*arguments)
        with pytest.raises(ValidationError):
            RawSerializationSchema(*arguments)


def test_text() -> None:
    schema = SimpleStringSchema()
    assert schema.deserialize(b"a\xff") == "a\ufffd"
    assert schema.deserialize_block([b"a", None, b"\xff"]) == ["a", "\ufffd"]
    assert schema.get_produced_type() == Types.STRING()
    assert SimpleStringSchema("UTF-16").deserialize(SimpleStringSchema("UTF-16").serialize("é")) == "é"
    assert schema.serialize_block(["é", type("Name", (str,), {})("b")]) == ["é".encode(), b"b"]
    assert schema.serialize_block([]) == []
    for made, value in [(schema, 1), (schema, None), (schema, "\ud800"), (SimpleStringSchema("ascii"), "é")]:
        with pytest.raises(FormatError):
            made.serialize(value)
        with pytest.raises(FormatError):
            made.serialize_block(["a", value])
    for charset in ("klingon", "rot13", None):
        with pytest.raises(ValidationError, match="unknown charset"):
            SimpleStringSchema(charset)  # type: ignore[arg-type]


@draws(1000)
@given(st.sampled_from(["UTF-8", "ascii", "ISO-8859-1", "UTF-16", "UTF-32", "Shift_JIS", "UTF-7"]), st.binary())
def test_any_bytes_are_text(charset: str, data: bytes) -> None:
    assert isinstance(SimpleStringSchema(charset).deserialize(data), str)


def test_bytes() -> None:
    schema = ByteArraySchema()
    assert schema.serialize(bytearray(b"x")) == schema.serialize(memoryview(b"x")) == b"x"
    assert schema.deserialize_block([b"x", None, b""]) == [b"x", b""]
    assert schema.get_produced_type() == BYTES
    for value in ("x", 5, None, [1]):
        with pytest.raises(FormatError, match="expected bytes"):
            schema.serialize(value)


def test_one_field_of_a_row() -> None:
    schema = RowFieldExtractorSchema(1)
    assert schema.serialize(Row("a", b"key")) == schema.serialize(Row(a=1, b=bytearray(b"key"))) == b"key"
    assert schema.serialize(Row("a", None)) == b""
    for value in (Row("a"), Row("a", "key"), Row("a", 5), None, 5, {}):
        with pytest.raises(FormatError):
            schema.serialize(value)
    for index in (-1, "a", None, True):
        with pytest.raises(ValidationError):
            RowFieldExtractorSchema(index)  # type: ignore[arg-type]
