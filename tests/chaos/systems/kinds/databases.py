"""Databases."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tests.chaos.systems.system import System


class Postgres(System):
    """JdbcSource and exactly_once_sink, with plain INSERTs into a table without a key."""

    name = "jdbc"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.postgres import OwnPostgres

        self._server = OwnPostgres()
        self._run("CREATE TABLE numbers (id bigint PRIMARY KEY, name text)")
        self._run("CREATE TABLE results (id bigint, name text)")
        self.more(range(count))
        return {"url": f"jdbc:{self._server.url}"}

    def more(self, numbers: range) -> None:
        """Let more records come."""
        self._run(f"INSERT INTO numbers SELECT n, 'n' || n FROM generate_series({numbers[0]}, {numbers[-1]}) n")

    def _run(self, statement: str) -> list[Any]:
        import psycopg

        with psycopg.connect(self._server.url) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def results(self) -> list[tuple[int, str]]:
        return self._run("SELECT id, name FROM results")

    def written(self) -> int:
        return int(self._run("SELECT count(*) FROM results")[0][0])


class Changes(Postgres):
    """PostgresChangeSource: half of the rows are there at the start, the others come while the job runs."""

    name = "changes"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = super().begin(folder, count // 2)
        for begin in range(count // 2, count, 1000):
            self._waiting.append(range(begin, min(begin + 1000, count)))
        return where

    def __init__(self) -> None:
        self._waiting: list[range] = []

    def written(self) -> int:
        if self._waiting:  # as the job is looked at, rows come
            self.more(self._waiting.pop(0))
        return super().written()


class MySqlCdc(System):
    """The table connector mysql-cdc: its changes as they are, written once each, must make the table when added up.

    Half of the rows are there at the start. The others come while the job runs; meanwhile some rows are changed and
    changed back, some are deleted and come back, and the table gets another column.
    """

    name = "mysql-cdc"
    ends = False

    def __init__(self) -> None:
        self._waiting: list[str] = []

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL
        from tests.support.servers.postgres import OwnPostgres

        self._count = count
        self._server = OwnMySQL(*LOG)
        self._target = OwnPostgres()
        self._found("CREATE TABLE results (id bigint, name text)")
        half = count // 2
        new = "INSERT INTO numbers (id, name) SELECT seq, CONCAT('n', seq) FROM seq_{0}_to_{1}"
        self._run("CREATE TABLE numbers (id BIGINT PRIMARY KEY, name VARCHAR(20))")
        self._run(new.format(0, half - 1))
        for begin in range(half, count, 1000):
            first, last = begin - half, min(begin + 1000, count) - half - 1
            some = f"id BETWEEN {first} AND {last}"
            self._waiting += [
                f"UPDATE numbers SET name = CONCAT('m', id) WHERE {some} AND id % 5 = 0",
                f"DELETE FROM numbers WHERE {some} AND id % 10 = 3",
                f"{new.format(first, last)} WHERE seq % 10 = 3",
                f"UPDATE numbers SET name = CONCAT('n', id) WHERE {some} AND id % 5 = 0",
                new.format(begin, last + half),
            ]
        self._waiting.insert(len(self._waiting) // 2, "ALTER TABLE numbers ADD more INT DEFAULT 5 FIRST")
        return {
            "port": self._server.port,
            "user": USER,
            "password": PASSWORD,
            "database": DATABASE,
            "url": f"jdbc:{self._target.url}",
        }

    def _run(self, statement: str) -> None:
        import pymysql

        from tests.support.servers.mysql import DATABASE, PASSWORD, USER

        with pymysql.connect(
            host="127.0.0.1", port=self._server.port, user=USER, password=PASSWORD, database=DATABASE, autocommit=True
        ) as connection:
            connection.cursor().execute(statement)

    def _found(self, statement: str) -> list[Any]:
        import psycopg

        with psycopg.connect(self._target.url) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def results(self) -> list[tuple[int, str]]:
        net: Counter[tuple[int, str]] = Counter()
        for id, name in self._found("SELECT id, name FROM results"):
            net[id, name[2:].upper()] += 1 if name[0] == "+" else -1
        taken = [(id, f"taken away {-n} times too often: {name}") for (id, name), n in net.items() if n < 0]
        return [*net.elements(), *taken]

    def written(self) -> int:
        for _ in range(5):  # as the job is looked at, changes come
            if self._waiting:
                self._run(self._waiting[0])
                del self._waiting[0]
        ((rows,),) = self._found(
            "SELECT count(*) FILTER (WHERE name LIKE '+_n%') - count(*) FILTER (WHERE name LIKE '-_n%') FROM results"
        )
        return min(int(rows), self._count - bool(self._waiting))

    def stop(self) -> None:
        super().stop()
        self._target.stop()


class Cassandra(System):
    """CassandraSource and CassandraRowSink, by upserts."""

    name = "cassandra"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from cassandra.concurrent import execute_concurrent_with_args

        from tests.support.servers.cassandra import OwnNode

        self._server = OwnNode()
        tables = [f"CREATE TABLE {name} (id bigint PRIMARY KEY, name text)" for name in ("numbers", "results")]
        self._keyspace = self._server.keyspace(*tables)
        with self._server.session(self._keyspace) as session:
            insert = session.prepare("INSERT INTO numbers (id, name) VALUES (?, ?)")
            execute_concurrent_with_args(session, insert, [(n, f"n{n}") for n in range(count)], concurrency=128)
        return {"address": self._server.address, "keyspace": self._keyspace}

    def results(self) -> list[tuple[int, str]]:
        return [(row.id, row.name) for row in self._server.run(f"SELECT id, name FROM {self._keyspace}.results")]
