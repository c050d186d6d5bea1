"""Change capture: tables of MySQL, and what becomes of them."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pymysql
import pytest

from datastream import Row, RowKind, StreamExecutionEnvironment, WatermarkStrategy
from datastream.config.settings import settings
from datastream.connectors.jdbc import JdbcSource, MySqlChangeSource, StartupOptions
from datastream.connectors.jdbc.mysql_changes.keys import Key
from datastream.connectors.jdbc.mysql_changes.positions import Position
from datastream.connectors.jdbc.mysql_changes.values import reader_of
from datastream.connectors.jdbc.mysql_changes.zones import zone_of
from datastream.errors import CheckpointError, FormatError, ValidationError
from datastream.testing.conformance import SourceConformance
from tests.support.drive import Driven
from tests.support.servers.mysql import DATABASE, LOG, PASSWORD, USER, OwnMySQL

Records = dict[Any, dict[str, Any]]


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    Follower.folder = tmp_path


@pytest.fixture(scope="module")
def logging_server() -> Iterator[OwnMySQL]:
    server = OwnMySQL(*LOG)
    yield server
    server.stop()


class Table:
    """A table ``t`` of the server's database, which is empty but for it."""

    def __init__(self, server: OwnMySQL, columns: str = "id INT PRIMARY KEY, name TEXT") -> None:
        self.server = server
        self.connection = self.connect()
        for (name,) in self.run("SHOW TABLES"):
            self.run(f"DROP TABLE `{name}`")
        self.run(f"CREATE TABLE t ({columns})")

    def connect(self) -> Any:
        return pymysql.connect(
            host="127.0.0.1",
            port=self.server.port,
            user=USER,
            password=PASSWORD,
            database=DATABASE,
            autocommit=True,
            charset="utf8mb4",
        )

    def run(self, *statements: str) -> list[Any]:
        with self.connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def purge(self) -> None:
        """Let the server forget all files of its log but the last one, once it does not need them itself."""
        ((last, *_),) = self.run("SHOW MASTER STATUS")
        while len(self.run(f"PURGE BINARY LOGS TO '{last}'", "SHOW BINARY LOGS")) > 1:
            pass

    def builder(self, startup: StartupOptions | None = None, tables: str = rf"{DATABASE}\.t") -> Any:
        builder = MySqlChangeSource.builder().hostname("127.0.0.1").port(self.server.port).username(USER)
        builder = builder.password(PASSWORD).database_list(DATABASE).table_list(tables).server_time_zone("UTC")
        return builder.startup_options(startup or StartupOptions.initial())

    def source(self, startup: StartupOptions | None = None, tables: str = rf"{DATABASE}\.t") -> MySqlChangeSource:
        return replace(self.builder(startup, tables).build(), poll_ms=0)


@pytest.fixture
def table(logging_server: OwnMySQL) -> Iterator[Table]:
    found = Table(logging_server)
    yield found
    found.connection.close()


def kinds(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [(str(row.get_row_kind()), *row._values) for row in rows]


class Follower:
    """Reads a source, epoch by epoch."""

    folder: Path

    def __init__(self, source: MySqlChangeSource) -> None:
        self.driven = Driven(source, folder=tempfile.mkdtemp(dir=self.folder))
        self.offset = self.driven.initial_offset()

    def epoch(self, budget: int = 1000) -> list[Row]:
        """The rows of the next epoch; none: there is nothing new."""
        end = self.driven.latest_offset(self.offset, budget)
        if end == self.offset:
            return []
        splits = self.driven.splits(self.offset, end, 2)
        rows = [row for split in splits for some in self.driven.read(split) for row in some]
        self.driven.commit(end)
        self.offset = end
        return rows

    def rest(self, budget: int = 1000) -> list[Row]:
        """All that is there."""
        rows: list[Row] = []
        while True:
            before = self.offset
            rows += self.epoch(budget)
            if self.offset == before:
                return rows


def streamed(table: Table, *statements: str) -> list[tuple[Any, ...]]:
    """What statements make of the table, from the log alone."""
    follower = Follower(table.source(StartupOptions.latest()))
    table.run(*statements)
    return kinds(follower.rest())


class Changes(SourceConformance):
    """What the suites of the table and of the log share."""

    budget = 1
    most = 1
    secrets = ("s3cret",)

    @pytest.fixture(autouse=True)
    def _server(self, logging_server: OwnMySQL) -> None:
        self.server = logging_server

    def plain(self, source: MySqlChangeSource) -> MySqlChangeSource:
        """The same without TLS: the many connections of the suite take a fraction of the time."""
        options = source.connection_options
        return replace(source, connection_options=replace(options, url=f"{options.url}&sslMode=DISABLED"))

    def unreachable(self) -> MySqlChangeSource:
        builder = MySqlChangeSource.builder().hostname("127.0.0.1").port(9).username("u").password("s3cret")
        return builder.database_list("d").table_list(r"d\.t").connect_timeout(2).build()


@pytest.mark.long
class TestTheTable(Changes):
    expected = [Row(id=n, name=f"n{n}") for n in range(2)]

    def create(self, folder: Path) -> MySqlChangeSource:
        table = Table(self.server)
        table.run(*(f"INSERT INTO t VALUES ({n}, 'n{n}')" for n in range(2)))
        table.connection.close()
        return self.plain(table.source(StartupOptions.snapshot_only()))


@pytest.mark.long
class TestTheLog(Changes):
    most = 2
    expected = [
        Row(id=1, name="new"),
        Row.of_kind(RowKind.UPDATE_BEFORE, id=1, name="new"),
        Row.of_kind(RowKind.UPDATE_AFTER, id=1, name="again"),
        Row.of_kind(RowKind.DELETE, id=1, name="again"),
    ]

    def create(self, folder: Path) -> MySqlChangeSource:
        table = Table(self.server)
        ((file, at, *_),) = table.run("SHOW MASTER STATUS")
        table.run("INSERT INTO t VALUES (1, 'new')", "UPDATE t SET name = 'again'", "DELETE FROM t")
        table.connection.close()
        return self.plain(table.source(replace(StartupOptions.specific_offset(file, at), ends=True)))


def test_the_rows_and_then_the_changes_in_a_job(table: Table) -> None:
    table.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_source(table.source(), WatermarkStrategy.no_watermarks(), "changes")
    with stream.execute_and_collect() as rows:
        assert kinds([next(rows) for _ in range(2)]) == [("+I", 1, "a"), ("+I", 2, "b")]
        table.run("UPDATE t SET name = 'x' WHERE id = 1", "UPDATE t SET id = 20 WHERE id = 2", "DELETE FROM t")
        assert kinds([next(rows) for _ in range(6)]) == [
            ("-U", 1, "a"),
            ("+U", 1, "x"),
            ("-D", 2, "b"),
            ("+I", 20, "b"),
            ("-D", 1, "x"),
            ("-D", 20, "b"),
        ]


TYPES = {
    "ti": ("TINYINT", ["-128", "127"]),
    "tu": ("TINYINT UNSIGNED", ["255"]),
    "si": ("SMALLINT", ["-32768"]),
    "su": ("SMALLINT UNSIGNED", ["65535"]),
    "mi": ("MEDIUMINT", ["-8388608", "8388607"]),
    "mu": ("MEDIUMINT UNSIGNED", ["16777215"]),
    "ii": ("INT", ["-2147483648"]),
    "iu": ("INT UNSIGNED", ["4294967295"]),
    "bi": ("BIGINT", ["-9223372036854775808"]),
    "bu": ("BIGINT UNSIGNED", ["18446744073709551615"]),
    "zf": ("INT(8) ZEROFILL", ["42"]),
    "bo": ("BOOLEAN", ["TRUE", "FALSE"]),
    "d1": ("DECIMAL(10, 2)", ["1.50", "-1.50", "0", "-0.01", "99999999.99"]),
    "d2": (
        "DECIMAL(65, 30)",
        ["-12345678901234567890.123456789012345678901234567890", "0.000000000000000000000000000001"],
    ),
    "d3": ("DECIMAL(9, 9)", ["0.123456789", "-0.000000001"]),
    "d4": ("DECIMAL(20, 0)", ["-98765432109876543210", "7"]),
    "fl": ("FLOAT", ["0.1", "-1234567.8", "1e30"]),
    "do": ("DOUBLE", ["0.1", "-1.7976931348623157e308"]),
    "b1": ("BIT(1)", ["b'1'", "b'0'"]),
    "b9": ("BIT(9)", ["b'100000001'"]),
    "b64": ("BIT(64)", ["0xF123456789ABCDEF"]),
    "da": ("DATE", ["'2026-02-28'", "'1000-01-01'", "'0000-00-00'", "'2026-00-10'"]),
    "dt": ("DATETIME", ["'2026-02-28 23:59:59'", "'0000-00-00 00:00:00'", "'9999-12-31 23:59:59'"]),
    "dt1": ("DATETIME(1)", ["'2026-02-28 23:59:59.9'", "'0000-00-00 00:00:00'"]),
    "dt3": ("DATETIME(3)", ["'2026-02-28 23:59:59.123'"]),
    "dt6": ("DATETIME(6)", ["'2026-02-28 23:59:59.123456'", "'2026-00-00 01:02:03.5'"]),
    "ts": ("TIMESTAMP NULL", ["'2026-02-28 23:59:59'", "'1970-01-01 00:00:01'", "'0000-00-00 00:00:00'"]),
    "ts5": ("TIMESTAMP(5) NULL", ["'2026-07-28 23:59:59.12345'"]),
    "tm": ("TIME", ["'838:59:59'", "'-838:59:59'", "'00:00:00'", "'-00:00:01'"]),
    "tm2": ("TIME(2)", ["'12:34:56.78'", "'-00:00:00.50'", "'-12:34:56.78'"]),
    "tm4": ("TIME(4)", ["'-00:00:01.0001'", "'-01:00:00'"]),
    "tm6": ("TIME(6)", ["'-00:00:00.000001'", "'838:59:58.999999'"]),
    "ye": ("YEAR", ["2026", "1901", "0"]),
    "ch": ("CHAR(5)", ["'a'", "'äöüß€'", "'  b  '"]),
    "chl": ("CHAR(200) CHARACTER SET utf8mb4", ["REPEAT('€', 200)"]),
    "vc": ("VARCHAR(50)", ["'😀 x '", "''"]),
    "vcl": ("VARCHAR(1000)", ["REPEAT('ab', 400)"]),
    "l1": ("VARCHAR(20) CHARACTER SET latin1", ["'äöü€'"]),
    "l2": ("VARCHAR(20) CHARACTER SET latin2", ["'łódź'"]),
    "cy": ("VARCHAR(20) CHARACTER SET cp1251", ["'привет'"]),
    "uc": ("VARCHAR(20) CHARACTER SET utf16", ["'a€😀'"]),
    "u2": ("CHAR(20) CHARACTER SET ucs2", ["'a€'"]),
    "sj": ("TEXT CHARACTER SET sjis", ["'日本'"]),
    "gb": ("TEXT CHARACTER SET gbk", ["'中文'"]),
    "bn": ("BINARY(4)", ["0x01", "0x00FF0000"]),
    "vb": ("VARBINARY(300)", ["0x00FF", "REPEAT(0xAB, 300)"]),
    "tt": ("TINYTEXT", ["'tiny'"]),
    "te": ("TEXT", ["REPEAT('text', 500)"]),
    "mt": ("MEDIUMTEXT", ["REPEAT('m', 70000)"]),
    "lt": ("LONGTEXT", ["'long'"]),
    "tb": ("TINYBLOB", ["0x00"]),
    "bl": ("BLOB", ["REPEAT(0xFE, 1000)"]),
    "lb": ("LONGBLOB", ["0xFF"]),
    "js": ("JSON", ['\'{"a": [1, null, "ä"]}\'']),
    "en": ("ENUM('a', 'ä,b', 'c''d')", ["'a'", "'ä,b'", "'c''d'", "0"]),
    "se": ("SET('x', 'y', 'z')", ["'x,z'", "''", "'z,y,x'"]),
}


def test_values_are_those_of_a_query(logging_server: OwnMySQL) -> None:
    """From the table, from the log, and as JdbcSource reads them."""
    columns = ", ".join(f"{name} {kind}{'' if 'NULL' in kind else ' NULL'}" for name, (kind, _) in TYPES.items())
    table = Table(logging_server, f"id INT PRIMARY KEY, {columns}")
    table.run("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'", "SET SESSION time_zone = '+00:00'")
    follower = Follower(table.source(StartupOptions.latest()))
    for n in range(5):
        values = ", ".join(examples[n] if n < len(examples) else "NULL" for _, examples in TYPES.values())
        table.run(f"INSERT INTO t VALUES ({n}, {values})")
    logged = kinds(follower.rest())
    snapshot = kinds(Follower(table.source()).rest())
    url = f"{logging_server.url}"
    query = JdbcSource.builder().set_db_url(url).set_table("t").set_partition_column("id").build()
    queried = kinds(Follower(query).rest())  # type: ignore[arg-type]
    assert len(queried) == 5
    names = ["kind", "id", *TYPES]
    for n in range(5):
        for name, from_log, from_table, wanted in zip(names, logged[n], snapshot[n], queried[n], strict=True):
            assert (name, n, from_log, type(from_log)) == (name, n, wanted, type(wanted))
            assert (name, n, from_table) == (name, n, wanted)
    table.connection.close()


def test_timestamps_are_told_in_the_zone_that_was_set(logging_server: OwnMySQL) -> None:
    table = Table(logging_server, "id INT PRIMARY KEY, at TIMESTAMP(3) NULL, plain DATETIME")
    table.run("SET SESSION time_zone = '+00:00'")
    source = replace(table.source(), time_zone="Europe/Berlin")
    table.run("INSERT INTO t VALUES (1, '2026-07-01 12:00:00.5', '2026-07-01 12:00:00')")
    follower = Follower(source)
    first = follower.rest()
    table.run("INSERT INTO t VALUES (2, '2026-07-01 12:00:00.5', '2026-07-01 12:00:00')")
    for row in (*first, *follower.rest()):
        assert row["at"] == datetime(2026, 7, 1, 14, 0, 0, 500_000) and row["plain"] == datetime(2026, 7, 1, 12)
    table.connection.close()


def test_columns_that_are_added_renamed_moved_and_dropped(table: Table) -> None:
    follower = Follower(table.source(StartupOptions.latest()))
    table.run(
        "INSERT INTO t VALUES (1, 'a')",
        "ALTER TABLE t ADD n BIGINT UNSIGNED DEFAULT 7 FIRST",
        "INSERT INTO t (id, name) VALUES (2, 'b')",
        "ALTER TABLE t DROP name, ADD label VARCHAR(9), MODIFY n INT AFTER id",
        "UPDATE t SET label = 'x' WHERE id = 1",
    )
    assert [(str(row.get_row_kind()), row.as_dict()) for row in follower.rest()] == [
        ("+I", {"id": 1, "name": "a"}),
        ("+I", {"n": 7, "id": 2, "name": "b"}),
        ("-U", {"id": 1, "n": 7, "label": None}),
        ("+U", {"id": 1, "n": 7, "label": "x"}),
    ]


def test_many_tables_and_their_names(table: Table) -> None:
    table.run("CREATE TABLE u (k VARCHAR(9) PRIMARY KEY)", "CREATE TABLE other (id INT PRIMARY KEY)")
    table.run("INSERT INTO u VALUES ('one'), ('two')", "INSERT INTO t VALUES (1, 'a')", "INSERT INTO other VALUES (1)")
    builder = table.builder(tables=rf"{DATABASE}\.[tuv]")
    source = replace(builder.include_metadata("__database_name", "__table_name", "__op_ts").build(), poll_ms=0)
    follower = Follower(source)
    first = follower.rest()
    assert [row["__table_name"] for row in first] == ["t", "u", "u"] and {row["__op_ts"] for row in first} == {0}
    table.run("CREATE TABLE v (id INT PRIMARY KEY)", "INSERT INTO v VALUES (5)", "INSERT INTO other VALUES (2)")
    (row,) = follower.rest()
    assert (row["__database_name"], row["__table_name"], row["id"]) == (DATABASE, "v", 5)
    assert row["__op_ts"] > 1_600_000_000_000


def applied(state: Records, row: Row) -> None:
    kind, key = row.get_row_kind(), row["id"]
    if kind in (RowKind.DELETE, RowKind.UPDATE_BEFORE):
        assert state.get(key) == row.as_dict(), f"{row!r} was not there"
        del state[key]
    else:
        assert key not in state, f"{row!r} is there already"
        state[key] = row.as_dict()


@pytest.mark.parametrize(
    ("key", "lock"),
    [
        ("INT", False),
        *(pytest.param(*given, marks=pytest.mark.long) for given in (("VARCHAR(20)", False), ("VARBINARY(20)", True))),
    ],
)
def test_changes_while_the_table_is_read(logging_server: OwnMySQL, key: str, lock: bool) -> None:
    """Whatever happens meanwhile, each row and change comes once."""
    table = Table(logging_server, f"id {key} PRIMARY KEY, name TEXT")
    table.run("INSERT INTO t SELECT seq * 2, CONCAT('n', seq) FROM seq_0_to_199")
    chance = random.Random(1)
    follower = Follower(replace(table.source(), lock=lock))
    state: Records = {}
    late = table.connect()  # a transaction that stays open while parts are read
    late.begin()
    late.cursor().execute("INSERT INTO t VALUES ('1001', 'late')")
    late.cursor().execute("UPDATE t SET name = 'late' WHERE id = '100'")
    if lock:  # it would wait for the transaction
        late.commit()
    for number in range(40):
        for _ in range(3):
            n = chance.randrange(450)
            if n not in (100, 1001):
                table.run(
                    chance.choice(
                        (
                            f"INSERT IGNORE INTO t VALUES ('{n}', 'i{number}')",
                            f"UPDATE t SET name = 'u{number}' WHERE id = '{n}'",
                            f"DELETE FROM t WHERE id = '{n}'",
                            f"UPDATE IGNORE t SET id = '{n + 500}' WHERE id = '{n}'",
                        )
                    )
                )
        if number == 20 and not lock:
            late.commit()
        for row in follower.epoch(30):
            applied(state, row)
    for row in follower.rest():
        applied(state, row)
    assert follower.offset["part"] > 5 and follower.offset["parts"] == []
    assert state == {id: {"id": id, "name": name} for id, name in table.run("SELECT id, name FROM t")}
    late.close()
    table.connection.close()


def test_an_epoch_that_runs_again_has_the_same_rows(table: Table) -> None:
    table.run("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    follower = Follower(table.source())
    for budget in (2, 2, 1, 1):
        end = follower.driven.latest_offset(follower.offset, budget)
        runs = []
        for _ in range(2):
            splits = follower.driven.splits(follower.offset, end, 1)
            runs.append(kinds([row for split in splits for some in follower.driven.read(split) for row in some]))
            table.run("UPDATE t SET name = CONCAT(name, 'x')")
        assert runs[0] == runs[1] and runs[0]
        follower.offset = end


def test_startup_options(table: Table) -> None:
    table.run("FLUSH LOGS", "INSERT INTO t VALUES (1, 'a')")
    ((file, at, *_),) = table.run("SHOW MASTER STATUS")
    table.run("INSERT INTO t VALUES (2, 'b')")
    assert kinds(Follower(table.source(StartupOptions.specific_offset(file, at))).rest()) == [("+I", 2, "b")]
    table.run("CREATE TABLE more (id INT PRIMARY KEY)", "INSERT INTO more VALUES (9)")
    more = rf"{DATABASE}\.more"
    assert kinds(Follower(table.source(StartupOptions.earliest_offset(), more)).rest()) == [("+I", 9)]
    table.run("SET timestamp = 2000000000", "INSERT INTO more VALUES (10)", "SET timestamp = DEFAULT")
    late = StartupOptions.timestamp(1_900_000_000_000)
    assert kinds(Follower(table.source(late, more)).rest()) == [("+I", 10)]


def test_a_log_that_was_purged_is_an_error(table: Table) -> None:
    follower = Follower(table.source(StartupOptions.latest()))
    table.run("INSERT INTO t VALUES (1, 'a')", "FLUSH LOGS", "FLUSH LOGS")
    table.purge()
    with pytest.raises(CheckpointError, match=r"the log does not have binlog\.\d+:\d+ any more"):
        follower.epoch()


def test_an_idle_table_does_not_keep_the_log(table: Table) -> None:
    follower = Follower(table.source(StartupOptions.latest()))
    before = Position(*follower.offset["log"])
    table.run("CREATE TABLE busy (id INT PRIMARY KEY)", "INSERT INTO busy VALUES (1)", "FLUSH LOGS")
    assert follower.rest() == [] and Position(*follower.offset["log"]) > before
    table.purge()
    table.run("INSERT INTO t VALUES (1, 'a')")
    assert kinds(follower.rest()) == [("+I", 1, "a")]


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("binlog_row_image = MINIMAL", "does not hold all columns of a row"),
        ("binlog_format = STATEMENT", "holds a statement instead of the rows"),
    ],
)
def test_a_session_that_logs_less_is_an_error(table: Table, setting: str, says: str) -> None:
    table.run("INSERT INTO t VALUES (1, 'a')")
    follower = Follower(table.source(StartupOptions.latest()))
    table.run(f"SET SESSION {setting}", "UPDATE t SET name = 'b' WHERE id = 1")
    table.run("SET SESSION binlog_row_image = FULL", "SET SESSION binlog_format = ROW", "INSERT INTO t VALUES (2, 'c')")
    with pytest.raises(FormatError, match=says):
        follower.rest()


def test_a_transaction_that_is_rolled_back_and_one_with_savepoints(table: Table) -> None:
    table.run("ALTER TABLE t ENGINE = InnoDB", "CREATE TABLE m (id INT PRIMARY KEY) ENGINE = MyISAM")
    follower = Follower(table.source(StartupOptions.latest(), rf"{DATABASE}\.[tm]"))
    table.run("BEGIN", "INSERT INTO t VALUES (1, 'a')", "ROLLBACK")
    table.run("BEGIN", "INSERT INTO t VALUES (2, 'b')", "SAVEPOINT s", "INSERT INTO t VALUES (3, 'c')")
    table.run("ROLLBACK TO s", "INSERT INTO t VALUES (4, 'd')", "COMMIT", "INSERT INTO m VALUES (5)")
    rows = []
    while found := follower.epoch(1):
        rows.append(kinds(found))
    assert rows == [[("+I", 2, "b"), ("+I", 4, "d")], [("+I", 5)]]


def test_transactions_of_xa_are_refused(table: Table) -> None:
    follower = Follower(table.source(StartupOptions.latest()))
    table.run("XA START 'x'", "INSERT INTO t VALUES (1, 'a')", "XA END 'x'", "XA PREPARE 'x'", "XA ROLLBACK 'x'")
    with pytest.raises(FormatError, match="XA is not read"):
        follower.rest()


def test_what_is_wrong_is_said_before_the_first_epoch(table: Table) -> None:
    table.run("CREATE TABLE no_key (id INT)", "CREATE TABLE geo (id INT PRIMARY KEY, at POINT)")
    table.run("CREATE TABLE uuids (id INT PRIMARY KEY, u UUID)", "CREATE TABLE prefix (id TEXT, PRIMARY KEY (id(3)))")
    table.run("CREATE TABLE enums (id ENUM('a') PRIMARY KEY)")
    for name, says in (
        ("nowhere", "no table matches"),
        ("no_key", "has no primary key, and its rows are known by that"),
        ("geo", "column 'at' is a point"),
        ("uuids", "column 'u' is a uuid"),
        ("prefix", "a part of a column alone"),
        ("enums", "'id' of its primary key is a enum"),
    ):
        with pytest.raises(ValidationError, match=says):
            Follower(table.source(tables=rf"{DATABASE}\.{name}"))
    table.run("SET GLOBAL binlog_row_metadata = MINIMAL")
    try:
        with pytest.raises(ValidationError, match="SET GLOBAL binlog_row_metadata = FULL"):
            Follower(table.source())
    finally:
        table.run("SET GLOBAL binlog_row_metadata = FULL")


def test_a_log_without_names_of_columns_is_an_error(table: Table) -> None:
    follower = Follower(table.source(StartupOptions.latest()))
    table.run("SET GLOBAL binlog_row_metadata = MINIMAL", "INSERT INTO t VALUES (1, 'a')")
    table.run("SET GLOBAL binlog_row_metadata = FULL")
    with pytest.raises(FormatError, match=rf"does not name the columns of {DATABASE}\.t"):
        follower.rest()


def test_passwords_are_not_shown(table: Table) -> None:
    source = table.builder().password("wr0ng-s3cret").build()
    assert "wr0ng" not in repr(source) and "wr0ng" not in repr(table.builder().password("wr0ng-s3cret"))
    with pytest.raises(ValidationError, match="Access denied") as caught:
        Follower(source)
    assert "wr0ng" not in str(caught.value)


def test_wrong_settings() -> None:
    builder = MySqlChangeSource.builder().hostname("h").database_list("d")
    for wrong, says in (
        (lambda: MySqlChangeSource.builder().build(), "call hostname"),
        (lambda: builder.build(), "call table_list"),
        (lambda: builder.table_list("d.(").build(), "regular expressions"),
        (lambda: builder.server_id("9-1"), "a number or a range"),
        (lambda: builder.server_time_zone("Nowhere/At"), "there is no time zone"),
        (lambda: builder.include_metadata("table_name"), "metadata may be __database_name"),
        (lambda: StartupOptions.specific_offset("log", 4), "ends with its number"),
        (lambda: StartupOptions.specific_offset("log.1", 3), "at least 4"),
    ):
        with pytest.raises(ValidationError, match=says):
            wrong()


def test_positions_are_compared_by_the_number_of_the_file() -> None:
    assert Position("b.999999", 9) < Position("b.1000000", 4) and Position("b.000002", 5) > Position("b.000002", 4)
    assert max(Position("b.2", 1), Position("b.10", 1)).file == "b.10"


def test_json_of_mysql() -> None:
    from types import SimpleNamespace

    # {"a": 1, "b": ["x", true]} as MySQL 8 has it.
    value = bytes.fromhex("00020020001200010013000100050100021400616202000c000c0a000401000178")
    column = SimpleNamespace(type=245, length_size=4)
    read = reader_of(column, zone_of("UTC"))  # type: ignore[arg-type]
    made, end = read(len(value).to_bytes(4, "little") + value, 0)
    assert made == '{"a": 1, "b": ["x", true]}' and end == len(value) + 4


def test_ranges_of_keys() -> None:
    key = Key(("a", "b"), ("int", "int"))
    assert key.range([1, 2], [3, 4]) == (
        "WHERE (`a` >= %s AND (`a` > %s OR (`b` > %s))) AND (`a` <= %s AND (`a` < %s OR (`b` <= %s)))",
        [1, 1, 2, 3, 3, 4],
    )
