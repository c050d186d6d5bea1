"""`DataTypes` of the Table API: what they print, when they are equal, and what the files' schemas make of them."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal

import pytest

from datastream import Row, Types
from datastream.connectors.files import (
    CsvReaderFormat,
    FilePart,
    OrcColumnarRowInputFormat,
    ParquetColumnarRowInputFormat,
)
from datastream.errors import FormatError, TypeMismatch, ValidationError
from datastream.formats import CsvSchema, OrcBulkWriters, ParquetBulkWriters
from datastream.table import DataTypes, RowType
from datastream.time import Instant

INT = DataTypes.INT()
PAIR = DataTypes.ROW([DataTypes.FIELD("a", INT), DataTypes.FIELD("b", DataTypes.STRING(), "what it is")])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (DataTypes.NULL(), "NullType(true)"),
        (DataTypes.CHAR(3), "CharType(3, true)"),
        (DataTypes.STRING(), "VarCharType(2147483647, true)"),
        (DataTypes.BYTES(False), "VarBinaryType(2147483647, false)"),
        (DataTypes.DECIMAL(10, 2), "DecimalType(10, 2, true)"),
        (DataTypes.INT().not_null(), "IntType(false)"),
        (DataTypes.INT(False).nullable(), "IntType(true)"),
        (DataTypes.TIME(), "TimeType(0, true)"),
        (DataTypes.TIMESTAMP(3), "TimestampType(3, true)"),
        (DataTypes.TIMESTAMP_LTZ(), "LocalZonedTimestampType(6, true)"),
        (DataTypes.ARRAY(INT), "ArrayType(IntType(true), true)"),
        (DataTypes.MAP(INT, DataTypes.DATE()), "MapType(IntType(true), DateType(true), true)"),
        (DataTypes.MULTISET(INT), "MultisetType(IntType(true), true)"),
        (DataTypes.LIST_VIEW(INT), "ListViewType(IntType(true))"),
        (DataTypes.MAP_VIEW(INT, INT), "MapViewType(IntType(true), IntType(true))"),
        (
            PAIR,
            "RowType(RowField(a, IntType(true), ...),RowField(b, VarCharType(2147483647, true), what it is))",
        ),
    ],
)
def test_text_as_in_pyflink(kind, text):
    assert repr(kind) == text
    assert pickle.loads(pickle.dumps(kind)) == kind


def test_equality():
    assert DataTypes.INT() == INT != DataTypes.INT(False)
    assert DataTypes.CHAR(3) != DataTypes.CHAR(4)
    assert hash(DataTypes.ARRAY(INT)) == hash(DataTypes.ARRAY(DataTypes.INT()))
    assert str(DataTypes.BIGINT()) == "BIGINT"


def test_rows_are_lists_of_fields():
    assert (len(PAIR), PAIR.names, PAIR.field_names()) == (2, ["a", "b"], ["a", "b"])
    assert PAIR["a"].data_type == PAIR[0].data_type == INT
    assert [field.name for field in PAIR] == ["a", "b"]
    assert isinstance(PAIR[0:1], RowType) and PAIR[0:1].names == ["a"]
    assert DataTypes.ROW().add("c", INT).names == ["c"]
    with pytest.raises(KeyError):
        PAIR["c"]


def test_intervals():
    kind = DataTypes.INTERVAL(DataTypes.DAY(3), DataTypes.SECOND(2))
    assert (kind.day_precision, kind.fractional_precision) == (3, 2)
    assert DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.MONTH()).precision == 2
    with pytest.raises(ValidationError, match="no interval MONTH TO YEAR"):
        DataTypes.INTERVAL(DataTypes.MONTH(), DataTypes.YEAR())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DataTypes.DECIMAL(39, 2), "precision must be an integer from 1 to 38"),
        (lambda: DataTypes.DECIMAL(3, 4), "scale must be an integer from 0 to 3"),
        (lambda: DataTypes.TIMESTAMP(10), "precision must be an integer from 0 to 9"),
        (lambda: DataTypes.ARRAY(Types.INT()), "expected a data type such as DataTypes.INT"),
        (lambda: DataTypes.FIELD(1, INT), "expected a name"),
        (lambda: DataTypes.ROW([INT]), "expected fields such as"),
        (lambda: DataTypes.YEAR(9) and DataTypes.INTERVAL(DataTypes.YEAR(9)), "precision must be from 1 to 4"),
        (lambda: DataTypes.LIST_VIEW(INT).to_type_info(), "allowed in no file"),
    ],
)
def test_what_is_wrong_is_told(make, message):
    with pytest.raises(ValidationError, match=message):
        make()


ALL = DataTypes.ROW(
    [
        DataTypes.FIELD("text", DataTypes.STRING()),
        DataTypes.FIELD("yes", DataTypes.BOOLEAN()),
        DataTypes.FIELD("tiny", DataTypes.TINYINT()),
        DataTypes.FIELD("small", DataTypes.SMALLINT()),
        DataTypes.FIELD("int", DataTypes.INT()),
        DataTypes.FIELD("big", DataTypes.BIGINT()),
        DataTypes.FIELD("single", DataTypes.FLOAT()),
        DataTypes.FIELD("double", DataTypes.DOUBLE()),
        DataTypes.FIELD("price", DataTypes.DECIMAL(10, 2)),
        DataTypes.FIELD("date", DataTypes.DATE()),
        DataTypes.FIELD("at", DataTypes.TIMESTAMP(3)),
        DataTypes.FIELD("point", DataTypes.TIMESTAMP_LTZ(3)),
        DataTypes.FIELD("bytes", DataTypes.BYTES()),
        DataTypes.FIELD("list", DataTypes.ARRAY(DataTypes.INT())),
        DataTypes.FIELD("map", DataTypes.MAP(DataTypes.STRING(), DataTypes.BIGINT())),
        DataTypes.FIELD("row", PAIR),
    ]
)
VALUES = Row(
    "x", True, 1, 2, 3, 4, 0.5, 0.1, Decimal("1.5"), dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5),
    Instant(1, 0), b"ab", [1, None], {"k": 5}, Row(a=1, b="y"),
)  # fmt: skip
VALUES.set_field_names(ALL.names)


def write(factory, path, rows):
    with open(path, "wb") as stream:
        writer = factory.create(stream)
        for row in rows:
            writer.add_element(row)
        writer.finish()


def read(form, path):
    size = path.stat().st_size
    return [record for block in form.read(FilePart(str(path), 0, size, size)) for record in block]


@pytest.mark.parametrize(
    ("factory", "form", "columns"),
    [
        (ParquetBulkWriters.for_row_type, lambda kind: ParquetColumnarRowInputFormat(kind), "parquet"),
        (OrcBulkWriters.for_row_type, lambda kind: OrcColumnarRowInputFormat(kind), "orc"),
    ],
)
def test_columns_of_files(tmp_path, factory, form, columns):
    path = tmp_path / f"x.{columns}"
    write(factory(ALL), path, [VALUES, Row(*[None] * 16)])
    first, second = read(form(ALL), path)
    assert first == VALUES and first.price == Decimal("1.50") and str(first.price) == "1.50"
    assert list(second) == [None] * 16


def test_decimals_are_columns_of_their_digits(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "x.parquet"
    kind = DataTypes.ROW([DataTypes.FIELD("price", DataTypes.DECIMAL(5, 2))])
    write(ParquetBulkWriters.for_row_type(kind), path, [Row(Decimal("1.005")), Row(Decimal("-1.005"))])
    assert str(pq.read_schema(path).field("price").type) == "decimal128(5, 2)"
    assert [str(row[0]) for row in read(ParquetColumnarRowInputFormat(kind), path)] == ["1.01", "-1.01"]
    with pytest.raises((FormatError, TypeMismatch), match="too many digits before the point"):
        write(ParquetBulkWriters.for_row_type(kind), path, [Row(Decimal("1234.5"))])


def test_columns_of_csv(tmp_path):
    schema = (
        CsvSchema.builder()
        .add_number_column("id", number_type=DataTypes.BIGINT())
        .add_number_column("price", number_type=DataTypes.DECIMAL(6, 2))
        .add_array_column("tags", separator="#", element_type=DataTypes.STRING())
        .build()
    )
    path = tmp_path / "x.csv"
    path.write_text("1,2.5,a#b\n")
    (row,) = read(CsvReaderFormat.for_schema(schema), path)
    assert list(row) == [1, Decimal("2.50"), ["a", "b"]] and str(row.price) == "2.50"
    assert schema.row_type == Types.ROW(
        [Types.LONG(), DataTypes.DECIMAL(6, 2).to_type_info(), Types.LIST(Types.STRING())]
    )
