"""Row types of JSON schemas."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.formats.json import row_type_of
from datastream.types import Types
from tests.support.draws import draws


def row_type(properties, **more):
    return row_type_of(json.dumps({"type": "object", "properties": properties, **more}))


def of(schema, **more):
    return row_type({"f": schema}, **more).field_types[0]


def test_every_type():
    found = row_type(
        {
            "text": {"type": "string"},
            "when": {"type": "string", "format": "date-time"},
            "day": {"type": "string", "format": "date"},
            "hour": {"type": "string", "format": "time"},
            "mail": {"type": "string", "format": "email"},
            "data": {"type": "string", "contentEncoding": "base64"},
            "price": {"type": "number"},
            "count": {"type": "integer"},
            "flag": {"type": "boolean"},
            "nothing": {"type": "null"},
            "list": {"type": "array", "items": {"type": "string"}},
            "pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False},
            "inner": {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": False},
            "empty": {"type": "object"},
        }
    )
    assert repr(found) == repr(
        Types.ROW_NAMED(
            ["text", "when", "day", "hour", "mail", "data", "price", "count", "flag", "nothing", "list", "pair"]
            + ["inner", "empty"],
            [
                Types.STRING(),
                Types.SQL_TIMESTAMP(),
                Types.SQL_DATE(),
                Types.SQL_TIME(),
                Types.STRING(),
                Types.PRIMITIVE_ARRAY(Types.BYTE()),
                Types.BIG_DEC(),
                Types.BIG_INT(),
                Types.BOOLEAN(),
                Types.VOID(),
                Types.OBJECT_ARRAY(Types.STRING()),
                Types.TUPLE([Types.STRING(), Types.BIG_INT()]),
                Types.ROW_NAMED(["a"], [Types.BOOLEAN()]),
                Types.ROW_NAMED([], []),
            ],
        )
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["null", "integer"]}, Types.BIG_INT()),
        ({"type": ["string", "null"], "format": "date"}, Types.SQL_DATE()),
        ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, Types.BOOLEAN()),
        ({"oneOf": [{"$ref": "#/definitions/a~1b"}, {"type": "null"}]}, Types.STRING()),
        ({"$ref": "#/definitions/a%20c/items/0"}, Types.BIG_DEC()),
        ({"type": ["string", "string"]}, Types.STRING()),
    ],
)
def test_null_and_references(schema, expected):
    definitions = {"a/b": {"type": "string"}, "a c": {"items": [{"type": "number"}]}}
    assert of(schema, definitions=definitions) == expected


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({}, "at #/properties/f: no type could be found"),
        ({"type": "text"}, "at #/properties/f: unsupported type 'text'"),
        ({"type": 5}, "unsupported type 5"),
        ({"type": ["string", "integer"]}, "it may be String or BigInteger"),
        ({"anyOf": []}, "'anyOf' is not supported"),
        ({"type": "array"}, "needs 'items'"),
        ({"type": "array", "items": 1}, "at #/properties/f/items: it must be a schema"),
        ({"type": "array", "items": [{"type": ["null", "string"]}]}, "f/items/0: an item of a tuple cannot be null"),
        ({"type": "array", "items": [], "additionalItems": True}, "tuple has the declared items only"),
        ({"type": "object", "properties": []}, "at #/properties/f/properties: it must be an object"),
        ({"type": "object", "additionalProperties": True}, "declared fields only"),
        ({"type": "string", "format": 1}, "f/format: it must be text"),
        ({"type": "string", "contentEncoding": "hex"}, "only 'base64'"),
        ({"oneOf": {}}, "f/oneOf: it must be an array"),
        ({"$ref": "other.json"}, "same schema"),
        ({"$ref": "#/nowhere"}, "nothing is at the reference"),
        ({"$ref": "#"}, "leads to itself"),
        ({"type": "object", "properties": {"a/b": 1}}, "f/properties/a~1b: a schema must be an object"),
    ],
)
def test_errors_name_the_place(schema, message):
    with pytest.raises(ValidationError, match=message):
        of(schema)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "at #: a schema must be an object"),
        ('{"type":"string"}', "a record must be an object"),
        ("[" * 100_000, "nested too deeply"),
        (None, "expected the schema's text"),
    ],
)
def test_texts_that_are_no_schema(text, message):
    with pytest.raises(ValidationError, match=message):
        row_type_of(text)


def test_schemas_nested_beyond_python():
    schema = {"type": "string"}
    for _ in range(400):
        schema = {"type": "object", "properties": {"a": schema}}
    with pytest.raises(ValidationError, match="nested too deeply"):
        row_type_of(json.dumps(schema))


words = st.sampled_from(["type", "properties", "items", "oneOf", "$ref", "object", "array", "string", "#", "null", "a"])
schemas = st.recursive(words | st.integers(), lambda s: st.lists(s) | st.dictionaries(words, s), max_leaves=12)


@draws(1000)
@given(schemas)
def test_any_json_gives_a_row_type_or_an_error(schema):
    for text in (json.dumps(schema), json.dumps({"type": "object", "properties": {"f": schema}})):
        with suppress(ValidationError):
            row_type_of(text)
