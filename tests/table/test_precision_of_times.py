"""Times have no more digits of a second than their type, wherever they come from."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pandas as pd
import pytest

from datastream import Row, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.errors import TypeMismatch
from datastream.table import AsyncScalarFunction, DataTypes, Schema, StreamTableEnvironment
from datastream.table.expressions import col
from datastream.table.udf import udf
from datastream.time import Instant

FINE, FINER = dt.datetime(2021, 8, 21, 13, 0, 0, 123456), dt.datetime(2021, 8, 21, 13, 0, 0, 123789)
MILLIS, SECONDS = FINE.replace(microsecond=123000), FINE.replace(microsecond=0)
KINDS = {"a": DataTypes.TIMESTAMP(3), "b": DataTypes.TIMESTAMP(0), "c": DataTypes.TIME(3), "d": DataTypes.TIME(0)}
CUT = (MILLIS, SECONDS, MILLIS.time(), SECONDS.time())


@pytest.fixture
def env(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    made = StreamExecutionEnvironment.get_execution_environment()
    made.set_parallelism(1)
    return made


@pytest.fixture
def tables(env):
    made = StreamTableEnvironment.create(env)
    made.get_config().set("table.local-time-zone", "UTC")
    return made


def rows(table):
    with table.execute().collect() as found:
        return [tuple(row) for row in found]


def row_type():
    return DataTypes.ROW([DataTypes.FIELD(name, kind) for name, kind in KINDS.items()])


def test_of_data_frames(tables):
    given = [MILLIS, SECONDS, FINE.time(), FINE.time()]
    frame = pd.DataFrame({name: [value] for name, value in zip("abcd", given, strict=True)})
    assert rows(tables.from_pandas(frame, row_type())) == [CUT]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (FINE, DataTypes.TIMESTAMP(3)),
        (MILLIS, DataTypes.TIMESTAMP(0)),
        (FINE, DataTypes.TIMESTAMP_LTZ(3)),
        (Decimal("1.555"), DataTypes.DECIMAL(5, 2)),
        (1.5, DataTypes.INT()),
    ],
)
def test_what_a_data_frame_would_lose_is_an_error(tables, value, kind):
    with pytest.raises(TypeMismatch, match="field x.*row 1"):
        tables.from_pandas(pd.DataFrame({"x": [None, value]}), DataTypes.ROW([DataTypes.FIELD("x", kind)]))


@pytest.mark.parametrize(
    ("kind", "given", "cut"),
    [
        *((kind, FINE if name in "ab" else FINE.time(), CUT["abcd".index(name)]) for name, kind in KINDS.items()),
        (DataTypes.TIMESTAMP_LTZ(3), FINE, Instant.of_epoch_milli(1629550800123)),
    ],
)
def test_of_functions_of_pandas(tables, kind, given, cut):
    made = udf(lambda x: pd.Series([given] * len(x)), result_type=kind, func_type="pandas")
    assert rows(tables.from_elements([(1,)], ["x"]).select(made(col("x")))) == [(cut,)]


def test_of_pandas_before_1970(tables):
    early = dt.datetime(1969, 12, 31, 23, 59, 59, 999999)
    made = udf(lambda x: pd.Series([early, None]), result_type=DataTypes.TIMESTAMP(3), func_type="pandas")
    assert rows(tables.from_elements([(1,), (2,)], ["x"]).select(made(col("x")))) == [
        (early.replace(microsecond=999000),),
        (None,),
    ]


def test_of_async_functions(tables):
    class Now(AsyncScalarFunction):
        async def eval(self, x):
            return FINE

    numbers = tables.from_elements([(1,)], ["x"])
    assert rows(numbers.select(udf(Now(), result_type=DataTypes.TIMESTAMP(3))(col("x")))) == [(MILLIS,)]


def test_of_streams(tables, env):
    kinds = [Types.SQL_TIMESTAMP(), Types.INSTANT(), Types.SQL_TIME()]
    record = Row(FINE, Instant(1629550800, 123456000), FINE.time())
    stream = env.from_collection([record], Types.ROW_NAMED(["a", "b", "c"], kinds))
    schema = (
        Schema.new_builder().column("a", "TIMESTAMP(3)").column("b", "TIMESTAMP_LTZ(0)").column("c", "TIME(0)").build()
    )
    declared = tables.from_data_stream(stream, schema)
    assert rows(declared) == [(MILLIS, Instant(1629550800, 0), SECONDS.time())]
    by_names = tables.from_data_stream(stream, col("a"), col("b"))
    assert str(by_names.get_schema()) == "root\n |-- a: TIMESTAMP(3)\n |-- b: TIMESTAMP_LTZ(3)\n"
    assert rows(by_names) == [(MILLIS, Instant(1629550800, 123_000_000))]
    whole = tables.from_data_stream(stream).get_schema()
    assert str(whole) == "root\n |-- a: TIMESTAMP(9)\n |-- b: TIMESTAMP_LTZ(9)\n |-- c: TIME(0)\n"


@pytest.mark.parametrize("form", ["parquet", "orc", "avro"])
def test_of_files_written_with_more_digits(tables, tmp_path, form):
    more = ", 'avro.timestamp_mapping.legacy' = 'false'" if form == "avro" else ""
    options = f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = '{form}'{more})"
    tables.execute_sql(f"CREATE TABLE fine (a TIMESTAMP(6)) {options}")
    tables.execute_sql(f"CREATE TABLE cut (a TIMESTAMP({3 if form != 'avro' else 6})) {options}")
    tables.execute_sql("INSERT INTO fine VALUES (TIMESTAMP '2021-08-21 13:00:00.123456')").wait()
    found = rows(tables.sql_query("SELECT a FROM cut"))
    assert found == [(FINE if form == "avro" else MILLIS,)]


def test_of_rows_that_are_inserted(tables, tmp_path):
    options = f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    tables.execute_sql(f"CREATE TABLE written (a TIMESTAMP(3), b TIMESTAMP(0), c TIME(3), d TIME(0)) {options}")
    time = DataTypes.TIME(6)
    fine = DataTypes.ROW(
        [
            DataTypes.FIELD(name, kind)
            for name, kind in zip("abcd", [DataTypes.TIMESTAMP(6)] * 2 + [time] * 2, strict=True)
        ]
    )
    tables.from_elements([(FINE, FINE, FINE.time(), FINE.time())], fine).execute_insert("written").wait()
    files = [each for each in tmp_path.iterdir() if each.is_file() and each.stat().st_size]
    (line,) = "".join(each.read_text() for each in files if each.name[0] != ".").splitlines()
    assert json.loads(line) == {
        "a": "2021-08-21 13:00:00.123",
        "b": "2021-08-21 13:00:00",
        "c": "13:00:00.123",
        "d": "13:00:00",
    }
