"""Catalogs of databases, on real servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from datastream.config.settings import settings
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from tests.support.databases import mysql

Run = Callable[[str], Any]


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def postgresql(server: str) -> Iterator[tuple[Run, dict[str, str]]]:
    found = {key: str(value) for key, value in conninfo_to_dict(server).items()}
    host = found["host"].replace("/", "%2F")
    with psycopg.connect(server, autocommit=True) as connection:
        options = {
            "default-database": found.get("dbname", "postgres"),
            "username": found.get("user", "postgres"),
            "password": found.get("password", "s3cret"),
            "base-url": f"jdbc:postgresql://{host}:{found.get('port', '5432')}",
        }
        yield connection.execute, options


def environment(options: dict[str, str]) -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    with_clause = ", ".join(f"'{key}' = '{value}'" for key, value in {"type": "jdbc", **options}.items())
    made.execute_sql(f"CREATE CATALOG c WITH ({with_clause})")
    made.use_catalog("c")
    return made


def rows_of(env: TableEnvironment, query: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(query).collect() as rows:
        return sorted((tuple(row) for row in rows), key=str)


def test_tables_of_postgresql(postgresql: tuple[Run, dict[str, str]]) -> None:
    run, options = postgresql
    run("DROP SCHEMA IF EXISTS shop CASCADE")
    run("DROP TABLE IF EXISTS public.goods")
    run("CREATE SCHEMA shop")
    run(
        "CREATE TABLE public.goods (id int NOT NULL, at timestamp(3) NOT NULL, price numeric(8, 2), name varchar(10), "
        "code char(3), note text, ok boolean, big bigint, f real, d double precision, day date, raw bytea, "
        "CONSTRAINT by_id PRIMARY KEY (at, id))"
    )
    run('CREATE TABLE shop."Odd" (a smallint)')
    env = environment(options)
    assert options["default-database"] in env.list_databases() and env.get_current_database()
    assert env.list_tables() == ["public.goods", "shop.Odd"]
    described = {row[0]: row[1:4] for row in rows_of(env, "DESCRIBE `public.goods`")}
    assert described["at"] == ("TIMESTAMP(3)", False, "PRI(at, id)")
    kinds = [described[name][0] for name in ("price", "name", "code", "note", "ok", "big", "f", "d", "day", "raw")]
    assert kinds == [
        *("DECIMAL(8, 2)", "VARCHAR(10)", "CHAR(3)", "STRING", "BOOLEAN", "BIGINT", "FLOAT", "DOUBLE", "DATE", "BYTES")
    ]
    env.execute_sql(
        "INSERT INTO goods (id, at, price, name) VALUES "
        "(1, TIMESTAMP '2026-01-31 12:00:00', CAST(1.5 AS DECIMAL(8, 2)), 'a')"
    ).wait()
    assert [row[:2] for row in rows_of(env, "SELECT name, CAST(price AS STRING) FROM goods")] == [("a", "1.50")]
    run('INSERT INTO shop."Odd" VALUES (7)')
    assert rows_of(env, "SELECT a FROM `shop.Odd`") == [(7,)]
    shown = rows_of(env, "SHOW CREATE TABLE goods")[0][0] + rows_of(env, "SHOW CREATE CATALOG c")[0][0]
    assert "CONSTRAINT `by_id` PRIMARY KEY (`at`, `id`)" in shown
    assert options["password"] not in shown or len(options["password"]) < 3


def test_tables_of_mysql(mysql_url: str) -> None:
    found = mysql(mysql_url, "catalogs")
    found.run("DROP TABLE IF EXISTS goods")
    found.run(
        "CREATE TABLE goods (id INT UNSIGNED PRIMARY KEY, ok TINYINT(1), tiny TINYINT, big BIGINT UNSIGNED, "
        "price DECIMAL(8, 2), name VARCHAR(10), note TEXT, at DATETIME(3), d DOUBLE, raw BLOB)"
    )
    options = found.options()
    base, _, database = options.url.partition("?")[0].rpartition("/")
    env = environment(
        {
            "default-database": database,
            "username": options.user_name or user_of(mysql_url)[0],
            "password": options.password or user_of(mysql_url)[1],
            "base-url": base,
        }
    )
    assert "goods" in env.list_tables()
    assert [(row[0], row[1]) for row in sorted(rows_of(env, "DESCRIBE goods"))] == [
        *(
            ("at", "TIMESTAMP(3)"),
            ("big", "DECIMAL(20, 0)"),
            ("d", "DOUBLE"),
            ("id", "BIGINT"),
            ("name", "VARCHAR(10)"),
        ),
        *(("note", "STRING"), ("ok", "BOOLEAN"), ("price", "DECIMAL(8, 2)"), ("raw", "BYTES"), ("tiny", "TINYINT")),
    ]
    env.execute_sql("INSERT INTO goods (id, ok, name) VALUES (1, TRUE, 'a'), (2, FALSE, 'b')").wait()
    env.execute_sql("INSERT INTO goods (id, name) VALUES (2, 'c')").wait()
    assert rows_of(env, "SELECT id, name FROM goods") == [(1, "a"), (2, "c")]


def user_of(url: str) -> tuple[str, str]:
    """The user and the password in a URL, which may be empty."""
    user, _, password = url.split("//", 1)[-1].rpartition("@")[0].partition(":")
    return user or "root", password


def test_what_does_not_fit_is_refused(postgresql: tuple[Run, dict[str, str]]) -> None:
    run, options = postgresql
    env = environment(options)
    run("DROP TABLE IF EXISTS public.places")
    run("CREATE TABLE public.places (p point)")
    for statement, says in {
        "SELECT * FROM places": "column p: SQL has no type for 'point'",
        "CREATE TABLE t (a INT)": "tables are made by the database's own statements",
        "DROP TABLE places": "tables are dropped by|SQL has no type",
        "CREATE DATABASE d": "databases are made by",
    }.items():
        with pytest.raises(UnsupportedOperation, match=says):
            env.execute_sql(statement)
    with pytest.raises(ValidationError, match="nothing"):
        env.execute_sql("SELECT * FROM nothing")
    for changed, says in (
        ({"base-url": "jdbc:oracle:x"}, "must be such as jdbc:postgresql"),
        ({"default-database": "nowhere"}, "nowhere"),
        ({"colour": "red"}, "no option 'colour'"),
    ):
        with pytest.raises((ValidationError, ConnectionError), match=says):
            environment({**options, **changed})
    with pytest.raises(ValidationError, match="the option 'default-database' is missing"):
        environment({})
