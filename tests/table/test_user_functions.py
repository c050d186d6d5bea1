"""Functions of users in tables and SQL, on the local executor; one job on Spark."""

from __future__ import annotations

import datetime as dt
import functools

import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, ListView, MapView, StreamTableEnvironment, TableEnvironment
from datastream.table.expressions import call, col, lit
from datastream.table.udf import (
    AggregateFunction,
    FunctionContext,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)

PEOPLE = [(1, "ann", 3), (2, "bob", 5), (1, "cem", 7)]


@pytest.fixture
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def tables(local):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return StreamTableEnvironment.create(env)


@pytest.fixture
def batch(local):
    return TableEnvironment.create(EnvironmentSettings.in_batch_mode())


@pytest.fixture
def people(tables):
    return tables.from_elements(PEOPLE, ["id", "name", "n"])


def rows(table):
    with table.execute().collect() as found:
        return [tuple(row) for row in found]


def changes(table):
    with table.execute().collect() as found:
        return [(row.get_row_kind(), *row) for row in found]


# -- scalar functions ------------------------------------------------------------------------------------


class Add(ScalarFunction):
    def eval(self, i, j):
        return i + j


class CallableAdd:
    def __call__(self, i, j):
        return i + j


@udf(input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()], result_type=DataTypes.BIGINT())
def decorated_add(i, j):
    return i + j


@udf
def hinted_add(i: int, j: int) -> int:
    return i + j


def partial_add(i, j, k):
    return i + j + k


BIG = DataTypes.BIGINT()
FORMS = {
    "class": udf(Add(), [BIG, BIG], BIG),
    "lambda": udf(lambda i, j: i + j, [BIG, BIG], BIG),
    "decorated": decorated_add,
    "hinted": hinted_add,
    "callable": udf(CallableAdd(), input_types=[BIG, BIG], result_type=BIG),
    "partial": udf(functools.partial(partial_add, k=0), input_types=[BIG, BIG], result_type=BIG),
    "names of types": udf(Add(), ["BIGINT", "BIGINT"], "BIGINT"),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_scalar_functions(tables, people, form):
    add = FORMS[form]
    assert rows(people.select(add(col("id"), col("n")), add(col("id"), 1))) == [(4, 2), (7, 3), (8, 2)]
    tables.create_temporary_function("add", add)
    assert rows(people.select(call("add", col("id"), col("n")))) == [(4,), (7,), (8,)]
    tables.create_temporary_view("people", people)
    assert rows(tables.sql_query("SELECT add(id, n) + 1 FROM people WHERE ADD(n, id) > 4")) == [(8,), (9,)]


def test_dropped_functions(tables, people):
    tables.create_temporary_system_function("add1", udf(lambda i: i + 1, DataTypes.BIGINT(), DataTypes.BIGINT()))
    tables.create_temporary_view("people", people)
    assert rows(tables.sql_query("SELECT add1(n) FROM people")) == [(4,), (6,), (8,)]
    assert tables.drop_temporary_system_function("add1")
    with pytest.raises(ValidationError, match="ADD1"):
        tables.sql_query("SELECT add1(n) FROM people")


def test_arguments_are_cast_to_the_declared_types(people):
    seen = udf(lambda x: type(x).__name__, input_types=[DataTypes.DOUBLE()], result_type=DataTypes.STRING())
    assert rows(people.select(seen(col("n"))))[0] == ("float",)
    with pytest.raises(ValidationError, match="takes 1 argument, got 2"):
        people.select(seen(col("n"), col("n")))


def test_functions_see_python_objects_and_null(tables):
    kind = DataTypes.ROW(
        [
            DataTypes.FIELD("d", DataTypes.DATE()),
            DataTypes.FIELD("t", DataTypes.TIMESTAMP(3)),
            DataTypes.FIELD("a", DataTypes.ARRAY(DataTypes.INT())),
            DataTypes.FIELD("m", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
            DataTypes.FIELD("r", DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT())])),
        ]
    )
    one = (dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3), [1, 2], {"a": 1}, Row(x=5))
    table = tables.from_elements([one, (None,) * 5], kind)
    names = udf(lambda *args: ",".join(type(a).__name__ for a in args), result_type="STRING")
    columns = [col(name) for name in "dtamr"]
    assert rows(table.select(names(*columns))) == [
        ("date,datetime,list,dict,Row",),
        ("NoneType,NoneType,NoneType,NoneType,NoneType",),
    ]
    given = (*one[:-1], Row(5))  # what is collected has names for the fields of its rows only
    for name, field, value in zip("dtamr", kind.fields, given, strict=True):
        same = udf(lambda value: value, result_type=field.data_type)
        assert [row[0] for row in rows(table.select(same(col(name))))] == [value, None]


class Metered(ScalarFunction):
    def open(self, function_context: FunctionContext):
        self.factor = int(function_context.get_job_parameter("factor", "1"))
        self.counter = function_context.get_metric_group().add_group("k", "v").counter("calls")
        self.subtask = function_context.get_index_of_this_subtask()

    def eval(self, i):
        self.counter.inc()
        return i * self.factor + self.subtask


def test_open(tables, people):
    tables.get_config().set("pipeline.global-job-parameters", "factor:10,other:'2'")
    metered = udf(Metered(), result_type=DataTypes.BIGINT())
    assert rows(people.select(metered(col("n")))) == [(30,), (50,), (70,)]


def test_a_function_that_is_not_deterministic_runs_once_a_row_and_column(people):
    class Next(ScalarFunction):
        def open(self, function_context):
            self.calls = 0

        def is_deterministic(self):
            return False

        def eval(self):
            self.calls += 1
            return self.calls

    following = udf(Next(), result_type=DataTypes.BIGINT())
    numbered = people.select(col("name"), following().alias("k"))
    assert rows(numbered.select(col("k"), col("k") + 10).where(col("k") > 1)) == [(2, 12), (3, 13)]
    with pytest.raises(ValidationError, match="Inconsistent deterministic"):
        udf(Next(), result_type="BIGINT", deterministic=True)


def test_a_function_runs_behind_conditions(people):
    def inverse(n):
        return 1.0 / (n - 3)

    inverse = udf(inverse, result_type=DataTypes.DOUBLE())
    assert rows(people.where(col("n") != 3).select(inverse(col("n")))) == [(0.5,), (0.25,)]
    assert rows(people.select(inverse(col("n")).alias("i"), col("n")).where(col("n") > 3)) == [(0.5, 5), (0.25, 7)]


def test_errors_name_function_and_row(people):
    def inverse(n):
        return 1 / (n - 5)

    with pytest.raises(JobError) as failed:
        rows(people.select(udf(inverse, result_type="DOUBLE")(col("n"))))
    text = str(failed.value)
    assert "inverse" in text and "bob" in text and "ZeroDivisionError" in text
    with pytest.raises(JobError) as failed:
        rows(people.select(udf(lambda n: "x", result_type="BIGINT", name="wrong")(col("n"))))
    text = str(failed.value)
    assert "wrong" in text and "BIGINT" in text and "'x'" in text


def test_row_results(people):
    pair = udf(lambda i, n: Row(i + 1, n), result_type="ROW<a BIGINT, b STRING>")
    table = people.select(pair(col("id"), col("name")).alias("p"))
    assert rows(table.select(col("p").get("b"), col("p").get(0))) == [("ann", 2), ("bob", 3), ("cem", 2)]
    assert rows(table.select(col("p").flatten)) == [(2, "ann"), (3, "bob"), (2, "cem")]


def test_functions_in_groups(people):
    even = udf(lambda n: n % 2 == 0, result_type=DataTypes.BOOLEAN())
    plus = udf(lambda n: n + 1, result_type=DataTypes.BIGINT())
    table = people.group_by(col("id")).select(col("id"), plus(plus(col("n")).sum).alias("s"))
    assert changes(table)[-1] == (RowKind.UPDATE_AFTER, 1, 13)
    assert changes(people.group_by(even(col("id"))).select(col("n").count))[-1] == (RowKind.UPDATE_AFTER, 2)


# -- table functions -------------------------------------------------------------------------------------


class Split(TableFunction):
    def eval(self, text):
        for part in text.split("-"):
            yield part, len(part)


@udtf(result_types=[DataTypes.STRING(), DataTypes.INT()])
def split_list(text):
    return [(part, len(part)) for part in text.split("-")] if text != "" else None


@udtf(result_types=DataTypes.STRING())
def one(text):
    return text


TEXTS = [(1, "a-bc"), (2, ""), (3, "d")]
TWO = [DataTypes.STRING(), DataTypes.INT()]


@pytest.mark.parametrize("function", [udtf(Split(), result_types=TWO), split_list], ids=["yields", "returns"])
def test_lateral_joins(tables, function):
    table = tables.from_elements(TEXTS, ["id", "text"])
    found = table.join_lateral(function(col("text")).alias("word", "length"))
    assert found.get_schema().get_field_names() == ["id", "text", "word", "length"]
    some = rows(found.where(col("word") != "").select(col("id"), col("word"), col("length")))
    assert some == [(1, "a", 1), (1, "bc", 2), (3, "d", 1)]
    tables.create_temporary_function("cut", function)
    tables.create_temporary_view("texts", table)
    sql = tables.sql_query("SELECT id, word FROM texts, LATERAL TABLE(cut(text)) AS T(word, length) WHERE word <> ''")
    assert rows(sql) == [row[:2] for row in some]
    joined = tables.sql_query("SELECT id, f0 FROM texts JOIN LATERAL TABLE(cut(text)) ON TRUE WHERE f1 > 1")
    assert rows(joined) == [(1, "bc")]


def test_left_lateral_joins(tables):
    table = tables.from_elements(TEXTS, ["id", "text"])
    tables.create_temporary_function("cut", split_list)
    tables.create_temporary_view("texts", table)
    expected = [(1, "a"), (1, "bc"), (2, None), (3, "d")]
    left = table.left_outer_join_lateral(call("cut", col("text")).alias("word", "length"))
    assert rows(left.select(col("id"), col("word"))) == expected
    sql = "SELECT id, word FROM texts LEFT JOIN LATERAL TABLE(cut(text)) AS T(word, n) ON TRUE"
    assert rows(tables.sql_query(sql)) == expected


@pytest.mark.parametrize("hint", [Row, tuple, dict, list, object, Row | None, int | str, Split], ids=str)
def test_a_type_that_is_given_counts_more_than_a_hint(tables, hint):
    def both(i, name):
        return Row(i, name)

    def each(i):
        yield Row(i, "x")

    both.__annotations__["return"] = each.__annotations__["return"] = hint
    kind = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.STRING())])
    people = tables.from_elements([(1, "ann")], ["id", "name"])
    assert rows(people.select(udf(both, result_type=kind)(col("id"), col("name")))) == [(Row(1, "ann"),)]
    joined = people.join_lateral(udtf(each, result_types=kind)(col("id")).alias("a", "b"))
    assert rows(joined) == [(1, "ann", 1, "x")]


@udtf(result_types=TWO)
def of_row(row):
    if row.text:
        yield row.text, row[0]


def test_a_table_function_without_arguments_is_given_the_row(tables):
    table = tables.from_elements(TEXTS, ["id", "text"])
    joined = table.join_lateral(of_row.alias("word", "n"))
    assert joined.get_schema().get_field_names() == ["id", "text", "word", "n"]
    assert rows(joined) == [(1, "a-bc", "a-bc", 1), (3, "d", "d", 3)]
    left = table.left_outer_join_lateral(of_row.alias("word", "n"))
    assert rows(left) == [(1, "a-bc", "a-bc", 1), (2, "", None, None), (3, "d", "d", 3)]


def test_single_columns_and_flat_map(tables):
    table = tables.from_elements(TEXTS, ["id", "text"])
    assert rows(table.join_lateral(one(col("text")).alias("same")).select(col("same"))) == [("a-bc",), ("",), ("d",)]
    assert rows(table.flat_map(split_list(col("text"))).alias("a", "b")) == [("a", 1), ("bc", 2), ("d", 1)]

    @udtf
    def numbers(n: int) -> list[int]:
        return list(range(n))

    found = rows(table.join_lateral(numbers(col("id")).alias("k")).select(col("id"), col("k")))
    assert found == [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]


def test_errors_of_table_functions(tables):
    table = tables.from_elements(TEXTS, ["id", "text"])

    @udtf(result_types=[DataTypes.STRING()])
    def broken(text):
        yield text
        yield int(text)

    with pytest.raises(JobError) as failed:
        rows(table.join_lateral(broken(col("text")).alias("x")))
    assert "broken" in str(failed.value) and "a-bc" in str(failed.value)

    @udtf(result_types=[DataTypes.INT()])
    def typed(text):
        yield text

    with pytest.raises(JobError) as failed:
        rows(table.join_lateral(typed(col("text")).alias("x")))
    assert "typed" in str(failed.value) and "'a-bc'" in str(failed.value)


# -- aggregate functions -----------------------------------------------------------------------------------


class WeightedAvg(AggregateFunction):
    def create_accumulator(self):
        return Row(0, 0)

    def get_value(self, accumulator):
        return None if accumulator[1] == 0 else accumulator[0] / accumulator[1]

    def accumulate(self, accumulator, value, weight):
        accumulator[0] += value * weight
        accumulator[1] += weight

    def retract(self, accumulator, value, weight):
        accumulator[0] -= value * weight
        accumulator[1] -= weight

    def merge(self, accumulator, accumulators):
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_result_type(self):
        return DataTypes.DOUBLE()

    def get_accumulator_type(self):
        return DataTypes.ROW([DataTypes.FIELD("f0", DataTypes.BIGINT()), DataTypes.FIELD("f1", DataTypes.BIGINT())])


class Views(AggregateFunction):
    """All values in the order in which they came, and how often each is there."""

    def create_accumulator(self):
        return Row(ListView(), MapView())

    def get_value(self, accumulator):
        return ",".join(accumulator[0]) + ";" + ",".join(f"{k}{v}" for k, v in sorted(accumulator[1].items()))

    def accumulate(self, accumulator, value):
        accumulator[0].add(value)
        accumulator[1][value] = (accumulator[1].get(value) or 0) + 1

    def retract(self, accumulator, value):
        left = list(accumulator[0])
        left.remove(value)
        accumulator[0].clear()
        accumulator[0].add_all(left)
        accumulator[1].remove(value)

    def get_accumulator_type(self):
        return DataTypes.ROW(
            [
                DataTypes.FIELD("l", DataTypes.LIST_VIEW(DataTypes.STRING())),
                DataTypes.FIELD("m", DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT())),
            ]
        )

    def get_result_type(self):
        return DataTypes.STRING()


WEIGHED = [("a", 1, 2), ("b", 5, 1), ("a", 4, 4), ("b", 7, 1)]


def test_aggregates(tables):
    table = tables.from_elements(WEIGHED, ["k", "v", "w"])
    average = udaf(WeightedAvg())
    summed = table.group_by(col("k")).select(col("k"), average(col("v"), col("w")).alias("avg"))
    assert changes(summed) == [
        (RowKind.INSERT, "a", 1.0),
        (RowKind.INSERT, "b", 5.0),
        (RowKind.UPDATE_BEFORE, "a", 1.0),
        (RowKind.UPDATE_AFTER, "a", 3.0),
        (RowKind.UPDATE_BEFORE, "b", 5.0),
        (RowKind.UPDATE_AFTER, "b", 6.0),
    ]
    tables.create_temporary_function("weighted", average)
    tables.create_temporary_view("weighed", table)
    sql = "SELECT k, weighted(v, w), SUM(v) FROM weighed GROUP BY k HAVING weighted(v, w) > 4"
    assert changes(tables.sql_query(sql))[-1] == (RowKind.UPDATE_AFTER, "b", 6.0, 12)
    assert changes(table.select(average(col("v"), col("w"))))[-1] == (RowKind.UPDATE_AFTER, 30 / 8)


def test_aggregates_of_changes(tables):
    table = tables.from_elements(WEIGHED, ["k", "v", "w"])
    inner = table.group_by(col("k")).select(col("k"), col("v").sum.alias("v"), lit(1).alias("w"))
    average = udaf(WeightedAvg())
    assert changes(inner.select(average(col("v"), col("w"))))[-1] == (RowKind.UPDATE_AFTER, (5 + 12) / 2)
    texts = inner.select(col("v").cast(DataTypes.STRING()).alias("v"))
    assert changes(texts.select(udaf(Views())(col("v"))))[-1] == (RowKind.UPDATE_AFTER, "5,12;121")

    class Added(WeightedAvg):
        retract = AggregateFunction.retract

    with pytest.raises(Exception, match="retract"):
        rows(inner.select(udaf(Added())(col("v"), col("w"))))


def test_accumulators_live_from_epoch_to_epoch(tables, monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "2"})
    table = tables.from_elements([("a", i) for i in range(9)] + [("b", 1)], ["k", "v"])
    views = udaf(Views())
    found = table.group_by(col("k")).select(col("k"), views(col("v").cast(DataTypes.STRING())))
    assert changes(found)[-2:] == [
        (RowKind.UPDATE_AFTER, "a", "0,1,2,3,4,5,6,7,8;" + ",".join(f"{i}1" for i in range(9))),
        (RowKind.INSERT, "b", "1;11"),
    ]


def test_aggregates_in_batch(batch):
    table = batch.from_elements(WEIGHED, ["k", "v", "w"])
    average, views = udaf(WeightedAvg()), udaf(Views())
    found = table.group_by(col("k")).select(col("k"), average(col("v"), col("w")), views(col("k")))
    assert sorted(rows(found)) == [("a", 3.0, "a,a;a2"), ("b", 6.0, "b,b;b2")]


def test_aggregates_of_distinct_values_and_conditions(tables):
    tables.create_temporary_view("weighed", tables.from_elements(WEIGHED, ["k", "v", "w"]))
    tables.create_temporary_function("weighted", udaf(WeightedAvg()))
    sql = "SELECT weighted(v, w) FILTER (WHERE k = 'b') FROM weighed"
    assert changes(tables.sql_query(sql))[-1] == (RowKind.UPDATE_AFTER, 6.0)
    assert changes(tables.sql_query("SELECT weighted(DISTINCT w, w) FROM weighed"))[-1][1] == (4 + 1 + 16) / 7


SECONDS = [
    (k, v, 1, dt.datetime(2020, 1, 1, 0, 0, s)) for k, v, s in [("a", 1, 1), ("a", 2, 4), ("b", 3, 8), ("a", 4, 17)]
]
TIMED = """
    CREATE TABLE timed (k STRING, v BIGINT, w BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
        'connector' = 'filesystem', 'format' = 'json', 'path' = '{path}')
"""


@pytest.fixture
def timed(tables, tmp_path):
    lines = [f'{{"k": "{k}", "v": {v}, "w": {w}, "ts": "{ts}"}}' for k, v, w, ts in SECONDS]
    (tmp_path / "rows.json").write_text("\n".join(lines))
    tables.execute_sql(TIMED.format(path=tmp_path))
    return tables


def test_aggregates_in_windows(timed):
    timed.create_temporary_function("weighted", udaf(WeightedAvg()))
    timed.create_temporary_function("views", udaf(Views()))
    of_windows = "SELECT k, {} FROM TABLE({}) GROUP BY k, window_start, window_end"
    tumbling = "TUMBLE(TABLE timed, DESCRIPTOR(ts), INTERVAL '10' SECOND)"
    found = sorted(rows(timed.sql_query(of_windows.format("weighted(v, w), views(k)", tumbling))))
    assert found == [("a", 1.5, "a,a;a2"), ("a", 4.0, "a;a1"), ("b", 3.0, "b;b1")]
    hopping = "HOP(TABLE timed, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '20' SECOND)"
    found = sorted(rows(timed.sql_query(of_windows.format("weighted(v, w)", hopping))))
    assert found == [("a", 1.5), ("a", 7 / 3), ("a", 4.0), ("b", 3.0), ("b", 3.0)]
    with pytest.raises(Exception, match="merge"):
        rows(timed.sql_query(of_windows.format("views(k)", hopping)))


def test_aggregates_row_by_row(tables):
    table = tables.from_elements(WEIGHED, ["k", "v", "w"])

    class Extremes(AggregateFunction):
        def create_accumulator(self):
            return [None, None]

        def accumulate(self, accumulator, value):
            accumulator[0] = value if accumulator[0] is None else min(accumulator[0], value)
            accumulator[1] = value if accumulator[1] is None else max(accumulator[1], value)

        def get_value(self, accumulator):
            return Row(*accumulator)

    extremes = udaf(Extremes(), result_type="ROW<low BIGINT, high BIGINT>", accumulator_type="ARRAY<BIGINT>")
    found = table.group_by(col("k")).aggregate(extremes(col("v")).alias("low", "high"))
    assert changes(found.select(col("k"), col("low"), col("high")))[-1] == (RowKind.UPDATE_AFTER, "b", 5, 7)


def test_errors_of_aggregates(tables):
    table = tables.from_elements(WEIGHED, ["k", "v", "w"])

    class Failing(WeightedAvg):
        def accumulate(self, accumulator, value, weight):
            raise RuntimeError("no luck")

    with pytest.raises(JobError) as failed:
        rows(table.select(udaf(Failing())(col("v"), col("w"))))
    assert "Failing" in str(failed.value) and "no luck" in str(failed.value)

    class Wrong(WeightedAvg):
        def get_value(self, accumulator):
            return "many"

    with pytest.raises(JobError) as failed:
        rows(table.select(udaf(Wrong())(col("v"), col("w"))))
    assert "function: Wrong" in str(failed.value) and "'many'" in str(failed.value)


# -- table aggregate functions -------------------------------------------------------------------------------


class Top2(TableAggregateFunction):
    def create_accumulator(self):
        return [None, None]

    def accumulate(self, accumulator, value):
        first, second = accumulator
        if first is None or value > first:
            accumulator[:] = [value, first]
        elif second is None or value > second:
            accumulator[1] = value

    def emit_value(self, accumulator):
        for rank, value in enumerate(accumulator):
            if value is not None:
                yield Row(value, rank)

    def get_result_type(self):
        return DataTypes.ROW([DataTypes.FIELD("v", DataTypes.BIGINT()), DataTypes.FIELD("rank", DataTypes.INT())])

    def get_accumulator_type(self):
        return DataTypes.ARRAY(DataTypes.BIGINT())


def test_table_aggregates(tables, batch):
    top = udtaf(Top2())
    given = [("a", 1), ("b", 5), ("a", 4), ("a", 3)]
    table = tables.from_elements(given, ["k", "v"])
    found = table.group_by(col("k")).flat_aggregate(top(col("v")).alias("top", "place"))
    found = found.select(col("k"), col("top"), col("place"))
    assert changes(found) == [
        (RowKind.INSERT, "a", 1, 0),
        (RowKind.INSERT, "b", 5, 0),
        (RowKind.DELETE, "a", 1, 0),
        (RowKind.INSERT, "a", 4, 0),
        (RowKind.INSERT, "a", 1, 1),
        (RowKind.DELETE, "a", 4, 0),
        (RowKind.DELETE, "a", 1, 1),
        (RowKind.INSERT, "a", 4, 0),
        (RowKind.INSERT, "a", 3, 1),
    ]
    table = batch.from_elements(given, ["k", "v"])
    found = table.group_by(col("k")).flat_aggregate(top(col("v") + 1)).select(col("k"), col("v"), col("rank"))
    assert sorted(rows(found)) == [("a", 4, 1), ("a", 5, 0), ("b", 6, 0)]
    assert sorted(rows(table.flat_aggregate(top(col("v"))).select(col("v")))) == [(4,), (5,)]


# -- SQL -----------------------------------------------------------------------------------------------------

MODULE = """
from datastream.table import DataTypes
from datastream.table.udf import ScalarFunction, udf, udtf

@udf(input_types=[DataTypes.BIGINT()], result_type=DataTypes.BIGINT())
def add1(i):
    return i + 1

class Twice(ScalarFunction):
    def eval(self, i: int) -> int:
        return i * 2
"""


def test_functions_of_modules(tables, people, tmp_path, monkeypatch):
    (tmp_path / "functions_of_a_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    tables.create_temporary_view("people", people)
    tables.execute_sql("CREATE TEMPORARY FUNCTION add1 AS 'functions_of_a_test.add1' LANGUAGE PYTHON")
    tables.execute_sql("CREATE FUNCTION twice AS 'functions_of_a_test.Twice' LANGUAGE PYTHON")
    tables.execute_sql(
        "CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS sys1 AS 'functions_of_a_test.add1' LANGUAGE PYTHON"
    )
    assert rows(tables.sql_query("SELECT add1(n), twice(add1(n)), sys1(1) FROM people"))[0] == (4, 8, 2)
    tables.execute_sql("DROP TEMPORARY FUNCTION add1")
    with pytest.raises(ValidationError, match="ADD1"):
        tables.sql_query("SELECT add1(n) FROM people")
    with pytest.raises(ValidationError, match="cannot be imported"):
        tables.execute_sql("CREATE TEMPORARY FUNCTION f AS 'functions_of_a_test.missing' LANGUAGE PYTHON")


# -- Spark ---------------------------------------------------------------------------------------------------


def test_on_spark():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    tables = StreamTableEnvironment.create(env)
    people = tables.from_elements(PEOPLE, ["id", "name", "n"])
    double = udf(lambda n: n * 2, result_type=DataTypes.BIGINT())
    total = udf(lambda a, b: a + b, result_type=DataTypes.BIGINT(), func_type="pandas")
    summed = people.select(col("id"), total(double(col("n")), col("id")).alias("m"))
    found = summed.group_by(col("id")).select(col("id"), udaf(Views())(col("m").cast(DataTypes.STRING())))
    last = {}
    for kind, id, text in changes(found):
        if kind in (RowKind.INSERT, RowKind.UPDATE_AFTER):
            last[id] = text
    assert last[2] == "12;121"
    assert last[1] in ("7,15;151,71", "15,7;151,71")
