"""Tables of databases that are read in part: conditions of queries that the database tests, and ranges of a column."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.connectors.jdbc import JdbcConnectionOptions
from datastream.errors import DataStreamError, ValidationError
from datastream.io import Predicate
from datastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from datastream.table.connectors.jdbc_conditions import where
from datastream.table.connectors.jdbc_reading import JdbcRows, JdbcTable
from datastream.table.plan.relations import Column
from tests.support.databases import Database

Databases = Callable[[str], Database]

DECLARED = "id INT, n BIGINT, t STRING, d DATE, ts TIMESTAMP(3)"
CONDITIONS = [
    "id = 7",
    "n > 5 AND n <= 11",
    "3 < n",
    "n <> 4",
    "n IN (1, 5, 1000)",
    "n BETWEEN 3 AND 6 AND id > 20",
    "n IS NULL",
    "n IS NOT NULL AND t = 'B'",
    "t = 'b'",
    "t IN ('a', 'c', '100%')",
    "t > 'a'",
    "d = DATE '2026-01-03'",
    "d > DATE '2026-01-03'",
    "d <= DATE '2026-01-03'",
    "ts = TIMESTAMP '2026-01-02 00:00:00.123'",
    "ts >= TIMESTAMP '2026-01-02 00:00:00.123'",
    "ts > TIMESTAMP '2026-01-02 00:00:00.123'",
    "ts <= TIMESTAMP '2026-01-02 00:00:00.123'",
    "ts < TIMESTAMP '2026-01-02 00:00:00.123'",
    "ts > TIMESTAMP '2026-01-02 00:00:00.1235'",
    "ts < TIMESTAMP '2026-01-02 00:00:00.1235'",
    "n = 5 OR n = 6",
    "n > id",
]


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def rows(count: int = 60) -> list[tuple[Any, ...]]:
    drawn = random.Random(3)
    start = datetime(2026, 1, 2, 0, 0, 0, 122_000)
    return [
        (
            id,
            drawn.choice([None, *range(13)]),
            drawn.choice([None, "a", "b", "B", "c", "100%", ""]),
            date(2026, 1, 1) + timedelta(days=drawn.randrange(5)),
            start + timedelta(microseconds=drawn.randrange(3000)),
        )
        for id in range(count)
    ]


def environment() -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.get_config().set("parallelism.default", "2").set("datastream.epoch.max-records", "20")
    return env


def declare(env: TableEnvironment, found: Database, columns: str = DECLARED, more: str = "") -> None:
    own = found.options()
    user = "" if own.user_name is None else f", 'username' = '{own.user_name}', 'password' = '{own.password}'"
    env.execute_sql(
        f"CREATE TABLE shown ({columns}, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', "
        f"'url' = '{own.url}', 'table-name' = 'shown'{user}{more})"
    )


def fill(found: Database, values: list[tuple[Any, ...]]) -> None:
    stamp = "TIMESTAMP(6)" if found.url.startswith("jdbc:postgresql") else "DATETIME(6)"
    found.run("DROP TABLE IF EXISTS shown")
    found.run(f"CREATE TABLE shown (id INTEGER PRIMARY KEY, n BIGINT, t VARCHAR(20), d DATE, ts {stamp})")

    def shown(value: Any) -> str:
        return "NULL" if value is None else str(value) if isinstance(value, int) else f"'{value}'"

    shown_rows = (f"({', '.join(map(shown, row))})" for row in values)
    found.run(f"INSERT INTO shown VALUES {', '.join(shown_rows)}")


def found_by(env: TableEnvironment, table: str, condition: str) -> list[int]:
    with env.execute_sql(f"SELECT id FROM {table} WHERE {condition}").collect() as results:
        return sorted(row[0] for row in results)


def test_conditions(database: Databases) -> None:
    found, values = database("conditions"), rows()
    fill(found, values)
    env = environment()
    declare(env, found)
    names = ["id", "n", "t", "d", "ts"]
    kinds = [DataTypes.INT(), DataTypes.BIGINT(), DataTypes.STRING(), DataTypes.DATE(), DataTypes.TIMESTAMP(3)]
    row = DataTypes.ROW([DataTypes.FIELD(name, kind) for name, kind in zip(names, kinds, strict=True)])
    env.create_temporary_view("memory", env.from_elements(values, row))
    for condition in CONDITIONS:
        assert found_by(env, "shown", condition) == found_by(env, "memory", condition), condition


def test_texts_of_values_that_are_none_in_sqlite(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE shown (id INTEGER PRIMARY KEY, t)")
        connection.executemany("INSERT INTO shown VALUES (?, ?)", [(1, 5), (2, "5"), (3, 5.5), (4, None), (5, "x")])
        connection.commit()
    env = environment()
    env.execute_sql(
        "CREATE TABLE shown (id INT, t STRING) WITH ('connector' = 'jdbc', "
        f"'url' = 'jdbc:sqlite:{tmp_path}/a.db', 'table-name' = 'shown')"
    )
    assert found_by(env, "shown", "t = '5' AND id < 5") == [1, 2]
    assert found_by(env, "shown", "t IN ('5.5', 'x')") == [3, 5]
    assert found_by(env, "shown", "t IS NOT NULL AND t <> '5'") == [3, 5]
    assert found_by(env, "shown", "t IS NULL") == [4]


def test_the_database_tests_what_it_can(tmp_path: Path) -> None:
    env = environment()
    for name, url in (("p", "jdbc:postgresql://127.0.0.1:1/shop"), ("s", f"jdbc:sqlite:{tmp_path}/a.db")):
        env.execute_sql(
            f"CREATE TABLE {name} ({DECLARED}) WITH ('connector' = 'jdbc', 'url' = '{url}', 'table-name' = 'shown')"
        )

    def given(table: str, condition: str) -> str:
        text = env.sql_query(f"SELECT * FROM {table} WHERE {condition}").explain()
        return text.partition("filter=[")[2].partition("]")[0]

    assert given("p", "n > 5 AND t = 'a' AND t > 'a' AND n > id") == "and(>(n, 5), =(t, 'a'))"
    assert given("p", "7 >= n") == "<=(n, 7)"
    assert given("p", "n + 1 = 3 OR n = 4") == ""
    assert given("p", "n = CAST(NULL AS BIGINT)") == ""
    assert given("s", "n > 5 AND t IN ('a', 'b') AND n IS NULL") == "and(IN(t, 'a', 'b'), IS NULL(n))"


def test_only_rows_that_pass_come_from_the_database(database: Databases) -> None:
    found, values = database("passing"), rows()
    fill(found, values)
    columns = (Column("id", DataTypes.INT()), Column("t", DataTypes.STRING()))
    table = JdbcTable(found.options(), "shown", "table shown", "UTC")
    conditions = where([Predicate("t", "IN", ("a", "100%"))], columns, table.dialect)
    read = JdbcRows(table, columns, ["id"], 7, conditions)
    wanted = [(row[0], row[2]) for row in values if row[2] in ("a", "100%")]
    assert read.count() == len(wanted)
    assert [row for block in read.rows(2, len(wanted)) for row in block] == wanted[2:]


def test_two_queries_of_one_table_read_it_once_with_what_both_ask_for(database: Databases) -> None:
    found, values = database("shared"), rows()
    fill(found, values)
    env = environment()
    declare(env, found)
    query = "SELECT id FROM shown WHERE t = 'a' AND id < 30 UNION ALL SELECT id FROM shown WHERE t = 'a' AND id > 40"
    with env.execute_sql(query).collect() as results:
        made = sorted(row[0] for row in results)
    assert made == [row[0] for row in values if row[2] == "a" and not 30 <= row[0] <= 40]


def test_ranges(database: Databases) -> None:
    found, values = database("ranges"), rows(200)
    fill(found, values)
    env = environment()
    options = {"column": "id", "num": 7, "lower-bound": 20, "upper-bound": 150}
    more = "".join(f", 'scan.partition.{name}' = '{value}'" for name, value in options.items())
    declare(env, found, more=more)
    assert found_by(env, "shown", "TRUE") == list(range(20, 151))
    assert found_by(env, "shown", "t = 'a'") == [row[0] for row in values if row[2] == "a" and 20 <= row[0] <= 150]


def test_limits(database: Databases) -> None:
    found = database("limits")
    fill(found, rows(50))
    env = environment()
    declare(env, found)
    assert "limit=[7]" in env.sql_query("SELECT id FROM shown LIMIT 7").explain()
    with env.execute_sql("SELECT id FROM shown LIMIT 7").collect() as results:
        assert sorted(row[0] for row in results) == list(range(7))
    table = JdbcTable(found.options(), "shown", "table shown", "UTC")
    read = JdbcRows(table, (Column("id", DataTypes.INT()),), ["id"], 4, limit=7)
    assert read.count() == 7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"column": "id"}, "either all or none of the options scan.partition.column, scan.partition.num"),
        ({"column": "t", "num": 2, "lower-bound": 1, "upper-bound": 9}, "must name a column of whole numbers, got 't'"),
        ({"column": "id", "num": 0, "lower-bound": 1, "upper-bound": 9}, "'scan.partition.num' must be positive"),
        ({"column": "id", "num": 2, "lower-bound": 9, "upper-bound": 1}, "9 must not be larger than .*-bound' 1"),
    ],
)
def test_wrong_ranges(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    env = environment()
    more = "".join(f", 'scan.partition.{name}' = '{value}'" for name, value in options.items())
    with pytest.raises(ValidationError, match=said):
        env.execute_sql(
            f"CREATE TABLE shown ({DECLARED}) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{tmp_path}/a.db', "
            f"'table-name' = 'shown'{more})"
        )
        env.execute_sql("SELECT * FROM shown")


def test_a_checkpoint_of_another_condition_is_refused(tmp_path: Path) -> None:
    table = JdbcTable(JdbcConnectionOptions(f"jdbc:sqlite:{tmp_path}/a.db"), "shown", "table shown", "UTC")
    columns = (Column("t", DataTypes.STRING()),)
    all_rows = JdbcRows(table, columns, ["t"], 7)
    some = JdbcRows(table, columns, ["t"], 7, where([Predicate("t", "=", ("a",))], columns, table.dialect))
    offset = {"next": 3, "of": all_rows.meaning}
    all_rows.check(offset)
    with pytest.raises(ValidationError, match=r"another query \(all rows\), this one reads t = 'a'"):
        some.check(offset)


def test_a_fraction_in_a_column_of_whole_numbers_is_refused(database: Databases) -> None:
    found = database("fractions")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (id INTEGER PRIMARY KEY, n DECIMAL(10, 2))")
    found.run("INSERT INTO shown VALUES (1, 5.00)")
    env = environment()
    declare(env, found, "id INT, n BIGINT")
    assert found_by(env, "shown", "n = 5") == [1]
    found.run("INSERT INTO shown VALUES (2, 5.5)")
    with pytest.raises(DataStreamError, match=r"column 'n': the database has .*5\.5.*, which is no BIGINT"):
        found_by(env, "shown", "n < 9")


def test_a_condition_that_the_database_refuses_is_named(database: Databases) -> None:
    found = database("refusing")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (id INTEGER PRIMARY KEY)")
    env = environment()
    declare(env, found, "id INT, n BIGINT")
    with pytest.raises(DataStreamError, match=r"table `default_catalog`.*`shown`: jdbc:.*\bn\b"):
        found_by(env, "shown", "n IS NULL")
