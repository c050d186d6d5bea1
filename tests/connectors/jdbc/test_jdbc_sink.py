"""Databases by the names of JDBC: with a crash before and after every call, on real ones."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from datastream import JobError, StreamExecutionEnvironment, Types
from datastream.connectors.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink
from datastream.connectors.jdbc.statement import parse
from datastream.errors import ValidationError
from datastream.io import Sink
from datastream.testing.connectors import check_sink
from tests.support.databases import Database, mysql, postgresql, sqlite

INSERT = "INSERT INTO numbers (id, name) VALUES (?, ?)"
UPSERT = f"{INSERT} ON CONFLICT (id) DO UPDATE SET name = excluded.name"
UPSERT_MYSQL = f"{INSERT} ON DUPLICATE KEY UPDATE name = VALUES(name)"
ROW = Types.ROW([Types.LONG(), Types.STRING()])
EPOCHS = [[[(0, "a"), (1, "b")], [(2, "c")]], [[], [(3, "d")]], [[(4, "e"), (5, "f")], [(6, "g")]]]


def sink_of(found: Database, exactly_once: bool, sql: str = INSERT, **execution: int) -> Sink:
    make = JdbcSink.exactly_once_sink if exactly_once else JdbcSink.sink
    return make(sql, ROW, found.options(), JdbcExecutionOptions(**execution))  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize("exactly_once", [True, False])
def test_with_a_crash_between_any_two_calls(tmp_path: Path, exactly_once: bool) -> None:
    def make(world: Path) -> Sink:
        found = sqlite(world)
        found.run("CREATE TABLE numbers (id INTEGER, name TEXT)")
        return sink_of(found, exactly_once, batch_size=1)

    def written(world: Path) -> list[Any]:
        return sqlite(world).run("SELECT id, name FROM numbers")

    assert check_sink(make, tmp_path, written, EPOCHS, exactly_once=exactly_once) > 30


@pytest.mark.long
def test_with_crashes_in_postgresql(tmp_path: Path, server: str) -> None:
    databases: dict[Path, Database] = {}

    def make(world: Path) -> Sink:
        if world not in databases:
            databases[world] = found = postgresql(server, f"trial{len(databases)}")
            found.run("CREATE TABLE numbers (id INTEGER, name TEXT)")
        return sink_of(databases[world], True, batch_size=2)

    crashes = check_sink(make, tmp_path, lambda w: databases[w].run("SELECT id, name FROM numbers"), EPOCHS)
    assert crashes > 30


def test_a_job_as_in_flinks_documentation(database: Callable[[str], Database]) -> None:
    found = database("books")
    found.run("CREATE TABLE books (id INTEGER, title TEXT, authors TEXT, year INTEGER)")
    env = StreamExecutionEnvironment.get_execution_environment()
    type_info = Types.ROW([Types.INT(), Types.STRING(), Types.STRING(), Types.INT()])
    books = [
        (101, "Stream Processing with Apache Flink", "Fabian Hueske, Vasiliki Kalavri", 2019),
        (102, "X", "Y", 2018),
    ]
    env.from_collection(books, type_info=type_info).add_sink(
        JdbcSink.sink(
            "insert into books (id, title, authors, year) values (?, ?, ?, ?)",
            type_info,
            JdbcConnectionOptions.JdbcConnectionOptionsBuilder()
            .with_url(found.url)
            .with_driver_name("org.postgresql.Driver")
            .build(),
            JdbcExecutionOptions.builder()
            .with_batch_interval_ms(1000)
            .with_batch_size(200)
            .with_max_retries(5)
            .build(),
        )
    )
    env.execute()
    assert sorted(found.run("SELECT id, title, authors, year FROM books")) == books


def run_job(found: Database, sink: Sink, records: list[Any]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection(records).sink_to(sink)
    env.execute()


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_a_record_that_the_database_refuses_is_named_and_nothing_of_its_batch_stays(
    database: Callable[[str], Database],
) -> None:
    for exactly_once in (True, False):
        found = database("refused")
        found.run("CREATE UNIQUE INDEX IF NOT EXISTS once ON numbers (id)")
        with pytest.raises(JobError, match=r"refuses the record \(2, 'again'\)"):
            run_job(found, sink_of(found, exactly_once), [(1, "a"), (2, "b"), (2, "again"), (3, "c")])
        assert found.run("SELECT * FROM numbers") == []


def test_of_two_attempts_at_once_one_fails(database: Callable[[str], Database]) -> None:
    found = database("attempts")
    sink = sink_of(found, True)
    first, second = sink.connect(), sink.connect()  # type: ignore[attr-defined]
    assert sink.last_epoch(first, "n") is None and sink.last_epoch(second, "n") is None  # type: ignore[attr-defined]
    for number, connection in enumerate((first, second)):
        sink.write(connection, [(1, "a")])  # type: ignore[attr-defined]
        if number == 0:
            sink.commit(connection, "n", 3)  # type: ignore[attr-defined]
        else:
            with pytest.raises(ConnectionError, match="another attempt at this task has written to datastream_epochs"):
                sink.commit(connection, "n", 3)  # type: ignore[attr-defined]
    assert sink.last_epoch(second, "n") == 3  # type: ignore[attr-defined]
    sink.write(second, [(2, "b")])  # type: ignore[attr-defined]
    assert sink.last_epoch(second, "n") == 3, "what was not committed is undone"  # type: ignore[attr-defined]
    sink.write(second, [(3, "c")])  # type: ignore[attr-defined]
    sink.commit(second, "n", 4)  # type: ignore[attr-defined]
    assert sorted(found.run("SELECT id, name FROM numbers")) == [(1, "a"), (3, "c")]
    first.close()
    second.close()


def test_passwords_of_urls_are_not_shown() -> None:
    for url in ("jdbc:postgresql://u:s3@c/ret@h/d", "jdbc:postgresql://h/d?user=u&password=s3@c/ret"):
        options = JdbcConnectionOptions(url)
        assert "ret" not in repr(options) and "s3" not in repr(options) and "postgresql" in repr(options)


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_upserts(database: Callable[[str], Database]) -> None:
    found = database("upserts")
    found.run("CREATE UNIQUE INDEX IF NOT EXISTS once ON numbers (id)")
    for _ in range(2):
        sql = UPSERT_MYSQL if found.url.startswith("jdbc:mysql") else UPSERT
        run_job(found, sink_of(found, False, sql, batch_size=2), [(1, "a"), (2, "b"), (1, "c")])
    assert sorted(found.run("SELECT id, name FROM numbers")) == [(1, "c"), (2, "b")]


@pytest.mark.long_on_spark
@pytest.mark.usefixtures("executor")
def test_values_of_many_types(database: Callable[[str], Database]) -> None:
    found = database("types")
    found.run(
        "CREATE TABLE IF NOT EXISTS v (a TEXT, b DOUBLE PRECISION, c NUMERIC(10, 2), d DATE, e TIMESTAMP, f INTEGER)"
    )
    found.run("DELETE FROM v")  # of the other executor
    record = ("it's 100% ?", 1.5, Decimal("2.50"), date(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5), None)
    sink = JdbcSink.sink("INSERT INTO v VALUES (?, ?, ?, ?, ?, ?)", None, found.options())  # type: ignore[arg-type]
    run_job(found, sink, [record])
    ((a, b, c, d, e, f),) = found.run("SELECT * FROM v")
    assert (a, b, float(c), str(d), str(e), f) == ("it's 100% ?", 1.5, 2.5, "2026-01-02", "2026-01-02 03:04:05", None)


def test_a_missing_table_and_a_database_that_is_away(tmp_path: Path) -> None:
    found = sqlite(tmp_path)
    with pytest.raises(JobError, match="there is no such file"):
        run_job(found, sink_of(found, False), [(1, "a")])
    found.run("CREATE TABLE others (id INTEGER)")
    with pytest.raises(JobError, match="no such table: numbers"):
        run_job(found, sink_of(found, False), [(1, "a")])
    away = Database("jdbc:postgresql://u:s3cret@127.0.0.1:9/db", found.run)
    with pytest.raises(JobError, match=r"127.0.0.1:9/db: .*refused") as failed:
        run_job(away, sink_of(away, False, max_retries=0), [(1, "a")])
    assert "s3cret" not in str(failed.value)


def test_words_of_a_record_do_not_make_a_database_away(tmp_path: Path) -> None:
    found = sqlite(tmp_path)
    found.run("CREATE VIRTUAL TABLE notes USING fts5(note)")
    found.run("CREATE TABLE numbers (id INTEGER, name TEXT)")
    sql = "INSERT INTO numbers (id, name) SELECT ?, note FROM notes WHERE notes MATCH ?"
    with pytest.raises(JobError, match="no such column: busy") as failed:
        run_job(found, sink_of(found, False, sql), [(1, "busy: database is locked")])
    assert not failed.value.transient


def test_a_wrong_database_is_not_waited_for(server: str) -> None:
    wrong = Database(f"jdbc:{server.replace('/postgres?', '/nowhere?')}", lambda _: [])
    with pytest.raises(JobError, match='database "nowhere" does not exist'):
        run_job(wrong, sink_of(wrong, True), [(1, "a")])


def test_mysql_in_flinks_words(mysql_url: str) -> None:
    own = mysql(mysql_url, "own")
    own.run("CREATE TABLE numbers (id INTEGER, name TEXT)")
    parts = urllib.parse.urlsplit(own.url.removeprefix("jdbc:"))
    query = dict(urllib.parse.parse_qsl(parts.query))
    url = f"jdbc:mysql://{parts.netloc}{parts.path}?connectTimeout=5000&useSSL=false"
    builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(url).with_user_name(query["user"])
    for password, says in (("wr0ng", "Access denied"), (query["password"], None)):
        sink = JdbcSink.exactly_once_sink(INSERT, ROW, builder.with_password(password).build())  # type: ignore[arg-type]
        if says is None:
            run_job(own, sink, [(1, "it's 100% \N{SNOWMAN}")])
            continue
        with pytest.raises(JobError, match=says) as failed:
            run_job(own, sink, [(1, "a")])
        assert password not in str(failed.value)
    assert own.run("SELECT name FROM numbers") == [("it's 100% \N{SNOWMAN}",)]
    # Names of markers differ by capital letters, too.
    assert own.run("SELECT count(*) FROM datastream_epochs WHERE name = upper(name)") == [(0,)]


def test_wrong_settings() -> None:
    builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder
    options = builder().with_url("jdbc:sqlite:/x.db").with_user_name("u").with_password("s3cret").build()
    assert (options.get_user_name(), options.get_password()) == ("u", "s3cret") and "s3cret" not in repr(options)
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: builder().build(), "call with_url"),
        (lambda: JdbcSink.sink("INSERT INTO t VALUES (?)", ROW, options), "1 parameters, and the type 2 fields"),
        (lambda: JdbcSink.sink("SELECT 1", ROW, options), "no parameter"),
        (lambda: JdbcSink.sink(INSERT, Types.LONG(), options), "the type of a row or a tuple"),  # type: ignore[arg-type]
        (lambda: JdbcSink.sink(INSERT, ROW, builder()), "call .build"),  # type: ignore[arg-type]
        (
            lambda: JdbcSink.sink(INSERT, ROW, builder().with_url("jdbc:oracle:thin:@h").build()),
            "there are postgresql, mysql, mariadb, sqlite",
        ),
        (lambda: JdbcSink.sink(INSERT, ROW, builder().with_url("postgresql://h/d").build()), "begins with jdbc:"),
        (lambda: JdbcSink.exactly_once_sink(INSERT, ROW, options, marker_table="a; drop"), "no name of a table"),
        (lambda: JdbcExecutionOptions.builder().with_batch_size(-1), "at least 0"),
    ]
    for make, says in wrong:
        with pytest.raises(ValidationError, match=says):
            make()
    defaults = JdbcExecutionOptions.defaults()
    assert (defaults.get_batch_interval_ms(), defaults.get_batch_size(), defaults.get_max_retries()) == (0, 5000, 3)


def test_statements() -> None:
    sql = """INSERT INTO "a?b" VALUES (?, 'it''s ?', $$?$$, 5 % 2, a ?? b) -- ?\n /* ? */, ?"""
    found = parse(sql)
    assert found.parameters == 2
    assert found.of_driver("?").count("?") == sql.count("?") - 1
    assert found.of_driver("%s") == (
        """INSERT INTO "a?b" VALUES (%s, 'it''s ?', $$?$$, 5 %% 2, a ? b) -- ?\n /* ? */, %s"""
    )
