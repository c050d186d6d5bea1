"""Tables of the connector `jdbc` that are written: rows by key, new rows, values of each type, and errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from datastream import Configuration
from datastream.config.settings import settings
from datastream.errors import DataStreamError, JobError, ValidationError
from datastream.table import TableEnvironment
from tests.support.databases import Database, mysql, postgresql, sqlite

Databases = Callable[[str], Database]


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")


def environment(rows: int = 1000, batch: bool = False, parallelism: int = 2) -> TableEnvironment:
    """Tables `numbers` from 1 on, in epochs of 100."""
    options = {
        "datastream.epoch.max-records": "100",
        "parallelism.default": str(parallelism),
        "table.dml-sync": "true",
        "execution.runtime-mode": "BATCH" if batch else "STREAMING",
    }
    env = TableEnvironment.create(Configuration.from_dict(options))
    env.execute_sql(
        "CREATE TABLE n (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000000000', "
        f"'number-of-rows' = '{rows}', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '{rows}')"
    )
    return env


def table(env: TableEnvironment, found: Database, columns: str, name: str = "shown", more: str = "") -> None:
    own = found.options()
    user = "" if own.user_name is None else f", 'username' = '{own.user_name}', 'password' = '{own.password}'"
    env.execute_sql(
        f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'jdbc', 'url' = '{own.url}', 'table-name' = '{name}'"
        f"{user}{more})"
    )


@pytest.mark.parametrize("batch", [False, True])
def test_changes_are_applied_by_key(database: Databases, batch: bool) -> None:
    found = database("changes")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (k INTEGER PRIMARY KEY, c BIGINT, s BIGINT)")
    env = environment(batch=batch)
    table(
        env, found, "k INT, c BIGINT, s INT, PRIMARY KEY (k) NOT ENFORCED", more=", 'sink.buffer-flush.max-rows' = '7'"
    )
    for _ in range(2):  # the second time rows are there already
        env.execute_sql("INSERT INTO shown SELECT MOD(n, 13), COUNT(*), SUM(n) FROM n GROUP BY MOD(n, 13)")
    wanted = [(k, len(range(k or 13, 1001, 13)), sum(range(k or 13, 1001, 13))) for k in range(13)]
    assert sorted(found.run("SELECT k, c, s FROM shown")) == wanted


def test_rows_that_go_are_deleted(database: Databases) -> None:
    found = database("gone")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (c INTEGER PRIMARY KEY, k BIGINT)")
    env = environment(parallelism=1)
    table(env, found, "c BIGINT, k BIGINT, PRIMARY KEY (c) NOT ENFORCED")
    env.execute_sql(
        "INSERT INTO shown SELECT c, COUNT(*) FROM "
        "(SELECT MOD(n, 300) AS m, COUNT(*) AS c FROM n GROUP BY MOD(n, 300)) GROUP BY c"
    )
    assert sorted(found.run("SELECT c, k FROM shown")) == [(3, 200), (4, 100)]


def test_random_changes(database: Databases, tmp_path: Path) -> None:
    """An outer join's changes: rows come, change and go; the table holds what is left."""
    found = database("random")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (id INTEGER PRIMARY KEY, other INTEGER)")
    drawn = random.Random(5)
    left, right = [drawn.sample(range(200), 120) for _ in range(2)]
    for name, rows in (("a", left), ("b", right)):
        (tmp_path / f"{name}.csv").write_text("".join(f"{row}\n" for row in rows))
    env = environment()
    for name in "ab":
        env.execute_sql(
            f"CREATE TABLE {name} (id INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / name}.csv', "
            "'format' = 'csv')"
        )
    table(env, found, "id INT, other INT, PRIMARY KEY (id) NOT ENFORCED")
    env.execute_sql("INSERT INTO shown SELECT a.id, b.id FROM a LEFT JOIN b ON a.id = b.id ON CONFLICT DO DEDUPLICATE")
    assert sorted(found.run("SELECT id, other FROM shown"), key=str) == sorted(
        ((row, row if row in right else None) for row in left), key=str
    )


def test_without_a_key_each_row_is_one_more(database: Databases) -> None:
    found = database("added")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (m INTEGER)")
    env = environment(50)
    table(env, found, "m INT")
    env.execute_sql("INSERT INTO shown SELECT MOD(n, 5) FROM n")
    assert sorted(found.run("SELECT m FROM shown")) == sorted((n % 5,) for n in range(1, 51))


def test_a_key_of_all_columns(database: Databases) -> None:
    found = database("of_keys")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (m INTEGER, n INTEGER, PRIMARY KEY (m, n))")
    env = environment(50)
    table(env, found, "m INT, n INT, PRIMARY KEY (m, n) NOT ENFORCED")
    env.execute_sql("INSERT INTO shown SELECT DISTINCT MOD(n, 5), MOD(n, 3) FROM n")
    assert sorted(found.run("SELECT m, n FROM shown")) == sorted((m, n) for m in range(5) for n in range(3))


def test_values_of_each_type_are_read_as_they_were_written(database: Databases) -> None:
    found = database("of_types")
    found.run("DROP TABLE IF EXISTS shown")
    found.run(
        "CREATE TABLE shown (id INTEGER PRIMARY KEY, t VARCHAR(100), f DOUBLE PRECISION, d DECIMAL(12, 3), b BOOLEAN, "
        "dt DATE, ts TIMESTAMP NULL, tm TIME, big BIGINT)"
    )
    env = environment(1)
    columns = "id INT, t STRING, f DOUBLE, d DECIMAL(12, 3), b BOOLEAN, dt DATE, ts TIMESTAMP(0), tm TIME, big BIGINT"
    table(env, found, f"{columns}, PRIMARY KEY (id) NOT ENFORCED")
    env.execute_sql(
        "INSERT INTO shown VALUES (1, 'it''s 100% ? ü', 1.5, 12.345, TRUE, DATE '2026-01-02', "
        "TIMESTAMP '2026-01-02 03:04:05', TIME '06:07:08', 9007199254740993), "
        "(2, CAST(NULL AS STRING), CAST(NULL AS DOUBLE), CAST(NULL AS DECIMAL(12, 3)), CAST(NULL AS BOOLEAN), "
        "CAST(NULL AS DATE), CAST(NULL AS TIMESTAMP(0)), CAST(NULL AS TIME), CAST(NULL AS BIGINT))"
    )
    with env.execute_sql("SELECT * FROM shown").collect() as rows:
        first, second = sorted((list(row) for row in rows), key=lambda row: row[0])
    assert first[:7] == [
        *(1, "it's 100% ? ü", 1.5, Decimal("12.345"), True),
        *(date(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5)),
    ]
    assert (str(first[7]), first[8]) == ("06:07:08", 9007199254740993)
    assert second == [2, *[None] * 8]


def _read(url: str, column: str, value: str, kind: str) -> object:
    """What a table reads as a type where MySQL has a value in a column."""
    found = mysql(url, "misread")
    found.run("DROP TABLE IF EXISTS shown")
    found.run(f"CREATE TABLE shown (v {column})")
    found.run(f"INSERT INTO shown VALUES ({value})")
    env = environment(1)
    table(env, found, f"v {kind}")
    with env.execute_sql("SELECT v FROM shown").collect() as rows:
        return next(rows)[0]


@pytest.mark.parametrize(
    ("column", "value", "wanted"),
    [
        ("BIT(1)", "b'0'", False),
        ("BIT(1)", "b'1'", True),
        ("VARCHAR(5)", "'false'", False),
        ("VARCHAR(5)", "'TRUE'", True),
        ("TINYINT", "2", True),
    ],
)
def test_truth_values_of_mysql(mysql_url: str, column: str, value: str, wanted: bool) -> None:
    assert _read(mysql_url, column, value, "BOOLEAN") is wanted


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        ("TIME", "'25:30:00'", "TIME"),
        ("TIME", "'-01:00:00'", "TIME"),
        ("BLOB", "'abc'", "STRING"),
        ("INT", "3", "BYTES"),
        ("VARCHAR(5)", "'maybe'", "BOOLEAN"),
    ],
)
def test_a_value_that_does_not_fit_the_type_is_an_error(mysql_url: str, column: str, value: str, kind: str) -> None:
    with pytest.raises(DataStreamError, match=f"column 'v': the database has .* which is no {kind}"):
        _read(mysql_url, column, value, kind)


def test_many_keys_are_looked_up_together(database: Databases) -> None:
    """Which keys are the same the database says: for MySQL also those that differ in case alone."""
    found = database("lookups")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (id INTEGER, name VARCHAR(10), d DECIMAL(12, 3), dt DATE, big BIGINT)")
    for id in range(100):
        found.run(
            f"INSERT INTO shown VALUES ({id}, 'n{id}', {id}.5, DATE '2026-01-02', {id << 40})".replace(
                "DATE '", "'" if found.url.startswith("jdbc:sqlite") else "DATE '"
            )
        )
    found.run("INSERT INTO shown SELECT id, name, d, dt, big + 1 FROM shown WHERE id IN (7, 8)")
    env = environment(200)
    table(env, found, "id INT, name STRING, d DECIMAL(12, 3), dt DATE, big BIGINT")
    text = "CASE WHEN MOD(n, 2) = 0 THEN 'n' ELSE 'N' END || CAST(n AS STRING)"
    env.execute_sql(f"CREATE VIEW asked AS SELECT n, {text} AS name, PROCTIME() AS p FROM n")
    query = (
        "SELECT n, s.d, s.dt, s.big FROM asked JOIN shown FOR SYSTEM_TIME AS OF asked.p AS s "
        "ON asked.n = s.id AND asked.name = s.name"
    )
    with env.execute_sql(query).collect() as rows:
        shown = sorted(tuple(row) for row in rows)
    matching = range(1, 100) if found.url.startswith("jdbc:mysql") else range(2, 100, 2)
    wanted = [(n, Decimal(f"{n}.500"), date(2026, 1, 2), n << 40) for n in matching]
    wanted += [(*row[:3], row[3] + 1) for row in wanted if row[0] in (7, 8)]
    assert shown == sorted(wanted)


def test_keys_that_together_take_longer_than_a_statement_may(server: str) -> None:
    found = postgresql(server, "slow")
    found.run("CREATE TABLE all_of_them AS SELECT 1 AS id, 'one' AS name")
    # A view that is made anew for each key, and takes 0.1 s.
    found.run(
        "CREATE VIEW shown AS WITH slow AS MATERIALIZED (SELECT pg_sleep(0.1)) SELECT id, name FROM all_of_them, slow"
    )
    limited = Database(f"{found.url}&options=-csearch_path%3Dslow%20-cstatement_timeout%3D3000", found.run)
    env = environment(40, parallelism=1)
    table(env, limited, "id INT, name STRING")
    env.execute_sql("CREATE VIEW asked AS SELECT n, PROCTIME() AS p FROM n")
    query = "SELECT n, s.name FROM asked JOIN shown FOR SYSTEM_TIME AS OF asked.p AS s ON asked.n = s.id"
    with env.execute_sql(query).collect() as rows:
        assert [tuple(row) for row in rows] == [(1, "one")]


def test_keys_in_columns_whose_names_hold_marks_of_parameters(database: Databases) -> None:
    found = database("marks")
    found.run("DROP TABLE IF EXISTS shown")
    found.run('CREATE TABLE shown ("100%" INTEGER, "what?" INTEGER, "%s" INTEGER)')
    found.run("INSERT INTO shown VALUES (1, 10, 100), (2, 20, 200)")
    env = environment(3)
    table(env, found, "`100%` INT, `what?` INT, `%s` INT")
    env.execute_sql("CREATE VIEW asked AS SELECT n, n * 10 AS m, PROCTIME() AS p FROM n")
    query = (
        "SELECT n, s.`%s` FROM asked JOIN shown FOR SYSTEM_TIME AS OF asked.p AS s "
        "ON asked.n = s.`100%` AND asked.m = s.`what?`"
    )
    with env.execute_sql(query).collect() as rows:
        assert sorted(tuple(row) for row in rows) == [(1, 100), (2, 200)]


def test_a_row_that_the_database_refuses_is_named(database: Databases) -> None:
    found = database("refused")
    found.run("DROP TABLE IF EXISTS shown")
    found.run("CREATE TABLE shown (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)")
    env = environment(3)
    table(env, found, "id INT, n INT, PRIMARY KEY (id) NOT ENFORCED")
    with pytest.raises(JobError, match=r"refuses the record id = 2, n = None: .*(?i:null)"):
        env.execute_sql("INSERT INTO shown SELECT n, NULLIF(n, 2) FROM n ON CONFLICT DO DEDUPLICATE")


def test_a_table_without_a_key_takes_no_changes(tmp_path: Path) -> None:
    env = environment()
    env.execute_sql(
        f"CREATE TABLE shown (c BIGINT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{tmp_path}/a.db', "
        "'table-name' = 'shown')"
    )
    with pytest.raises(DataStreamError, match="jdbc.* with a PRIMARY KEY"):
        env.execute_sql("INSERT INTO shown SELECT COUNT(*) FROM n GROUP BY MOD(n, 2)")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("'sink.buffer-flush.max-rows' = '-1'", "must not be negative"),
        ("'sink.max-retries' = 'many'", "sink.max-retries"),
        ("'sink.buffer-flush.rows' = '1'", "sink.buffer-flush.max-rows"),
    ],
)
def test_wrong_options(tmp_path: Path, option: str, said: str) -> None:
    env = environment()
    with pytest.raises(ValidationError, match=said):
        env.execute_sql(
            f"CREATE TABLE shown (n INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{tmp_path}/a.db', "
            f"'table-name' = 'shown', {option})"
        )
        env.execute_sql("INSERT INTO shown SELECT n FROM n").wait()


def test_a_file_of_sqlite_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    env = environment(3)
    env.execute_sql(
        f"CREATE TABLE shown (n INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{tmp_path}/mistyped.db', "
        "'table-name' = 'shown')"
    )
    with pytest.raises(DataStreamError, match="there is no such file"):
        env.execute_sql("INSERT INTO shown SELECT n FROM n").wait()
    assert not (tmp_path / "mistyped.db").exists()


def test_a_table_that_is_not_there(database: Databases) -> None:
    found = database("missing")
    found.run("DROP TABLE IF EXISTS shown")
    env = environment(3)
    table(env, found, "id INT, n INT")
    with pytest.raises(JobError, match="table 'shown': .*create the table in the database first"):
        env.execute_sql("INSERT INTO shown SELECT n, n FROM n")
    found.run("CREATE TABLE shown (id INTEGER)")
    with pytest.raises(JobError, match=r"table 'shown': .*\bn\b.*create the table in the database first"):
        env.execute_sql("INSERT INTO shown SELECT n, n FROM n")


@pytest.mark.parametrize("own", ["", ", PRIMARY KEY (n)", ", UNIQUE (id, n)"])
def test_a_table_without_the_declared_key(database: Databases, own: str) -> None:
    found = database("no_key")
    found.run("DROP TABLE IF EXISTS shown")
    found.run(f"CREATE TABLE shown (id INTEGER, n INTEGER{own})")
    env = environment(3)
    table(env, found, "id INT, n INT, PRIMARY KEY (id) NOT ENFORCED")
    with pytest.raises(JobError, match=r"no PRIMARY KEY and no unique index of \(.id.\)"):
        env.execute_sql("INSERT INTO shown SELECT n, MAX(n) FROM n GROUP BY n")
    assert found.run("SELECT * FROM shown") == []


def test_sqlite_is_given_no_nan_and_decimals_without_an_exponent(tmp_path: Path) -> None:
    found = sqlite(tmp_path)
    found.run("CREATE TABLE shown (d DOUBLE, e TEXT)")
    env = environment(1)
    table(env, found, "d DOUBLE, e DECIMAL(38, 10)")
    env.execute_sql("INSERT INTO shown SELECT 1.5, 0.0000000001 FROM n")
    assert found.run("SELECT d, e FROM shown") == [(1.5, "0.0000000001")]
    with pytest.raises(JobError, match="SQLite has no NaN"):
        env.execute_sql("INSERT INTO shown SELECT CAST('NaN' AS DOUBLE), 1 FROM n")


def test_a_longer_type_of_bytes_keeps_the_key(database: Databases) -> None:
    found = database("of_bytes")
    found.run("DROP TABLE IF EXISTS shown")
    kind = {"sqlite": "BLOB", "postgresql": "BYTEA", "mysql": "VARBINARY(10)"}[found.url.split(":")[1]]
    found.run(f"CREATE TABLE shown (b {kind} PRIMARY KEY, n BIGINT)")
    env = environment(9)
    table(env, found, "b BYTES, n BIGINT, PRIMARY KEY (b) NOT ENFORCED")
    env.execute_sql("INSERT INTO shown SELECT b, COUNT(*) FROM (VALUES (X'00'), (X'01'), (X'00')) AS v (b) GROUP BY b")
    assert sorted((bytes(b), n) for b, n in found.run("SELECT b, n FROM shown")) == [(b"\0", 2), (b"\1", 1)]


def test_names_with_a_question_mark(database: Databases) -> None:
    found = database("odd_names")
    found.run("DROP TABLE IF EXISTS shown")
    mark = "`" if found.url.startswith("jdbc:mysql") else '"'
    found.run(f"CREATE TABLE shown ({mark}a?b{mark} INTEGER PRIMARY KEY, {mark}100 %{mark} BIGINT)")
    env = environment(9)
    table(env, found, "`a?b` INT, `100 %` BIGINT, PRIMARY KEY (`a?b`) NOT ENFORCED")
    env.execute_sql("INSERT INTO shown SELECT MOD(n, 2), COUNT(*) FROM n GROUP BY MOD(n, 2)")
    assert sorted(found.run("SELECT * FROM shown")) == [(0, 4), (1, 5)]
