"""Databases of tests by their URLs of JDBC, each with a way to run statements."""

from __future__ import annotations

import sqlite3
import urllib.parse
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pymysql

from datastream.connectors.jdbc import JdbcConnectionOptions


@dataclass
class Database:
    """A database for one test.

    Attributes:
        url: Of JDBC.
        run: Runs a statement, and gives its rows.
    """

    url: str
    run: Callable[[str], list[Any]]

    def options(self) -> JdbcConnectionOptions:
        return JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(self.url).build()


def sqlite(folder: Path) -> Database:
    path = folder / "numbers.db"

    def run(statement: str) -> list[Any]:
        with closing(sqlite3.connect(path)) as connection, connection:
            return connection.execute(statement).fetchall()

    return Database(f"jdbc:sqlite:{path}", run)


def postgresql(url: str, name: str) -> Database:
    """A schema of its own in the server's database."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
    own = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"

    def run(statement: str) -> list[Any]:
        with psycopg.connect(own) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    return Database(f"jdbc:{url}{'&' if '?' in url else '?'}currentSchema={name}&reWriteBatchedInserts=true", run)


def mysql(url: str, name: str) -> Database:
    """A database of its own of the server; ``"`` stands around names, as elsewhere."""
    parts = urllib.parse.urlsplit(url.removeprefix("jdbc:"))
    query = dict(urllib.parse.parse_qsl(parts.query))

    def run(statement: str, database: str | None = name) -> list[Any]:
        connection = pymysql.connect(
            host=parts.hostname or "",
            port=parts.port or 0,
            user=query["user"],
            password=query["password"],
            database=database,
            sql_mode="ANSI_QUOTES",
            autocommit=True,
        )
        with closing(connection), connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    run(f"CREATE DATABASE IF NOT EXISTS {name}", None)
    return Database(f"jdbc:{parts._replace(path=name).geturl()}", run)
