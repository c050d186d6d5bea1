"""Timestamps of the records of a table's stream: its rowtime column, or the metadata ``rowtime`` of a schema."""

from __future__ import annotations

import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment, TimestampAssigner, Types, WatermarkStrategy
from datastream.config.settings import settings
from datastream.errors import FunctionError, ValidationError
from datastream.functions import ProcessFunction
from datastream.table import ChangelogMode, Schema, StreamTableEnvironment


class Number(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value.n


class Time(ProcessFunction):
    def process_element(self, value, ctx):
        yield tuple(value), ctx.timestamp()


@pytest.fixture(params=["local", "spark"])
def tables(request, monkeypatch):
    monkeypatch.setattr(settings(), "executor", request.param)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return StreamTableEnvironment.create(env)


def by_metadata():
    return Schema.new_builder().column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)").build()


def test_a_value_becomes_the_timestamp_and_is_no_field(tables):
    table = tables.sql_query("SELECT n, TO_TIMESTAMP_LTZ(n * 7000, 3) AS t FROM (VALUES (1), (2)) AS v (n)")
    found = tables.to_changelog_stream(table, by_metadata()).process(Time()).collect()
    assert sorted(found) == [((1,), 7000), ((2,), 14000)]


def test_it_is_that_of_the_records_of_one_stream_alone(tables):
    stream = tables._session.env.from_collection([Row(1), Row(2)], Types.ROW_NAMED(["n"], [Types.INT()]))
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Number())
    stream = stream.assign_timestamps_and_watermarks(strategy)
    tables.create_temporary_view("v", stream, by_metadata())
    made = tables.to_changelog_stream(
        tables.sql_query("SELECT n, TO_TIMESTAMP_LTZ(n * 7000, 3) AS t FROM v"), by_metadata()
    ).process(Time())
    assert sorted(made.union(stream.process(Time())).collect()) == [((1,), 1), ((1,), 7000), ((2,), 2), ((2,), 14000)]


def test_null_is_no_timestamp(tables):
    table = tables.sql_query("SELECT n, CAST(NULL AS TIMESTAMP_LTZ(3)) AS t FROM (VALUES (1)) AS v (n)")
    with pytest.raises(FunctionError, match="the time attribute 'rowtime' must not be NULL"):
        tables.to_changelog_stream(table, by_metadata()).process(Time()).collect()


def test_columns_fit_a_schema_by_place(tables):
    table = tables.sql_query("SELECT n, n + 10 AS m FROM (VALUES (1)) AS v (n)")
    swapped = Schema.new_builder().column("m", "INT").column("n", "INT").build()
    assert [row.as_dict() for row in tables.to_changelog_stream(table, swapped).collect()] == [{"m": 1, "n": 11}]
    for columns in (["n"], ["n", "m", "o"]):
        schema = Schema.new_builder().from_fields(columns, [swapped.columns[0].type] * len(columns)).build()
        with pytest.raises(ValidationError, match="Different number of columns"):
            tables.to_changelog_stream(table, schema)
    with pytest.raises(ValidationError, match="Incompatible types for sink column 'm' at position 2"):
        tables.to_changelog_stream(table, Schema.new_builder().column("n", "INT").column("m", "STRING").build())


def test_a_mode_without_a_schema_counts(tables):
    table = tables.sql_query("SELECT n, COUNT(*) AS c FROM (VALUES (1), (1)) AS v (n) GROUP BY n")
    kinds = [row.get_row_kind() for row in tables.to_changelog_stream(table, None, ChangelogMode.upsert()).collect()]
    assert kinds == [RowKind.INSERT, RowKind.UPDATE_AFTER]


def test_from_data_stream_refuses_changes(tables):
    row = Row(1)
    row.set_row_kind(RowKind.DELETE)
    stream = tables._session.env.from_collection([row], Types.ROW_NAMED(["n"], [Types.INT()]))
    with pytest.raises(FunctionError, match="insert-only records but DataStream API record contains: DELETE"):
        list(tables.from_data_stream(stream).execute().collect())
