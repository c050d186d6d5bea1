"""Tables of databases: ``jdbc``, ``cassandra``, ``postgres-cdc`` and ``mysql-cdc``."""

from __future__ import annotations

import sqlite3
import struct
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pymysql
from cassandra.cluster import EXEC_PROFILE_DEFAULT
from cassandra.concurrent import execute_concurrent_with_args
from cassandra.query import tuple_factory
from psycopg.conninfo import conninfo_to_dict
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.row_event import WriteRowsEvent

from bench.ready_rows import COLUMNS, DECLARED
from tests.support import databases
from tests.support.databases import Database
from tests.support.servers.cassandra import Cassandra
from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL
from tests.support.servers.postgres import postgres

from .sides import Pair, Rows, Systems, Table, case, server_of

_BATCH = 5000
_PAGE = 4096
_LOOKED_UP = 4096
_CONCURRENCY = 64
_NAMES = ", ".join(COLUMNS)
_COLUMNS = "id BIGINT {}, item VARCHAR(40), price DOUBLE PRECISION, qty INT, ts BIGINT"
_KEYED = f"{DECLARED}, PRIMARY KEY (id) NOT ENFORCED"
_UPDATES = ", ".join(f"{name} = {{0}}{name}{{1}}" for name in COLUMNS[1:])

Connect = Callable[[], Any]
_CASSANDRA = server_of(Cassandra)


@contextmanager
def mysql_server() -> Iterator[OwnMySQL]:
    """A MySQL with a binary log."""
    server = OwnMySQL(*LOG)
    try:
        yield server
    finally:
        server.stop()


def _postgresql(systems: Systems) -> tuple[Database, Connect, str, str]:
    url, name = systems.get(postgres), _name()
    own = f"{url}{'&' if '?' in url else '?'}options=-csearch_path%3D{name}"
    upsert = f"ON CONFLICT (id) DO UPDATE SET {_UPDATES.format('excluded.', '')}"
    return databases.postgresql(url, name), lambda: psycopg.connect(own), "%s", upsert


def _mysql(systems: Systems) -> tuple[Database, Connect, str, str]:
    server, name = systems.get(mysql_server), _name()
    upsert = f"ON DUPLICATE KEY UPDATE {_UPDATES.format('VALUES(', ')')}"
    return databases.mysql(server.url, name), lambda: _connect(server, name), "%s", upsert


def _connect(server: OwnMySQL, database: str) -> Any:
    return pymysql.connect(host="127.0.0.1", port=server.port, user=USER, password=PASSWORD, database=database)


def _sqlite(folder: Path) -> tuple[Database, Connect, str, str]:
    found = databases.sqlite(folder)
    upsert = f"ON CONFLICT (id) DO UPDATE SET {_UPDATES.format('excluded.', '')}"
    return found, lambda: sqlite3.connect(folder / "numbers.db"), "?", upsert


def _jdbc(kind: str, systems: Systems, rows: Rows) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        if kind == "sqlite":
            made = _sqlite(Path(folder))
        else:
            made = _postgresql(systems) if kind == "postgresql" else _mysql(systems)
        yield from _written_and_read(rows, *made)


def _written_and_read(rows: Rows, found: Database, connect: Connect, mark: str, upsert: str) -> Iterator[Pair]:
    for table, key in (("ours", ""), ("bare", ""), ("keyed_ours", "PRIMARY KEY"), ("keyed_bare", "PRIMARY KEY")):
        found.run(f"CREATE TABLE {table} ({_COLUMNS.format(key)})")
    insert = f"INSERT INTO {{}} ({_NAMES}) VALUES ({', '.join([mark] * len(COLUMNS))})"

    def table(name: str, columns: str = DECLARED) -> Table:
        own = found.options()
        user = {} if own.user_name is None else {"username": own.user_name, "password": own.password or ""}
        return Table({"connector": "jdbc", "url": str(own.url), "table-name": name, **user}, columns)

    def write(statement: str) -> None:
        with closing(connect()) as connection, closing(connection.cursor()) as cursor:
            for start in range(0, len(rows), _BATCH):
                cursor.executemany(statement, rows[start : start + _BATCH])
                connection.commit()

    def read() -> Rows:
        with closing(connect()) as connection, closing(_cursor(connection)) as cursor:
            cursor.execute(f"SELECT {_NAMES} FROM keyed_bare ORDER BY id")
            fetched: Rows = []
            while some := cursor.fetchmany(_PAGE):
                fetched += some
        return fetched

    looked_up = rows[:_LOOKED_UP]

    def look_up() -> Rows:
        with closing(connect()) as connection, closing(connection.cursor()) as cursor:
            fetched: Rows = []
            for row in looked_up:
                cursor.execute(f"SELECT {_NAMES} FROM keyed_bare WHERE id = {mark}", row[:1])
                fetched += cursor.fetchall()
        return fetched

    yield Pair("insert", lambda: table("ours").write(rows), lambda: write(insert.format("bare")))
    keyed = f"{insert.format('keyed_bare')} {upsert}"
    yield Pair("upsert", lambda: table("keyed_ours", _KEYED).write(rows), lambda: write(keyed))
    there = table("keyed_bare", _KEYED)
    yield Pair("read", lambda: there.read(len(rows)), read)
    yield Pair("look up", lambda: there.look_up(looked_up), look_up, len(looked_up))
    for name in ("ours", "bare", "keyed_ours", "keyed_bare"):
        found.run(f"DROP TABLE {name}")


def _cursor(connection: Any) -> Any:
    """A cursor that fetches rows as they are asked for."""
    if isinstance(connection, psycopg.Connection):
        return connection.cursor("bench")
    return (
        connection.cursor(pymysql.cursors.SSCursor)
        if isinstance(connection, pymysql.Connection)
        else connection.cursor()
    )


for _kind in ("postgresql", "mysql", "sqlite"):
    case(f"jdbc {_kind}", 102_400)(partial(_jdbc, _kind))


@case("cassandra", 8192)
def cassandra(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """The driver's concurrent statements, and a paged query."""
    node = systems.get(_CASSANDRA)
    made = "(id bigint PRIMARY KEY, item text, price double, qty int, ts bigint)"
    space = node.keyspace(f"CREATE TABLE ours {made}", f"CREATE TABLE bare {made}")
    place = {"hosts": node.host, "port": str(node.port), "keyspace": space}
    place |= {"username": node.user, "password": node.user} if node.user else {}

    def write() -> None:
        with node.session(space) as session:
            statement = session.prepare(f"INSERT INTO bare ({_NAMES}) VALUES (?, ?, ?, ?, ?)")
            execute_concurrent_with_args(session, statement, rows, concurrency=_CONCURRENCY)

    def read() -> Rows:
        with node.session(space) as session:
            profile = session.execution_profile_clone_update(EXEC_PROFILE_DEFAULT, row_factory=tuple_factory)
            return list(session.execute(f"SELECT {_NAMES} FROM bare", execution_profile=profile))

    def look_up() -> Rows:
        with node.session(space) as session:
            statement = session.prepare(f"SELECT {_NAMES} FROM bare WHERE id = ?")
            keys = [row[:1] for row in rows]
            answers = execute_concurrent_with_args(session, statement, keys, concurrency=_CONCURRENCY)
            return [tuple(row) for _, found in answers for row in found]

    ours, bare = (Table({"connector": "cassandra", "table-name": name, **place}, _KEYED) for name in ("ours", "bare"))
    yield Pair("upsert", lambda: ours.write(rows), write)
    yield Pair("read", lambda: bare.read(len(rows)), read)
    yield Pair("look up", lambda: bare.look_up(rows), look_up)


@case("postgres-cdc", 51_200)
def postgres_cdc(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """A table and its log; the bare client decodes the messages of pgoutput."""
    url, name = systems.get(postgres), _name()
    server = {key: str(value) for key, value in conninfo_to_dict(url).items()}
    place = {
        "hostname": server["host"],
        "port": server.get("port", "5432"),
        "username": server.get("user", "postgres"),
        "password": server.get("password", "none"),
        "database-name": server.get("dbname", "postgres"),
        "schema-name": "public",
        "table-name": name,
        "slot.name": f"{name}_ours",
    }
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} ({_COLUMNS.format('PRIMARY KEY')})")
        connection.execute(f"ALTER TABLE {name} REPLICA IDENTITY FULL")

        def fill() -> None:
            with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)

        def read() -> Rows:
            with psycopg.connect(url) as reader, reader.cursor("bench") as cursor:
                cursor.execute(f"SELECT {_NAMES} FROM {name} ORDER BY id")
                found: Rows = []
                while some := cursor.fetchmany(_PAGE):
                    found += some
            return found

        def capture() -> Rows:
            peek = (
                f"SELECT data FROM pg_logical_slot_peek_binary_changes('{name}_bare', NULL, NULL, "
                f"'proto_version', '1', 'publication_names', '{name}')"
            )
            with psycopg.connect(url) as reader, reader.cursor(binary=True) as cursor:
                found = [_inserted(message) for (message,) in cursor.execute(peek) if message[:1] == b"I"]
            assert len(found) == len(rows), f"{len(found)} of {len(rows)} rows"
            return found

        fill()
        whole = Table({"connector": "postgres-cdc", **place, "scan.startup.mode": "snapshot"}, _KEYED)
        yield Pair("read", lambda: whole.read(len(rows)), read)
        connection.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
        connection.execute(f"TRUNCATE {name}")
        connection.execute(f"CREATE PUBLICATION {name} FOR TABLE {name}")
        for side in ("ours", "bare"):
            connection.execute(f"SELECT pg_create_logical_replication_slot('{name}_{side}', 'pgoutput')")
        fill()
        options = {"scan.startup.mode": "latest-offset", "debezium.publication.name": name}
        log = Table({"connector": "postgres-cdc", **place, **options}, _KEYED)
        yield Pair("log", lambda: log.read(len(rows), ends=False), capture)
        connection.execute(f"SELECT pg_drop_replication_slot('{name}_bare')")


def _inserted(message: bytes) -> tuple[Any, ...]:
    """The row of a message ``I`` of pgoutput."""
    texts, at = [], 8
    for _ in range(struct.unpack_from(">h", message, 6)[0]):
        (size,) = struct.unpack_from(">i", message, at + 1)
        texts.append(message[at + 5 : at + 5 + size].decode())
        at += 5 + size
    return int(texts[0]), texts[1], float(texts[2]), int(texts[3]), int(texts[4])


@case("mysql-cdc", 51_200)
def mysql_cdc(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """A table and its log; the bare client is mysql-replication."""
    server, name = systems.get(mysql_server), _name()
    place = {
        "connector": "mysql-cdc",
        "hostname": "127.0.0.1",
        "port": str(server.port),
        "username": USER,
        "password": PASSWORD,
        "database-name": DATABASE,
        "table-name": name,
    }
    with closing(_connect(server, DATABASE)) as connection, closing(connection.cursor()) as cursor:
        cursor.execute(f"CREATE TABLE {name} ({_COLUMNS.format('PRIMARY KEY')})")
        cursor.execute("SHOW MASTER STATUS")
        file, position = cursor.fetchone()[:2]
        insert = f"INSERT INTO {name} VALUES (%s, %s, %s, %s, %s)"
        for start in range(0, len(rows), _BATCH):
            cursor.executemany(insert, rows[start : start + _BATCH])
            connection.commit()

        def read() -> Rows:
            found: Rows = []
            with closing(_connect(server, DATABASE)) as reader, closing(_cursor(reader)) as fetching:
                fetching.execute(f"SELECT {_NAMES} FROM {name} ORDER BY id")
                while some := fetching.fetchmany(_PAGE):
                    found += some
            return found

        def follow() -> Rows:
            stream = BinLogStreamReader(
                connection_settings={"host": "127.0.0.1", "port": server.port, "user": USER, "passwd": PASSWORD},
                server_id=uuid.uuid4().int % 10**9,
                log_file=file,
                log_pos=position,
                resume_stream=True,
                only_events=[WriteRowsEvent],
                only_tables=[name],
            )
            with closing(stream):
                return [tuple(row["values"].values()) for event in stream for row in event.rows]

        whole = Table({**place, "scan.startup.mode": "snapshot"}, _KEYED)
        yield Pair("read", lambda: whole.read(len(rows)), read)
        start = {"scan.startup.specific-offset.file": file, "scan.startup.specific-offset.pos": str(position)}
        log = Table({**place, "scan.startup.mode": "specific-offset", **start}, _KEYED)
        yield Pair("log", lambda: log.read(len(rows), ends=False), follow)
        cursor.execute(f"DROP TABLE {name}")


def _name() -> str:
    return f"bench_{uuid.uuid4().hex[:12]}"
