"""Joins FOR SYSTEM_TIME AS OF a processing time: rows of a database by key, caches, retries and errors."""

from __future__ import annotations

import json
import sqlite3

import pytest

from datastream.config.settings import settings
from datastream.errors import DataStreamError, ValidationError, is_transient
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.catalogs.errors import TableException
from datastream.table.connectors.jdbc_reading import JdbcLookup

COLUMNS = "k INT, name STRING, v INT, big BIGINT"
JOIN = "SELECT o.id, d.name FROM o {0} JOIN {1} FOR SYSTEM_TIME AS OF o.p AS d ON {2}"
ALL = [(1, "one"), (2, "deux"), (2, "two"), (3, None), (4, None), (5, "one")]


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def queries(monkeypatch):
    """The keys that were looked up."""
    asked = []
    query = JdbcLookup._query

    def counted(self, sql, parameters):
        width = len(self._keys)
        asked.extend(tuple(parameters[at : at + width]) for at in range(0, len(parameters), width))
        return query(self, sql, parameters)

    monkeypatch.setattr(JdbcLookup, "_query", counted)
    return asked


@pytest.fixture(params=["streaming", "batch"])
def tables(tmp_path, request):
    return environment(tmp_path, request.param)


@pytest.fixture
def streaming(tmp_path):
    return environment(tmp_path, "streaming")


def environment(folder, mode):
    with sqlite3.connect(folder / "d.db") as database:
        database.execute("CREATE TABLE dim (k INT, name TEXT, v INT, big BIGINT)")
        rows = [(1, "one", 10, 1), (2, "two", 20, 2), (2, "deux", 25, 2), (None, "null", 0, None)]
        database.executemany("INSERT INTO dim VALUES (?, ?, ?, ?)", rows)
    (folder / "o").write_text("1,1,10\n2,2,20\n3,,30\n4,9,40\n5,1,50\n")
    made = EnvironmentSettings.in_batch_mode() if mode == "batch" else EnvironmentSettings.in_streaming_mode()
    env = TableEnvironment.create(made)
    env.get_config().set("parallelism.default", "1")
    env.execute_sql(
        "CREATE TABLE o (id INT, k INT, n INT, p AS PROCTIME()) WITH ('connector' = 'filesystem', "
        f"'format' = 'csv', 'csv.null-literal' = '', 'path' = '{folder / 'o'}')"
    )
    env.execute_sql(
        f"CREATE TABLE d ({COLUMNS}) WITH ('connector' = 'jdbc', 'table-name' = 'dim', "
        f"'url' = 'jdbc:sqlite:{folder / 'd.db'}')"
    )
    return env


def rows(env, query):
    with env.execute_sql(query).collect() as found:
        return sorted(map(tuple, found), key=repr)


def join(condition="o.k = d.k", kind="LEFT", table="d", **options):
    given = ", ".join("'{}'='{}'".format(name.replace("_", "."), value) for name, value in options.items())
    return JOIN.format(kind, f"{table} /*+ OPTIONS({given}) */" if options else table, condition)


def test_rows_of_a_key(tables):
    assert rows(tables, join()) == ALL
    assert rows(tables, join(kind="INNER")) == [each for each in ALL if each[1]]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("o.k = d.big", ALL),
        ("CAST(o.k AS BIGINT) = d.big", ALL),
        ("o.k + 1 = d.k", [(1, "deux"), (1, "two"), (2, None), (3, None), (4, None), (5, "deux"), (5, "two")]),
        ("o.k = d.k AND d.name = 'one'", [(1, "one"), (2, None), (3, None), (4, None), (5, "one")]),
        ("o.k = d.k AND o.n > 20", [(1, None), (2, None), (3, None), (4, None), (5, "one")]),
        ("o.k = d.k AND o.n > d.v", [(1, None), (2, None), (3, None), (4, None), (5, "one")]),
        ("o.k = d.k AND d.name = CAST(NULL AS STRING)", [(n, None) for n in range(1, 6)]),
        ("o.k = d.k AND d.k = o.id", [(1, "one"), (2, "deux"), (2, "two"), (3, None), (4, None), (5, None)]),
    ],
)
def test_conditions(streaming, condition, expected):
    assert rows(streaming, join(condition)) == expected
    assert rows(streaming, join(condition, "INNER")) == [each for each in expected if each[1]]


def test_views_of_the_table_and_changes_of_the_left_side(streaming):
    streaming.execute_sql("CREATE VIEW w AS SELECT k, UPPER(name) AS name FROM d WHERE v > 15")
    assert rows(streaming, join(table="w")) == [(1, None), (2, "DEUX"), (2, "TWO"), (3, None), (4, None), (5, None)]
    counts = "(SELECT k, COUNT(*) AS id, PROCTIME() AS p FROM o WHERE k < 2 GROUP BY k) AS o"
    with streaming.execute_sql(join().replace("FROM o", f"FROM {counts}")).collect() as found:
        assert [(str(row.get_row_kind()), *row) for row in found] == [
            ("+I", 1, "one"),
            ("-U", 1, "one"),
            ("+U", 2, "one"),
        ]


def test_nothing_is_asked_for_null_or_without_need(streaming, queries):
    rows(streaming, join("o.k = d.k AND o.n > 25"))
    assert sorted(queries) == [(1,), (9,)]


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({}, 4),
        ({"lookup_cache": "PARTIAL", "lookup_partial-cache_max-rows": "100"}, 3),
        ({"lookup_cache": "PARTIAL", "lookup_partial-cache_max-rows": "1"}, 4),
        ({"lookup_cache": "PARTIAL", "lookup_partial-cache_expire-after-write": "1 h"}, 3),
        ({"lookup_cache": "partial", "lookup_partial-cache_expire-after-access": "1 h"}, 3),
        ({"lookup_cache_max-rows": "10", "lookup_cache_ttl": "1 h"}, 3),
        ({"lookup_cache": "NONE", "lookup_partial-cache_max-rows": "100"}, 4),
    ],
)
def test_what_is_kept_is_not_asked_for_again(streaming, queries, options, asked):
    streaming.get_config().set("table.exec.async-lookup.buffer-capacity", "1")
    assert rows(streaming, join(**options)) == ALL
    assert len(queries) == asked


@pytest.mark.parametrize(("kept", "asked"), [("true", 1), ("false", 2)])
def test_keys_that_have_no_rows(streaming, queries, kept, asked):
    options = {"lookup_cache": "PARTIAL", "lookup_partial-cache_max-rows": "9"}
    options["lookup_partial-cache_cache-missing-key"] = kept
    query = join("o.n * 0 + 77 = d.k AND o.id < 3", **options)
    rows(streaming, query.replace("SELECT", "SELECT /*+ LOOKUP('table'='d', 'async'='false') */"))
    assert len(queries) == asked


def test_a_database_that_is_away_for_a_moment(streaming, monkeypatch):
    query, failures = JdbcLookup._query, [2]

    def failing(self, *asked):
        if failures[0]:
            failures[0] -= 1
            raise ConnectionError("it is away")
        return query(self, *asked)

    monkeypatch.setattr(JdbcLookup, "_query", failing)
    assert rows(streaming, join()) == ALL


def test_a_key_that_appears_while_it_is_waited_for(streaming, monkeypatch):
    query, asked = JdbcLookup._query, []

    def late(self, sql, parameters):
        asked.append(parameters)
        return [] if asked.count(parameters) < 3 else query(self, sql, parameters)

    monkeypatch.setattr(JdbcLookup, "_query", late)
    retry = (
        "'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 ms', 'max-attempts'='{0}'"
    )
    hint = f"SELECT /*+ LOOKUP('table'='d', 'async'='false', {retry}) */"
    assert rows(streaming, join("o.k = d.k AND o.id = 1", "INNER").replace("SELECT", hint.format(1))) == []
    asked.clear()
    assert rows(streaming, join("o.k = d.k AND o.id = 1", "INNER").replace("SELECT", hint.format(2))) == [(1, "one")]
    assert asked == [[1]] * 3


def test_a_database_that_stays_away_is_not_asked_for_each_key(streaming, monkeypatch):
    asked = []

    def away(self, sql, parameters):
        asked.append(parameters)
        raise ConnectionError("it is away")

    monkeypatch.setattr(JdbcLookup, "_query", away)
    with pytest.raises(DataStreamError, match=r"table default_catalog.default_database.d: the lookup of 3 keys failed"):
        rows(streaming, join(**{"lookup_max-retries": "0"}))
    assert asked == [[1, 2, 9]]


def test_keys_of_a_request_that_fails_are_asked_for_alone(streaming, monkeypatch):
    query = JdbcLookup._query

    def spoilt(self, sql, parameters):
        if 2 in parameters:
            raise RuntimeError("no row of 2 can be read")
        return query(self, sql, parameters)

    monkeypatch.setattr(JdbcLookup, "_query", spoilt)
    with pytest.raises(DataStreamError, match=r"the lookup of k = 2 failed: no row of 2 can be read\n.*\n.*\n.*2, 2"):
        rows(streaming, join())


def test_errors_name_the_operator_the_table_and_the_key(streaming, tmp_path):
    streaming.execute_sql(
        "CREATE TABLE gone (k INT, name STRING) WITH ('connector' = 'jdbc', 'table-name' = 'nope', 'username' = 'me', "
        f"'password' = 's3cret', 'url' = 'jdbc:sqlite:{tmp_path / 'd.db'}?password=s3cret')"
    )
    with pytest.raises(DataStreamError) as caught:
        rows(streaming, join(table="gone"))
    message = str(caught.value)
    assert not is_transient(caught.value), "a table that is not there does not come by itself"
    for part in (
        "LookupJoin(left",
        "default_catalog.default_database.gone",
        "the lookup of k = ",
        "no such table: nope",
    ):
        assert part in message
    assert "s3cret" not in message


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (join("o.n > d.v"), TableException, "requires an equality condition on fields of table"),
        (join("d.k = 1"), TableException, "requires an equality condition on fields of table"),
        (join("o.k = d.k + 1"), TableException, "requires an equality condition on fields of table"),
        (join("o.k = d.name"), ValidationError, "two strings or two numbers"),
        (join(kind="RIGHT"), ValidationError, "allowed after JOIN and LEFT JOIN"),
        (join().replace("o.p", "CURRENT_TIMESTAMP"), DataStreamError, "only after JOIN"),
        (join(lookup_cache="PARTIAL"), ValidationError, "needs one of the options"),
        (join(lookup_cache="NOPE"), ValidationError, "expected NONE or PARTIAL"),
        (join(**{"lookup_cache_max-rows": "3"}), ValidationError, "either all or none"),
        (join(**{"lookup_max-retries": "-1"}), ValidationError, "must not be negative"),
        (join(lookup_nope="1"), ValidationError, "lookup.nope"),
        (join(table="o").replace("d.name", "d.n"), ValidationError, "primary key"),
    ],
)
def test_what_is_refused(streaming, query, error, message):
    with pytest.raises(error, match=message):
        streaming.explain_sql(query)


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("'table'='x'", "cannot match the name of input tables or views: `x`"),
        ("'async'='true'", "incomplete required option"),
        ("d", "Invalid list options in LOOKUP hint"),
        ("'table'='d', 'retry-predicate'='lookup_miss'", "both null or all not null"),
        ("'table'='d', 'async'='maybe'", "Could not parse value 'maybe' for key 'async'"),
        ("'table'='d', 'output-mode'='x'", "Could not parse value 'x' for key 'output-mode'"),
        ("'table'='d', 'capacity'='0'", "capacity value should be positive"),
        (
            "'table'='d', 'asnyc'='true'",
            "line 1, column \\d+: No option of the hint LOOKUP 'asnyc': did you mean 'async'",
        ),
    ],
)
def test_hints_that_are_refused(streaming, hint, message):
    with pytest.raises(ValidationError, match=message):
        streaming.explain_sql(join().replace("SELECT", f"SELECT /*+ LOOKUP({hint}) */"))


def test_hints_that_change_nothing(streaming):
    for hint in ("'table'='d', 'async'='true', 'output-mode'='allow_unordered'", "'table'='d', 'shuffle'='true'"):
        assert rows(streaming, join().replace("SELECT", f"SELECT /*+ LOOKUP({hint}) */")) == ALL


def test_the_plan(streaming):
    text = streaming.explain_sql(join("o.k = d.k AND o.n > d.v"))
    assert "LookupJoin(table=[default_catalog.default_database.d], joinType=[LeftOuterJoin], lookup=[k=k]" in text
    assert "joinCondition=[" in text
    streaming.execute_sql("CREATE TABLE s (id INT, name STRING) WITH ('connector' = 'print')")
    plan = streaming.compile_plan_sql(f"INSERT INTO s {join()}")
    (made,) = [node for node in json.loads(plan.as_json_string())["nodes"] if node["node"] == "LookupJoin"]
    assert made["keys"] == [{"column": "k", "left": 1}]
    assert "LookupJoin" in plan.explain()
    plan.execute().wait()


def test_a_table_is_read_as_a_whole(tables):
    assert rows(tables, "SELECT k, name FROM d") == [(1, "one"), (2, "deux"), (2, "two"), (None, "null")]
    assert rows(tables, "SELECT COUNT(*) FROM d")[-1] == (4,)
    assert rows(tables, "SELECT o.id, d.name FROM o JOIN d ON o.k = d.k")[0] == (1, "one")


def test_values_of_all_types(streaming, tmp_path):
    with sqlite3.connect(tmp_path / "d.db") as database:
        database.execute("CREATE TABLE kinds (k INT, t TEXT, e TEXT, b INT, d TEXT, f REAL, h TEXT, x BLOB)")
        values = (1, "2024-01-02 03:04:05.678", "1.5", 1, "2024-01-02", 2.5, "01:02:03", b"ab")
        database.executemany("INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [values, (2, *[None] * 7)])
    columns = "k INT, t TIMESTAMP(3), e DECIMAL(10, 2), b BOOLEAN, d DATE, f DOUBLE, h TIME, x BYTES"
    streaming.execute_sql(
        f"CREATE TABLE kinds ({columns}) WITH ('connector' = 'jdbc', 'table-name' = 'kinds', "
        f"'url' = 'jdbc:sqlite:{tmp_path / 'd.db'}')"
    )
    with streaming.execute_sql(
        "SELECT d.* FROM o JOIN kinds FOR SYSTEM_TIME AS OF o.p AS d ON o.k = d.k AND o.id < 3"
    ).collect() as found:
        assert [str(row) for row in found] == [
            "<Row(1, datetime.datetime(2024, 1, 2, 3, 4, 5, 678000), Decimal('1.50'), True, datetime.date(2024, 1, 2), "
            "2.5, datetime.time(1, 2, 3), bytearray(b'ab'))>",
            "<Row(2, None, None, None, None, None, None, None)>",
        ]


def test_times_in_sqlite_are_found_as_they_are_written(streaming, tmp_path):
    with sqlite3.connect(tmp_path / "d.db") as database:
        database.execute("CREATE TABLE times (t TEXT, name TEXT)")
        database.execute("INSERT INTO times VALUES ('2026-01-02 03:04:05.678', 'of another program')")
    streaming.execute_sql(
        "CREATE TABLE times (t TIMESTAMP(3), name STRING) WITH ('connector' = 'jdbc', 'table-name' = 'times', "
        f"'url' = 'jdbc:sqlite:{tmp_path / 'd.db'}')"
    )
    values = [f"(TIMESTAMP '2026-01-02 03:04:05{fraction}', '{fraction}')" for fraction in ("", ".678", ".5")]
    streaming.execute_sql(f"INSERT INTO times VALUES {', '.join(values)}").wait()
    asked = "(SELECT t, PROCTIME() AS p FROM times) AS o"
    query = f"SELECT d.name FROM {asked} LEFT JOIN times FOR SYSTEM_TIME AS OF o.p AS d ON o.t = d.t"
    assert rows(streaming, query) == [("",), (".5",), (".678",), (".678",)]
