"""`Table` and the environment's streams: queries that run on the local executor."""

from __future__ import annotations

import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment, Types
from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.table import (
    AggregateFunction,
    ChangelogMode,
    DataTypes,
    EnvironmentSettings,
    Schema,
    StreamTableEnvironment,
    TableDescriptor,
    TableEnvironment,
    Tumble,
    col,
    lit,
)
from datastream.table.expressions import range_, with_columns, without_columns
from datastream.table.udf import udaf, udf, udtf

PEOPLE = [(1, "ann", 3), (2, "bob", 5), (1, "cem", 7)]


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def tables():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return StreamTableEnvironment.create(env)


@pytest.fixture
def people(tables):
    return tables.from_elements(PEOPLE, ["id", "name", "n"])


def rows(table):
    with table.execute().collect() as found:
        return [tuple(row) for row in found]


def names(table):
    return table.get_schema().get_field_names()


def test_columns(people):
    assert names(people.select(col("id") + 1, col("name"), lit(1))) == ["_c0", "name", "_c2"]
    assert names(people.alias("a", "b")) == ["a", "b", "n"]
    assert names(people.add_columns((col("n") * 2).alias("m"))) == ["id", "name", "n", "m"]
    assert rows(people.add_or_replace_columns((col("n") * 2).alias("n")))[0] == (1, "ann", 6)
    assert names(people.rename_columns(col("n").alias("m"))) == ["id", "name", "m"]
    assert names(people.drop_columns(col("n"))) == ["id", "name"]
    assert names(people.select(with_columns(range_(2, 3)))) == ["name", "n"]
    assert names(people.select(without_columns(col("id")))) == ["name", "n"]
    with pytest.raises(ValidationError, match="No column 'nam': did you mean 'name'"):
        people.select(col("nam"))
    with pytest.raises(ValidationError, match="needs expressions such as col"):
        people.select(object())
    with pytest.raises(AttributeError, match="did you mean alias"):
        people.as_("a")


def test_rows(people):
    assert rows(people.where((col("n") > 3) & (col("id") == 1))) == [(1, "cem", 7)]
    assert rows(people.select(col("id")).distinct()) == [(1,), (2,)]
    assert rows(people.union_all(people)) == [*PEOPLE, *PEOPLE]


def test_groups_give_changes(people):
    with people.group_by(col("id")).select(col("id"), col("n").sum.alias("s")).execute().collect() as found:
        changes = [(row.get_row_kind(), *row) for row in found]
    assert changes == [
        (RowKind.INSERT, 1, 3),
        (RowKind.INSERT, 2, 5),
        (RowKind.UPDATE_BEFORE, 1, 3),
        (RowKind.UPDATE_AFTER, 1, 10),
    ]


def test_batch_mode():
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    people = tables.from_elements(PEOPLE, ["id", "name", "n"])
    assert rows(people.order_by(col("n").desc).limit(2).select(col("name"))) == [("cem",), ("bob",)]
    assert sorted(rows(people.group_by(col("id")).select(col("id"), col("n").count))) == [(1, 2), (2, 1)]


def test_functions_of_rows(people, tables):
    double = udf(lambda n: n * 2, result_type=DataTypes.BIGINT())
    assert rows(people.select(double(col("n")))) == [(6,), (10,), (14,)]
    pair = udf(lambda row: Row(row.id, row.name.upper()), result_type="ROW<i BIGINT, u STRING>")
    assert rows(people.map(pair)) == [(1, "ANN"), (2, "BOB"), (1, "CEM")]
    assert names(people.map(pair)) == ["i", "u"]

    @udtf(result_types=[DataTypes.STRING()])
    def letters(name):
        yield from name[:2]

    assert rows(people.flat_map(letters(col("name"))))[:3] == [("a",), ("n",), ("b",)]
    joined = people.join_lateral(letters(col("name")).alias("letter")).select(col("id"), col("letter"))
    assert rows(joined)[:2] == [(1, "a"), (1, "n")]
    tables.create_temporary_system_function("twice", double)
    assert rows(tables.sql_query(f"SELECT TWICE(n) FROM {people}")) == [(6,), (10,), (14,)]


def test_insert(people, tables, capfd):
    sink = TableDescriptor.for_connector("print").build()
    people.select(col("id"), col("name")).execute_insert(sink).wait()
    assert capfd.readouterr().out == "+I[1, ann]\n+I[2, bob]\n+I[1, cem]\n"
    with pytest.raises(ValidationError, match="No table|does not exist"):
        people.execute_insert("nowhere")
    both = tables.create_statement_set().add_insert(sink, people.select(col("id")))
    both.add(people.select(col("n")).insert_into(sink)).execute().wait()
    assert len(capfd.readouterr().out.splitlines()) == 6


def test_streams_and_tables(tables):
    kind = Types.ROW_NAMED(["k", "v"], [Types.INT(), Types.STRING()])
    stream = tables._session.env.from_collection([Row(1, "a"), Row(2, "b"), Row(1, "c")], kind)
    table = tables.from_data_stream(stream)
    assert names(tables.from_data_stream(stream, col("x"), col("y"))) == ["x", "y"]
    assert tables.to_data_stream(table.select(col("v"))).collect() == [Row(v="a"), Row(v="b"), Row(v="c")]
    counted = table.group_by(col("k")).select(col("k"), col("v").count.alias("n"))
    changes = tables.to_changelog_stream(counted).collect()
    assert [row.get_row_kind() for row in changes][2:] == [RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER]
    with pytest.raises(ValidationError, match="use to_changelog_stream"):
        tables.to_data_stream(counted)
    upserts = tables.to_changelog_stream(counted, changelog_mode=ChangelogMode.upsert()).collect()
    assert RowKind.UPDATE_BEFORE not in [row.get_row_kind() for row in upserts]
    assert len(tables.to_retract_stream(counted, Types.ROW([Types.INT(), Types.LONG()])).collect()) == 4


def test_a_query_does_not_take_other_streams_with_it(tables, capfd):
    env = tables._session.env
    env.from_collection([1, 2], Types.INT()).print()
    assert rows(tables.from_elements([(5,)], ["a"])) == [(5,)]
    assert capfd.readouterr().out == ""
    env.execute()
    assert capfd.readouterr().out == "1\n2\n"


def test_event_time_of_a_schema(tables):
    kind = Types.ROW_NAMED(["a", "ms"], [Types.INT(), Types.LONG()])
    stream = tables._session.env.from_collection([Row(1, 1000), Row(2, 2000), Row(3, 12000)], kind)
    schema = (
        Schema.new_builder()
        .column("a", DataTypes.INT())
        .column("ms", "BIGINT")
        .column_by_expression("ts", "CAST(TO_TIMESTAMP_LTZ(ms, 3) AS TIMESTAMP(3))")
        .watermark("ts", "ts - INTERVAL '1' SECOND")
        .build()
    )
    table = tables.from_data_stream(stream, schema)
    assert "`ts` TIMESTAMP(3) *ROWTIME*" in str(table.get_resolved_schema())
    window = Tumble.over(lit(10).seconds).on(col("ts")).alias("w")
    summed = table.window(window).group_by(col("w")).select(col("w").start.alias("s"), col("a").sum.alias("n"))
    assert [row[1] for row in rows(summed)] == [3, 3]
    with pytest.raises(ValidationError, match="exactly one window alias"):
        table.window(window).group_by(col("a"))


def test_declarations_of_functions():
    class Sum(AggregateFunction):
        def create_accumulator(self):
            return [0]

        def accumulate(self, accumulator, value):
            accumulator[0] += value

        def get_value(self, accumulator):
            return accumulator[0]

        def get_result_type(self):
            return "BIGINT"

        def get_accumulator_type(self):
            return "ARRAY<BIGINT>"

    declared = udaf(Sum()).function
    assert (declared.kind, declared.result_type) == ("aggregate", DataTypes.BIGINT())
    assert declared.accumulator_type == DataTypes.ARRAY(DataTypes.BIGINT())

    def named(x: int) -> str:
        return str(x)

    assert udf(named).function.result_type == DataTypes.STRING()
    assert udf(named, result_type="INT", func_type="pandas").function.pandas
    assert udf(input_types="BIGINT", result_type="INT")(named).function.input_types == [DataTypes.BIGINT()]

    def several(x: int) -> list[tuple[int, str]]:
        return [(x, "")]

    assert udtf(several).function.result_type.names == ["f0", "f1"]
    for mistake, text in [
        (lambda: udf(lambda x: x), "has no type for its result"),
        (lambda: udaf(named, result_type="INT"), "needs an AggregateFunction"),
        (lambda: udf(Sum(), result_type="INT"), "is for udaf"),
        (lambda: udaf(Sum, result_type="INT"), "not the class"),
        (lambda: udf(named, result_type=int), "expected a data type"),
    ]:
        with pytest.raises(ValidationError, match=text):
            mistake()
