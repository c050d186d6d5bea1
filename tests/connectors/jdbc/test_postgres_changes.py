"""Change capture: a table of PostgreSQL, and what becomes of it."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from datastream import JobError, Row, RowKind, StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors.jdbc import PostgresChangeSource
from datastream.connectors.jdbc.changes.snapshots import Snapshot
from datastream.errors import CheckpointError, ValidationError
from datastream.testing.conformance import SourceConformance
from tests.support.drive import Driven

SLOT = "changes"
Records = dict[Any, dict[str, Any]]


class Table:
    """A table ``t`` of a schema of its own, with no slot."""

    def __init__(self, url: str, columns: str = "id int PRIMARY KEY, name text") -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self.run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
        self.run("DROP PUBLICATION IF EXISTS changes")
        self.run("DROP TABLE IF EXISTS t")
        self.run(f"CREATE TABLE t ({columns})")
        self._url = url

    def run(self, statement: str, *parameters: Any) -> list[Any]:
        cursor = self.connection.execute(statement, parameters or None)
        return cursor.fetchall() if cursor.description else []

    def builder(self) -> Any:
        return PostgresChangeSource.builder().set_db_url(f"jdbc:{self._url}").set_table("t").set_slot_name(SLOT)


@pytest.fixture
def table(server: str) -> Iterator[Table]:
    found = Table(server)
    yield found
    found.connection.close()


def read(source: PostgresChangeSource) -> list[Row]:
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "changes")
    return list(stream.execute_and_collect())


def kinds(rows: list[Row]) -> list[tuple[str, ...]]:
    return [(str(row.get_row_kind()), *row._values) for row in rows]


class Changes(SourceConformance):
    """What the suites of the table and of the log share."""

    # A transaction of one change is three messages of the log.
    budget = 6
    most = 6

    @pytest.fixture(autouse=True)
    def _server(self, server: str) -> None:
        self.server = server

    def create(self, folder: Path) -> PostgresChangeSource:
        table = Table(self.server)
        table.run("INSERT INTO t SELECT n, 'n' || n FROM generate_series(0, 3) n")
        source: PostgresChangeSource = table.builder().build()
        table.connection.close()
        return source


class TestTheTable(Changes):
    expected = [Row(id=n, name=f"n{n}") for n in range(4)]
    secrets = ("s3cret",)

    def create(self, folder: Path) -> PostgresChangeSource:
        source = super().create(folder)
        return PostgresChangeSource(**{**vars(source), "ends": True, "poll_ms": 0})

    def unreachable(self) -> PostgresChangeSource:
        url = "jdbc:postgresql://u:s3cret@127.0.0.1:9/db?connect_timeout=2"
        return PostgresChangeSource.builder().set_db_url(url).set_table("t").set_slot_name(SLOT).build()


class TestTheLog(Changes):
    expected = [
        *(Row(id=n, name="new") for n in range(3)),
        Row.of_kind(RowKind.UPDATE_AFTER, id=1, name="again"),
        Row.of_kind(RowKind.DELETE, id=2, name=None),
    ]

    def create(self, folder: Path) -> PostgresChangeSource:
        table = Table(self.server)
        source: PostgresChangeSource = table.builder().set_snapshot(False).set_bounded().build()
        driven = Driven(source)
        driven.initial_offset()
        driven.close()
        for n in range(3):
            table.run("INSERT INTO t VALUES (%s, 'new')", n)
        table.run("UPDATE t SET name = 'again' WHERE id = 1")
        table.run("DELETE FROM t WHERE id = 2")
        table.connection.close()
        return PostgresChangeSource(**{**vars(source), "poll_ms": 0})


@pytest.mark.long
def test_kinds_of_changes(table: Table) -> None:
    table.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    source = table.builder().set_bounded().build()
    driven = Driven(source)
    driven.initial_offset()  # the slot is there from now on
    driven.close()
    with table.connection.transaction():
        table.run("INSERT INTO t VALUES (3, 'c')")
        table.run("UPDATE t SET name = 'x' WHERE id = 1")
    table.run("UPDATE t SET id = 20 WHERE id = 2")
    table.run("DELETE FROM t WHERE id = 3")
    # The table is read now, and has seen all of it.
    assert kinds(read(source)) == [("+I", 1, "x"), ("+I", 20, "b")]


def streamed(table: Table, *statements: str) -> list[tuple[str, ...]]:
    """What statements make of the table, from the log alone."""
    source = table.builder().set_snapshot(False).set_bounded().build()
    driven = Driven(source)
    driven.initial_offset()
    driven.close()
    for statement in statements:
        table.run(statement)
    return kinds(read(source))


def test_updates_and_deletes(table: Table) -> None:
    table.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    assert streamed(table, "UPDATE t SET name = 'x'", "UPDATE t SET id = 20 WHERE id = 2", "DELETE FROM t") == [
        ("+U", 1, "x"),
        ("+U", 2, "x"),
        ("-D", 2, None),
        ("+I", 20, "x"),
        ("-D", 1, None),
        ("-D", 20, None),
    ]


def test_a_table_that_tells_all_of_a_row_before(table: Table) -> None:
    table.run("ALTER TABLE t REPLICA IDENTITY FULL")
    table.run("INSERT INTO t VALUES (1, 'a')")
    assert streamed(table, "UPDATE t SET name = 'x'", "DELETE FROM t") == [
        ("-U", 1, "a"),
        ("+U", 1, "x"),
        ("-D", 1, "x"),
    ]


def test_values_are_the_same_from_table_and_log(server: str) -> None:
    table = Table(server, "k uuid, n int, d numeric, at timestamptz, b bytea, j jsonb, a int[], PRIMARY KEY (n, k)")
    values = (
        "'7b0c8a0e-0000-4000-8000-000000000001', 1, 2.50, '2026-01-02 03:04:05+00', '\\x00ff', '{\"x\": 1}', '{1,2}'"
    )
    values = values.replace("gen_random_uuid()", "'7b0c8a0e-0000-4000-8000-000000000001'")
    table.run(f"INSERT INTO t VALUES ({values})")
    (first,) = read(table.builder().set_bounded().build())
    table.run("DELETE FROM t")
    table.run("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots")
    ((_, *second),) = streamed(table, f"INSERT INTO t VALUES ({values})")
    assert first._values == second
    assert first.d == Decimal("2.50") and first.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    table.connection.close()


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("boolean", ["true", "false"]),
        ("char(4)", ["'a'", "'b'", "'ab'"]),
        ("inet", ["'10.0.0.1'", "'10.0.0.2'"]),
        ("numeric", ["1.0", "10", "2.50"]),
    ],
)
def test_keys_whose_text_in_the_log_is_not_that_of_a_cast(
    server: str, tmp_path: Path, key: str, values: list[str]
) -> None:
    table = Table(server, f"id {key} PRIMARY KEY, name text")
    for value in values:
        table.run(f"INSERT INTO t VALUES ({value}, 'a')")
    driven = Driven(PostgresChangeSource(**{**vars(table.builder().build()), "poll_ms": 0}), folder=str(tmp_path))
    offset = driven.initial_offset()
    table.run("UPDATE t SET name = 'seen'")
    rows = []
    for update in (None, "UPDATE t SET name = 'new'"):
        if update is not None:
            table.run(update)
        while (end := driven.latest_offset(offset, 1)) != offset:
            for split in driven.splits(offset, end, 1):
                rows += [row for some in driven.read(split) for row in some]
            offset = end
    assert sorted(name for kind, _, name in kinds(rows)) == sorted(["seen", "new"] * len(values))
    assert {kind for kind, _, name in kinds(rows) if name == "new"} == {"+U"}
    driven.close()
    table.connection.close()


def test_other_tables_of_the_publication_are_left_out(table: Table) -> None:
    table.run("DROP TABLE IF EXISTS other")
    table.run("CREATE TABLE other (id int PRIMARY KEY)")
    table.run("CREATE PUBLICATION changes FOR TABLE t, other")
    assert streamed(table, "INSERT INTO other VALUES (1)", "INSERT INTO t VALUES (2, 'b')") == [("+I", 2, "b")]


def test_publications_and_identities_that_do_not_do(table: Table) -> None:
    table.run("DROP TABLE IF EXISTS other")
    table.run("CREATE TABLE other (id int PRIMARY KEY)")
    table.run("CREATE PUBLICATION changes FOR TABLE other")
    with pytest.raises(JobError, match="ALTER PUBLICATION changes ADD TABLE t"):
        read(table.builder().build())
    table.run("ALTER TABLE t REPLICA IDENTITY NOTHING")
    with pytest.raises(JobError, match="REPLICA IDENTITY DEFAULT, or FULL"):
        read(table.builder().build())


def test_a_large_value_that_did_not_change(table: Table) -> None:
    table.run("ALTER TABLE t ALTER name SET STORAGE EXTERNAL, ADD more int")
    table.run("INSERT INTO t VALUES (1, repeat('x', 100000), 1)")
    with pytest.raises(JobError, match="REPLICA IDENTITY FULL"):
        streamed(table, "UPDATE t SET more = 2")


def applied(state: Records, row: Row) -> None:
    kind, key = row.get_row_kind(), row["id"]
    if kind == RowKind.DELETE:
        assert key in state, f"{row!r} was not there"
        del state[key]
    else:
        assert (key in state) == (kind == RowKind.UPDATE_AFTER), f"{kind} of {key}, which is there: {key in state}"
        state[key] = row.as_dict()


@pytest.mark.parametrize("key", ["int", "text"])
def test_changes_while_the_table_is_read(server: str, tmp_path: Path, key: str) -> None:
    """Whatever happens meanwhile, each change comes once: inserts of what is not there, updates of what is."""
    table = Table(server, f"id {key} PRIMARY KEY, name text")
    table.run(f"INSERT INTO t SELECT (n * 2)::{key}, 'n' || n FROM generate_series(0, 199) n")
    source = table.builder().build()
    chance = random.Random(1)
    driven = Driven(PostgresChangeSource(**{**vars(source), "poll_ms": 0}), folder=str(tmp_path))
    offset = driven.initial_offset()
    state: Records = {}
    other = psycopg.connect(server)  # a transaction that stays open while parts are read
    other.execute(
        f"INSERT INTO t VALUES ({key}('1001'), 'late')" if key == "text" else "INSERT INTO t VALUES (1001, 'late')"
    )
    other.execute("UPDATE t SET name = 'late' WHERE id = '100'")
    for number in range(200):
        for _ in range(3):
            n = chance.randrange(450)
            if n != 100 and n != 1001:
                what = chance.choice(
                    (
                        f"INSERT INTO t VALUES ('{n}', 'i{number}') ON CONFLICT DO NOTHING",
                        f"UPDATE t SET name = 'u{number}' WHERE id = '{n}'",
                        f"DELETE FROM t WHERE id = '{n}'",
                    )
                )
                table.run(what)
        if number == 60:
            other.commit()
        end = driven.latest_offset(offset, 30)
        if end != offset:
            for split in driven.splits(offset, end, 2):
                for rows in driven.read(split):
                    for row in rows:
                        applied(state, row)
            driven.commit(end)
            offset = end
    while (end := driven.latest_offset(offset, 1000)) != offset:
        for split in driven.splits(offset, end, 2):
            for rows in driven.read(split):
                for row in rows:
                    applied(state, row)
        offset = end
    assert offset["part"] > 5 and offset["parts"] == []
    assert state == {id: {"id": id, "name": name} for id, name in table.run("SELECT id, name FROM t")}
    other.close()
    driven.close()
    table.connection.close()


def test_what_is_wrong_is_said_before_the_first_epoch(server: str, table: Table) -> None:
    with pytest.raises(JobError, match='relation "nowhere" does not exist'):
        read(table.builder().set_table("nowhere").build())
    without_key = Table(server, "id int")
    with pytest.raises(JobError, match="t has no primary key, and its rows are known by that"):
        read(without_key.builder().build())
    without_key.connection.close()


def test_a_slot_that_is_ahead_of_the_checkpoint_or_gone(table: Table) -> None:
    source = table.builder().set_snapshot(False).build()
    driven = Driven(source)
    offset = driven.initial_offset()
    table.run("INSERT INTO t VALUES (1, 'a')")
    table.run("SELECT pg_replication_slot_advance('changes', pg_current_wal_lsn())")
    with pytest.raises(CheckpointError, match="'changes' is ahead of the checkpoint"):
        driven.latest_offset(offset, 10)
    table.run("SELECT pg_drop_replication_slot('changes')")
    with pytest.raises(CheckpointError, match="'changes' is not there any more"):
        driven.latest_offset(offset, 10)
    driven.close()


def test_a_slot_that_somebody_else_uses_is_waited_for(table: Table, server: str) -> None:
    driven = Driven(table.builder().set_snapshot(False).build())
    offset = driven.initial_offset()
    table.run("INSERT INTO t SELECT n, repeat('x', 100) FROM generate_series(1, 50000) n")
    peek = "SELECT count(*) FROM pg_logical_slot_peek_binary_changes('changes', NULL, NULL, 'proto_version', '1', "
    busy = psycopg.connect(server)
    other = threading.Thread(target=lambda: busy.execute(f"{peek} 'publication_names', 'changes')"))
    other.start()
    while other.is_alive() and not table.run("SELECT active FROM pg_replication_slots")[0][0]:
        pass
    end = driven.latest_offset(offset, 10)
    assert end["lsn"] > offset["lsn"]
    other.join()
    busy.close()
    driven.close()


def test_another_job_at_the_slot(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datastream.connectors.jdbc.changes.slot._BUSY_S", 0.3)
    source = table.builder().build()
    first, second = Driven(source), Driven(source)
    first.initial_offset()
    with pytest.raises(ConnectionError, match="another job reads the replication slot 'changes'"):
        second.initial_offset()
    first.close()
    second.initial_offset()
    second.close()


def polled(source: PostgresChangeSource) -> PostgresChangeSource:
    """The same, looking at once."""
    return PostgresChangeSource(**{**vars(source), "poll_ms": 0})


def test_epochs_stay_as_large_as_they_may_be_when_commits_come_late(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests write to the server's log meanwhile: above this, changes would not be counted.
    monkeypatch.setattr("datastream.connectors.jdbc.changes.enumerator._LOOK_BYTES", 2**30)
    driven = Driven(polled(table.builder().set_snapshot(False).build()))
    offset = driven.initial_offset()
    for n in range(20):
        table.run("INSERT INTO t VALUES (%s, 'new')", n)
    sizes = []
    while (end := driven.latest_offset(offset, 6)) != offset:  # nothing is committed
        sizes.append(sum(len(rows) for split in driven.splits(offset, end, 1) for rows in driven.read(split)))
        offset = end
    assert sum(sizes) == 20 and max(sizes) <= 6
    driven.close()


def test_a_job_without_an_end_that_is_to_end(table: Table) -> None:
    endless = Driven(polled(table.builder().set_snapshot(False).build()))
    offset = endless.initial_offset()
    endless.close()
    table.run("INSERT INTO t VALUES (1, 'a')")
    driven = Driven(polled(table.builder().set_snapshot(False).set_bounded().build()))
    read_rows: list[Row] = []
    while not driven.finished(offset):
        end = driven.latest_offset(offset, 10)
        read_rows += [row for split in driven.splits(offset, end, 1) for rows in driven.read(split) for row in rows]
        offset = end
    assert kinds(read_rows) == [("+I", 1, "a")]
    driven.close()


def test_partitions_that_come_later(server: str) -> None:
    table = Table(server, "id int PRIMARY KEY, name text) PARTITION BY RANGE (id")
    table.run("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10)")
    driven = Driven(polled(table.builder().set_snapshot(False).build()))
    offset = driven.initial_offset()
    found: list[Row] = []
    for statement in (
        "INSERT INTO t VALUES (1, 'a')",
        "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (10) TO (20)",
        "INSERT INTO t VALUES (11, 'b')",
    ):
        table.run(statement)
        while (end := driven.latest_offset(offset, 10)) != offset:
            found += [row for split in driven.splits(offset, end, 1) for rows in driven.read(split) for row in rows]
            offset = end
    assert kinds(found) == [("+I", 1, "a"), ("+I", 11, "b")]
    driven.close()
    table.connection.close()


def test_a_publication_without_updates(table: Table) -> None:
    table.run("CREATE PUBLICATION changes FOR TABLE t WITH (publish = 'insert')")
    driven = Driven(table.builder().build())
    with pytest.raises(ValidationError, match="'changes' leaves changes out: ALTER PUBLICATION changes SET"):
        driven.initial_offset()
    driven.close()


def test_wrong_settings() -> None:
    builder = PostgresChangeSource.builder().set_db_url("jdbc:postgresql://h/d").set_password("s3cret")
    assert "s3cret" not in repr(builder)
    for wrong, says in (
        (PostgresChangeSource.builder().set_db_url("jdbc:sqlite:x"), "with a PostgreSQL"),
        (builder, "call set_table"),
        (builder.set_table("t; drop"), "call set_table"),
        (builder.set_table("t").set_slot_name("Big"), "small letters"),
    ):
        with pytest.raises(ValidationError, match=says):
            wrong.build()


def test_snapshots() -> None:
    found = Snapshot.parse("100:105:101,103")
    assert [found.saw(xid) for xid in (99, 100, 101, 102, 103, 104, 105, 106)] == [1, 1, 0, 1, 0, 1, 0, 0]
    wrapped = Snapshot.parse(f"{2**33 - 2}:{2**33 + 3}:")
    assert wrapped.saw(2**32 - 1) and wrapped.saw(2) and not wrapped.saw(3)
