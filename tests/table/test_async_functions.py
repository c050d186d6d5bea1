"""Functions of tables that are awaited, on the local executor."""

from __future__ import annotations

import asyncio

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.errors import JobError, ValidationError
from datastream.table import AsyncScalarFunction, DataTypes, StreamTableEnvironment
from datastream.table.expressions import col
from datastream.table.udf import udf


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    return StreamTableEnvironment.create(env)


@pytest.fixture
def numbers(tables):
    return tables.from_elements([(i, f"n{i}") for i in range(20)], ["id", "name"])


def rows(table):
    with table.execute().collect() as found:
        return [tuple(row) for row in found]


class Lookup(AsyncScalarFunction):
    def open(self, function_context):
        self.running = self.most = 0

    async def eval(self, id):
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.02 - id / 1000)
        self.running -= 1
        return self.most if id == 19 else id * 2


def test_many_at_a_time_in_order(tables, numbers):
    lookup = udf(Lookup(), result_type=DataTypes.BIGINT())
    assert rows(numbers.select(col("id"), lookup(col("id"))))[:19] == [(i, 2 * i) for i in range(19)]
    tables.get_config().set("table.exec.async-scalar.max-concurrent-operations", "4")
    assert rows(numbers.select(lookup(col("id"))))[-1] == (4,)
    tables.get_config().set("table.exec.async-scalar.max-concurrent-operations", "many")
    with pytest.raises(ValidationError, match="must be a whole number above 0, got many"):
        rows(numbers.select(lookup(col("id"))))


def test_coroutine_functions_in_sql(tables, numbers):
    @udf(result_type=DataTypes.STRING())
    async def greet(name, id):
        return None if id == 1 else f"{name}!"

    tables.create_temporary_function("greet", greet)
    tables.create_temporary_view("numbers", numbers)
    sql = (
        "SELECT greet(name, id), CHAR_LENGTH(greet(UPPER(name), 5)) FROM numbers "
        "WHERE greet(name, id) <> 'n2!' OR id < 2"
    )
    assert rows(tables.sql_query(sql))[:3] == [("n0!", 3), (None, 3), ("n3!", 3)]
    pandas = udf(lambda s: s.str.len().astype("int64"), result_type=DataTypes.BIGINT(), func_type="pandas")
    assert rows(numbers.where(col("id") < 2).select(pandas(greet(col("name"), 7)))) == [(3,), (3,)]


def test_over_changes(tables, numbers):
    @udf(result_type=DataTypes.BIGINT())
    async def twice(n):
        return 2 * n

    counted = numbers.where(col("id") < 4).group_by(col("id") % 2).select(col("id").sum.alias("s"))
    with counted.select(twice(col("s"))).execute().collect() as found:
        assert [(str(row.get_row_kind()), row[0]) for row in found] == [
            ("+I", 0),
            ("+I", 2),
            ("-U", 0),
            ("+U", 4),
            ("-U", 2),
            ("+U", 8),
        ]


def test_tries_and_errors(tables, numbers):
    class Shaky(AsyncScalarFunction):
        def open(self, function_context):
            self.calls = 0

        async def eval(self, id):
            self.calls += 1
            if self.calls <= 2:
                raise OSError("not yet")
            return self.calls

    shaky = udf(Shaky(), result_type=DataTypes.BIGINT())
    tables.get_config().set("table.exec.async-scalar.retry-delay", "1 ms")
    assert rows(numbers.where(col("id") == 3).select(shaky(col("id")))) == [(3,)]
    tables.get_config().set("table.exec.async-scalar.retry-strategy", "NO_RETRY")
    with pytest.raises(JobError, match="(?s)Shaky.*not yet"):
        rows(numbers.select(shaky(col("id"))))

    @udf(result_type=DataTypes.BIGINT())
    async def text(id):
        return "x"

    with pytest.raises(JobError, match="(?s)BIGINT.*'x'.*text"):
        rows(numbers.select(text(col("id"))))
