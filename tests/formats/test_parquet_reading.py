"""Which columns, types and row groups of Parquet files are read, whoever wrote them."""

from __future__ import annotations

import datetime as dt
import time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from datastream.config import Configuration
from datastream.connectors.files import FilePart
from datastream.connectors.files.parquet_format import ParquetBulkWriters, ParquetColumnarRowInputFormat
from datastream.errors import FormatError, JobError
from datastream.time import Instant
from datastream.types import Row, Types
from tests.support.formats.columnar_files import blocks, read, written


def file(tmp_path, columns, **options):
    path = tmp_path / "f.parquet"
    parquet.write_table(pa.table(columns), path, **options)
    return path


def column(tmp_path, array, kind, options=None, **flags):
    """What a file's only column gives when it is declared as a type."""
    row_type = Types.ROW_NAMED(["a"], [kind])
    path = file(tmp_path, {"a": array}, **(options or {}))
    return [row.a for row in read(ParquetColumnarRowInputFormat(row_type, **flags), path)]


@pytest.mark.parametrize(
    ("found", "kind", "values"),
    [
        (pa.int8(), Types.INT(), [1, None]),
        (pa.int32(), Types.LONG(), [-(2**31), None]),
        (pa.uint32(), Types.LONG(), [2**32 - 1]),
        (pa.uint64(), Types.BIG_INT(), [2**64 - 1]),
        (pa.int64(), Types.BIG_INT(), [-(2**63)]),
        (pa.int32(), Types.DOUBLE(), [2**31 - 1]),
        (pa.int16(), Types.FLOAT(), [-(2**15)]),
        (pa.float32(), Types.DOUBLE(), [0.1, float("inf")]),
        (pa.float16(), Types.FLOAT(), [np.float16(1.5)]),
        (pa.int64(), Types.BIG_DEC(), [2**63 - 1]),
        (pa.decimal128(10, 2), Types.BIG_DEC(), [Decimal("12345678.91")]),
        (pa.decimal256(38, 18), Types.BIG_DEC(), [Decimal("1.5")]),
        (pa.large_string(), Types.STRING(), ["é", None]),
        (pa.dictionary(pa.int32(), pa.string()), Types.STRING(), ["a", "b", "a", None]),
        (pa.large_binary(), Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"a"]),
        (pa.binary(3), Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"abc"]),
        (pa.date64(), Types.SQL_DATE(), [dt.date(2020, 2, 29)]),
        (pa.time32("ms"), Types.SQL_TIME(), [dt.time(1, 2, 3, 4000)]),
        (pa.timestamp("ms"), Types.SQL_TIMESTAMP(), [dt.datetime(9999, 12, 31)]),
        (pa.timestamp("ns"), Types.SQL_TIMESTAMP(), [dt.datetime(2020, 1, 1, 0, 0, 0, 1)]),
        (pa.null(), Types.LONG(), [None, None]),
        (pa.large_list(pa.int32()), Types.LIST(Types.LONG()), [[1, None], [], None]),
        pytest.param(
            *(pa.list_(pa.int32(), 2), Types.LIST(Types.LONG()), [[1, 2], None, [3, None]]),
            marks=pytest.mark.skipif(int(pa.__version__.partition(".")[0]) < 26, reason="Arrow cannot write it yet"),
        ),
    ],
)
def test_columns_become_wider_types(tmp_path, found, kind, values):
    back = column(tmp_path, pa.array(values, found), kind)
    assert back == [None if v is None else pytest.approx(v, rel=1e-7) if isinstance(v, float) else v for v in values]


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (pa.int64(), Types.INT()),
        (pa.uint64(), Types.LONG()),
        (pa.int64(), Types.DOUBLE()),
        (pa.int32(), Types.FLOAT()),
        (pa.float64(), Types.FLOAT()),
        (pa.decimal128(38, 19), Types.BIG_DEC()),
        (pa.string(), Types.LONG()),
        (pa.binary(), Types.STRING()),
        (pa.bool_(), Types.INT()),
        (pa.int32(), Types.BOOLEAN()),
        (pa.timestamp("us"), Types.INSTANT()),
        (pa.date32(), Types.SQL_TIMESTAMP()),
        (pa.list_(pa.int64()), Types.LIST(Types.INT())),
        (pa.list_(pa.int32()), Types.INT()),
        (pa.struct([("x", pa.int32())]), Types.MAP(Types.STRING(), Types.INT())),
    ],
)
def test_columns_that_could_lose_something_are_refused(tmp_path, found, kind):
    with pytest.raises(FormatError, match=r"f\.parquet: column a") as caught:
        column(tmp_path, pa.array([None], found), kind)
    assert "without loss" in str(caught.value) or "SQL_TIMESTAMP" in str(caught.value)


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1], pa.timestamp("ns")), Types.SQL_TIMESTAMP()),
        (pa.array([1], pa.time64("ns")), Types.SQL_TIME()),
        (pa.array([dt.datetime(2300, 1, 1)], pa.timestamp("us", "UTC")), Types.INSTANT()),
    ],
)
def test_a_value_that_would_change_is_refused(tmp_path, array, kind):
    with pytest.raises(FormatError, match=r"f\.parquet.*column a"):
        column(tmp_path, array, kind)


def test_nested_columns_fit_by_name(tmp_path):
    inner = pa.struct([("x", pa.int32()), ("unused", pa.string()), ("ys", pa.list_(pa.map_(pa.string(), pa.int32())))])
    values = [{"x": 1, "unused": "u", "ys": [[("k", 1), ("l", None)], None, []]}, None, {"x": None, "ys": None}]
    kind = Types.ROW_NAMED(
        ["ys", "new", "x"],
        [Types.LIST(Types.MAP(Types.STRING(), Types.LONG())), Types.STRING(), Types.DOUBLE()],
    )
    got = column(tmp_path, pa.array(values, inner), kind, batch_size=1)
    assert got == [Row(ys=[{"k": 1, "l": None}, None, {}], new=None, x=1.0), None, Row(ys=None, new=None, x=None)]


def test_only_the_wanted_columns_in_the_wanted_order(tmp_path):
    path = file(tmp_path, {"a": [1], "b": ["x"], "c": [1.5]})
    kind = Types.ROW_NAMED(["c", "missing", "a"], [Types.DOUBLE(), Types.LIST(Types.INT()), Types.LONG()])
    assert read(ParquetColumnarRowInputFormat(kind), path) == [Row(c=1.5, missing=None, a=1)]


def test_a_file_with_none_of_the_columns_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"none of the columns \['z'\].*\['a'\]"):
        read(ParquetColumnarRowInputFormat(Types.ROW_NAMED(["z"], [Types.INT()])), file(tmp_path, {"a": [1]}))


def test_a_nested_row_with_none_of_its_fields_is_refused(tmp_path):
    array = pa.array([{"y": 1, "x": 2}])
    for kind, data in ((Types.ROW([Types.LONG(), Types.LONG()]), array), (Types.LIST(Types.ROW([Types.LONG()])), None)):
        with pytest.raises(FormatError, match=r"column a.*: none of the fields \['f0'.* is in the file"):
            column(tmp_path, pa.array([[{"y": 1}]]) if data is None else data, kind)


def test_names_in_any_case(tmp_path):
    path = file(tmp_path, {"ID": [1], "Inner": [{"X": 2}]})
    kind = Types.ROW_NAMED(["id", "inner"], [Types.LONG(), Types.ROW_NAMED(["x"], [Types.LONG()])])
    any_case = ParquetColumnarRowInputFormat(kind, is_case_sensitive=False)
    assert read(any_case, path) == [Row(id=1, inner=Row(x=2))]
    twice = Types.ROW_NAMED(["id", "Id"], [Types.LONG(), Types.BIG_INT()])
    assert read(ParquetColumnarRowInputFormat(twice, is_case_sensitive=False), path) == [Row(id=1, Id=1)]
    with pytest.raises(FormatError, match="none of the columns"):
        read(ParquetColumnarRowInputFormat(kind), path)
    with pytest.raises(FormatError, match="several"):
        read(any_case, file(tmp_path, {"ID": [1], "id": [2]}))


@pytest.fixture
def berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


SUMMER, WINTER = dt.datetime(2020, 7, 1, 12, 0, 0, 1), dt.datetime(1969, 12, 31, 23, 59)


@pytest.mark.parametrize("options", [{}, {"use_deprecated_int96_timestamps": True}])
def test_points_of_time_are_shown_in_utc_or_by_the_local_clock(tmp_path, berlin, options):
    zone = None if options else "UTC"
    points = pa.array([SUMMER, None, WINTER], pa.timestamp("us", zone))
    assert column(tmp_path, points, Types.SQL_TIMESTAMP(), options, is_utc_timestamp=True) == [SUMMER, None, WINTER]
    local = [SUMMER + dt.timedelta(hours=2), None, WINTER + dt.timedelta(hours=1)]
    assert column(tmp_path, points, Types.SQL_TIMESTAMP(), options) == local
    nested = pa.array([[SUMMER]], pa.list_(pa.timestamp("us", zone)))
    assert column(tmp_path, nested, Types.LIST(Types.SQL_TIMESTAMP()), options) == [[local[0]]]
    assert column(tmp_path, points[:1], Types.INSTANT(), options) == [Instant(1_593_604_800, 1000)]


def test_wall_clock_times_are_read_as_they_are(tmp_path, berlin):
    times = pa.array([SUMMER, dt.datetime.max], pa.timestamp("us"))
    assert column(tmp_path, times, Types.SQL_TIMESTAMP()) == [SUMMER, dt.datetime.max]


def test_a_local_time_beyond_the_calendar_is_refused(tmp_path, berlin):
    with pytest.raises(FormatError, match=r"f\.parquet"):
        column(tmp_path, pa.array([dt.datetime.max], pa.timestamp("us", "UTC")), Types.SQL_TIMESTAMP())


def test_a_writer_in_utc_marks_points_of_time(tmp_path, berlin):
    row_type = Types.ROW_NAMED(["at"], [Types.LIST(Types.SQL_TIMESTAMP())])
    path = tmp_path / "f.parquet"
    path.write_bytes(written(ParquetBulkWriters.for_row_type(row_type, utc_timestamp=True), [Row(at=[SUMMER, None])]))
    assert parquet.read_schema(path).field("at").type.value_type == pa.timestamp("us", "UTC")
    assert read(ParquetColumnarRowInputFormat(row_type, is_utc_timestamp=True), path) == [Row(at=[SUMMER, None])]
    assert read(ParquetColumnarRowInputFormat(row_type), path)[0].at[0] == SUMMER + dt.timedelta(hours=2)


NUMBERS = Types.ROW_NAMED(["n"], [Types.LONG()])


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 1000])
def test_each_row_group_belongs_to_one_part(tmp_path, parts):
    path = file(tmp_path, {"n": list(range(1000))}, row_group_size=30)
    got = [row.n for row in read(ParquetColumnarRowInputFormat(NUMBERS), path, parts)]
    assert got == list(range(1000))


def test_rows_come_in_batches(tmp_path):
    path = file(tmp_path, {"n": list(range(1000))}, row_group_size=400)
    assert list(map(len, blocks(ParquetColumnarRowInputFormat(NUMBERS, batch_size=300), path))) == [300, 100] * 2 + [
        200
    ]


@pytest.mark.long
def test_not_even_a_row_group_is_in_memory(tmp_path):
    path = file(
        tmp_path, {"n": np.arange(2_000_000)}, row_group_size=1_000_000, compression="none", use_dictionary=False
    )
    size = path.stat().st_size
    before, most = pa.total_allocated_bytes(), 0
    for _ in ParquetColumnarRowInputFormat(NUMBERS, batch_size=20_000).read(FilePart(str(path), 0, size, size)):
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < 4_000_000 < size / 4


def test_small_row_groups_of_our_writer_are_shared(tmp_path):
    path = tmp_path / "f.parquet"
    factory = ParquetBulkWriters.for_row_type(NUMBERS, Configuration.from_dict({"parquet.block.size": "1000"}))
    path.write_bytes(written(factory, [Row(n=n) for n in range(10_000)]))
    size = path.stat().st_size
    shares = [read_part(path, size * i // 4, size * (i + 1) // 4, size) for i in range(4)]
    assert sum(shares, []) == list(range(10_000)) and all(shares)


def read_part(path, start, end, size):
    parts = ParquetColumnarRowInputFormat(NUMBERS).read(FilePart(str(path), start, end, size))
    return [row.n for block in parts for row in block]


def test_a_file_that_changed_or_vanished_is_named(tmp_path):
    path = file(tmp_path, {"n": [1]})
    size = path.stat().st_size
    with pytest.raises(JobError, match=f"{path}.*had {size - 1} bytes"):
        read_part(path, 0, size - 1, size - 1)
    path.unlink()
    with pytest.raises(JobError, match=f"{path}.*gone"):
        read_part(path, 0, size, size)
