"""Results: rows, what printing shows, and rows that are given."""

from __future__ import annotations

import array
import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from datastream.config.settings import settings
from datastream.errors import TypeMismatch, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment, col
from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.results.cell_text import cell_text
from datastream.table.results.table_result import TableResult
from datastream.table.types.values import Origin, to_inside, to_python
from datastream.time import Instant
from datastream.types import Row, RowKind


def result(updates=True, streaming=True):
    schema = ResolvedSchema.physical(["id", "data"], [DataTypes.BIGINT(), DataTypes.STRING()])
    rows = [(0, 1, "Hi"), (1, 1, "Hi"), (2, 1, None), (0, 2, "x" * 40), (3, 2, "日本")]
    return TableResult(schema, rows if updates else [row[1:] for row in rows], updates=updates, streaming=streaming)


def test_print_in_streaming_mode(capsys):
    result().print()
    assert capsys.readouterr().out == (
        "+----+----------------------+--------------------------------+\n"
        "| op |                   id |                           data |\n"
        "+----+----------------------+--------------------------------+\n"
        "| +I |                    1 |                             Hi |\n"
        "| -U |                    1 |                             Hi |\n"
        "| +U |                    1 |                         <NULL> |\n"
        "| +I |                    2 | xxxxxxxxxxxxxxxxxxxxxxxxxxx... |\n"
        "| -D |                    2 |                           日本 |\n"
        "+----+----------------------+--------------------------------+\n"
        "5 rows in set\n"
    )


def test_print_of_statements(capsys):
    schema = ResolvedSchema.physical(["name"], [DataTypes.STRING()])
    TableResult(schema, [("a",), (None,)]).print()
    TableResult(schema, []).print()
    TableResult(schema, [("a" * 40,)]).print()
    assert capsys.readouterr().out == (
        "+------+\n| name |\n+------+\n|    a |\n|      |\n+------+\n2 rows in set\n"
        "Empty set\n"
        f"+{'-' * 42}+\n|{'name':>41} |\n+{'-' * 42}+\n| {'a' * 40} |\n+{'-' * 42}+\n1 row in set\n"
    )


def test_rows_have_kinds_and_no_names():
    with result().collect() as rows:
        first, *_, last = rows
    assert first == Row(1, "Hi")
    assert last.get_row_kind() is RowKind.DELETE


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (DataTypes.BOOLEAN(), True, "TRUE"),
        (DataTypes.DOUBLE(), 1e10, "1.0E10"),
        (DataTypes.DECIMAL(5, 2), Decimal("1.50"), "1.50"),
        (DataTypes.BYTES(), b"\x01\xff", "x'01ff'"),
        (DataTypes.DATE(), 1, "1970-01-02"),
        (DataTypes.TIME(3), 3_661_005_000, "01:01:01.005"),
        (DataTypes.TIMESTAMP(3), 1_500_000, "1970-01-01 00:00:01.500"),
        (DataTypes.TIMESTAMP(0), 1_500_000, "1970-01-01 00:00:01"),
        (DataTypes.TIMESTAMP_LTZ(3), 0, "1970-01-01 01:00:00.000"),
        (DataTypes.ARRAY(DataTypes.INT()), (1, None), "[1, NULL]"),
        (DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), {"a": 1}, "{a=1}"),
        (DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())]), (1,), "(1)"),
        (DataTypes.INT(), None, "<NULL>"),
    ],
)
def test_cells(kind, value, text):
    assert cell_text(kind, ZoneInfo("Europe/Berlin"))(value) == text


@pytest.mark.parametrize(
    ("kind", "value", "inside"),
    [
        (DataTypes.DATE(), dt.date(1969, 12, 31), -1),
        (DataTypes.TIME(6), dt.time(1, 0, 0, 5), 3_600_000_005),
        (DataTypes.TIMESTAMP(6), dt.datetime(1970, 1, 1, 0, 0, 1), 1_000_000),
        (DataTypes.TIMESTAMP_LTZ(6), Instant(1, 5000), 1_000_005),
        (DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND()), dt.timedelta(seconds=1), 1_000_000),
        (DataTypes.ARRAY(DataTypes.DATE()), [dt.date(1970, 1, 2)], (1,)),
        (DataTypes.MAP(DataTypes.STRING(), DataTypes.DATE()), {"a": dt.date(1970, 1, 2)}, {"a": 1}),
    ],
)
def test_values_inside_and_back(kind, value, inside):
    assert to_inside(kind)(value) == inside
    assert to_python(kind)(inside) == value


EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("kind", "value", "inside"),
    [
        (DataTypes.BIGINT(), 1.9, 1),
        (DataTypes.TINYINT(), Decimal("-1.9"), -1),
        (DataTypes.INT(), True, 1),
        (DataTypes.BOOLEAN(), 2, True),
        (DataTypes.BOOLEAN(), 0.5, False),
        (DataTypes.DOUBLE(), True, 1.0),
        (DataTypes.DECIMAL(5, 2), Decimal("1.005"), Decimal("1.00")),
        (DataTypes.DECIMAL(5, 2), Decimal("1.015"), Decimal("1.02")),
        (DataTypes.ARRAY(DataTypes.DECIMAL(10, 0)), [Decimal("2.5")], (Decimal(2),)),
        (DataTypes.DATE(), dt.datetime(1970, 1, 2, 23), 1),
        (DataTypes.VARCHAR(1), "ab", "ab"),
    ],
)
def test_values_that_functions_return(kind, value, inside):
    assert to_inside(kind, origin=Origin.RETURNED)(value) == inside


@pytest.mark.parametrize(
    ("kind", "value", "inside"),
    [
        (DataTypes.DECIMAL(5, 2), Decimal("1.005"), Decimal("1.01")),
        (DataTypes.DATE(), dt.datetime(1970, 1, 2, 23), 1),
        (DataTypes.CHAR(2), "a😀", "a😀"),
        (DataTypes.BINARY(2), bytearray(b"ab"), b"ab"),
        (DataTypes.TIME(0), dt.time(1, 30, tzinfo=EAST), 20 * 3_600_000_000),
    ],
)
def test_values_that_rows_give(kind, value, inside):
    assert to_inside(kind, origin=Origin.GIVEN)(value) == inside


def test_a_moment_with_a_zone_is_the_time_that_the_clock_of_the_machine_shows():
    given = to_inside(DataTypes.TIMESTAMP(3), origin=Origin.GIVEN)
    moment = dt.datetime(1970, 1, 2, 5, 30, tzinfo=EAST)
    assert given(moment) == given(moment.astimezone().replace(tzinfo=None)) == given(moment.astimezone(dt.UTC))


@pytest.mark.parametrize("origin", Origin)
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (DataTypes.DECIMAL(5, 2), Decimal("NaN")),
        (DataTypes.DECIMAL(38, 18), Decimal("-Infinity")),
        (DataTypes.DECIMAL(5, 2), 1.5),
        (DataTypes.BIGINT(), float("nan")),
        (DataTypes.BIGINT(), float("inf")),
        (DataTypes.INT(), 2147483648.0),
        (DataTypes.INT(), "1"),
        (DataTypes.BYTES(), array.array("i", [1])),
        (DataTypes.MULTISET(DataTypes.STRING()), "text"),
        (DataTypes.DATE(), "2024-01-01"),
        (DataTypes.TIMESTAMP(3), dt.date(2024, 1, 1)),
    ],
)
def test_values_of_no_such_type(kind, value, origin):
    with pytest.raises(TypeMismatch):
        to_inside(kind, origin=origin)(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (DataTypes.CHAR(3), "ab"),
        (DataTypes.CHAR(3), "abcd"),
        (DataTypes.VARCHAR(3), "abcd"),
        (DataTypes.BINARY(3), b"ab"),
        (DataTypes.VARBINARY(3), b"abcd"),
        (DataTypes.TIME(), dt.datetime(2024, 1, 1)),
        (DataTypes.BIGINT(), 1.0),
        (DataTypes.ARRAY(DataTypes.VARCHAR(1)), ["ab"]),
    ],
)
def test_rows_whose_values_do_not_fit(tables, kind, value):
    with pytest.raises(TypeMismatch, match="row 0 of from_elements"):
        tables.from_elements([(value,)], DataTypes.ROW([DataTypes.FIELD("a", kind)]))


@pytest.fixture
def tables():
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def test_types_follow_from_rows(tables):
    row = (True, 1, "a", dt.date(1970, 1, 1), dt.time(0), dt.datetime(1970, 1, 1), 1.0, [1], {"a": 1}, b"x", Decimal(1))
    kinds = tables.from_elements([row]).get_schema().get_field_data_types()
    assert list(map(repr, kinds)) == [
        "BooleanType(true)",
        "BigIntType(true)",
        "VarCharType(2147483647, true)",
        "DateType(true)",
        "TimeType(0, true)",
        "LocalZonedTimestampType(6, true)",
        "DoubleType(true)",
        "ArrayType(BigIntType(true), true)",
        "MapType(VarCharType(2147483647, false), BigIntType(true), true)",
        "VarBinaryType(2147483647, true)",
        "DecimalType(38, 18, true)",
    ]
    assert tables.from_elements([(1, 2)]).get_schema().get_field_names() == ["_1", "_2"]
    assert tables.from_elements([Row(b=1, a=2)]).get_schema().get_field_names() == ["b", "a"]
    assert tables.from_elements([{"b": 1, "a": None}, {"a": "x"}]).get_schema().get_field_names() == ["a", "b"]
    assert tables.from_elements([1, 2], DataTypes.INT()).get_schema().get_field_names() == ["f0"]


def test_rows_that_do_not_fit(tables):
    schema = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])
    with pytest.raises(TypeMismatch, match="field a: expected INT, found str 'x'; it is in row 1"):
        tables.from_elements([(1,), ("x",)], schema)
    with pytest.raises(ValidationError, match="different types in one place, BIGINT and STRING"):
        tables.from_elements([(1,), ("x",)])
    with pytest.raises(ValidationError, match="column '_1' is None in all rows"):
        tables.from_elements([(None,)])
    with pytest.raises(ValidationError, match="from_elements needs rows"):
        tables.from_elements([1, 2])


def test_pandas_there_and_back(tables, monkeypatch):
    import pandas

    monkeypatch.setattr(settings(), "executor", "local")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None], "c": [1.5, 2.5]})
    table = tables.from_pandas(frame)
    assert table.get_schema().get_field_data_types() == [DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.DOUBLE()]
    pandas.testing.assert_frame_equal(table.to_pandas(), frame)
    counted = tables.from_pandas(frame, ["k", "v", "w"]).group_by(col("v").is_null).select(col("k").sum.alias("s"))
    assert sorted(counted.to_pandas()["s"]) == [1, 2]
