"""Values of JSON as JsonRowDeserializationSchema of Flink 2.3 reads them: ``json_of_flink.json`` has what it gave."""

from __future__ import annotations

import json
import logging
from decimal import Decimal
from pathlib import Path

import pytest

from datastream.errors import FormatError
from datastream.formats.json import JsonRowDeserializationSchema
from datastream.types import Row, Types
from datastream.types.java_text import narrowed
from datastream.types.printed import java_printer

TEXT = Types.STRING()
TYPES = {
    "STRING": TEXT,
    "INT": Types.INT(),
    "LONG": Types.LONG(),
    "SHORT": Types.SHORT(),
    "BYTE": Types.BYTE(),
    "DOUBLE": Types.DOUBLE(),
    "FLOAT": Types.FLOAT(),
    "BOOLEAN": Types.BOOLEAN(),
    "BIG_DEC": Types.BIG_DEC(),
    "BIG_INT": Types.BIG_INT(),
    "INSTANT": Types.INSTANT(),
    "SQL_DATE": Types.SQL_DATE(),
    "SQL_TIME": Types.SQL_TIME(),
    "SQL_TIMESTAMP": Types.SQL_TIMESTAMP(),
    "MAP": Types.MAP(TEXT, TEXT),
    "ARRAY": Types.BASIC_ARRAY(Types.INT()),
    "OBJECTS": Types.OBJECT_ARRAY(TEXT),
    "ROW": Types.ROW_NAMED(["x"], [TEXT]),
    "INTS": Types.PRIMITIVE_ARRAY(Types.INT()),
}
#: (type, what Flink makes up): an error here.
MADE_UP = {
    ("BOOLEAN", "false"): "no text but true and false, and no number, is a BOOLEAN",
    ("MAP", "{}"): "what is no object is no map",
    ("DOUBLE", "Infinity"): "the number is too large",
    ("FLOAT", "Infinity"): "the number is too large",
}
#: Types whose values are read here in more forms than in Flink: ``1.0`` as SHORT, a timestamp without a Z.
WIDER = {"SHORT", "BYTE", "BIG_DEC", "BIG_INT", "SQL_TIME", "SQL_TIMESTAMP"}
RECORDED = json.loads(Path(__file__).with_name("json_of_flink.json").read_text())


def read(kind, message, **flags):
    try:
        return JsonRowDeserializationSchema(Types.ROW_NAMED(["v"], [kind]), **flags).deserialize(message)
    except FormatError as error:
        return str(error)


def same(name, found, flink):
    """Whether a field's value is that of Flink, which is known by its text in Java."""
    if found is None:
        return flink == "null"
    if name == "BIG_DEC":  # Flink takes the zeros off
        return found == Decimal(flink)
    return java_printer(TYPES[name])(narrowed(found) if name == "FLOAT" else found) == flink


@pytest.mark.parametrize("name", TYPES)
def test_values_are_read_as_in_flink(name):
    for text, flink in RECORDED[name].items():
        row = read(TYPES[name], f'{{"v":{text}}}'.encode())
        if isinstance(row, Row):
            right = name in WIDER if flink is None else same(name, row[0], flink)
            assert right or (name, text) == ("INSTANT", "-1.5"), (text, flink, row)  # Flink's is a second later
        else:
            assert flink is None or (name, flink) in MADE_UP, (text, flink, row)


def test_a_byte_order_mark_is_no_part_of_a_message():
    assert read(TEXT, b'\xef\xbb\xbf{"v":"a"}') == Row(v="a")


def test_what_is_converted_is_said_once(caplog):
    kind = Types.ROW_NAMED(["of_this_test"], [TEXT])
    schema = JsonRowDeserializationSchema(kind)
    with caplog.at_level(logging.WARNING, "datastream"):
        assert schema.deserialize_block([b'{"of_this_test":1}', b'{"of_this_test":2}']) == [
            Row(of_this_test="1"),
            Row(of_this_test="2"),
        ]
    said = [line for line in caplog.messages if "of_this_test" in line]
    assert said == [
        "JSON: field of_this_test: a number is read as String, as in Flink; -D datastream.types.check=strict refuses it"
    ]


@pytest.mark.parametrize(
    ("kind", "text", "advice"),
    [
        (TEXT, "512", "the message has a number there: declare the field as Types.BIG_INT()"),
        (TEXT, "1.5", "the message has a number there: declare the field as Types.DOUBLE()"),
        (TEXT, "true", "the message has a boolean there: declare the field as Types.BOOLEAN()"),
        (
            TEXT,
            '{"x": 1}',
            "the message has an object there: declare the field as Types.ROW_NAMED(...) or Types.MAP(...)",
        ),
        (TEXT, "[1]", "the message has an array there: declare the field as Types.LIST(...)"),
        (Types.INT(), '"12"', "the message has text there: declare the field as Types.STRING()"),
        (Types.LONG(), "1.5", "the message has a number there: declare the field as Types.DOUBLE()"),
    ],
)
@pytest.mark.usefixtures("strict")
def test_strict_refuses_it_and_says_what_to_do(kind, text, advice):
    said = read(kind, f'{{"v":{text}}}'.encode())
    assert f"{advice}, or read such fields as None with ignore_parse_errors()" in said
    assert "-D datastream.types.check=flink reads it as Flink does" in said
    assert read(kind, f'{{"v":{text}}}'.encode(), ignore_parse_errors=True) == Row(v=None)


def test_an_error_of_both_names_no_setting():
    assert "datastream.types.check" not in read(Types.INT(), b'{"v":"abc"}')
    assert "declare the field as Types.STRING()" in read(Types.INT(), b'{"v":"abc"}')
