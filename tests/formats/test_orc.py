"""Rows into ORC files and back; the columns of others' files; damaged files."""

from __future__ import annotations

import contextlib
import datetime as dt
import gc
import io
import math
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyarrow import orc

from datastream.config import Configuration
from datastream.connectors.files.orc_format import OrcBulkWriters, OrcColumnarRowInputFormat
from datastream.errors import FormatError, ValidationError
from datastream.time import Instant
from datastream.types import Row, Types
from tests.support.draws import draws
from tests.support.formats.columnar_files import blocks, read, survive, written
from tests.support.formats.strategies import damaged, equal, row_types, values

PAIR = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
YEARS = {"years": (1678, 2261)}
# ORC has no type for a time of day.
KINDS = row_types(void=False, local=False).filter(lambda kind: "TimeTypeInfo" not in str(kind).replace("DateTime", ""))
TABLES = KINDS.flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values(kind, **YEARS), max_size=5)))


def of(tmp_path, data):
    path = tmp_path / "f.orc"
    path.write_bytes(data)
    return path


def file(tmp_path, columns, **options):
    path = tmp_path / "f.orc"
    orc.write_table(pa.table(columns), str(path), **options)
    return path


def round_trip(tmp_path, row_type, rows, options=None):
    factory = OrcBulkWriters.for_row_type(row_type, Configuration.from_dict(options or {}))
    return read(OrcColumnarRowInputFormat(row_type, batch_size=2), of(tmp_path, written(factory, rows)))


@pytest.mark.long
@draws(1000, suppress_health_check=list(HealthCheck))
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
        "big": (Types.BIG_INT(), [10**38 - 1, 1 - 10**38, None]),
        "dec": (Types.BIG_DEC(), [Decimal("99999999999999999999.999999999999999999"), Decimal("-1E-18"), None]),
        "date": (Types.SQL_DATE(), [dt.date.min, dt.date.max, None]),
        "at": (Types.SQL_TIMESTAMP(), [dt.datetime(1678, 1, 1), dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), None]),
        "local": (Types.LOCAL_DATE_TIME(), [dt.datetime(2261, 12, 31), dt.datetime(1970, 1, 1), None]),
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


@pytest.mark.parametrize("kind", [Types.SQL_TIME(), Types.LOCAL_TIME(), Types.VOID(), Types.LIST(Types.SQL_TIME())])
def test_what_orc_has_no_type_for_is_refused(kind):
    with pytest.raises(ValidationError, match="ORC has no form"):
        OrcBulkWriters.for_row_type(Types.ROW([kind]))


@pytest.mark.parametrize(
    ("kind", "value", "part"),
    [
        (Types.INT(), 2**31, "field a: expected Integer"),
        (Types.STRING(), "\ud800", "field a.*surrogate"),
        (Types.SQL_TIMESTAMP(), dt.datetime.max, "column a.*9999"),
        (Types.LIST(Types.SQL_TIMESTAMP()), [dt.datetime.min], "column a.*"),
    ],
)
def test_a_row_that_does_not_fit_is_named(kind, value, part):
    writer = OrcBulkWriters.for_row_type(Types.ROW_NAMED(["a"], [kind])).create(io.BytesIO())
    writer.add_element(Row(a=None))
    writer.add_element(Row(a=value))
    with pytest.raises(FormatError, match=part):
        writer.finish()


def test_a_file_without_rows_has_its_columns(tmp_path):
    path = of(tmp_path, written(OrcBulkWriters.for_row_type(PAIR), []))
    assert orc.ORCFile(str(path)).schema.names == ["id", "name"]
    assert read(OrcColumnarRowInputFormat(PAIR), path) == []


@pytest.mark.parametrize("names", [["a.b", "a", "ü `"], ["a", "b", "A"]])
def test_names_of_all_kinds(tmp_path, names):
    row_type = Types.ROW_NAMED(
        names, [Types.INT(), Types.ROW_NAMED(["b", "c"], [Types.INT(), Types.INT()]), Types.INT()]
    )
    row = Row(**dict(zip(names, [1, Row(b=2, c=3), 4], strict=True)))
    path = of(tmp_path, written(OrcBulkWriters.for_row_type(row_type), [row]))
    for name in names:
        one = Types.ROW_NAMED([name], [row_type.field_types[names.index(name)]])
        assert read(OrcColumnarRowInputFormat(one), path) == [Row(**{name: row[name]})]


@pytest.mark.parametrize("codec", [None, "NONE", "snappy", "LZ4", "ZSTD"])
def test_compression(tmp_path, codec):
    config = Configuration.from_dict({} if codec is None else {"orc.compress": codec})
    path = of(tmp_path, written(OrcBulkWriters.for_row_type(PAIR, hadoop_config=config), [Row(id=1, name="a")]))
    found = orc.ORCFile(str(path)).compression
    assert found == {None: "ZLIB", "NONE": "UNCOMPRESSED"}.get(codec, str(codec).upper())


def test_options_of_the_writer_go_first():
    wrong = Configuration.from_dict({"orc.compress": "LZO"})
    OrcBulkWriters.for_row_type(PAIR, Configuration.from_dict({"orc.compress": "NONE"}), wrong)
    for options in ({"orc.compress": "LZO"}, {"orc.stripe.size": "0"}, {"orc.dictionary.key.threshold": "2"}):
        with pytest.raises(ValidationError):
            OrcBulkWriters.for_row_type(PAIR, Configuration.from_dict(options))


def many_stripes(tmp_path):
    rows = [Row(id=i, name=f"{i * 7919 % 10_007}" * 20) for i in range(20_000)]
    config = Configuration.from_dict({"orc.stripe.size": "100000", "orc.compress": "NONE"})
    path = of(tmp_path, written(OrcBulkWriters.for_row_type(PAIR, config), rows))
    assert orc.ORCFile(str(path)).nstripes > 4
    return path, rows


@pytest.mark.long
@pytest.mark.parametrize("parts", [1, 2, 3, 100])
def test_each_stripe_belongs_to_one_part(tmp_path, parts):
    path, rows = many_stripes(tmp_path)
    assert read(OrcColumnarRowInputFormat(PAIR), path, parts) == rows
    assert max(map(len, blocks(OrcColumnarRowInputFormat(PAIR, batch_size=500), path, parts))) == 500


def test_columns_fit_as_those_of_parquet(tmp_path):
    inner = pa.array([{"x": 1}, None], pa.struct([("x", pa.int16())]))
    path = file(tmp_path, {"A": pa.array([1, None], pa.int32()), "s": inner, "other": [1, 2]})
    kind = Types.ROW_NAMED(["s", "new", "a"], [Types.ROW_NAMED(["x"], [Types.LONG()]), Types.INT(), Types.DOUBLE()])
    got = read(OrcColumnarRowInputFormat(kind, is_case_sensitive=False), path)
    assert got == [Row(s=Row(x=1), new=None, a=1.0), Row(s=None, new=None, a=None)]
    with pytest.raises(FormatError, match=r"f\.orc: column a.*without loss"):
        read(OrcColumnarRowInputFormat(Types.ROW_NAMED(["a"], [Types.SHORT()]), is_case_sensitive=False), path)
    with pytest.raises(FormatError, match="none of the columns"):
        read(OrcColumnarRowInputFormat(Types.ROW_NAMED(["a"], [Types.SHORT()])), path)


def test_a_nested_row_with_none_of_its_fields_is_refused(tmp_path):
    path = tmp_path / "f.orc"
    orc.write_table(pa.table({"a": [{"y": 1, "x": 2}]}), path)
    kind = Types.ROW_NAMED(["a"], [Types.ROW([Types.LONG(), Types.LONG()])])
    with pytest.raises(FormatError, match=r"column a: none of the fields \['f0', 'f1'\] is in the file"):
        read(OrcColumnarRowInputFormat(kind), path)


def test_slices_of_nested_columns_fit(tmp_path):
    inner = pa.list_(pa.map_(pa.int16(), pa.struct([("x", pa.list_(pa.float32()))])))
    cells = [[[(1, {"x": [1.5, None]}), (2, None)], []], None, [], [[(3, {"x": None})], None, [(4, {"x": []})]]]
    path = file(tmp_path, {"a": pa.array(cells, inner)})
    element = Types.ROW_NAMED(["x"], [Types.LIST(Types.DOUBLE())])
    kind = Types.ROW_NAMED(["a"], [Types.LIST(Types.MAP(Types.LONG(), element))])
    expected = [[{1: Row(x=[1.5, None]), 2: None}, {}], None, [], [{3: Row(x=None)}, None, {4: Row(x=[])}]]
    for size in (1, 2, 3):
        got = read(OrcColumnarRowInputFormat(kind, batch_size=size), path)
        assert [row.a for row in got] == expected


def test_nanoseconds_that_a_timestamp_would_lose_are_refused(tmp_path):
    path = file(tmp_path, {"a": pa.array([1], pa.timestamp("ns"))})
    with pytest.raises(FormatError, match="column a"):
        read(OrcColumnarRowInputFormat(Types.ROW_NAMED(["a"], [Types.SQL_TIMESTAMP()])), path)


ROW = Types.ROW_NAMED(
    ["id", "name", "tags", "amount", "at"],
    [Types.LONG(), Types.STRING(), Types.LIST(Types.STRING()), Types.BIG_DEC(), Types.SQL_TIMESTAMP()],
)
FORMAT = OrcColumnarRowInputFormat(ROW)
WHOLE = written(
    OrcBulkWriters.for_row_type(ROW, Configuration.from_dict({"orc.compress": "NONE"})),
    [Row(id=i, name=f"n{i % 5}", tags=["a", None], amount=Decimal(i), at=None) for i in range(50)],
)
FOOTER = 400


def attempt(path, data):
    path.write_bytes(data)
    try:
        read(FORMAT, path)
    except FormatError as error:
        assert str(path) in str(error)
        raise


@draws(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | damaged(WHOLE[-FOOTER:]))
def test_a_damaged_footer_is_a_format_error(tmp_path, data):
    with contextlib.suppress(FormatError):
        attempt(tmp_path / "f.orc", data)


def test_a_damaged_footer_ends_no_process(tmp_path):
    """Damaged columns may: ORC has no checksums, and its library trusts some lengths."""

    def spoil(seed):
        dice = random.Random(seed)
        data = bytearray(WHOLE)
        for _ in range(dice.randrange(1, 4)):
            data[-1 - dice.randrange(FOOTER)] = dice.randrange(256)
        attempt(tmp_path / "f.orc", bytes(data))

    assert set(survive(range(1500), spoil)) <= {"read", "FormatError"}


@pytest.mark.parametrize(
    "data", [b"", b"ORC", b"\0" * 100, WHOLE[:-1], WHOLE[: len(WHOLE) // 2]], ids=lambda data: repr(data[:12])
)
def test_what_is_no_orc_file_is_named(tmp_path, data):
    with pytest.raises(FormatError, match="no ORC file"):
        attempt(tmp_path / "f.orc", data)


def test_a_writer_that_is_dropped_leaves_its_stream_alone():
    stream = io.BytesIO()
    writer = OrcBulkWriters.for_row_type(PAIR).create(stream)
    writer.add_element(Row(id=1, name="a"))
    writer.flush()
    written = stream.getvalue()
    del writer
    gc.collect()
    assert stream.getvalue() == written
