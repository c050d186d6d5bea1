"""The format ``protobuf``: what Flink 2.3 reads and writes for the same messages and rows."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from datastream.errors import FormatError, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.connectors.formats.format import Layout
from datastream.table.connectors.formats.protobuf_format import ProtobufFormat
from datastream.table.plan.relations import Column
from tests.support.formats.protobuf_tables import SimpleTest, Three

INNER = "ROW<v1 BIGINT, v2 INT>"
ALL = (
    f"uid BIGINT, name STRING, category_type INT, content BYTES, price DOUBLE, value_map MAP<BIGINT, {INNER}>, "
    f"value_arr ARRAY<{INNER}>, corpus_int INT, corpus_str STRING, `one` {INNER}, flag BOOLEAN, f FLOAT, "
    "words ARRAY<STRING>, names MAP<STRING, STRING>, a INT, b STRING, with_default INT, `from` BIGINT, "
    "blobs ARRAY<BYTES>, corpora ARRAY<STRING>"
)
OF_THREE = (
    "uid BIGINT, name STRING, maybe INT, kind STRING, numbers ARRAY<INT>, ts ROW<seconds BIGINT, nanos INT>, "
    "`inner` ROW<uid BIGINT, name STRING>"
)


def layout(columns: str) -> Layout:
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'blackhole')")
    schema = env.from_path("t").get_schema()
    pairs = zip(schema.get_field_names(), schema.get_field_data_types(), strict=True)
    return Layout(tuple(Column(name, kind) for name, kind in pairs), "table t, format protobuf")


def options(message: Any, **changed: Any) -> dict[str, Any]:
    given = {"ignore-parse-errors": False, "read-default-values": False, "write-null-string-literal": ""}
    return {**given, "message-class-name": message.DESCRIPTOR.full_name, **changed}


def read(columns: str, message: Any, data: bytes, **changed: Any) -> Any:
    of = layout(columns)
    decoder = ProtobufFormat().decoder(of, of.names, options(message, **changed))
    decoder = pickle.loads(pickle.dumps(decoder))
    return decoder.schema.deserialize(data)


def written(columns: str, message: Any, *row: Any, **changed: Any) -> Any:
    encoder = ProtobufFormat().encoder(layout(columns), options(message, **changed))
    return message.FromString(pickle.loads(pickle.dumps(encoder)).serialize(row))


def full() -> Any:
    message = SimpleTest(
        uid=5,
        name="n",
        content=b"ab",
        corpus_int=2,
        corpus_str=7,
        flag=True,
        f=1.5,
        b="x",
        corpora=[1, 7],
        blobs=[b"q"],
    )
    setattr(message, "from", 3)
    message.value_map[1].v1 = 2
    message.value_arr.add(v2=4)
    message.names["k"] = "v"
    message.words.append("w")
    return message


@pytest.mark.parametrize(
    ("message", "columns", "defaults", "expected"),
    [
        (
            full(),
            ALL,
            False,
            (5, "n", None, b"ab", None, {1: (2, None)}, ((None, 4),), 2, "VIDEO", None, True, 1.5, ("w",), {"k": "v"})
            + (None, "x", None, 3, (b"q",), ("WEB", "VIDEO")),
        ),
        (SimpleTest(), ALL, False, (None,) * 20),
        (
            full(),
            ALL,
            True,
            (5, "n", 0, b"ab", 0.0, {1: (2, 0)}, ((0, 4),), 2, "VIDEO", (0, 0), True, 1.5, ("w",), {"k": "v"})
            + (0, "x", 7, 3, (b"q",), ("WEB", "VIDEO")),
        ),
        (
            SimpleTest(),
            ALL,
            True,
            (0, "", 0, b"", 0.0, {}, (), 0, "UNIVERSAL", (0, 0), False, 0.0, (), {}, 0, "", 7, 0, (), ()),
        ),
        (Three(), OF_THREE, False, (0, "", 0, "ZERO", None, None, None)),
        (Three(), OF_THREE, True, (0, "", 0, "ZERO", (), (0, 0), (0, ""))),
        (SimpleTest(u=4294967295, ul=1 << 63), "u INT, ul BIGINT", False, (-1, -(1 << 63))),
        (SimpleTest(one={}), f"`one` {INNER}", False, ((None, None),)),
        (SimpleTest(value_arr=[{}]), f"value_arr ARRAY<{INNER}>", False, (((None, None),),)),
        (SimpleTest(corpora=[1, 7]), "corpora ARRAY<INT>", False, ((1, 7),)),
        (SimpleTest(a=0), "a INT, b STRING", False, (0, None)),
    ],
)  # fmt: skip
def test_absent_fields_are_read_as_in_flink(message: Any, columns: str, defaults: bool, expected: Any) -> None:
    assert read(columns, type(message), message.SerializeToString(), **{"read-default-values": defaults}) == expected


def test_numbers_that_an_enum_has_not() -> None:
    assert read("corpus_str STRING, corpus_int INT", SimpleTest, b"\x48\x63\x40\x63") == (None, None)
    assert read("kind STRING", Three, b"\x20\x05") == ("UNRECOGNIZED",)
    assert read("kind INT", Three, b"\x20\x05") == (5,)


@pytest.mark.parametrize(
    ("columns", "row", "expected"),
    [
        ("uid BIGINT, name STRING", (5, None), SimpleTest(uid=5)),
        ("corpus_str STRING, corpus_int INT", ("WEB", 2), SimpleTest(corpus_str=1, corpus_int=2)),
        ("words ARRAY<STRING>", (("a", None),), SimpleTest(words=["a", ""])),
        ("names MAP<STRING, STRING>", ({"a": None, None: "b"},), SimpleTest(names={"a": "", "": "b"})),
        ("corpora ARRAY<STRING>", (("WEB", None),), SimpleTest(corpora=[1, 0])),
        ("blobs ARRAY<BYTES>", ((b"a", None),), SimpleTest(blobs=[b"a", b""])),
        (f"value_arr ARRAY<{INNER}>", (((1, None), None),), SimpleTest(value_arr=[{"v1": 1}, {}])),
        (f"value_map MAP<BIGINT, {INNER}>", ({1: None, 2: (1, None)},), SimpleTest(value_map={1: {}, 2: {"v1": 1}})),
        (f"`one` {INNER}", ((None, None),), SimpleTest(one={})),
        ("a INT, b STRING", (1, "x"), SimpleTest(b="x")),
        ("b STRING, a INT", ("x", 1), SimpleTest(a=1)),
        ("u INT, ul BIGINT", (-1, -1), SimpleTest(u=(1 << 32) - 1, ul=(1 << 64) - 1)),
        ("with_default INT", (None,), SimpleTest()),
        ("`from` BIGINT", (3,), SimpleTest(**{"from": 3})),
        ("maybe INT, numbers ARRAY<INT>", (0, (1, None)), Three(maybe=0, numbers=[1, 0])),
        ("ts ROW<seconds BIGINT, nanos INT>", ((3, 4),), Three(ts={"seconds": 3, "nanos": 4})),
    ],
)  # fmt: skip
def test_rows_are_written_as_in_flink(columns: str, row: Any, expected: Any) -> None:
    assert written(columns, type(expected), *row) == expected


def test_what_stands_for_null_among_strings() -> None:
    columns = "words ARRAY<STRING>, names MAP<STRING, STRING>, blobs ARRAY<BYTES>"
    found = written(columns, SimpleTest, (None,), {"a": None}, (None,), **{"write-null-string-literal": "NULL"})
    assert found == SimpleTest(words=["NULL"], names={"a": "NULL"}, blobs=[b""])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("u BIGINT", "column u is BIGINT, but the field is uint32: declare it INT"),
        ("uid INT", "column uid is INT, but the field is int64: declare it BIGINT"),
        ("name BYTES", "column name is BYTES, but the field is string: declare it STRING"),
        ("corpus_int DOUBLE", "column corpus_int is DOUBLE, but the field is an enum: declare it STRING or INT"),
        ("`one` STRING", "column one is .*, but the field is a message com.example.SimpleTest.InnerMessageTest"),
        ("words STRING", "column words is .*, but the field is repeated: declare it an ARRAY"),
        ("value_arr ARRAY<ROW<v1 INT>>", r"column value_arr\[\].v1 is INT, but the field is int64"),
        ("names MAP<STRING, INT>", r"column names\[\] is INT, but the field is string: declare it STRING"),
        ("nam STRING", "column nam: there is no field of com.example.SimpleTest 'nam'.*name"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: str, message: str) -> None:
    with pytest.raises(ValidationError, match=f"table t, format protobuf: {message}"):
        read(columns, SimpleTest, b"")


@pytest.mark.parametrize(
    "name", ["com.example.Nothing", "nothing", "json.JSONDecoder", "tests.support.formats.nothing.A"]
)
def test_a_class_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match=r"option 'protobuf.message-class-name'"):
        read("uid BIGINT", SimpleTest, b"", **{"message-class-name": name})


def test_a_class_is_found_in_its_module() -> None:
    name = "tests.support.formats.protobuf_tables.SimpleTest"
    assert read("uid BIGINT", SimpleTest, SimpleTest(uid=4).SerializeToString(), **{"message-class-name": name}) == (4,)


def test_what_cannot_be_read_or_written_is_told_with_its_column() -> None:
    with pytest.raises(FormatError, match=r"table t, format protobuf: cannot read a com.example.SimpleTest: .*xff"):
        read("uid BIGINT", SimpleTest, b"\xff\xff")
    with pytest.raises(FormatError, match="column price: it is NOT NULL, and the message has no such field"):
        read("uid BIGINT, price DOUBLE NOT NULL", SimpleTest, b"")
    with pytest.raises(
        FormatError, match="column corpus_str: the enum com.example.SimpleTest.Corpus has no value 'NOPE'"
    ):
        written("corpus_str STRING", SimpleTest, "NOPE")
    with pytest.raises(FormatError, match="column corpus_int: the enum .* has no value 99"):
        written("corpus_int INT", SimpleTest, 99)


def test_messages_that_cannot_be_read_may_be_dropped() -> None:
    of = layout("uid BIGINT")
    decoder = ProtobufFormat().decoder(of, of.names, options(SimpleTest, **{"ignore-parse-errors": True}))
    assert decoder.drops_errors
