"""Generic records of every schema as Avro, against fastavro; schema evolution; damaged bytes; wrong schemas."""

from __future__ import annotations

import io
import json
import pickle
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError, ValidationError
from datastream.formats.avro import (
    AvroDeserializationSchema,
    AvroSchema,
    AvroSerializationSchema,
    GenericRecordAvroTypeInfo,
    to_row_type,
)
from tests.support.draws import draws
from tests.support.formats.avro_schemas import schemas
from tests.support.formats.strategies import damaged, equal


def parsed(content: Any) -> AvroSchema:
    return AvroSchema.parse_string(json.dumps(content))


def write(content: Any, value: Any) -> bytes:
    return AvroSerializationSchema.for_generic(parsed(content)).serialize(value)


def read(content: Any, data: bytes, writer: Any = None) -> Any:
    other = None if writer is None else parsed(writer)
    return AvroDeserializationSchema.for_generic(parsed(content), other).deserialize(data)


def record(*fields: dict[str, Any], name: str = "r", **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields), **more}


def field(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **more}


@draws(1000)
@given(st.data())
def test_values_of_any_schema_come_back_here_and_in_fastavro(data: st.DataObject) -> None:
    content, values = data.draw(SCHEMAS)
    value = data.draw(values)
    schema = AvroSchema.parse_string(json.dumps(content))
    writer, reader = AvroSerializationSchema.for_generic(schema), AvroDeserializationSchema.for_generic(schema)
    message = writer.serialize(value)
    assert equal(reader.deserialize(message), value)
    theirs = fastavro.parse_schema(json.loads(json.dumps(content)))
    assert fastavro.schemaless_reader(io.BytesIO(message), theirs, None) == value
    written = io.BytesIO()
    fastavro.schemaless_writer(written, theirs, value)
    assert equal(reader.deserialize(written.getvalue()), value)
    for spoilt in (data.draw(damaged(message)), data.draw(st.binary(max_size=40))):
        try:
            found = reader.deserialize(spoilt)
        except FormatError:
            continue
        assert reader.deserialize(writer.serialize(found)) == found or "nan" in repr(found)


SCHEMAS = schemas()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (["null", "int", "string"], b"\x01"),
        (["null", "int", "string"], b"\x06"),
        ({"type": "enum", "name": "e", "symbols": ["A"]}, b"\x01"),
        ({"type": "enum", "name": "e", "symbols": ["A"]}, b"\x02"),
        ({"type": "enum", "name": "e", "symbols": []}, b"\x00"),
        ("boolean", b"\x02"),
        ("boolean", b""),
        ("int", b"\xff\xff\xff\xff\x1f"),
        ("long", b"\xff" * 30 + b"\x01"),
        ("long", b"\xff" * 9 + b"\x02"),
        ("bytes", b"\x03abc"),
        ("bytes", b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01abc"),
        ("string", b"\x08abc"),
        ({"type": "fixed", "name": "f", "size": (1 << 31) - 1}, b"abc"),
        ({"type": "array", "items": "int"}, b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02"),
        ({"type": "array", "items": "int"}, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x02"),
        ({"type": "array", "items": "int"}, b"\x01\x55\x02\x00"),
        ({"type": "array", "items": "null"}, b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\x00"),
        ({"type": "array", "items": record()}, b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\x00"),
        ({"type": "array", "items": {"type": "fixed", "name": "f", "size": 0}}, b"\xfe\xff\xff\xff\xff\x7f\x00"),
        ({"type": "map", "values": "null"}, b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"),
        ("long", b"\x02\x02"),
        ({"type": "int", "logicalType": "date"}, b"\xfe\xff\xff\xff\x0f"),
        ({"type": "int", "logicalType": "time-millis"}, b"\x01"),
        ({"type": "long", "logicalType": "timestamp-micros"}, b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2}, b"\x02\x64"),
        ({"type": "string", "logicalType": "uuid"}, b"\x02a"),
        (record(field("n", ["null", "r"])), b"\x02" * 1_000_000),
    ],
)
def test_bytes_that_are_no_value_are_a_format_error(kind: Any, data: bytes) -> None:
    with pytest.raises(FormatError, match="cannot read Avro"):
        read(kind, data)


def test_arrays_of_things_without_bytes() -> None:
    kind = {"type": "array", "items": "null"}
    assert read(kind, write(kind, [None] * 1000)) == [None] * 1000
    with pytest.raises(FormatError, match="more than 1024 items without bytes"):
        read(kind, b"\x82\x10\0")
    with pytest.raises(FormatError, match="1025 items without bytes"):
        write(kind, [None] * 1025)


@pytest.mark.parametrize(
    ("written", "wanted", "value", "found"),
    [
        ("int", "long", 5, 5),
        ("int", "double", 5, 5.0),
        ("long", "float", 5, 5.0),
        ("float", "double", 0.5, 0.5),
        ("string", "bytes", "é", b"\xc3\xa9"),
        ("bytes", "string", b"\xc3\xa9", "é"),
        ("int", ["null", "string", "long"], 5, 5),
        (["null", "int"], "int", 5, 5),
        (["null", "int"], ["string", "null", "long"], None, None),
        (["int", "string"], ["string", "double"], 3, 3.0),
        ({"type": "array", "items": "int"}, {"type": "array", "items": "double"}, [1], [1.0]),
        ({"type": "map", "values": "int"}, {"type": "map", "values": ["null", "long"]}, {"a": 1}, {"a": 1}),
        (
            {"type": "enum", "name": "e", "symbols": ["A", "B", "C"]},
            {"type": "enum", "name": "e", "symbols": ["C", "X"], "default": "X"},
            "B",
            "X",
        ),
        (record(field("a", "int"), field("b", "string")), record(field("b", "string")), {"a": 1, "b": "x"}, {"b": "x"}),
        (record(field("a", "int")), record(field("z", "int", aliases=["a"])), {"a": 1}, {"z": 1}),
        (record(field("a", "int"), field("b", "int")), record(field("b", "int"), field("a", "long")),
         {"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (record(), record(field("a", "int", default=3)), {}, {"a": 3}),
        (record(), record(field("a", ["null", "int"], default=None)), {}, {"a": None}),
        (record(), record(field("a", ["int", "null"], default=4)), {}, {"a": 4}),
        (record(), record(field("a", "bytes", default="\u00ff")), {}, {"a": b"\xff"}),
        (record(), record(field("a", {"type": "array", "items": "int"}, default=[1])), {}, {"a": [1]}),
        (record(), record(field("a", "double", default=1)), {}, {"a": 1.0}),
        (
            record(),
            record(field("a", {"type": "int", "logicalType": "date"}, default=1)),
            {},
            {"a": datetime(1970, 1, 2).date()},
        ),
        (
            record(),
            record(field("a", record(field("b", "string", default="x"), name="s"), default={})),
            {},
            {"a": {"b": "x"}},
        ),
        (
            record(field("skip", ["null", record(field("n", ["null", "s"]), name="s")]), field("a", "int")),
            record(field("a", "int")),
            {"skip": {"n": {"n": None}}, "a": 5},
            {"a": 5},
        ),
        (
            record(field("skip", {"type": "long", "logicalType": "timestamp-micros"}), field("a", "int")),
            record(field("a", "int")),
            {"skip": datetime(2024, 1, 1, tzinfo=UTC), "a": 5},
            {"a": 5},
        ),
    ],
)  # fmt: skip
def test_a_reader_with_another_schema(written: Any, wanted: Any, value: Any, found: Any) -> None:
    assert equal(read(wanted, write(written, value), written), found)


def test_defaults_that_are_lists_belong_to_their_record() -> None:
    wanted = parsed(record(field("a", {"type": "array", "items": "int"}, default=[1])))
    reader = AvroDeserializationSchema.for_generic(wanted, parsed(record()))
    first, second = reader.deserialize_block([b"", b""])
    first["a"].append(2)
    assert second == {"a": [1]}
    writer = AvroSerializationSchema.for_generic(wanted)
    assert writer.serialize({}) == writer.serialize({"a": [1]})


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("string", "int"),
        ("long", "int"),
        ("double", "float"),
        (["null", "string"], "int"),
        ({"type": "array", "items": "string"}, {"type": "array", "items": "int"}),
        (record(), record(field("a", "int"))),
        (record(field("a", "string")), record(field("a", "int"))),
        ({"type": "fixed", "name": "f", "size": 2}, {"type": "fixed", "name": "f", "size": 3}),
        (
            {"type": "long", "logicalType": "timestamp-millis"},
            {"type": "long", "logicalType": "timestamp-micros"},
        ),
        (
            {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 1},
            {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
        ),
    ],
)
def test_schemas_that_do_not_fit_are_refused_at_once(written: Any, wanted: Any) -> None:
    with pytest.raises(ValidationError, match="cannot be read"):
        AvroDeserializationSchema.for_generic(parsed(wanted), parsed(written))


def test_a_branch_or_symbol_that_the_reader_does_not_know_is_a_format_error() -> None:
    with pytest.raises(FormatError, match="a string was written, a int is wanted"):
        read("int", write(["int", "string"], "x"), ["int", "string"])
    old, new = ({"type": "enum", "name": "e", "symbols": symbols} for symbols in (["A"], ["A", "B"]))
    with pytest.raises(FormatError, match="has no symbol B, nor a default"):
        read(old, write(new, "B"), new)


def test_unions_take_the_branch_that_a_value_is_of() -> None:
    kind = ["null", "int", "long", "float", "double", "string", "bytes", {"type": "int", "logicalType": "date"}]
    kind = [*kind[:7], {"type": "array", "items": "int"}, {"type": "map", "values": "int"}]
    for value, branch in [
        (None, 0), (5, 1), (1 << 40, 2), (0.1, 4), ("x", 5), (b"x", 6), ([1], 7), ({"a": 1}, 8), ((1,), 7),
    ]:  # fmt: skip
        assert write(kind, value)[0] == 2 * branch
    with pytest.raises(FormatError, match="expected one of union"):
        write(kind, True)
    with pytest.raises(FormatError, match="expected one of union"):
        write(["null", "string", "bytes"], 1)
    assert read(["null", "double", "string"], write(["null", "double", "string"], 3)) == 3.0


def test_records_in_unions() -> None:
    cat = record(field("name", "string"), field("lives", "int", default=9), name="zoo.Cat")
    dog = record(field("name", "string"), field("tricks", ["null", "int"]), name="zoo.Dog")
    kind = ["null", cat, dog]
    assert write(kind, {"name": "t", "lives": 1})[0] == 2
    assert write(kind, {"name": "t", "tricks": 1})[0] == 4
    assert write(kind, {"name": "t"})[0] == 2
    assert write(kind, ("zoo.Dog", {"name": "t"}))[0] == 4
    assert read(kind, write(kind, {"name": "t"})) == {"name": "t", "lives": 9}
    alike = [record(field("x", "int"), name="A"), record(field("x", "int"), name="B"), record(name="C")]
    assert read(alike, write(alike, ("B", {"x": 1}))) == ("B", {"x": 1})
    assert read(alike, write(alike, {"x": 1})) == ("A", {"x": 1})
    assert read(alike, write(alike, {})) == {}


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ({"type": "long", "logicalType": "timestamp-millis"}, datetime(2024, 1, 1), "time zone"),
        ({"type": "long", "logicalType": "timestamp-millis"}, datetime(2024, 1, 1, 0, 0, 0, 1, UTC), "finer"),
        ({"type": "long", "logicalType": "timestamp-millis"}, 5, "time zone, found int 5"),
        ({"type": "long", "logicalType": "local-timestamp-micros"}, datetime(2024, 1, 1, tzinfo=UTC), "no time zone"),
        ({"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 1}, Decimal("1.23"), "after the point"),
        ({"type": "string", "logicalType": "uuid"}, "x", "expected a UUID"),
        ({"type": "fixed", "name": "f", "size": 2}, b"abc", "expected 2 bytes, found 3"),
        ("int", 1.0, "expected Integer"),
        ("int", True, "expected Integer"),
        ("float", 1e300, "out of range"),
        ("long", "5", "expected Long"),
        ("string", b"x", "expected String"),
        ({"type": "array", "items": "int"}, "abc", "expected a list"),
        ({"type": "array", "items": "int"}, [1, None], r"field \[1\]: expected Integer"),
        ({"type": "map", "values": "int"}, [1], "expected a dict"),
        (record(field("a", "int")), {"a": 1, "b": 2}, r"has no fields \['b'\]"),
        (record(field("a", "int")), {"b": 2}, "field a: it is missing"),
        (record(field("a", "int")), {}, r"the fields \['a'\] of the record r are missing"),
        (record(field("a", "int")), None, "expected a dict"),
    ],
)
def test_a_value_that_does_not_fit_is_a_format_error(kind: Any, value: Any, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        write(kind, value)


def test_missing_fields_that_may_be_null_are_null() -> None:
    kind = record(field("a", ["null", "int"]), field("b", "string", default="x"))
    assert read(kind, write(kind, {})) == {"a": None, "b": "x"}


def test_uuids_may_be_text() -> None:
    kind = {"type": "string", "logicalType": "uuid"}
    number = UUID(int=5)
    assert read(kind, write(kind, str(number))) == number == read(kind, write(kind, number))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "must be JSON"),
        ("5", "a type is a name"),
        ('"what"', "there is no type 'what'"),
        ("{}", 'needs a "type"'),
        ('{"type": "record", "name": "r"}', 'needs "fields"'),
        ('{"type": "record", "fields": []}', 'needs a "name"'),
        ('{"type": "record", "name": "1r", "fields": []}', "does not start with a digit"),
        ('{"type": "record", "name": "r", "fields": [{"name": "a"}]}', '"name" and "type"'),
        ('{"type": "record", "name": "r", "fields": [{"name": "a", "type": "b"}]}', "at a: there is no type 'b'"),
        (json.dumps(record(field("a", "int"), field("a", "int"))), "two fields 'a'"),
        (json.dumps(record(field("a", record(field("b", "int", default="x"), name="s")))), "at a.b: the default 'x'"),
        (json.dumps(record(field("a", record()))), "r is defined twice"),
        ('{"type": "array"}', 'an array needs "items"'),
        ('{"type": "enum", "name": "e", "symbols": ["A", "A"]}', "must differ"),
        ('{"type": "enum", "name": "e", "symbols": ["A"], "default": "B"}', "is not one of its symbols"),
        ('{"type": "fixed", "name": "e", "size": -1}', 'needs a "size"'),
        ('["null", "null"]', "null twice"),
        ('["null", ["int"]]', "another union"),
        ("[]", "at least one type"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_schema_that_is_not_valid_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        AvroSchema.parse_string(text)
    assert words in str(caught.value)


def test_schemas_from_files(tmp_path: Any) -> None:
    path = tmp_path / "s.avsc"
    path.write_text('"int"')
    assert AvroSchema.parse_file(str(path)) == AvroSchema.parse_string('"int"')
    path.write_text("nonsense")
    with pytest.raises(ValidationError, match="s.avsc: "):
        AvroSchema.parse_file(str(path))
    with pytest.raises(ValidationError, match="cannot read"):
        AvroSchema.parse_file(str(tmp_path / "none"))


def test_schemas_travel_and_name_others() -> None:
    part = json.dumps(record(field("x", "int"), name="a.Part"))
    whole = AvroSchema(json.dumps(record(field("part", "a.Part"), name="b.Whole")), [part])
    copy = pickle.loads(pickle.dumps(whole))
    assert copy == whole and hash(copy) == hash(whole)
    assert AvroSerializationSchema.for_generic(copy).serialize({"part": {"x": 1}}) == b"\2"
    assert GenericRecordAvroTypeInfo(whole) == GenericRecordAvroTypeInfo(copy)
    with pytest.raises(ValidationError, match="use AvroSchema.parse_string"):
        GenericRecordAvroTypeInfo("x")  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="use AvroSchema.parse_string"):
        AvroSerializationSchema.for_generic('"int"')  # type: ignore[arg-type]


def test_unknown_or_wrong_logical_types_are_ignored_as_avro_says() -> None:
    for kind in (
        {"type": "int", "logicalType": "fortnight"},
        {"type": "int", "logicalType": "timestamp-millis"},
        {"type": "int", "logicalType": ["date"]},
    ):
        assert read(kind, write(kind, 5)) == 5
    for kind in (
        {"type": "bytes", "logicalType": "decimal"},
        {"type": "bytes", "logicalType": "decimal", "precision": 1, "scale": 2},
        {"type": "fixed", "name": "f", "size": 1, "logicalType": "decimal", "precision": 9},
    ):
        assert read(kind, write(kind, b"x")) == b"x"


def test_schemas_that_grow_without_bound_are_refused_or_read_at_once() -> None:
    parts = [record(name="r0")]
    parts += [record(field("a", f"r{i}"), field("b", f"r{i}"), name=f"r{i + 1}") for i in range(60)]
    with pytest.raises(ValidationError, match="holds more than 100,000 values"):
        AvroSchema('"r60"', [json.dumps(part) for part in parts])
    some = AvroSchema('{"type": "array", "items": "r8"}', [json.dumps(part) for part in parts[:9]])
    with pytest.raises(FormatError, match="more than 2 items without bytes"):
        AvroDeserializationSchema.for_generic(some).deserialize(b"\xfe\xff\xff\xff\x0f")
    wide = AvroSchema('"r15"', [json.dumps(part) for part in parts[:16]])
    with pytest.raises(ValidationError, match="more than 20,000 types"):
        to_row_type(wide)
    parts = [record(name="r0")]
    parts += [
        record(field("a", f"r{i}", default={}), field("b", f"r{i}", default={}), name=f"r{i + 1}") for i in range(15)
    ]
    with pytest.raises(ValidationError, match="it represents more than 10,000 values"):
        AvroSchema('"r15"', [json.dumps(part) for part in parts])
    deep = "int"
    for _ in range(800):
        deep = {"type": "array", "items": deep}  # type: ignore[assignment]
    with pytest.raises(ValidationError, match="nested too deeply"):
        AvroDeserializationSchema.for_generic(parsed(deep))


def test_pickled_objects_are_not_read() -> None:
    kind = record(field("a", {"type": "bytes", "logicalType": "python-pickle"}), field("b", "int", default=1))
    with pytest.raises(ValidationError, match="not read from outside"):
        AvroDeserializationSchema.for_generic(parsed(kind))
    message = write(kind, {"a": {1, 2}})
    assert read(record(field("b", "int")), message, kind) == {"b": 1}
