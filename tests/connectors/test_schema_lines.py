"""Files whose lines a schema reads, and JSON lines."""

from __future__ import annotations

import gzip
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datastream.connectors.files import FileSink, FileSource, StreamFormat
from datastream.connectors.files import enumerator as enumerator_module
from datastream.errors import FormatError, JobError, TypeMismatch, ValidationError
from datastream.formats import ByteArraySchema, DeserializationSchema, Encoder
from datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from datastream.formats.dead_letters import DeadLetter
from datastream.formats.json import JsonDeserializationSchema, JsonRowDeserializationSchema, JsonRowSerializationSchema
from datastream.formats.parquet import ParquetBulkWriters
from datastream.functions import OutputTag
from datastream.types import Row, Types
from tests.support.drive import drive

KIND = Types.ROW_NAMED(["id"], [Types.INT()])
ROWS = JsonRowDeserializationSchema.Builder(KIND).build()
BAD = OutputTag("bad")


@pytest.fixture(autouse=True)
def tiny_splits(monkeypatch):
    monkeypatch.setattr(enumerator_module, "LINE_BYTES", 1)
    monkeypatch.setattr(enumerator_module, "MIN_SPLIT", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lines")


def read(folder, schema, data, name="data.json", budget=20):
    path = folder / name
    path.write_bytes(data)
    fmt = schema if isinstance(schema, StreamFormat) else StreamFormat.lines(schema)
    return drive(FileSource.for_record_stream_format(fmt, str(path)).build(), budget, parallelism=3)


def test_rows_of_lines_in_every_split(tmp_path):
    data = b"".join(b'{"id":%d}\r\n' % i if i % 3 else b'{"id":%d}\n\n' % i for i in range(300))
    assert read(tmp_path, ROWS, data) == [Row(id=i) for i in range(300)]
    assert StreamFormat.lines(ROWS).produced_type == KIND
    assert StreamFormat.lines(ByteArraySchema()).produced_type == Types.PRIMITIVE_ARRAY(Types.BYTE())


def test_the_schema_gets_lines_without_their_ends(tmp_path):
    assert read(tmp_path, ByteArraySchema(), b"a\r\n\n \n\r\nb\rc\nd\r") == [b"a", b" ", b"b\rc", b"d\r"]


@pytest.mark.parametrize("budget", [5, 1000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_errors_name_the_file_and_the_line(tmp_path, end, budget):
    lines = [b'{"id":1}', b"", b'{"id":22}', b'{"id":"x"}', b"nothing"]
    offset = len(end.join(lines[:3])) + len(end)
    with pytest.raises(FormatError, match=rf"bad.json, line at byte {offset}: cannot read a row: field id"):
        read(tmp_path, ROWS, end.join(lines), "bad.json", budget)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([b'{"id":1}', b'{"id":"x"}', b"{", b" ", b"", b"\r", b"[]"])), st.integers(1, 60))
def test_dead_letters_know_their_offsets(folder, lines, budget):
    data = b"\n".join(lines)
    found = read(folder, ROWS.with_dead_letters(BAD), data, budget=budget)
    expected, offset = [], 0
    for i, line in enumerate(lines):
        bare = line if i == len(lines) - 1 else line.removesuffix(b"\r")
        if bare == b'{"id":1}':
            expected.append(None)
        elif bare:
            expected.append((bare, offset))
        offset += len(line) + 1
    path = str(folder / "data.json")
    for one, want in zip(found, expected, strict=True):
        if want is None:
            assert one == Row(id=1)
        else:
            tag, letter = one
            assert tag == BAD and letter == DeadLetter(want[0], letter.error, path, None, want[1])
    assert StreamFormat.lines(ROWS.with_dead_letters(BAD)).side_tags == (BAD,)


def test_compressed_files_count_uncompressed_bytes(tmp_path):
    lines = b"".join(b'{"id":%d}\n' % i for i in range(100_000))
    data = gzip.compress(lines + b"bad\n", 1)
    *rows, (_, letter) = read(tmp_path, ROWS.with_dead_letters(BAD), data, "data.json.gz")
    assert len(rows) == 100_000 and letter.offset == len(lines)


def test_chunks_of_a_large_file_count_on(tmp_path):
    line = b'{"id":1}' + b" " * 1000 + b"\n"
    *rows, (_, letter) = read(tmp_path, ROWS.with_dead_letters(BAD), line * 1000 + b"bad", budget=10_000_000)
    assert len(rows) == 1000 and letter.offset == len(line) * 1000


class Moody(DeserializationSchema):
    """Fails on blocks, never on one message."""

    def deserialize(self, data):
        return data

    def deserialize_block(self, messages, position=None):
        raise FormatError("not today")


def test_an_error_of_no_line_stays_as_it_is(tmp_path):
    with pytest.raises(FormatError, match="^not today$"):
        read(tmp_path, Moody(), b"a\n")


def test_json_lines_of_bytes_that_are_no_text(tmp_path):
    with pytest.raises(JobError, match=r"bad.json is not JSON: not UTF-8: .*the line is"):
        read(tmp_path, StreamFormat.json_lines(), b'{"a":1}\n"\xff"\n', "bad.json")
    assert read(tmp_path, StreamFormat.json_lines(), b'\n  \r\nnull\r\n{"a":[1,null]}') == [None, {"a": [1, None]}]
    assert read(tmp_path, JsonDeserializationSchema(), b"null\n5\n") == [5]


def test_rows_are_written_as_lines(tmp_path):
    encoder = pickle.loads(pickle.dumps(Encoder.lines(JsonRowSerializationSchema(KIND))))
    data = b"".join(map(encoder.encode, [Row(id=1), Row(id=None)]))
    assert data == b'{"id":1}\n{"id":null}\n' and encoder.file_header() == b""
    assert read(tmp_path, ROWS, data) == [Row(id=1), Row(id=None)]
    csv = Encoder.lines(CsvRowSerializationSchema.Builder(Types.ROW([Types.STRING()])).build())
    assert csv.encode(Row("a")) == b"a\n"
    with pytest.raises(FormatError, match="hold a newline"):
        csv.encode(Row("a\nb"))
    with pytest.raises(TypeMismatch, match="field id"):
        encoder.encode(Row(id="x"))
    with pytest.raises(ValidationError, match="Encoder.lines: expected a SerializationSchema .* got RowTypeInfo"):
        Encoder.lines(KIND)


def test_a_sink_says_which_format_it_takes(tmp_path):
    schema = JsonRowSerializationSchema(KIND)
    with pytest.raises(ValidationError, match=r"for_row_format: expected an Encoder .*Encoder.lines\(schema\)"):
        FileSink.for_row_format(str(tmp_path), schema)
    with pytest.raises(ValidationError, match="for_row_format: expected an Encoder .*for_bulk_format takes a B"):
        FileSink.for_row_format(str(tmp_path), ParquetBulkWriters.for_row_type(KIND))
    with pytest.raises(ValidationError, match="for_bulk_format: expected a BulkWriterFactory .*takes an Encoder"):
        FileSink.for_bulk_format(str(tmp_path), Encoder.json_lines())
    with pytest.raises(ValidationError, match="got type <class"):
        FileSink.for_bulk_format(str(tmp_path), ParquetBulkWriters)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("bad", "expected an OutputTag .*got str 'bad'"),
        (OutputTag("bad", Types.STRING()), r"String.*use OutputTag\('bad'\)"),
    ],
)
def test_tags_of_dead_letters_are_checked(tag, message):
    with pytest.raises(ValidationError, match=message):
        ROWS.with_dead_letters(tag)


@pytest.mark.parametrize(
    "schema",
    [
        JsonRowDeserializationSchema.Builder(KIND).ignore_parse_errors().build(),
        CsvRowDeserializationSchema.Builder(KIND).set_ignore_parse_errors(True).build(),
    ],
)
def test_schemas_that_ignore_errors_have_no_dead_letters(schema):
    with pytest.raises(ValidationError, match="leave out ignore_parse_errors"):
        schema.with_dead_letters(BAD)


def test_text_lines_have_a_type():
    assert StreamFormat.text_line_format().produced_type == Types.STRING() and StreamFormat.csv().produced_type is None
