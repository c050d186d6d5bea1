"""Avro files: written by our bulk writers and by fastavro, read whole and in parts, and damaged."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import tempfile
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import Row, Types
from datastream.connectors.files import FilePart, FileSource
from datastream.connectors.files.avro_format import AvroFormat, AvroInputFormat
from datastream.errors import FormatError, ValidationError
from datastream.formats.avro import (
    AvroBulkWriters,
    AvroSchema,
    GenericRecordAvroTypeInfo,
    codecs,
    container,
    to_row_type,
)
from datastream.time import Instant
from tests.support.draws import draws
from tests.support.drive import drive
from tests.support.formats.avro_schemas import records
from tests.support.formats.strategies import damaged, equal

TEXT = """{"type": "record", "name": "User", "fields": [
    {"name": "id", "type": "long"}, {"name": "name", "type": ["null", "string"], "default": null}]}"""
SCHEMA = AvroSchema(TEXT)
CODECS = ["null", "deflate", "bzip2", "xz", "snappy", "zstandard"]


def users(count: int) -> list[dict[str, Any]]:
    return [{"id": i, "name": f"user {i}" if i % 3 else None} for i in range(count)]


def written(values: list[Any], factory: Any) -> bytes:
    stream = io.BytesIO()
    writer = pickle.loads(pickle.dumps(factory)).create(stream)
    for value in values:
        writer.add_element(value)
    writer.flush()
    writer.finish()
    assert not stream.closed
    return stream.getvalue()


def read(path: Path, found: Any, parts: int = 1) -> list[Any]:
    size = path.stat().st_size
    edges = [size * i // parts for i in range(parts + 1)]
    found = pickle.loads(pickle.dumps(found))
    return [
        record
        for start, end in zip(edges, edges[1:], strict=False)
        for block in found.read(FilePart(str(path), start, end, size))
        for record in block
    ]


@pytest.mark.parametrize("codec", CODECS)
def test_files_of_every_codec(tmp_path: Path, codec: str) -> None:
    values = users(20_000)
    path = tmp_path / "users.avro"
    path.write_bytes(written(values, AvroBulkWriters.for_generic_record(SCHEMA, codec)))
    assert read(path, AvroFormat(SCHEMA)) == values
    for parts in (2, 7, 50):
        assert read(path, AvroFormat(), parts) == values
    if codec in ("null", "deflate", "bzip2", "xz"):  # the others need more packages there
        with open(path, "rb") as file:
            reader = fastavro.reader(file)
            assert list(reader) == values
            assert reader.codec == codec


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_files_of_fastavro(tmp_path: Path, codec: str) -> None:
    values = users(5000)
    path = tmp_path / "users.avro"
    with open(path, "wb") as file:
        fastavro.writer(file, json.loads(TEXT), values, codec=codec, sync_interval=1000)
    for parts in (1, 3, 300):
        assert read(path, AvroFormat(SCHEMA), parts) == values


def test_a_file_with_another_schema_is_read_as_the_one_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "users.avro"
    path.write_bytes(written(users(3), AvroBulkWriters.for_generic_record(SCHEMA)))
    wanted = AvroSchema("""{"type": "record", "name": "User", "fields": [
        {"name": "id", "type": "double"}, {"name": "age", "type": "int", "default": 1}]}""")
    assert read(path, AvroFormat(wanted)) == [{"id": float(i), "age": 1} for i in range(3)]
    assert read(path, AvroFormat(wanted, rows=True)) == [Row(id=float(i), age=1) for i in range(3)]
    refused = AvroSchema('{"type": "record", "name": "User", "fields": [{"name": "x", "type": "int"}]}')
    with pytest.raises(FormatError, match="users.avro cannot be read: .*no field 'x'"):
        read(path, AvroFormat(refused))


def test_rows_and_other_values(tmp_path: Path) -> None:
    rows = [Row(id=1, name="a"), Row(id=2, name=None)]
    path = tmp_path / "rows"
    path.write_bytes(written(rows, AvroBulkWriters.for_row(SCHEMA, "deflate")))
    assert read(path, AvroFormat(SCHEMA, rows=True)) == rows
    assert AvroFormat(SCHEMA, rows=True).get_produced_type() == to_row_type(SCHEMA)
    assert AvroFormat(SCHEMA, rows=True).produced_type == to_row_type(SCHEMA)
    assert AvroFormat().produced_type is None
    path.write_bytes(written(list(range(5)), AvroBulkWriters.for_generic_record(AvroSchema('"int"'))))
    assert read(path, AvroFormat()) == list(range(5))
    path.write_bytes(written([], AvroBulkWriters.for_generic_record(SCHEMA)))
    assert read(path, AvroFormat()) == []
    packed = tmp_path / "rows.avro.gz"
    packed.write_bytes(gzip.compress(written(rows, AvroBulkWriters.for_row(SCHEMA))))
    assert read(packed, AvroFormat()) == [{"id": 1, "name": "a"}, {"id": 2, "name": None}]


def test_the_input_format_reads_a_folder(tmp_path: Path) -> None:
    for number in range(2):
        data = written(users(3), AvroBulkWriters.for_generic_record(SCHEMA))
        (tmp_path / f"{number}.avro").write_bytes(data)
    found = AvroInputFormat(str(tmp_path), SCHEMA)
    assert found.get_produced_type() == GenericRecordAvroTypeInfo(SCHEMA)
    source = found.source()
    assert isinstance(source, FileSource)
    assert drive(source, budget=1 << 20) == users(3) * 2


def test_a_record_that_does_not_fit_is_told() -> None:
    with pytest.raises(FormatError, match="field id: expected Long"):
        written([{"id": 1}, {"id": "x"}], AvroBulkWriters.for_generic_record(SCHEMA))


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ValidationError, match="an Avro codec is one of null, deflate"):
        AvroBulkWriters.for_generic_record(SCHEMA, "lzo")
    with pytest.raises(ValidationError, match="use AvroSchema.parse_string"):
        AvroBulkWriters.for_generic_record(TEXT)  # type: ignore[arg-type]
    with pytest.raises(ValidationError, match="rows need a schema"):
        AvroFormat(rows=True)
    with pytest.raises(ValidationError, match="expected an AvroSchema"):
        AvroFormat(TEXT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda data: b"", "it is no Avro file"),
        (lambda data: b"PAR1" + data, "it is no Avro file"),
        (lambda data: data[:30], "it has no end"),
        (lambda data: data[:-1], "claims"),
        (lambda data: data[:-20] + b"\xff" + data[-19:], "null|block|Avro|read"),
        (lambda data: data[:-16] + b"\0" * 16, "has no marker after it"),
        (lambda data: data.replace(b"avro.codec\x08null", b"avro.codec\x08lzo4"), "'lzo4', expected one of null"),
        (lambda data: data.replace(b'"long"', b'"what"'), "there is no type 'what'"),
        (lambda data: data.replace(b"avro.schema", b"avro.schemo"), "holds no schema"),
        (lambda data: b"Obj\x01" + b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" * 2, "not well formed"),
    ],
)
def test_damaged_files(tmp_path: Path, spoil: Any, words: str) -> None:
    path = tmp_path / "spoilt.avro"
    path.write_bytes(spoil(written(users(10), AvroBulkWriters.for_generic_record(SCHEMA))))
    with pytest.raises(FormatError, match=words):
        read(path, AvroFormat())


@pytest.mark.long
@draws(1000)
@given(st.data())
def test_records_of_any_schema_and_damaged_files(data: st.DataObject) -> None:
    content, values = data.draw(RECORDS)
    found = data.draw(st.lists(values, max_size=4))
    codec = data.draw(st.sampled_from(["null", "deflate", "snappy"]))
    schema = AvroSchema(json.dumps(content))
    file = written(found, AvroBulkWriters.for_generic_record(schema, codec))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(file)
        assert equal(read(path, AvroFormat(schema), data.draw(st.integers(1, 4))), found)
        path.write_bytes(data.draw(damaged(file)))
        with suppress(FormatError):
            read(path, AvroFormat())


RECORDS = records(depth=1)


def test_a_block_that_claims_without_end_is_refused(tmp_path: Path) -> None:
    empty = AvroSchema('{"type": "record", "name": "r", "fields": []}')
    head = written([], AvroBulkWriters.for_generic_record(empty, "snappy"))
    path = tmp_path / "bomb"
    block = b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f" + b"\x10" + b"\xff\xff\xff\xff\x0f" + os.urandom(3) + head[-16:]
    path.write_bytes(head + block)
    with pytest.raises(FormatError, match="claims 4294967295 bytes"):
        read(path, AvroFormat())
    head = written([], AvroBulkWriters.for_generic_record(empty))
    path.write_bytes(head + b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f\0" + head[-16:])
    with pytest.raises(FormatError, match="more than 1024 items without bytes"):
        read(path, AvroFormat())


def test_rows_of_a_type_of_their_own(tmp_path: Path) -> None:
    kind = Types.ROW_NAMED(["at", "big", "price"], [Types.INSTANT(), Types.BIG_INT(), Types.BIG_DEC()])
    rows = [Row(at=Instant(5, 6000), big=10**50, price=Decimal("2.5")), Row(at=None, big=None, price=None)]
    path = tmp_path / "rows"
    path.write_bytes(written(rows, AvroBulkWriters.for_row(kind)))
    assert read(path, AvroFormat(kind)) == rows
    assert AvroFormat(kind).produced_type == kind
    with pytest.raises(FormatError, match="at: .*finer than the microseconds"):
        written([Row(at=Instant(5, 6), big=1, price=None)], AvroBulkWriters.for_row(kind))
    with pytest.raises(ValidationError, match="holds pickled Python objects"):
        AvroFormat(Types.ROW([Types.PICKLED_BYTE_ARRAY()]))


@pytest.mark.parametrize("fields", [0, 3])
def test_records_without_bytes_come_in_blocks_that_are_read(tmp_path: Path, fields: int) -> None:
    nulls = [{"name": f"f{i}", "type": "null"} for i in range(fields)]
    schema = AvroSchema(json.dumps({"type": "record", "name": "r", "fields": nulls}))
    values = [{field["name"]: None for field in nulls}] * 3000
    path = tmp_path / "f"
    path.write_bytes(written(values, AvroBulkWriters.for_generic_record(schema)))
    assert read(path, AvroFormat()) == values


def test_an_array_without_bytes_that_no_reader_takes_is_not_written(tmp_path: Path) -> None:
    items = {"type": "array", "items": "null"}
    schema = AvroSchema(json.dumps({"type": "record", "name": "r", "fields": [{"name": "a", "type": items}]}))
    path = tmp_path / "f"
    path.write_bytes(written([{"a": [None] * 1024}], AvroBulkWriters.for_generic_record(schema)))
    assert read(path, AvroFormat()) == [{"a": [None] * 1024}]
    with pytest.raises(FormatError, match="field a: 1025 items without bytes"):
        written([{"a": [None] * 1025}], AvroBulkWriters.for_generic_record(schema))


BYTES = AvroSchema('{"type": "record", "name": "r", "fields": [{"name": "a", "type": "bytes"}]}')


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "xz", "snappy", "zstandard"])
def test_a_block_may_not_become_any_size(tmp_path: Path, codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb"
    factory = AvroBulkWriters.for_generic_record(BYTES, codec)
    data = written([{"a": bytes(1 << 20)}], factory)
    path.write_bytes(data)
    assert len(read(path, AvroFormat())) == 1
    monkeypatch.setattr(codecs, "most_bytes", lambda packed: 1 << 19)
    monkeypatch.setattr(container, "most_bytes", lambda packed: 1 << 19)
    with pytest.raises(FormatError, match="more than 524288|claims 10485"):
        read(path, AvroFormat())
    with pytest.raises(FormatError, match='use the codec "null"'):
        written([{"a": bytes(1 << 20)}], factory)


def test_large_records_are_blocks_of_their_own(tmp_path: Path) -> None:
    values = [{"a": bytes(30 << 20)}] * 3
    path = tmp_path / "f"
    path.write_bytes(written(values, AvroBulkWriters.for_generic_record(BYTES, "zstandard")))
    assert [len(record["a"]) for record in read(path, AvroFormat())] == [30 << 20] * 3
    assert [codecs.most_bytes(n) for n in (1, 1 << 20, 1 << 30)] == [64 << 20, 100 << 20, 1 << 30]
