"""Records with more fields than the type of the schema that writes them, such as the schema of a topic's keys."""

from __future__ import annotations

import json
from collections import namedtuple

import pytest

from datastream.errors import DataStreamError
from datastream.formats.avro import AvroRowSerializationSchema
from datastream.formats.csv import CsvRowSerializationSchema
from datastream.formats.json import JsonRowSerializationSchema
from datastream.types import Row, Types

TEXT = Types.STRING()
NUMBER = Types.ROW_NAMED(["number"], [TEXT])
KEY = Types.ROW_NAMED(["key"], [TEXT])
AVRO = '{"type": "record", "name": "R", "fields": [{"name": "%s", "type": "string"}]}'
Person = namedtuple("Person", ["email", "number"])

BY_NAME = [Row(email="e", number="5"), {"email": "e", "number": "5"}, Person("e", "5")]
BY_PLACE = [Row("5", "e"), ("5", "e"), Row(number="5", email="e")]


def written(kind, value):
    """By each format, as one text."""
    avro = AvroRowSerializationSchema(avro_schema_string=AVRO % kind.field_names[0]).serialize(value)
    return {
        json.loads(JsonRowSerializationSchema(kind).serialize(value))[kind.field_names[0]],
        CsvRowSerializationSchema.Builder(kind).build().serialize(value).decode().strip(),
        avro[1:].decode(),
    }


@pytest.mark.parametrize("value", BY_NAME)
def test_the_fields_of_the_type_are_taken_by_name(value):
    assert written(NUMBER, value) == {"5"}


@pytest.mark.parametrize("value", BY_PLACE)
def test_where_the_record_has_no_such_names_the_first_ones_are_taken(value):
    assert written(KEY, value) == {"5"}


def test_two_of_three_in_the_order_of_the_type():
    kind = Types.ROW_NAMED(["c", "a"], [Types.INT(), TEXT])
    assert JsonRowSerializationSchema(kind).serialize(Row(a="x", b="y", c=3)) == b'{"c":3,"a":"x"}'


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Types.ROW_NAMED(["number", "more"], [TEXT, TEXT]), Row(number="5", email="e", name="n")),  # one is missing
        (Types.ROW_NAMED(["email", "number", "more"], [TEXT, TEXT, TEXT]), Row(email="e", number="5")),  # too few
        (KEY, {"email": "e", "number": "5"}),  # a dict has no places
        (Types.ROW_NAMED(["number"], [Types.INT()]), Row(email="e", number="5")),  # another type
    ],
)
def test_others_do_not_fit(kind, value):
    with pytest.raises(DataStreamError):
        JsonRowSerializationSchema(kind).serialize(value)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("value", [*BY_NAME, *BY_PLACE])
def test_strict_wants_all_of_them(value):
    for kind in (NUMBER, KEY):
        with pytest.raises(DataStreamError):
            JsonRowSerializationSchema(kind).serialize(value)


def test_the_log_says_so_once(caplog):
    kind = Types.ROW_NAMED(["once"], [TEXT])
    with caplog.at_level("WARNING", "datastream"):
        JsonRowSerializationSchema(kind).serialize_block([Row(once="5", email="e")] * 3)
    (said,) = [line for line in caplog.messages if "once: String" in line]
    assert "of 2 fields are written with the 1 of" in said and "datastream.types.check=strict" in said
