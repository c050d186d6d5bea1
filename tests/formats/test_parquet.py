"""Rows into Parquet files and back."""

from __future__ import annotations

import datetime as dt
import gc
import io
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyarrow import parquet

from datastream.config import Configuration
from datastream.connectors.files.orc_format import OrcBulkWriters, OrcColumnarRowInputFormat
from datastream.connectors.files.parquet_format import ParquetBulkWriters, ParquetColumnarRowInputFormat
from datastream.errors import FormatError, ValidationError
from datastream.time import Instant
from datastream.types import Row, Types
from tests.support.draws import draws
from tests.support.formats.columnar_files import read, written
from tests.support.formats.strategies import equal, row_types, values

PAIR = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
TABLES = row_types().flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values(kind), max_size=5)))


def of(tmp_path, data):
    path = tmp_path / "f.parquet"
    path.write_bytes(data)
    return path


def round_trip(tmp_path, row_type, rows, **options):
    config = Configuration.from_dict(options.pop("config", {}))
    factory = ParquetBulkWriters.for_row_type(row_type, config, **options)
    return read(ParquetColumnarRowInputFormat(row_type, batch_size=3), of(tmp_path, written(factory, rows)))


@pytest.mark.long
@draws(1000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TABLES)
def test_rows_come_back(tmp_path, table):
    row_type, rows = table
    back = round_trip(tmp_path, row_type, rows)
    assert len(back) == len(rows) and all(map(equal, back, rows))


def test_every_type_at_its_edges(tmp_path):
    types = {
        "i8": (Types.BYTE(), [-128, 127, None]),
        "i64": (Types.LONG(), [-(2**63), 2**63 - 1, None]),
        "f": (Types.FLOAT(), [1.5, -math.inf, None]),
        "d": (Types.DOUBLE(), [5e-324, math.inf, None]),
        "big": (Types.BIG_INT(), [10**38 - 1, 1 - 10**38, None]),
        "dec": (Types.BIG_DEC(), [Decimal("99999999999999999999.999999999999999999"), Decimal("-1E-18"), None]),
        "date": (Types.SQL_DATE(), [dt.date.min, dt.date.max, None]),
        "time": (Types.SQL_TIME(), [dt.time.min, dt.time.max, None]),
        "at": (Types.SQL_TIMESTAMP(), [dt.datetime.min, dt.datetime.max, None]),
        "instant": (Types.INSTANT(), [Instant(-1, 999_999_999), Instant(9_223_372_036, 854_775_807), None]),
        "text": (Types.STRING(), ["", "\0é𝄞", None]),
        "bytes": (Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"", b"\0\xff", None]),
        "list": (Types.LIST(Types.LIST(Types.INT())), [[], [[], None, [None, 1]], None]),
        "map": (Types.MAP(Types.LONG(), Types.STRING()), [{}, {1: None, -1: ""}, None]),
        "row": (Types.ROW_NAMED(["x"], [Types.TUPLE([Types.INT()])]), [Row(x=None), Row(x=(1,)), None]),
    }
    row_type = Types.ROW_NAMED(list(types), [kind for kind, _ in types.values()])
    columns = [cells for _, cells in types.values()]
    rows = [Row(**dict(zip(types, cells, strict=True))) for cells in zip(*columns, strict=True)]
    assert round_trip(tmp_path, row_type, rows) == rows


def test_nan_comes_back(tmp_path):
    [row] = round_trip(tmp_path, Types.ROW([Types.DOUBLE()]), [Row(math.nan)])
    assert math.isnan(row[0])


def test_a_file_without_rows_has_its_columns(tmp_path):
    path = of(tmp_path, written(ParquetBulkWriters.for_row_type(PAIR), []))
    assert parquet.read_table(path).schema.names == ["id", "name"]
    assert read(ParquetColumnarRowInputFormat(PAIR), path) == []


def test_rows_without_names_have_columns_by_number(tmp_path):
    row_type = Types.ROW([Types.INT(), Types.STRING()])
    path = of(tmp_path, written(ParquetBulkWriters.for_row_type(row_type), [Row(1, "a")]))
    assert parquet.read_table(path).to_pylist() == [{"f0": 1, "f1": "a"}]
    assert read(ParquetColumnarRowInputFormat(row_type), path) == [Row(f0=1, f1="a")]


@pytest.mark.parametrize("names", [["a.b", "a", "ü `"], ["", " ", "A"]])
def test_names_of_all_kinds(tmp_path, names):
    row_type = Types.ROW_NAMED(
        names, [Types.INT(), Types.ROW_NAMED(["b", "c"], [Types.INT(), Types.INT()]), Types.INT()]
    )
    row = Row(**dict(zip(names, [1, Row(b=2, c=3), 4], strict=True)))
    path = of(tmp_path, written(ParquetBulkWriters.for_row_type(row_type), [row]))
    assert read(ParquetColumnarRowInputFormat(row_type), path) == [row]
    for name in names:
        one = Types.ROW_NAMED([name], [row_type.field_types[names.index(name)]])
        assert read(ParquetColumnarRowInputFormat(one), path) == [Row(**{name: row[name]})]


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (Row(id=2**63, name="a"), "field id: expected Long"),
        (Row(id=1, name="\ud800"), "field name: expected String.*surrogate"),
        (Row(id="1", name="a"), "field id: expected Long.*found str '1'"),
        (Row(id=True, name="a"), "field id"),
        (Row(1, "a", 2), "2 fields"),
        ({"id": 1}, "Row of 2 fields"),
        (None, "None"),
    ],
)
def test_a_row_that_does_not_fit_is_named(value, part):
    writer = ParquetBulkWriters.for_row_type(PAIR).create(io.BytesIO())
    writer.add_element(Row(id=1, name="good"))
    writer.add_element(value)
    with pytest.raises(FormatError, match=part) as caught:
        writer.flush()
    assert "good" not in str(caught.value)


def test_row_groups_end_by_bytes_and_by_flush():
    factory = ParquetBulkWriters.for_row_type(PAIR, Configuration.from_dict({"parquet.block.size": "100000"}))
    data = written(factory, [Row(id=i, name="x" * 100) for i in range(10_000)])
    groups = parquet.ParquetFile(pa.BufferReader(data)).metadata
    assert 5 < groups.num_row_groups < 20
    flushed = written(ParquetBulkWriters.for_row_type(PAIR), [Row(id=i, name="") for i in range(10)], flush_every=4)
    metadata = parquet.ParquetFile(pa.BufferReader(flushed)).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [4, 4, 2]


def test_large_rows_make_small_batches():
    writer = ParquetBulkWriters.for_row_type(PAIR).create(io.BytesIO())
    for i in range(100):
        writer.add_element(Row(id=i, name="x" * 1_000_000))
    assert len(writer._rows) < 10


@pytest.mark.parametrize(
    ("codec", "found"),
    [(None, "SNAPPY"), ("gzip", "GZIP"), ("ZSTD", "ZSTD"), ("UNCOMPRESSED", "UNCOMPRESSED"), ("LZ4_RAW", "LZ4")],
)
def test_compression(codec, found):
    config = Configuration.from_dict({} if codec is None else {"parquet.compression": codec})
    data = written(ParquetBulkWriters.for_row_type(PAIR, config), [Row(id=1, name="a")])
    assert parquet.ParquetFile(pa.BufferReader(data)).metadata.row_group(0).column(0).compression == found


@pytest.mark.parametrize(
    "options",
    [
        {"parquet.compression": "LZO"},
        {"parquet.block.size": "0"},
        {"parquet.writer.version": "v3"},
        {"parquet.enable.dictionary": "maybe"},
    ],
)
def test_wrong_options_are_named(options):
    with pytest.raises(ValidationError, match=next(iter(options)).replace(".", r"\.")):
        ParquetBulkWriters.for_row_type(PAIR, Configuration.from_dict(options))


def test_other_options_reach_the_file(tmp_path):
    options = {
        "parquet.writer.version": "v2",
        "parquet.enable.dictionary": "false",
        "parquet.page.size": "100",
        "mapreduce.job.name": "x",
    }
    rows = [Row(id=i, name=f"n{i}") for i in range(1000)]
    assert round_trip(tmp_path, PAIR, rows, config=options) == rows


def test_what_is_no_row_type_is_refused():
    for make in (ParquetBulkWriters.for_row_type, ParquetColumnarRowInputFormat):
        with pytest.raises(ValidationError, match="expected a row type"):
            make(Types.LONG())
        with pytest.raises(ValidationError, match="at least one column"):
            make(Types.ROW([]))
    with pytest.raises(ValidationError, match="Parquet has no form"):
        ParquetBulkWriters.for_row_type(Types.ROW([Types.ROW([])]))
    with pytest.raises(ValidationError, match="batch_size"):
        ParquetColumnarRowInputFormat(PAIR, batch_size=0)
    with pytest.raises(FormatError, match=r"[Pp]ickle"):
        ParquetColumnarRowInputFormat(Types.ROW([Types.PICKLED_BYTE_ARRAY()]))


def test_a_type_of_the_table_api_is_taken(tmp_path):
    class TableRowType:
        def to_type_info(self):
            return PAIR

    path = of(tmp_path, written(ParquetBulkWriters.for_row_type(TableRowType()), [Row(id=1, name="a")]))
    assert read(ParquetColumnarRowInputFormat(TableRowType()), path) == [Row(id=1, name="a")]


def test_a_writer_that_is_dropped_leaves_its_stream_alone():
    stream = io.BytesIO()
    writer = ParquetBulkWriters.for_row_type(PAIR).create(stream)
    writer.add_element(Row(id=1, name="a"))
    writer.flush()
    written = stream.getvalue()
    del writer
    gc.collect()
    assert stream.getvalue() == written


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parquet.compresion": "ZSTD"}, "unknown option 'parquet.compresion'; the options are parquet.compression, "),
        (
            Configuration.from_dict({"orc.compres": "ZSTD"}),
            "unknown option 'orc.compres'; the options are orc.compress",
        ),
        ({"parquet.block.size": 1024}, "keys and values of type str, got 'parquet.block.size': 1024"),
        ("parquet.compression=ZSTD", "expected a Configuration or a dict of str, got str 'parquet"),
    ],
)
def test_options_that_have_no_effect_are_refused(options, message):
    for make in (
        ParquetBulkWriters.for_row_type,
        ParquetColumnarRowInputFormat,
        OrcColumnarRowInputFormat,
        OrcBulkWriters.for_row_type,
        lambda kind, options: OrcBulkWriters.for_row_type(kind, None, options),
    ):
        with pytest.raises(ValidationError, match=message):
            make(PAIR, options)


def test_options_may_be_a_dict(tmp_path):
    options = {"parquet.compression": "ZSTD", "fs.defaultFS": "file:///"}
    path = of(tmp_path, written(ParquetBulkWriters.for_row_type(PAIR, options), [Row(id=1, name="a")]))
    assert parquet.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"
    for form in (
        ParquetColumnarRowInputFormat(PAIR, options),
        OrcColumnarRowInputFormat(PAIR, {"orc.compress": "LZ4"}),
    ):
        assert form.produced_type == PAIR and form.exact
    assert OrcBulkWriters.for_row_type(PAIR, {"orc.compress": "LZ4"}, {"io.sort.mb": "10"}) is not None


@pytest.mark.parametrize("value", [(1, "a"), {"id": 1, "name": "a"}, np.int64(1), Row(id=np.int64(1), name="a")])
@pytest.mark.parametrize("writers", [ParquetBulkWriters, OrcBulkWriters])
def test_what_is_no_row_is_told_to_declare_a_type(writers, value):
    with pytest.raises(FormatError, match="found .*; declare output_type=... on the operator before the sink"):
        written(writers.for_row_type(PAIR), [Row(id=1, name="a"), value])
    with pytest.raises(FormatError, match=r"field id: expected [^;]*; the row is Row\(id='x', name='a'\)$"):
        written(writers.for_row_type(PAIR), [Row(id="x", name="a")])
