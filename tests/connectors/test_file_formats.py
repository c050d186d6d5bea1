"""CSV and JSON lines."""

import csv
import io
import json
from collections import namedtuple
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.connectors.files import FileSource, StreamFormat
from datastream.connectors.files import enumerator as enumerator_module
from datastream.errors import JobError, ValidationError
from tests.support.drive import drive

Trade = namedtuple("Trade", "id price")


@pytest.fixture(autouse=True)
def tiny_splits(monkeypatch):
    monkeypatch.setattr(enumerator_module, "LINE_BYTES", 1)
    monkeypatch.setattr(enumerator_module, "MOST_LINE_BYTES", 1)
    monkeypatch.setattr(enumerator_module, "MIN_SPLIT", 1)


def read(tmp_path, fmt, text, budget=20, name="data"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return drive(FileSource.for_record_stream_format(fmt, str(path)).build(), budget, parallelism=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("csv")


def test_csv_with_header_gives_dicts_in_every_split(tmp_path):
    text = "id,name\r\n" + "".join(f'{i},"n,{i}"\r\n' for i in range(200))
    assert read(tmp_path, StreamFormat.csv(), text) == [{"id": str(i), "name": f"n,{i}"} for i in range(200)]


def test_csv_types_fields_and_delimiter(tmp_path):
    fmt = StreamFormat.csv(["id", "price"], header=False, delimiter=";", types={"price": Decimal, "id": int})
    assert read(tmp_path, fmt, "1;2.50\n\n2;\n") == [
        {"id": 1, "price": Decimal("2.50")},
        {"id": 2, "price": None},
    ]


def test_csv_header_is_replaced_by_fields(tmp_path):
    fmt = StreamFormat.csv(["a", "b"], record=tuple)
    assert read(tmp_path, fmt, "x,y\n1,2\n3,4\n", budget=5) == [("1", "2"), ("3", "4")]


def test_csv_makes_records_of_a_class(tmp_path):
    fmt = StreamFormat.csv(types={"price": float}, record=Trade)
    assert read(tmp_path, fmt, "id,price\na,1.5\n") == [Trade("a", 1.5)]


def test_csv_of_nothing_but_a_header(tmp_path):
    assert read(tmp_path, StreamFormat.csv(), "id,name\n") == []
    assert read(tmp_path, StreamFormat.csv(), "") == []


@given(st.lists(st.tuples(st.text(st.sampled_from('a,"\n\r é')), st.text(st.sampled_from('b,"\n é'))), max_size=20))
def test_csv_multiline_reads_what_the_csv_module_wrote(folder, rows):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    fmt = StreamFormat.csv(multiline=True, record=tuple)
    assert read(folder, fmt, text.getvalue()) == rows


def test_csv_says_when_a_field_spans_lines(tmp_path):
    text = "id,name\n" + '1,"a\nb"\n' * 50
    with pytest.raises(JobError, match="multiline=True"):
        read(tmp_path, StreamFormat.csv(), text)
    assert len(read(tmp_path, StreamFormat.csv(multiline=True), text)) == 50


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ({}, "a,b\n1\n", "1 fields, expected 2"),
        ({"types": {"b": int}}, "a,b\n1,x\n", "column 'b'.*'x'.*int"),
        ({"types": {"c": int}}, "a,b\n1,2\n", "no column 'c'"),
        ({"charset_name": "ascii"}, "a\né\n", "not ascii"),
    ],
)
def test_csv_errors_name_file_and_value(tmp_path, arguments, text, message):
    with pytest.raises(JobError, match=message) as caught:
        read(tmp_path, StreamFormat.csv(**arguments), text, budget=1000, name="bad.csv")
    assert "bad.csv" in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"header": False},
        {"fields": ["a"], "types": {"b": int}},
        {"delimiter": "||"},
        {"delimiter": None},
        {"quote": "\ud800"},
        {"charset_name": "utf-16"},
        {"charset_name": "nonsense"},
    ],
)
def test_csv_refuses_nonsense(arguments):
    with pytest.raises(ValidationError):
        StreamFormat.csv(**arguments)


@given(st.lists(st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=3), max_size=30))
def test_json_lines_round_trip(folder, values):
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n\n" for value in values)
    assert read(folder, StreamFormat.json_lines(), text) == values


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a"\n', "1,2\n", "[1\n2]\n"])
def test_json_errors_name_file_and_line(tmp_path, text):
    with pytest.raises(JobError, match=r"bad.json is not JSON.*the line is"):
        read(tmp_path, StreamFormat.json_lines(), text, budget=1000, name="bad.json")


def test_text_in_another_charset(tmp_path):
    assert read(tmp_path, StreamFormat.text_line_format("ISO-8859-1"), "é\nü".encode("latin-1")) == ["é", "ü"]
