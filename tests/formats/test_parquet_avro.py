"""Records that an Avro schema describes, in Parquet files."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from datastream.connectors.files import StreamFormat
from datastream.connectors.files.parquet_format import AvroParquetReaders, AvroParquetWriters
from datastream.errors import FormatError, ValidationError
from datastream.formats.avro.schema import AvroSchema
from tests.support.formats.columnar_files import read, written


def schema(*fields):
    return AvroSchema(json.dumps({"type": "record", "name": "R", "fields": list(fields)}))


def field(name, kind, **more):
    return {"name": name, "type": kind, **more}


WIDE = schema(
    field("id", "long"),
    field("name", ["null", "string"]),
    field("suit", {"type": "enum", "name": "Suit", "symbols": ["HEARTS", "SPADES"]}),
    field("raw", {"type": "fixed", "name": "Two", "size": 2}),
    field("at", {"type": "long", "logicalType": "timestamp-micros"}),
    field("local", {"type": "long", "logicalType": "local-timestamp-micros"}),
    field("day", ["null", {"type": "int", "logicalType": "date"}]),
    field("price", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
    field("tags", {"type": "array", "items": ["null", "string"]}),
    field("inner", ["null", {"type": "record", "name": "I", "fields": [field("m", {"type": "map", "values": "int"})]}]),
)
RECORD = {
    "id": 1,
    "name": None,
    "suit": "HEARTS",
    "raw": b"ab",
    "at": dt.datetime(2020, 1, 1, 0, 0, 0, 1, dt.UTC),
    "local": dt.datetime(2020, 1, 1),
    "day": dt.date(2020, 2, 29),
    "price": Decimal("1.25"),
    "tags": ["a", None],
    "inner": {"m": {"k": 1}},
}


def of(tmp_path, schema, *records):
    path = tmp_path / "f.parquet"
    path.write_bytes(written(AvroParquetWriters.for_generic_record(schema), records))
    return path


def test_records_come_back_as_dicts(tmp_path):
    records = [RECORD, {**RECORD, "inner": None, "day": None, "name": "é"}]
    path = of(tmp_path, WIDE, *records)
    reader = AvroParquetReaders.for_generic_record(WIDE)
    assert isinstance(reader, StreamFormat)
    assert read(reader, path) == records


def test_points_of_time_are_marked_as_such(tmp_path):
    zoned = dt.datetime(2020, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    path = of(tmp_path, WIDE, {**RECORD, "at": zoned})
    types = parquet.read_schema(path)
    assert types.field("at").type == pa.timestamp("us", "UTC") and types.field("local").type == pa.timestamp("us")
    assert read(AvroParquetReaders.for_generic_record(WIDE), path)[0]["at"] == zoned


def test_a_reader_of_fewer_fields(tmp_path):
    path = of(tmp_path, WIDE, RECORD)
    fewer = schema(field("price", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}))
    assert read(AvroParquetReaders.for_generic_record(fewer), path) == [{"price": Decimal("1.25")}]


def test_defaults_fill_missing_fields(tmp_path):
    with_default = schema(field("a", "int", default=7), field("b", ["null", "string"], default=None))
    path = of(tmp_path, with_default, {}, {"a": 1, "b": "x"})
    assert read(AvroParquetReaders.for_generic_record(with_default), path) == [{"a": 7, "b": None}, {"a": 1, "b": "x"}]


@pytest.mark.parametrize(
    ("record", "part"),
    [
        ({"id": 1}, "'suit'.* of the record R are missing"),
        ({**RECORD, "id": None}, "field id: expected Long, found NoneType"),
        ({**RECORD, "tags": "ab"}, "field tags: expected a list"),
        ({**RECORD, "inner": {"m": {"k": None}}}, r"field inner\.m\['k'\]: expected Integer"),
        ({**RECORD, "inner": [1]}, "field inner"),
        ({**RECORD, "id": 2**63}, "field id: expected Long"),
        ({**RECORD, "more": 1}, "no fields \\['more'\\]"),
        (7, "expected a dict for the record R, found int 7"),
    ],
)
def test_a_record_that_does_not_fit_is_named(record, part):
    with pytest.raises(FormatError, match=part):
        written(AvroParquetWriters.for_generic_record(WIDE), [record])


def test_a_field_without_null_that_the_file_lacks_is_named(tmp_path):
    path = of(tmp_path, schema(field("a", "int")), {"a": 1})
    more = schema(field("a", "int"), field("b", ["null", "int"]), field("c", "int"))
    with pytest.raises(FormatError, match=r"f\.parquet: .*field c: expected") as caught:
        read(AvroParquetReaders.for_generic_record(more), path)
    assert str(caught.value).count("f.parquet") == 1


@pytest.mark.parametrize("kind", [["int", "string"], {"type": "array", "items": ["null", "int", "string"]}, "R"])
def test_what_is_no_column_is_refused(kind):
    for make in (AvroParquetWriters.for_generic_record, AvroParquetReaders.for_generic_record):
        with pytest.raises(ValidationError, match="union of several types|record inside itself"):
            make(schema(field("a", kind)))


def test_the_top_must_be_a_record():
    with pytest.raises(ValidationError, match="record"):
        AvroParquetWriters.for_generic_record(AvroSchema('"int"'))


def test_factories_travel(tmp_path):
    factory = pickle.loads(pickle.dumps(AvroParquetWriters.for_generic_record(WIDE)))
    assert written(factory, [RECORD]) == written(factory, [RECORD])
