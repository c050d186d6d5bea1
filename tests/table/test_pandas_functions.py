"""Functions of pandas in tables and SQL, on the local executor."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.errors import JobError, UnsupportedOperation
from datastream.table import DataTypes, EnvironmentSettings, StreamTableEnvironment, TableEnvironment, Tumble
from datastream.table.expressions import col, lit
from datastream.table.udf import AggregateFunction, ScalarFunction, udaf, udf, udtf

PEOPLE = [(1, "ann", 3), (2, None, None), (1, "cem", 7)]
BIG, DOUBLE, STRING = DataTypes.BIGINT(), DataTypes.DOUBLE(), DataTypes.STRING()


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def tables():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return StreamTableEnvironment.create(env)


@pytest.fixture
def batch():
    return TableEnvironment.create(EnvironmentSettings.in_batch_mode())


@pytest.fixture
def people(tables):
    return tables.from_elements(PEOPLE, ["id", "name", "n"])


def rows(table):
    with table.execute().collect() as found:
        return [tuple(row) for row in found]


@udf(result_type=DataTypes.BIGINT(), func_type="pandas")
def add(i, j):
    assert isinstance(i, pd.Series)
    return i + j


@udf(result_type=DataTypes.STRING(), func_type="pandas")
def upper(texts):
    return texts.str.upper()


plus = udf(lambda a, b: None if b is None else a + b, result_type=DataTypes.BIGINT())


def test_rows_as_series(people):
    assert rows(people.select(add(col("id"), col("n")), upper(col("name")))) == [(4, "ANN"), (None, None), (8, "CEM")]
    assert rows(people.select(add(col("id"), 10))) == [(11,), (12,), (11,)]


def test_with_row_functions_and_each_other(people):
    mixed = people.select(
        add(plus(col("id"), col("n")), col("id")) + 1, plus(col("id"), add(col("id"), add(col("n"), 1))), col("name")
    )
    assert rows(mixed) == [(6, 6, "ann"), (None, None, None), (10, 10, "cem")]


def test_in_conditions_and_arguments(tables, people):
    assert rows(people.where((add(col("n"), col("id")) > 4) & col("name").is_not_null)) == [PEOPLE[2]]
    tables.create_temporary_function("padd", add)
    tables.create_temporary_view("people", people)
    sql = "SELECT name, padd(id, n) AS s FROM people WHERE padd(n, 1) < 100 AND n > 3"
    assert rows(tables.sql_query(sql)) == [("cem", 8)]
    sql = "SELECT id, SUM(padd(id, n)) FROM people GROUP BY id HAVING SUM(padd(id, n)) > 4"
    assert rows(tables.sql_query(sql))[-1] == (1, 12)
    assert rows(tables.sql_query("SELECT CASE WHEN padd(id, 1) = 3 THEN 'two' ELSE name END FROM people")) == [
        ("ann",),
        ("two",),
        ("cem",),
    ]

    @udtf
    def numbers(n: int) -> list[int]:
        return [] if n is None else list(range(n))

    joined = people.join_lateral(numbers(add(col("n"), -2)).alias("k")).select(col("id"), col("k"))
    assert rows(joined) == [(1, 0), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]


def test_in_joins_and_orders(tables, batch, people):
    other = tables.from_elements([(4, "four"), (8, "eight"), (5, "five")], ["m", "text"])
    by_key = people.join(other, add(col("id"), col("n")) == col("m")).select(col("name"), col("text"))
    assert sorted(rows(by_key)) == [("ann", "four"), ("cem", "eight")]
    behind = people.join(other, (col("id") + 3 == col("m")) & (add(col("n"), col("m")) > 7))
    assert sorted(rows(behind.select(col("name"), col("m")))) == [("cem", 4)]
    table = batch.from_elements([(1, 5), (2, 1), (3, 9)], ["a", "b"])
    assert rows(table.order_by(add(col("b"), col("a")).desc).select(col("a"))) == [(3,), (1,), (2,)]
    with pytest.raises(UnsupportedOperation, match="pandas functions"):
        rows(people.left_outer_join(other, (col("id") == col("m")) & (add(col("n"), col("m")) > 7)))


def test_over_changes(people):
    counted = people.group_by(col("id")).select(col("id"), col("id").sum.alias("s"))
    with counted.select(add(col("id"), col("s"))).execute().collect() as found:
        changes = [(row.get_row_kind(), *row) for row in found]
    assert changes == [
        (RowKind.INSERT, 2),
        (RowKind.INSERT, 4),
        (RowKind.UPDATE_BEFORE, 2),
        (RowKind.UPDATE_AFTER, 3),
    ]


VALUES = {
    DataTypes.BOOLEAN(): True,
    DataTypes.TINYINT(): 1,
    DataTypes.SMALLINT(): 300,
    DataTypes.INT(): 70000,
    DataTypes.BIGINT(): 1 << 40,
    DataTypes.FLOAT(): 0.5,
    DataTypes.DOUBLE(): 0.1,
    DataTypes.DECIMAL(10, 2): Decimal("1.25"),
    DataTypes.STRING(): "é",
    DataTypes.BYTES(): b"x",
    DataTypes.DATE(): dt.date(2020, 2, 29),
    DataTypes.TIME(): dt.time(1, 2, 3),
    DataTypes.TIMESTAMP(6): dt.datetime(2020, 1, 2, 3, 4, 5, 678901),
    DataTypes.ARRAY(DataTypes.INT()): [1, 2],
    DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()): {"a": 1},
}


@pytest.mark.parametrize("kind", VALUES, ids=str)
def test_types(tables, kind):
    same = udf(lambda series: series, result_type=kind, func_type="pandas")
    table = tables.from_elements([(VALUES[kind],), (None,)], DataTypes.ROW([DataTypes.FIELD("a", kind)]))
    if isinstance(VALUES[kind], dict):
        same = udf(lambda series: series.map(lambda v: None if v is None else dict(v)), kind, kind, func_type="pandas")
    assert rows(table.select(same(col("a")))) == [(VALUES[kind],), (None,)]


def test_time_zones(tables):
    tables.get_config().set_local_timezone("Asia/Tokyo")
    kind = DataTypes.TIMESTAMP_LTZ(3)
    moment = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    table = tables.from_elements([(moment,)], DataTypes.ROW([DataTypes.FIELD("a", kind)]))
    hour = udf(lambda series: series.dt.hour.astype("int64"), result_type=BIG, func_type="pandas")
    same = udf(lambda series: series, result_type=kind, func_type="pandas")
    found = rows(table.select(hour(col("a")), same(col("a")), col("a")))
    assert found[0][0] == 9
    assert found[0][1] == found[0][2]


def test_whole_rows(people):
    @udf(
        result_type=DataTypes.ROW([DataTypes.FIELD("a", BIG), DataTypes.FIELD("b", STRING)]),
        func_type="pandas",
    )
    def changed(frame):
        assert isinstance(frame, pd.DataFrame)
        return pd.concat([frame.id * 2, frame["name"].str.upper()], axis=1)

    mapped = people.map(changed).alias("a", "b")
    assert rows(mapped) == [(2, "ANN"), (4, None), (2, "CEM")]


def test_errors(people):
    short = udf(lambda series: series.head(1), result_type=BIG, func_type="pandas", name="short")
    with pytest.raises(JobError, match="length '1' of Pandas UDF 'short.*' is not equal to the input length '3'"):
        rows(people.select(short(col("id"))))
    plain = udf(lambda series: 1, result_type=BIG, func_type="pandas", name="plain")
    with pytest.raises(JobError, match="plain.* must give a pandas.Series, but gave a int"):
        rows(people.select(plain(col("id"))))
    texts = udf(lambda series: series.astype(str) + "!", result_type=BIG, func_type="pandas", name="texts")
    with pytest.raises(JobError, match="(?s)BIGINT.*'1!'.*texts"):
        rows(people.select(texts(col("id"))))
    with pytest.raises(UnsupportedOperation, match="needs a column as an argument"):
        rows(people.select(add(1, lit(2))))

    def failing(series):
        return series.no_such_thing

    with pytest.raises(JobError, match="(?s)failing.*no_such_thing"):
        rows(people.select(udf(failing, result_type=BIG, func_type="pandas")(col("id"))))


def test_objects_are_opened(people):
    class Shift(ScalarFunction):
        def open(self, function_context):
            self.shift = 100

        def eval(self, series):
            return series + self.shift

    assert rows(people.select(udf(Shift(), result_type=BIG, func_type="pandas")(col("id"))))[0] == (101,)


# -- aggregates --------------------------------------------------------------------------------------------


@udaf(result_type=DataTypes.DOUBLE(), func_type="pandas")
def mean(values):
    assert isinstance(values, pd.Series)
    return values.mean()


class MaxAdd(AggregateFunction):
    def open(self, function_context):
        self.shift = 10

    def create_accumulator(self):
        return []

    def accumulate(self, accumulator, *args):
        accumulator.append(args[0].max() + args[1].max() + self.shift)

    def get_value(self, accumulator):
        return accumulator[0]


max_add = udaf(MaxAdd(), result_type=DataTypes.BIGINT(), func_type="pandas")
GIVEN = [("a", 1, 2), ("b", 5, 1), ("a", 4, 4), ("b", None, 1), ("c", None, 7)]


def test_aggregates_in_batch(batch):
    table = batch.from_elements(GIVEN, ["k", "v", "w"])
    grouped = table.group_by(col("k")).select(col("k"), mean(col("v")), max_add(col("w"), col("w")), col("w").sum)
    assert sorted(rows(grouped)) == [("a", 2.5, 18, 6), ("b", 5.0, 12, 2), ("c", None, 24, 7)]
    assert rows(table.select(mean(col("w")))) == [(3.0,)]
    batch.create_temporary_function("avg_of", mean)
    batch.create_temporary_view("given", table)
    sql = "SELECT avg_of(DISTINCT w), avg_of(w) FILTER (WHERE k = 'a') FROM given"
    assert rows(batch.sql_query(sql)) == [(3.5, 3.0)]
    row = udaf(
        lambda v: Row(v.min(), v.max()), result_type="ROW<low BIGINT, high BIGINT>", func_type="pandas", name="extremes"
    )
    found = table.group_by(col("k")).aggregate(row(col("w")).alias("low", "high")).select(col("*"))
    assert sorted(rows(found)) == [("a", 2, 4), ("b", 1, 1), ("c", 7, 7)]


def test_errors_of_aggregates(batch):
    table = batch.from_elements(GIVEN, ["k", "v", "w"])
    several = udaf(lambda values: values, result_type=DOUBLE, func_type="pandas", name="several")
    with pytest.raises(JobError, match="several.* must give one value for a group, but gave a Series"):
        rows(table.select(several(col("w"))))


def test_aggregates_need_an_end(people):
    with pytest.raises(UnsupportedOperation, match="in windows or in batch mode"):
        rows(people.group_by(col("id")).select(mean(col("n"))))


def test_aggregates_in_windows(tables):
    tables.execute_sql(
        "CREATE TABLE numbers (id BIGINT, ts AS TO_TIMESTAMP_LTZ(id * 1000, 3), WATERMARK FOR ts AS ts) WITH ("
        "'connector' = 'datagen', 'number-of-rows' = '20', 'fields.id.kind' = 'sequence', 'fields.id.start' = '0', "
        "'fields.id.end' = '19')"
    )
    window = Tumble.over(lit(10).seconds).on(col("ts")).alias("w")
    table = tables.from_path("numbers").window(window).group_by(col("w")).select(mean(col("id")), col("w").start)
    assert [row[0] for row in rows(table)] == [4.5, 14.5]
    grouped = tables.from_path("numbers").window(window).group_by(col("w")).aggregate(mean(col("id")).alias("m"))
    assert rows(grouped.select(col("m"))) == [(4.5,), (14.5,)]
    starts = rows(grouped.select(col("m") + 1, col("w").start, col("w").end))
    assert starts[0] == (5.5, dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 1, 0, 0, 10))
    tables.create_temporary_function("avg_of", mean)
    sql = (
        "SELECT avg_of(id) FROM TABLE(HOP(TABLE numbers, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) "
        "GROUP BY window_start, window_end"
    )
    assert rows(tables.sql_query(sql)) == [(2.0,), (4.5,), (9.5,), (14.5,), (17.0,)]


def test_rows_wait_for_others_but_not_over_a_watermark(tables):
    tables.execute_sql(
        "CREATE TABLE numbers (id BIGINT, ts AS TO_TIMESTAMP_LTZ(id * 1000, 3), WATERMARK FOR ts AS ts) WITH ("
        "'connector' = 'datagen', 'number-of-rows' = '10000', 'fields.id.kind' = 'sequence', 'fields.id.start' = '0', "
        "'fields.id.end' = '9999', 'rows-per-second' = '1000000')"
    )
    tables.create_temporary_function("padd", add)
    tables.execute_sql("CREATE TEMPORARY VIEW added AS SELECT padd(id, 1) AS n, ts FROM numbers")
    sql = (
        "SELECT SUM(n), COUNT(*) FROM TABLE(TUMBLE(TABLE added, DESCRIPTOR(ts), INTERVAL '1000' SECOND(4))) "
        "GROUP BY window_start, window_end"
    )
    expected = [(sum(range(i + 1, i + 1001)), 1000) for i in range(0, 10000, 1000)]
    assert rows(tables.sql_query(sql)) == expected
