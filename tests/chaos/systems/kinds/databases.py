"""Databases."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tests.chaos.systems.system import Local, System
from tests.support.databases import Database, mysql, sqlite

if TYPE_CHECKING:
    from tests.support.servers.postgres import OwnPostgres

#: Rows of a range of numbers, named ``n``; a condition may come after it.
_POSTGRES_NUMBERS = "SELECT n, CONCAT('n', n) FROM generate_series({0}, {1}) AS n"
_MYSQL_NUMBERS = "SELECT n, CONCAT('n', n) FROM (SELECT seq AS n FROM seq_{0}_to_{1}) AS numbered"
_SQLITE_NUMBERS = (
    "WITH RECURSIVE numbered (n) AS (SELECT {0} UNION ALL SELECT n + 1 FROM numbered WHERE n < {1}) "
    "SELECT n, 'n' || n FROM numbered"
)


class _Jdbc(System):
    """JdbcSource and exactly_once_sink, with plain INSERTs into a table without a key."""

    #: One of those of the module.
    numbers: ClassVar[str]

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._database = self._begin(folder)
        self._database.run("CREATE TABLE numbers (id BIGINT PRIMARY KEY, name VARCHAR(20))")
        self._database.run("CREATE TABLE results (id BIGINT, name VARCHAR(20))")
        self.more(range(count))
        return {"url": self._database.url}

    @abstractmethod
    def _begin(self, folder: Path) -> Database:
        """Begin an empty database."""

    def more(self, numbers: range) -> None:
        """Let more records come."""
        self._database.run(f"INSERT INTO numbers {self.numbers.format(numbers[0], numbers[-1])}")

    def results(self) -> list[tuple[int, str]]:
        return [(id, name) for id, name in self._database.run("SELECT id, name FROM results")]

    def written(self) -> int:
        return int(self._database.run("SELECT count(*) FROM results")[0][0])


class Postgres(_Jdbc):
    """PostgreSQL."""

    name = "jdbc"
    numbers = _POSTGRES_NUMBERS

    def _begin(self, folder: Path) -> Database:
        from tests.support.servers.postgres import OwnPostgres

        self._server = OwnPostgres()
        return Database(f"jdbc:{self._server.url}", partial(_found, self._server))


class MySql(_Jdbc):
    """MySQL."""

    name = "jdbc-mysql"
    numbers = _MYSQL_NUMBERS

    def _begin(self, folder: Path) -> Database:
        from tests.support.servers.mysql import DATABASE, OwnMySQL

        self._server = OwnMySQL()
        return mysql(self._server.url, DATABASE)


class Sqlite(Local, _Jdbc):
    """SQLite: a file, so there is no server that could be killed."""

    name = "jdbc-sqlite"
    victims = ("driver", "worker")
    numbers = _SQLITE_NUMBERS

    def _begin(self, folder: Path) -> Database:
        return sqlite(folder)


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


class _Cdc(System):
    """A table connector for changes: those of a table, written once each, must make the table when added up.

    Half of the rows are there at the start. The others come while the job runs; meanwhile some rows are changed and
    changed back, some are deleted and come back, and the table gets another column.
    """

    ends = False
    #: One of those of the module, and a statement in the midst of the others.
    numbers: ClassVar[str]
    another_column: ClassVar[str]

    def __init__(self) -> None:
        self._waiting: list[str] = []

    @abstractmethod
    def _run(self, statement: str) -> list[Any]:
        """Carry out a statement in the source."""

    def _fill(self, count: int) -> dict[str, Any]:
        """Fill the source, whose table is there, and begin the target; what the job's script needs of it."""
        from tests.support.servers.postgres import OwnPostgres

        self._count = count
        self._target = OwnPostgres()
        _found(self._target, "CREATE TABLE results (id bigint, name text)")
        half = count // 2
        new = f"INSERT INTO numbers (id, name) {self.numbers}"
        self._run(new.format(0, half - 1))
        for begin in range(half, count, 1000):
            first, last = begin - half, min(begin + 1000, count) - half - 1
            some = f"id BETWEEN {first} AND {last}"
            self._waiting += [
                f"UPDATE numbers SET name = CONCAT('m', id) WHERE {some} AND id % 5 = 0",
                f"DELETE FROM numbers WHERE {some} AND id % 10 = 3",
                f"{new.format(first, last)} WHERE n % 10 = 3",
                f"UPDATE numbers SET name = CONCAT('n', id) WHERE {some} AND id % 5 = 0",
                new.format(begin, last + half),
            ]
        self._waiting.insert(len(self._waiting) // 2, self.another_column)
        return {"url": f"jdbc:{self._target.url}"}

    def results(self) -> list[tuple[int, str]]:
        net: Counter[tuple[int, str]] = Counter()
        for id, name in _found(self._target, "SELECT id, name FROM results"):
            net[id, name[2:].upper()] += 1 if name[0] == "+" else -1
        source = {(int(id), name.upper()) for id, name in self._run("SELECT id, name FROM numbers")}
        return [
            *net.elements(),
            *((id, f"taken away {-n} times too often: {name}") for (id, name), n in net.items() if n < 0),
            *((id, f"in the source alone: {name}") for id, name in source if net[id, name] < 1),
        ]

    def written(self) -> int:
        for _ in range(5):  # as the job is looked at, changes come
            if self._waiting:
                self._run(self._waiting[0])
                del self._waiting[0]
        ((rows,),) = _found(
            self._target,
            "SELECT count(*) FILTER (WHERE name LIKE '+_n%') - count(*) FILTER (WHERE name LIKE '-_n%') FROM results",
        )
        return min(int(rows), self._count - bool(self._waiting))

    def stop(self) -> None:
        super().stop()
        self._target.stop()


class MySqlCdc(_Cdc):
    """The table connector mysql-cdc, which reads its changes as new rows."""

    name = "mysql-cdc"
    numbers = _MYSQL_NUMBERS
    another_column = "ALTER TABLE numbers ADD more INT DEFAULT 5 FIRST"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL

        self._server = OwnMySQL(*LOG)
        self._database = mysql(self._server.url, DATABASE)
        self._run("CREATE TABLE numbers (id BIGINT PRIMARY KEY, name VARCHAR(20))")
        access = {"port": self._server.port, "user": USER, "password": PASSWORD, "database": DATABASE}
        return {**access, **self._fill(count)}

    def _run(self, statement: str) -> list[Any]:
        return self._database.run(statement)


class PostgresCdc(_Cdc):
    """The table connector postgres-cdc, whose changes become a stream of them."""

    name = "postgres-cdc"
    numbers = _POSTGRES_NUMBERS
    another_column = "ALTER TABLE numbers ADD more int DEFAULT 5"

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from psycopg.conninfo import conninfo_to_dict

        from tests.support.servers.postgres import OwnPostgres

        self._server = OwnPostgres()
        self._run("CREATE TABLE numbers (id bigint PRIMARY KEY, name text)")
        self._run("ALTER TABLE numbers REPLICA IDENTITY FULL")
        address = {key: str(value) for key, value in conninfo_to_dict(self._server.url).items()}
        return {"source": address, **self._fill(count)}

    def _run(self, statement: str) -> list[Any]:
        return _found(self._server, statement)


def _found(server: OwnPostgres, statement: str) -> list[Any]:
    """The rows of a statement, if it has any."""
    import psycopg

    with psycopg.connect(server.url) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


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
