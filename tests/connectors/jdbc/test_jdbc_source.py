"""Databases as sources, and for lookups."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datastream import AsyncDataStream, JobError, Row, StreamExecutionEnvironment, Time, Types, WatermarkStrategy
from datastream.connectors.jdbc import JdbcConnectionOptions, JdbcLookupFunction, JdbcSource
from datastream.connectors.lookup import LookupCache
from datastream.errors import ValidationError
from datastream.testing.conformance import SourceConformance
from tests.support.databases import Database, mysql, postgresql, sqlite
from tests.support.drive import Driven

ORDERS = [(n * 3, f"n{n}") for n in range(6)]


def filled(found: Database, rows: list[tuple[int, str]] = ORDERS) -> Database:
    found.run(f"INSERT INTO numbers VALUES {', '.join(map(str, rows))}")
    return found


def source_of(found: Database, column: str = "id", sql: str = "SELECT id, name FROM numbers") -> JdbcSource:
    return (
        JdbcSource.builder().set_connection_options(found.options()).set_sql(sql).set_partition_column(column).build()
    )


class TestSQLite(SourceConformance):
    expected = [Row(id=n, name=name) for n, name in ORDERS]
    secrets = ("s3cret",)

    def create(self, folder: Path) -> JdbcSource:
        found = sqlite(folder)
        found.run("CREATE TABLE numbers (id INTEGER, name TEXT)")
        return source_of(filled(found))

    def unreachable(self) -> JdbcSource:
        return source_of(Database("jdbc:postgresql://u:s3cret@127.0.0.1:9/db?connect_timeout=2", lambda _: []))


class TestPostgreSQL(TestSQLite):
    def database(self, request: pytest.FixtureRequest) -> Database:
        return postgresql(request.getfixturevalue("server"), "conformance")

    @pytest.fixture(autouse=True)
    def _filled(self, request: pytest.FixtureRequest) -> None:
        found = self.database(request)
        found.run("CREATE TABLE IF NOT EXISTS numbers (id INTEGER, name TEXT)")
        found.run("DELETE FROM numbers")
        self.found = filled(found)

    def create(self, folder: Path) -> JdbcSource:
        return source_of(self.found)


class TestMySQL(TestPostgreSQL):
    def database(self, request: pytest.FixtureRequest) -> Database:
        return mysql(request.getfixturevalue("mysql_url"), "conformance")


def read(source: JdbcSource) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "rows")
    return list(stream.execute_and_collect())


def test_a_job_on_spark_reads_each_row_once(database: Callable[[str], Database]) -> None:
    found = filled(database("spark"), [(n, f"100%{n}") for n in range(1_000)])
    rows = read(source_of(found, sql="SELECT id, name FROM numbers WHERE name LIKE '100%1'"))
    assert sorted(row["id"] for row in rows) == list(range(1, 1_000, 10))


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_records_are_tuples_where_the_type_is_one(database: Callable[[str], Database]) -> None:
    found = filled(database("tuples"))
    typed = JdbcSource.builder().set_connection_options(found.options()).set_table("numbers").set_partition_column("id")
    source = typed.set_type_information(Types.TUPLE([Types.INT(), Types.STRING()])).build()
    assert sorted(read(source)) == ORDERS


def test_texts_as_partitions_and_rows_with_the_same_value(database: Callable[[str], Database]) -> None:
    found = filled(database("texts"), [(n, f"k{n % 3}") for n in range(30)])
    driven = Driven(source_of(found, "name"))
    ends = [driven.enumerator.initial_offset()]
    while not driven.enumerator.finished(ends[-1]):
        ends.append(driven.enumerator.latest_offset(ends[-1], 5))
    assert [end["after"] for end in ends] == [None, "k0", "k1", "k2"]
    assert len(driven.splits(ends[0], ends[-1], 4)) <= 3
    driven.close()
    assert sorted(row["id"] for row in read(source_of(found, "name"))) == list(range(30))


def test_rows_that_come_later_are_not_read(database: Callable[[str], Database]) -> None:
    found = filled(database("later"))
    driven = Driven(source_of(found))
    start = driven.initial_offset()
    filled(found, [(100, "later")])
    end = driven.latest_offset(start, 1_000)
    assert end["after"] == 15 and driven.finished(end)
    driven.close()


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_an_empty_table(database: Callable[[str], Database]) -> None:
    assert read(source_of(database("empty"))) == []


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_a_declared_type_is_tested(database: Callable[[str], Database]) -> None:
    builder = JdbcSource.builder().set_connection_options(filled(database("typed")).options()).set_table("numbers")
    builder = builder.set_partition_column("id")
    fits = builder.set_type_information(Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.STRING()])).build()
    assert len(read(fits)) == len(ORDERS)
    wrong = builder.set_type_information(Types.ROW_NAMED(["id", "name"], [Types.INT(), Types.INT()])).build()
    with pytest.raises(JobError, match="expected Integer, found str"):
        read(wrong)


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_wrong_sources(database: Callable[[str], Database]) -> None:
    found = database("wrong")
    with pytest.raises(JobError, match="nothing|nowhere"):
        read(source_of(found, sql="SELECT * FROM nowhere"))
    found.run("INSERT INTO numbers VALUES (NULL, 'a'), (1, 'b')")
    with pytest.raises(JobError, match="1 rows have no id, and no range would hold them"):
        read(source_of(found))
    found.run("CREATE TABLE IF NOT EXISTS reals (r DOUBLE PRECISION)")
    found.run("INSERT INTO reals VALUES (1.5)")
    with pytest.raises(JobError, match="must be of whole numbers or texts, r has 1.5"):
        read(source_of(found, "r", "SELECT r FROM reals"))


def test_wrong_settings() -> None:
    builder = JdbcSource.builder().set_db_url("jdbc:sqlite:/x.db").set_username("u").set_password("s3cret")
    complete = builder.set_table("t").set_partition_column("id")
    assert "s3cret" not in repr(complete) and "s3cret" not in repr(complete.build())
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: JdbcSource.builder().build(), "call set_db_url"),
        (lambda: builder.build(), "call set_table, or set_sql"),
        (lambda: builder.set_sql("DELETE FROM t").set_partition_column("id").build(), "call set_table, or set_sql"),
        (lambda: builder.set_table("t; drop"), "no name of a table"),
        (lambda: builder.set_table("t").build(), "call set_partition_column"),
        (lambda: complete.set_result_set_fetch_size(0).build(), "above 0"),
    ]
    for wrong, says in cases:
        with pytest.raises(ValidationError, match=says):
            wrong()


def lookup(found: Database, sql: str = "SELECT name FROM numbers WHERE id = ?", **others: Any) -> JdbcLookupFunction:
    return JdbcLookupFunction(sql, found.options(), lambda record: record, **others)


def joined(function: JdbcLookupFunction, records: list[Any]) -> list[Any]:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = AsyncDataStream.ordered_wait(env.from_collection(records), function, Time.seconds(30), 20)
    return list(stream.execute_and_collect())


def test_a_lookup(database: Callable[[str], Database]) -> None:
    found = filled(database("lookup"))
    assert joined(lookup(found, left=True), [0, 4, 6, 0]) == [
        (0, Row(name="n0")),
        (4, None),
        (6, Row(name="n2")),
        (0, Row(name="n0")),
    ]
    two = lookup(found, "SELECT id FROM numbers WHERE id = ? AND name = ?", cache=LookupCache(max_rows=0))
    assert joined(two, [(0, "n0"), (0, "n1")]) == [((0, "n0"), Row(id=0))]


def test_wrong_lookups(database: Callable[[str], Database]) -> None:
    found = filled(database("wrong_lookups"))
    with pytest.raises(JobError, match=r"the query has 1 parameters, and the key 2 parts: \(1, 2\)"):
        joined(lookup(found), [(1, 2)])
    with pytest.raises(JobError, match="nowhere"):
        joined(lookup(found, "SELECT * FROM nowhere WHERE id = ?"), [1])
    with pytest.raises(ValidationError, match="JdbcLookupFunction: the statement has no parameter"):
        lookup(found, "SELECT 1")
    away = JdbcConnectionOptions("jdbc:postgresql://u:s3cret@127.0.0.1:9/db")
    with pytest.raises(JobError, match="127.0.0.1:9/db: .*refused") as failed:
        joined(JdbcLookupFunction("SELECT ?", away, lambda record: record, max_retries=1), [1])
    assert "s3cret" not in str(failed.value)
