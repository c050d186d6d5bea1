"""The formats json, csv and raw, message by message."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import FormatError, ValidationError
from datastream.table import DataTypes
from datastream.table.connectors.formats.format import Layout
from datastream.table.connectors.formats.registry import find_format
from datastream.table.plan.relations import Column
from tests.support.formats.registry_server import registry_server

INNER = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.TIME(3)), DataTypes.FIELD("y", DataTypes.BYTES())])
COLUMNS = {
    "id": DataTypes.INT(),
    "s": DataTypes.STRING(),
    "at": DataTypes.TIMESTAMP(3),
    "utc": DataTypes.TIMESTAMP_LTZ(3),
    "d": DataTypes.DECIMAL(10, 2),
    "days": DataTypes.ARRAY(DataTypes.DATE()),
    "m": DataTypes.MAP(DataTypes.STRING(), DataTypes.DOUBLE()),
    "r": INNER,
    "b": DataTypes.BOOLEAN(),
}
MESSAGE = (
    b'{"id":1,"s":"x","at":"2024-01-31 12:30:00.5","utc":"2024-01-31 12:30:00Z","d":1.01,"days":["2024-01-01",null],'
    b'"m":{"a":1.5,"b":null},"r":{"x":"12:00:00.25","y":"AQI="},"b":true}'
)
ROW = (
    1,
    "x",
    1_706_704_200_500_000,
    1_706_704_200_000_000,
    Decimal("1.01"),
    (19_723, None),
    {"a": 1.5, "b": None},
    (43_200_250_000, b"\x01\x02"),
    True,
)


def layout(columns):
    return Layout(tuple(Column(name, kind) for name, kind in columns.items()), "table `t`")


def options(name, given):
    form = find_format(name, "t")
    there = {option.name: option.default for option in form.options}
    return form, there | {key if key in there else key.replace("_", "-"): value for key, value in given.items()}


def decoder(name, columns=COLUMNS, wanted=None, **given):
    form, settings = options(name, given)
    return pickle.loads(pickle.dumps(form.decoder(layout(columns), wanted or list(columns), settings)))


def encoder(name, columns=COLUMNS, **given):
    form, settings = options(name, given)
    return pickle.loads(pickle.dumps(form.encoder(layout(columns), settings)))


# -- json -------------------------------------------------------------------------------------------


def test_json_both_ways():
    assert decoder("json").deserialize_block([MESSAGE, b"{}", b"null", None]) == [ROW, (None,) * 9]
    assert encoder("json").serialize(ROW) == MESSAGE
    assert decoder("json", wanted=["d", "id"]).deserialize(MESSAGE) == (Decimal("1.01"), 1)
    assert encoder("json", **{"encode.ignore-null-fields": True}).serialize((7, *[None] * 8)) == b'{"id":7}'


def test_json_decimals_of_all_sizes():
    texts = ["1e-9999", "0e999", "1e999", "-12345678.005", "99999999.995"]
    found = [decoder("json", wanted=["d"]).deserialize(b'{"d": %s}' % text.encode())[0] for text in texts]
    assert found == [Decimal("0.00"), Decimal("0.00"), None, Decimal("-12345678.01"), None]


@pytest.mark.parametrize(
    ("message", "row"),
    [
        (b'{"id": "7"}', (7, None, None)),
        (b'{"id": 7.0}', (7, None, None)),
        (b'{"s": 1.50}', (None, "1.50", None)),
        (b'{"s": {"a": [1, true]}}', (None, '{"a":[1,true]}', None)),
        (b'{"b": "TRUE"}', (None, None, True)),
        (b'{"id": 1, "id": 2, "other": []}', (2, None, None)),
    ],
)
def test_json_takes_what_flink_takes(message, row):
    assert decoder("json", wanted=["id", "s", "b"]).deserialize(message) == row


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b'{"id": 1.5}', "column id: expected a whole number from -2147483648 to 2147483647"),
        (b'{"id": 2147483648}', "column id: expected a whole number"),
        (b"[1]", "expected a JSON object, found list"),
        (b'{"id"', "not JSON: it ends too early"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (b'{"at": "2024-01-31T12:30:00"}', r"column at: expected a TIMESTAMP \(write it as 2024-01-31 12:30:00.5\)"),
        (b'{"utc": "2024-01-31 12:30:00"}', "column utc: expected a TIMESTAMP_LTZ"),
        (b'{"r": {"x": "noon"}}', "column r.x: expected a TIME"),
        (b'{"days": ["2024-01-01", 1]}', r"column days\[1\]: expected a DATE as text, found int 1"),
        (b'{"m": {"k": "?"}}', r"column m\['k'\]: expected a number"),
        (b'{"b": "yes"}', "column b: expected true or false, found str 'yes'"),
    ],
)
def test_json_errors_name_the_column_and_the_value(message, reason):
    with pytest.raises(FormatError, match=reason) as error:
        decoder("json").deserialize_block([MESSAGE, message])
    assert str(error.value).startswith("table `t`: ") and "the message is b" in str(error.value)
    ignoring = decoder("json", ignore_parse_errors=True)
    if "column" in reason:  # the value is NULL
        assert ignoring.deserialize(message)[0] is None
    else:  # the message is dropped
        (_, letter), row = ignoring.schema.deserialize_block([message, MESSAGE])
        assert letter.data == message and row == ROW


def test_json_missing_fields_and_iso_times():
    strict = decoder("json", wanted=["id"], fail_on_missing_field=True)
    assert strict.deserialize(b'{"id": null}') == (None,)
    with pytest.raises(FormatError, match="column id: expected a value; the field is missing"):
        strict.deserialize(b"{}")
    with pytest.raises(ValidationError, match="contradict"):
        decoder("json", fail_on_missing_field=True, ignore_parse_errors=True)
    iso = {"timestamp-format.standard": "iso-8601"}
    assert decoder("json", wanted=["at", "utc"], **iso).deserialize(
        b'{"at": "2024-01-31T12:30:00.5", "utc": "2024-01-31T12:30:00Z"}'
    ) == (ROW[2], ROW[3])
    assert b'"at":"2024-01-31T12:30:00.5","utc":"2024-01-31T12:30:00Z"' in encoder("json", **iso).serialize(ROW)


def test_json_null_keys_of_maps():
    columns = {"m": DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())}
    row = ({None: 1, "a": 2},)
    with pytest.raises(FormatError, match="'map-null-key.mode'"):
        encoder("json", columns).serialize(row)
    assert encoder("json", columns, **{"map-null-key.mode": "drop"}).serialize(row) == b'{"m":{"a":2}}'
    literal = {"map-null-key.mode": "literal", "map-null-key.literal": "none"}
    assert encoder("json", columns, **literal).serialize(row) == b'{"m":{"none":1,"a":2}}'
    with pytest.raises(ValidationError, match="column m: JSON has only keys of type STRING"):
        encoder("json", {"m": DataTypes.MAP(DataTypes.INT(), DataTypes.INT())})


def test_json_numbers_and_names():
    columns = {'a"b': DataTypes.FLOAT(), "x y": DataTypes.DOUBLE(), "n": DataTypes.DECIMAL(4, 1)}
    row = (0.10000000149011612, float("nan"), Decimal("1.5"))
    written = encoder("json", columns).serialize(row)
    assert json.loads(written) == {'a"b': 0.1, "x y": "NaN", "n": 1.5}
    assert decoder("json", columns).deserialize(b'{"a\\"b": 0.1, "x y": 2, "n": 99999}') == (row[0], 2.0, None)


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(-(2**31), 2**31 - 1),
            st.none() | st.text(),
            st.none() | st.integers(-(10**15), 10**15),
            st.none() | st.booleans(),
        )
    )
)
def test_json_round_trip(rows):
    columns = {name: COLUMNS[name] for name in ("id", "s", "at", "b")} | {"at": DataTypes.TIMESTAMP(6)}
    rows = [tuple(None if isinstance(v, str) and not v.isprintable() else v for v in row) for row in rows]
    assert decoder("json", columns).deserialize_block(encoder("json", columns).serialize_block(rows)) == rows


# -- csv --------------------------------------------------------------------------------------------

FLAT = {name: COLUMNS[name] for name in ("id", "s", "at", "utc", "d", "days", "b")}
LINE = b'1,"x, ""y""","2024-01-31 12:30:00.5","2024-01-31 12:30:00Z",1.01,2024-01-01;,true'
FLAT_ROW = (1, 'x, "y"', ROW[2], ROW[3], ROW[4], ROW[5], True)


#: A line of empty fields: an empty text is a STRING, and an empty field an ARRAY without elements, as in Flink.
NOTHING = (None, "", None, None, None, (), None)


def test_csv_both_ways():
    assert decoder("csv", FLAT).deserialize_block([LINE, b",,,,,,"]) == [FLAT_ROW, NOTHING]
    assert encoder("csv", FLAT).serialize_block([FLAT_ROW, (None,) * 7]) == [LINE, b",,,,,,"]
    assert decoder("csv", FLAT, wanted=["b", "id"]).deserialize(LINE) == (True, 1)
    bare = LINE.replace(b'"2024-01-31 12:30:00.5"', b"2024-01-31 12:30:00.5")
    assert decoder("csv", FLAT).deserialize(bare) == FLAT_ROW
    one = {"a": DataTypes.INT()}
    assert decoder("csv", one).deserialize_block([b"1", b""]) == [(1,), (None,)]


def test_decimals_are_written_without_zeros_at_their_end():
    columns = {"d": DataTypes.DECIMAL(7, 2)}
    rows = [(Decimal("2.50"),), (Decimal("0.00"),), (Decimal("100.00"),)]
    assert encoder("csv", columns).serialize_block(rows) == [b"2.5", b"0", b"1E+2"]
    plain = {"write-bigdecimal-in-scientific-notation": False}
    assert encoder("csv", columns, **plain).serialize_block(rows) == [b"2.5", b"0", b"100"]
    assert encoder("json", columns).serialize_block(rows) == [b'{"d":2.5}', b'{"d":0}', b'{"d":1E+2}']


def test_a_line_of_csv_with_more_fields_than_columns_is_an_error_that_drops_it():
    read = decoder("csv", {"a": DataTypes.INT(), "b": DataTypes.STRING()}, **{"ignore-parse-errors": True})
    assert read.drops_errors
    assert read.deserialize(b"2") == (2, None)
    with pytest.raises(FormatError, match="expected 2 fields, found 3"):
        read.deserialize(b"1,x,y")


def test_csv_dialect():
    columns = {"a": DataTypes.INT(), "b": DataTypes.STRING()}
    given = {"field-delimiter": "|", "quote-character": "'", "null-literal": "n/a", "allow-comments": True}
    read = decoder("csv", columns, **given)
    assert read.deserialize_block([b"# no", b"1|'a|b'", b"n/a|n/a", b"2|'n/a'"]) == [
        (1, "a|b"),
        (None, None),
        (2, "n/a"),
    ]
    written = encoder("csv", columns, **given).serialize_block([(1, "a|b"), (None, None), (2, "n/a")])
    assert read.deserialize_block(written) == [(1, "a|b"), (None, None), (2, "n/a")]
    with pytest.raises(ValidationError, match="the delimiter must be one character"):
        decoder("csv", columns, field_delimiter="ab")
    with pytest.raises(ValidationError, match="column m: .* has no form in CSV"):
        decoder("csv", {"m": COLUMNS["m"]})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"x,,,,,,", "column id: expected a value of INT, found 'x'"),
        (b"1_0,,,,,,", "column id"),
        (b"99999999999,,,,,,", "column id"),
        (b"1,2", "expected 7 fields, found 2"),
        (b",,2024,,,,", r"column at: .* \(write it as 2024-01-31 12:30:00.5\), found '2024'"),
        (b',"a', "a quoted field is not closed"),
        (b",\xff,,,,,", "not UTF-8"),
    ],
)
def test_csv_errors_name_the_column_and_the_value(line, reason):
    with pytest.raises(FormatError, match=reason) as error:
        decoder("csv", FLAT).deserialize_block([LINE, line])
    assert "table `t`" in str(error.value)
    ignoring = decoder("csv", FLAT, ignore_parse_errors=True)
    if "column" in reason:
        assert ignoring.deserialize(line) == NOTHING


# -- avro ---------------------------------------------------------------------------------------------

AVRO = {**{name: COLUMNS[name] for name in ("id", "s", "at", "d", "days", "m", "b")}, "r": DataTypes.ROW(INNER.fields)}
AVRO_ROW = (*(ROW[list(COLUMNS).index(name)] for name in list(AVRO)[:-1]), (43_200_250_000, b"\x01"))


def test_avro_both_ways():
    data = encoder("avro", AVRO).serialize_block([AVRO_ROW, (None,) * 8])
    assert decoder("avro", AVRO).deserialize_block(data) == [AVRO_ROW, (None,) * 8]
    assert decoder("avro", AVRO, wanted=["b", "id"]).deserialize_block(data) == [(True, 1), (None, None)]
    required = {"n": DataTypes.BIGINT(False), "at": DataTypes.TIMESTAMP(3, False)}
    assert encoder("avro", required).serialize((1, 2_000)) == b"\x02\x04"  # ms, as Flink writes them
    with pytest.raises(FormatError, match="table `t`: "):
        decoder("avro", AVRO).deserialize_block([data[0], b"\x07"])


def test_avro_times():
    utc = {"utc": DataTypes.TIMESTAMP_LTZ(6), "at": DataTypes.TIMESTAMP(6)}
    with pytest.raises(
        ValidationError, match="column utc: .* has no form in Avro; set 'avro.timestamp_mapping.legacy'"
    ):
        encoder("avro", utc)
    row = (1_706_704_200_000_001, 5)
    data = encoder("avro", utc, **{"timestamp_mapping.legacy": False}).serialize(row)
    assert decoder("avro", utc, **{"timestamp_mapping.legacy": False}).deserialize(data) == row


def test_avro_of_a_registry():
    with registry_server() as registry:
        given = {"url": registry.url, "subject": "rows-value"}
        data = encoder("avro-confluent", AVRO, **given).serialize_block([AVRO_ROW, (None,) * 8])
        assert data[0][0] == 0
        assert decoder("avro-confluent", AVRO, wanted=["s", "at"], url=registry.url).deserialize_block(data) == [
            (AVRO_ROW[1], AVRO_ROW[2]),
            (None, None),
        ]
        with pytest.raises(ValidationError, match="'avro-confluent.subject' is missing"):
            encoder("avro-confluent", AVRO, url=registry.url)


# -- raw --------------------------------------------------------------------------------------------


def test_raw():
    text = {"a": DataTypes.STRING()}
    assert decoder("raw", text).deserialize_block([b"x", b"\xc3\xa9"]) == [("x",), ("é",)]
    assert encoder("raw", text).serialize_block([("é",), (None,)]) == [b"\xc3\xa9", None]
    number = {"a": DataTypes.BIGINT()}
    assert encoder("raw", number, endianness="little-endian").serialize((1,)) == b"\x01" + bytes(7)
    with pytest.raises(FormatError, match="column a: expected a .* of 8 bytes, found 1"):
        decoder("raw", number).deserialize(b"x")
    with pytest.raises(ValidationError, match="it holds one column, but there are a, b"):
        decoder("raw", {"a": DataTypes.INT(), "b": DataTypes.INT()})
