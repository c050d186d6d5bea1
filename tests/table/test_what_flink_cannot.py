"""Tables that fail in Flink, or have a wrong value there, as docs/differences.md says."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from datastream import Row, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.table import DataTypes, Schema, StreamTableEnvironment, Table
from datastream.table.expression import TimeIntervalUnit
from datastream.table.expressions import col, concat, lit, to_date, to_timestamp


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> StreamTableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return StreamTableEnvironment.create(env)


def of(tables: StreamTableEnvironment, name: str, *values: str) -> Table:
    return tables.from_elements(
        [(each,) for each in values], DataTypes.ROW([DataTypes.FIELD(name, DataTypes.STRING())])
    )


def streamed(tables: StreamTableEnvironment, table: Table) -> list[list[Any]]:
    with tables.to_changelog_stream(table).execute_and_collect() as rows:
        return [list(row) for row in rows]


def test_a_column_that_an_outer_join_fills_may_be_null(tables: StreamTableEnvironment) -> None:
    left = of(tables, "k", "a").select(col("k"), concat("x", "y").alias("c"))
    joined = left.full_outer_join(of(tables, "o", "z"), col("k") == col("o"))
    assert sorted(streamed(tables, joined), key=str) == [["a", "xy", None], [None, None, "z"]]


def test_a_part_of_a_text_that_is_no_time_is_null(tables: StreamTableEnvironment) -> None:
    year = to_timestamp(lit("?")).extract(TimeIntervalUnit.YEAR)
    day = to_date(col("k").if_null("?")).extract(TimeIntervalUnit.DAY)
    assert streamed(tables, of(tables, "k", "x").select(year, day)) == [[None, None]]


def test_a_table_with_several_time_attributes_becomes_a_stream(tables: StreamTableEnvironment) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    time = datetime.datetime(2024, 1, 1)
    rows = env.from_collection([Row(time)], type_info=Types.ROW_NAMED(["made"], [Types.SQL_TIMESTAMP()]))
    schema = Schema.new_builder().column_by_expression("ts", "CAST(made AS TIMESTAMP(3))").watermark("ts", "ts").build()
    of_env = StreamTableEnvironment.create(env)
    table = of_env.from_data_stream(rows, schema).select(col("ts"), col("ts").alias("again"))
    assert streamed(of_env, table) == [[time, time]]
