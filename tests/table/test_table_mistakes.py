"""Mistakes in queries and tables: each has an error that says where it is and what to do."""

from __future__ import annotations

import datetime as dt

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, JobError, TypeMismatch, UnsupportedOperation, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, Schema, TableDescriptor, TableEnvironment, col, lit
from datastream.table.catalogs.errors import TableException
from datastream.table.udf import udf, udtf

PEOPLE = "CREATE VIEW people AS SELECT * FROM (VALUES (1, 'ann'), (2, 'bob'), (CAST(NULL AS INT), 'cem')) AS t (a, b)"
SINK = "CREATE TABLE sink (a INT NOT NULL, b STRING) WITH ('connector' = 'print')"
EVENTS = """
    CREATE TABLE events (a INT, ts TIMESTAMP(3){watermark})
    WITH ('connector' = 'datagen', 'number-of-rows' = '3')
"""
WINDOWS = (
    "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR({}), INTERVAL {})) GROUP BY window_start, window_end"
)


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


def environment(batch=False):
    mode = EnvironmentSettings.in_batch_mode() if batch else EnvironmentSettings.in_streaming_mode()
    tables = TableEnvironment.create(mode)
    tables.get_config().set("parallelism.default", "1")
    tables.execute_sql(PEOPLE)
    return tables


@pytest.fixture
def tables():
    return environment()


def rows(tables, statement):
    with tables.execute_sql(statement).collect() as found:
        return sorted((tuple(row) for row in found), key=repr)


def written(tables, statement, capsys):
    tables.execute_sql(statement).wait()
    return sorted(capsys.readouterr().out.split())


# -- queries ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT ab FROM people", "line 1, column 8: No column 'ab'"),
        ("SELECT x.a FROM people", "line 1, column 8: No column 'x.a'; there are people.a, people.b"),
        ("SELECT a + b FROM people", r"line 1, column 8: \+: expected two numbers.*got \(INT, STRING\)|VARCHAR|CHAR"),
        ("SELECT uper(b) FROM people", "line 1, column 8: No function 'UPER': did you mean 'upper'"),
        ("SELECT upper(a) FROM people", r"line 1, column 8: UPPER: expected \(string\), got \(INT\)"),
        ("SELECT * FROM peopl", "line 1, column 15: No table 'peopl': did you mean 'people'"),
        ("SELECT a FROM people WHERE a", "line 1, column 28: WHERE takes a BOOLEAN, but a is INT"),
        ("SELECT a FROM people WHERE SUM(a) > 1", "line 1, column 28: WHERE takes no aggregates"),
        ("SELECT a, COUNT(*) FROM people", "line 1, column 8: Column 'a' is neither a key of the group nor"),
        ("SELECT COUNT(*) FROM people HAVING a > 2", "Column 'a' is neither a key of the group nor"),
        ("SELECT SUM(SUM(a)) FROM people", "aggregates take no aggregates"),
        ("SELECT CAST(a AS DATE) FROM people", "line 1, column 8: INT cannot be cast to DATE"),
        ("SELECT CAST(a AS FOO) FROM people", "line 1, column 18: expected a data type, found FOO"),
        ("SELECT a FROM people ORDER BY z LIMIT 1", "line 1, column 31: No column 'z'"),
        ("SELECT a FROM people ORDER BY 7 LIMIT 1", "ORDER BY 7: there are 1 columns"),
        ("SELECT a FROM people ORDER BY SUM(a) LIMIT 1", "line 1, column 8: Column 'a' is neither a key of"),
        ("SELECT a FROM people LIMIT -1", "expected a whole number or ALL, found '-'"),
        ("SELECT 1 UNION ALL SELECT 'a'", "line 1, column 1: UNION: column 'EXPR.0' is INT on the left"),
        ("SELECT 1 UNION ALL SELECT 1, 2", "line 1, column 1: UNION: the left side has 1 columns"),
        ("VALUES (1, 2), (3)", "line 1, column 17: VALUES: a row has 1 values, the first 2"),
        ("SELECT * FROM (VALUES (1, 2)) AS t (a)", "1 names for 2 columns"),
        ("SELECT NULL", "line 1, column 8: NULL has no type here: give it one, such as CAST"),
        ("SELECT a, NULL AS x FROM people", "line 1, column 11: NULL has no type here"),
        ("VALUES (1), (NULL)", "line 1, column 14: NULL has no type here"),
        ("SELECT 1 + NULL", "line 1, column 12: NULL has no type here"),
        ("SELECT UPPER(NULL)", "line 1, column 14: NULL has no type here"),
        ("SELECT CASE WHEN a = 1 THEN NULL END FROM people", "CASE: expected .* one that is not NULL"),
        ("SELECT a FROM people WHERE a = '1'", "line 1, column 28: =: expected two strings or two numbers"),
        ("SELECT a FROM people WHERE b IS DISTINCT FROM 1", "IS DISTINCT FROM: expected two strings or two numbers"),
        ("SELECT NULLIF(a, '1') FROM people", "NULLIF: expected values that can be compared"),
        ("SELECT a FROM people WHERE a != 1", "line 1, column 30: != is not known in Flink's SQL: write <>"),
        ("SELECT COUNT() FROM people", "COUNT takes 1 argument, got 0"),
        ("SELECT COUNT(a, b) FROM people", "COUNT takes 1 argument, got 2"),
        ("SELECT COUNT(DISTINCT *) FROM people", r"\* is allowed only in COUNT\(\*\)"),
        ("SELECT SUM(*) FROM people", r"\* is allowed only in COUNT\(\*\)"),
        ("SELECT UPPER(b) FILTER (WHERE a > 1) FROM people", "FILTER is allowed only in aggregates, not in UPPER"),
        ("SELECT x FROM (SELECT a AS x, b AS x FROM people)", "line 1, column 8: Column 'x' is ambiguous"),
        ("WITH x AS (SELECT a, a FROM people) SELECT 1 FROM x", r"Table 'x' has two columns 'a': name .* x \(a, b\)"),
        ("CREATE VIEW v AS SELECT a, a FROM people", "A column with the same name `a` has been defined already"),
        ("CREATE VIEW v (x, x) AS SELECT a, b FROM people", "A column with the same name `x` has been defined already"),
        ("SELECT CAST(NULL AS ROW<x INT, x INT>)", r"Field names must be unique. Found duplicates: \[x\]"),
        ("SELECT 99999999999999999999", "line 1, column 8: 99999999999999999999 is too large for a BIGINT"),
        ("SELECT dt - dt FROM (VALUES (DATE '2026-01-01')) AS t (dt)", "-: expected two numbers, or a time"),
        ("SELECT u.* FROM people", r"No table has columns for u\.\*"),
        ("SELECT a FROM people AS x, people AS y", "Column 'a' is ambiguous: x and y have it"),
        ("SELECT * FROM people JOIN people AS p USING (z)", "No column on the left side of the join 'z'"),
        ("SELECT DATE '2021-02-30'", "line 1, column 8: DATE '2021-02-30': day is out of range"),
        ("SELECT 123456789012345678901234567890123456789", "a number has at most 38 digits"),
        ("SELECT 1e400", "line 1, column 8: 1e400 is too large for a DOUBLE"),
        ("SELECT 'abc", "line 1, column 8: expected a closing '"),
        ("SELECT `a", "line 1, column 8: expected a closing `"),
        ("SELECT 1; SELECT 2", "expected one statement, got 2"),
        ("", "expected one statement, got 0"),
        ("FOO BAR", "line 1, column 1: expected a statement, found FOO"),
    ],
)
def test_wrong_queries(tables, query, message):
    with pytest.raises(ValidationError, match=message):
        tables.execute_sql(query)


@pytest.mark.long
@pytest.mark.parametrize(
    "query",
    ["SELECT " + "1" + " + 1" * 9000, "SELECT " + "(" * 3000 + "1" + ")" * 3000, "SELECT " + "NOT " * 9000 + "TRUE"],
)
def test_what_is_nested_too_deeply_says_so(tables, query):
    with pytest.raises(ValidationError, match="nested too deeply"):
        tables.execute_sql(query)


@pytest.mark.long
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT a" + " + 1" * 1000 + " FROM people WHERE a = 1", [(1001,)]),
        ("SELECT b" + " || 'x'" * 300 + " FROM people WHERE a = 1", [("ann" + "x" * 300,)]),
        ("SELECT a FROM people WHERE " + " OR ".join(f"a = {i}" for i in range(1000)), [(1,), (2,)]),
        ("SELECT a FROM people WHERE " + " AND ".join(f"a <> {i}" for i in range(2, 3000)), [(1,)]),
        ("SELECT a FROM people WHERE " + " OR ".join(f"(a = {i} AND b = 'bob')" for i in range(1000)), [(2,)]),
        ("SELECT a FROM people WHERE " + "NOT (" * 200 + "a = 2" + ")" * 200, [(2,)]),
        ("SELECT " + "UPPER(" * 200 + "b" + ")" * 200 + " FROM people WHERE a = 1", [("ANN",)]),
        ("SELECT " + "(1 + " * 200 + "a" + ")" * 200 + " FROM people WHERE a = 1", [(201,)]),
        (
            "SELECT " + "CASE WHEN a = 1 THEN 7 ELSE " * 200 + "a" + " END" * 200 + " FROM people WHERE a < 3",
            [(2,), (7,)],
        ),
        (
            "SELECT CASE a " + " ".join(f"WHEN {i} THEN {i * 2}" for i in range(500)) + " END FROM people WHERE a = 2",
            [(4,)],
        ),
        (" UNION ALL ".join(f"SELECT {i} AS x" for i in range(300)), sorted(((i,) for i in range(300)), key=repr)),
        (f"SELECT a FROM people WHERE a IN ({', '.join(map(str, range(2, 3000)))})", [(2,)]),
        (f"SELECT CHAR_LENGTH('{'x' * 1_000_000}')", [(1_000_000,)]),
    ],
    ids=range(13),
)
def test_long_and_deep_queries(tables, query, expected):
    assert rows(tables, query) == expected


def test_conditions_do_not_double_on_their_way_down(tables):
    query = "SELECT a FROM people WHERE a = 1"
    for number in range(25):
        query = f"SELECT a + a AS a FROM ({query}) AS q{number} WHERE a <> 0"
    assert rows(tables, query) == [(2**25,)]


def test_a_thousand_columns(tables):
    columns = ", ".join(f"a + {i} AS c{i}" for i in range(1000))
    assert rows(tables, f"SELECT {columns} FROM people WHERE a = 1") == [tuple(range(1, 1001))]


CAST = "cast to a type that holds it, or use TRY_CAST, which returns NULL instead"


@pytest.mark.parametrize(
    ("query", "kind", "message"),
    [
        ("SELECT CAST(b AS INT) FROM people", "TypeMismatch", "TRY_CAST returns NULL instead"),
        (
            "SELECT CAST(a + 2147483647 AS BIGINT) FROM people",
            "TypeMismatch",
            "expected INT, found int 2147483648; cast an argument to a wider type",
        ),
        ("SELECT CAST(a * 1e20 AS INT) FROM people", "TypeMismatch", f"expected INT, found float 1e\\+20; {CAST}"),
        ("SELECT CAST(a + 300 AS TINYINT) FROM people", "TypeMismatch", f"expected TINYINT, found int 301; {CAST}"),
        (
            "SELECT CAST(CAST(a AS DECIMAL(5, 2)) * 1000 AS TINYINT) FROM people",
            "TypeMismatch",
            f"expected TINYINT, found int 1000; {CAST}",
        ),
        (
            "SELECT CAST(a * 12345 AS DECIMAL(5, 2)) FROM people",
            "TypeMismatch",
            rf"expected DECIMAL\(5, 2\), found int 12345; {CAST}",
        ),
        (
            "SELECT CAST('1234' || b AS DECIMAL(5, 2)) FROM (SELECT CAST(a AS STRING) AS b FROM people)",
            "TypeMismatch",
            rf"expected DECIMAL\(5, 2\), found Decimal .*; {CAST}",
        ),
        ("SELECT a / (a - 1) FROM people", "ZeroDivisionError", "by zero"),
        ("SELECT a / (a - 1.0) FROM people", "ZeroDivisionError", "division by zero"),
        ("SELECT MOD(a, a - 1.0) FROM people", "ZeroDivisionError", "modulo by zero"),
    ],
)
def test_wrong_values(tables, query, kind, message):
    with pytest.raises(FunctionError, match=message) as failed:
        rows(tables, query)
    text = str(failed.value)
    assert f"operator 'Calc(select=[EXPR$0])' failed: {kind}" in text
    assert "function: " in text
    assert "record:   (1, " in text
    assert "hint: " not in text, "no setting converts what an expression gives"


@pytest.mark.parametrize(
    "query", ["DATE '9999-12-31' + INTERVAL '1' DAY", "TIMESTAMP '9999-12-31 23:59:59' + INTERVAL '1' SECOND"]
)
def test_dates_behind_the_year_9999(tables, query, capsys):
    with pytest.raises(TypeMismatch, match="of the years 1 to 9999"):
        rows(tables, f"SELECT {query}")
    with pytest.raises(TypeMismatch, match="of the years 1 to 9999"):
        tables.execute_sql(f"SELECT {query}").print()


# -- windows ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("watermark", "time", "size", "message"),
    [
        ("", "ts", "'1' MINUTE", "A window needs a time attribute, and 'ts' is none: declare WATERMARK FOR ts"),
        ("", "a", "'1' MINUTE", "A window needs a time attribute, and 'a' is none"),
        ("", "b", "'1' MINUTE", "No column 'b'; there are a, ts"),
        (", WATERMARK FOR ts AS ts", "ts", "'0' MINUTE", "A window's length is above 0"),
        (", WATERMARK FOR ts AS ts", "ts", "'1' MONTH", "Expected an interval such as INTERVAL '10' MINUTES"),
    ],
)
def test_wrong_windows(tables, watermark, time, size, message):
    tables.execute_sql(EVENTS.format(watermark=watermark))
    with pytest.raises(ValidationError, match=f"line 1, column .*{message}"):
        tables.execute_sql(WINDOWS.format(time, size))


def test_hops_that_do_not_divide_the_window(tables):
    tables.execute_sql(EVENTS.format(watermark=", WATERMARK FOR ts AS ts"))
    hops = "TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '3' MINUTE, INTERVAL '10' MINUTE))"
    with pytest.raises(ValidationError, match="a size that is a multiple of the slide, got 600000 ms and 180000 ms"):
        tables.execute_sql(f"SELECT COUNT(*) FROM {hops} GROUP BY window_start, window_end")


def test_offset_without_limit(tables):
    with pytest.raises(TableException, match="FETCH is missed, which on streaming table is not supported .*LIMIT"):
        tables.execute_sql("SELECT a FROM people OFFSET 1")
    assert len(rows(environment(batch=True), "SELECT a FROM people OFFSET 1")) == 2


# -- tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("a INT, a INT", "A column named 'a' already exists"),
        ("a INT, PRIMARY KEY (b) NOT ENFORCED", "Primary key column 'b' is not defined; there are a"),
        ("a INT, PRIMARY KEY (a)", "has to be followed by NOT ENFORCED"),
        ("a INT, WATERMARK FOR b AS b", "No column 'b'; there are a"),
        ("a INT, WATERMARK FOR a AS a", "the column is INT, and event time is TIMESTAMP"),
        ("a TIMESTAMP(6), WATERMARK FOR a AS a", r"the column is TIMESTAMP\(6\), and event time is"),
        ("a TIMESTAMP(3), WATERMARK FOR a AS 'x'", "'x' is CHAR, not a timestamp"),
        ("a INT, b AS c + 1", "No column 'c'; there are a"),
        ("a INT, b AS COUNT(a)", "A computed column takes no aggregates"),
        ("a INT, s AS a || 'x'", r"\|\|: expected"),
        ("a DECIMAL(39, 39)", "scale must be an integer from 0 to 38, got 39"),
        ("a FOO", "expected a data type, found FOO"),
    ],
)
def test_wrong_columns(tables, columns, message):
    with pytest.raises(ValidationError, match=message):
        tables.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'print')")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "the option 'connector' is missing; the connectors are: blackhole"),
        ("'connector' = 'datagenn'", "no connector 'datagenn', did you mean 'datagen'"),
        ("'connector' = 'datagen', 'rows' = '1'", "no option 'rows'"),
        ("'connector' = 'datagen', 'number-of-rows' = 'abc'", "'number-of-rows': expected a whole number, got 'abc'"),
        ("'connector' = 'filesystem', 'path' = 'x', 'format' = 'jsonn'", "no format 'jsonn', did you mean 'json'"),
        ("'connector' = 'filesystem', 'format' = 'json'", "the option 'path' is missing"),
        ("'connector' = 'filesystem', 'path' = 'x'", "the option 'format' is missing"),
        ("'connector' = 'filesystem', 'path' = '/no/such', 'format' = 'json'", "no file or folder at /no/such"),
        ("'connector' = 'print'", "'print' can only be used as a sink"),
    ],
)
def test_wrong_options(tables, options, message):
    tables.execute_sql(f"CREATE TABLE t (a INT) WITH ({options})")
    with pytest.raises(ValidationError, match=message):
        tables.execute_sql("SELECT * FROM t")


def test_a_table_that_exists(tables):
    tables.execute_sql(SINK)
    for statement in (SINK, "CREATE VIEW sink AS SELECT 1"):
        with pytest.raises(ValidationError, match="default_database.sink already exists"):
            tables.execute_sql(statement)
    with pytest.raises(ValidationError, match="View with identifier .*sink' does not exist"):
        tables.execute_sql("DROP VIEW sink")


def test_metadata_is_cast_to_the_declared_type(tables, tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1}\n')
    given = f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json'"
    tables.execute_sql(f"CREATE TABLE t (a INT, size STRING METADATA FROM 'file.size' VIRTUAL) WITH ({given})")
    assert rows(tables, "SELECT a, size, size || '!' FROM t") == [(1, "9", "9!")]
    with pytest.raises(ValidationError, match="'d'. The column cannot be declared as 'DATE' because the type must be"):
        tables.execute_sql(f"CREATE TABLE u (a INT, d DATE METADATA FROM 'file.size' VIRTUAL) WITH ({given})")


# -- sinks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("insert", "message"),
    [
        ("INTO snk SELECT 1, 'x'", "No table 'snk': did you mean 'sink'"),
        ("INTO people SELECT 1, 'x'", "people is a view: rows can be written into tables only"),
        ("INTO sink SELECT 1", r"Different number of columns.[\s\S]*Query schema: \[EXPR.0: INT NOT NULL\]"),
        ("INTO sink SELECT 'x', 1", "Incompatible types for sink column 'a' at position 1"),
        ("INTO sink SELECT 3000000000, 'x'", "Incompatible types for sink column 'a' at position 1"),
        ("INTO sink SELECT 1.5, 'x'", "Incompatible types for sink column 'a' at position 1"),
        ("INTO sink (a, a) SELECT 1, 2", "target column 'a' is assigned more than once"),
        (
            "INTO sink (c) SELECT 1",
            "No column of the sink default_catalog.default_database.sink named 'c'; there are a",
        ),
        ("INTO sink (b) SELECT 'x'", "column 'a' may not be NULL, so it has to be written"),
    ],
)
def test_wrong_inserts(tables, insert, message):
    tables.execute_sql(SINK)
    with pytest.raises(ValidationError, match=message):
        tables.execute_sql(f"INSERT {insert}")


@pytest.mark.parametrize("value", ["ARRAY['x'], ROW(1, 'x')", "ARRAY[1], ROW(1)", "ARRAY[1], ROW('x', 1)"])
def test_collections_of_other_types(tables, value):
    tables.execute_sql("CREATE TABLE t (a ARRAY<BIGINT>, r ROW<x INT, y STRING>) WITH ('connector' = 'print')")
    with pytest.raises(ValidationError, match="Incompatible types for sink column '(a|r)' at position"):
        tables.execute_sql(f"INSERT INTO t SELECT {value}")
    tables.execute_sql("INSERT INTO t SELECT ARRAY[1], ROW(1, 'x')").wait()


def test_columns_that_cannot_be_written(tables):
    columns = "a INT, c AS a + 1, m STRING METADATA FROM 'x' VIRTUAL"
    tables.execute_sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'print')")
    with pytest.raises(ValidationError, match="column 'c' is computed, so it cannot be written"):
        tables.execute_sql("INSERT INTO t (c) SELECT 1")
    with pytest.raises(ValidationError, match="column 'm' is a metadata column that is VIRTUAL"):
        tables.execute_sql("INSERT INTO t (m) SELECT 'x'")


def test_narrower_numbers_and_constants_are_written(tables, capsys):
    tables.execute_sql(SINK)
    assert written(tables, "INSERT INTO sink SELECT CAST(1 AS TINYINT), CAST(NULL AS STRING)", capsys) == [
        "+I[1,",
        "null]",
    ]
    assert written(tables, "INSERT INTO sink (b, a) SELECT 'x', 2", capsys) == ["+I[2,", "x]"]


def test_a_sink_that_cannot_take_updates(tables, tmp_path):
    tables.execute_sql(
        f"CREATE TABLE t (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    )
    with pytest.raises(
        ValidationError, match=r"Table sink '.*\.t' doesn't support consuming update and delete changes"
    ):
        tables.execute_sql("INSERT INTO t SELECT COUNT(*) FROM people")


def test_null_in_a_column_that_may_not_be_null(tables, capsys):
    tables.execute_sql(SINK)
    with pytest.raises(
        FunctionError, match="Column 'a' of default_catalog.default_database.sink is NOT NULL"
    ) as failed:
        tables.execute_sql("INSERT INTO sink SELECT * FROM people").wait()
    assert "'table.exec.sink.not-null-enforcer'='DROP'" in str(failed.value)
    assert "record:   (None, 'cem')" in str(failed.value)
    assert "hint:" not in str(failed.value)  # no function is wrong
    capsys.readouterr()
    tables.execute_sql("SET 'table.exec.sink.not-null-enforcer' = 'DROP'")
    assert written(tables, "INSERT INTO sink SELECT * FROM people", capsys) == ["+I[1,", "+I[2,", "ann]", "bob]"]
    with pytest.raises(ValidationError, match="must be one of error, drop, got 'foo'"):
        tables.execute_sql("SET 'table.exec.sink.not-null-enforcer' = 'foo'")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT a FROM people ORDER BY a", "line 1, column 31: Sort on a non-time-attribute field"),
        ("SELECT SUM(a) OVER (PARTITION BY b) FROM people", "line 1, column 8: The window can only be ordered by"),
        ("SELECT * FROM TUMBLE(TABLE people, DESCRIPTOR(a))", "expected ',', found '\\)'"),
        (
            "SELECT a + 1 AS y, y + 1 FROM people",
            "line 1, column 20: No column 'y': it names an expression of this SELECT",
        ),
        ("SELECT a + 1 AS y FROM people WHERE y > 1", "line 1, column 37: No column 'y': it names an expression"),
        ("SELECT a + 1 AS y, COUNT(*) FROM people GROUP BY y", "line 1, column 50: No column 'y': it names"),
        ("SELECT * FROM people WHERE a IN (1, 'x')", "IN: expected a list of strings or of numbers, got"),
        ("INSERT INTO nothing SELECT a FROM people", "line 1, column 13: No table 'nothing'"),
        ("INSERT INTO shp.t SELECT a FROM people", "line 1, column 13: No database 'shp'; there are default_database"),
        ("SELECT a FROM default_databas.people", "column 15: No database 'default_databas': did you mean 'default_da"),
        ("INSERT INTO default_catlog.d.t SELECT 1", "column 13: No catalog 'default_catlog': did you mean 'default_ca"),
        ("INSERT INTO default_database.t SELECT 1", "No table 'default_database.t'; there are made, people"),
        ("INSERT INTO made (a, c) SELECT a, b FROM people", "line 1, column 22: No column of the sink .* named 'c'"),
        ("INSERT INTO made (a, a) SELECT a, a FROM people", "line 1, column 22: .*'a' is assigned more than once"),
        ("INSERT INTO made SELECT a FROM people", "line 1, column 18: Column types of query result and sink"),
        (
            "CREATE TABLE t (a INT,\n a INT) WITH ('connector' = 'print')",
            "line 2, column 2: A column named 'a' already",
        ),
        (
            "CREATE TABLE t (a INT) PARTITIONED BY (z) WITH ('k' = 'v')",
            "line 1, column 40: Partition column 'z' is not",
        ),
    ],
)
def test_errors_have_their_place(tables, query, message):
    tables.execute_sql("CREATE TABLE made (a INT, b STRING) WITH ('connector' = 'print')")
    with pytest.raises((TableException, ValidationError), match=message):
        tables.execute_sql(query)


def test_the_table_api_names_the_missing_database(tables):
    message = "No database 'shp'; there are default_database"
    with pytest.raises(ValidationError, match=f"^{message}$"):
        tables.from_path("shp.people")
    with pytest.raises(ValidationError, match=message):
        tables.from_path("people").execute_insert("shp.t")


def test_null_in_a_primary_key(tables):
    tables.execute_sql("CREATE TABLE t (a INT, n BIGINT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'print')")
    with pytest.raises(FunctionError, match="Column 'a' of .* is NOT NULL"):
        tables.execute_sql("INSERT INTO t SELECT a, COUNT(*) FROM people GROUP BY a").wait()


def test_tables_that_are_read_once(tables, capsys):
    given = "'connector' = 'datagen', 'number-of-rows' = '3', 'rows-per-second' = '1000'"
    tables.execute_sql(f"CREATE TABLE t (a INT, b INT, c INT) WITH ({given})")
    for name in ("one", "two"):
        tables.execute_sql(f"CREATE TABLE {name} (a INT, b INT) WITH ('connector' = 'print')")
    statements = "INSERT INTO one SELECT a, b FROM t; INSERT INTO two SELECT a, b FROM t WHERE c IS NOT NULL;"
    lines = written(tables, f"EXECUTE STATEMENT SET BEGIN {statements} END", capsys)
    assert len(lines) == 12
    assert lines[::2] == lines[1::2]
    joined = rows(tables, "SELECT COUNT(*) FROM t AS x JOIN t AS y ON x.a = y.a AND x.b = y.b")
    assert (3,) in joined


# -- settings and views ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("table.local-time-zone", "Mars/Foo", ValidationError),
        ("table.exec.mini-batch.enabled", "maybe", ValidationError),
        ("table.exec.sink.type-length-enforcer", "trim_pad", UnsupportedOperation),
    ],
)
def test_wrong_settings(tables, key, value, error):
    with pytest.raises(error, match=key):
        tables.execute_sql(f"SET '{key}' = '{value}'")


def test_views_of_themselves(tables):
    tables.execute_sql("CREATE VIEW v AS SELECT 1 AS a")
    tables.execute_sql("CREATE VIEW w AS SELECT * FROM v")
    with pytest.raises(ValidationError, match="is made of itself: v -> w -> v"):
        tables.execute_sql("ALTER VIEW v AS SELECT * FROM w")
    tables.execute_sql("DROP VIEW v")
    with pytest.raises(ValidationError, match="No table 'v'"):
        tables.execute_sql("CREATE VIEW v AS SELECT * FROM w")
    with pytest.raises(ValidationError, match="No table 'v'"):
        tables.execute_sql("SELECT * FROM w")


# -- Python ----------------------------------------------------------------------------------------


@udf(result_type=DataTypes.INT())
def failing(value):
    raise KeyError("nope")


@udf(result_type=DataTypes.INT())
def text(value):
    return "text"


@udf(result_type=DataTypes.INT())
def too_large(value):
    return 2**40


@udtf(result_types=[DataTypes.INT(), DataTypes.STRING()])
def narrow(value):
    yield value


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (failing, "KeyError: 'nope'"),
        (text, "expected INT, found str 'text'; it was returned by text"),
        (too_large, "expected INT, found int 1099511627776; it was returned by too_large"),
    ],
)
def test_functions_that_fail(tables, function, message):
    with pytest.raises(FunctionError, match=message) as failed:
        list(tables.from_path("people").select(function(col("a"))).execute().collect())
    assert "record:   (1, 'ann')" in str(failed.value)


def test_a_table_function_of_the_wrong_type(tables):
    table = tables.from_path("people").join_lateral(narrow(col("a")).alias("p", "q")).select(col("p"))
    with pytest.raises(FunctionError, match="expected ROW<`f0` INT, `f1` STRING>, found int 1"):
        list(table.execute().collect())


def test_wrong_calls(tables):
    table, other = tables.from_path("people"), environment()
    cases = [
        (lambda: table.select(col("z")), "No column 'z'"),
        (
            lambda: table.select("a +"),
            r"select: the expression 'a \+', column 4: expected an expression, found the end",
        ),
        (lambda: table.where(col("a")), "WHERE takes a BOOLEAN"),
        (lambda: table.where((col("a") > 1) and (col("a") < 3)), "combine conditions with &"),
        (lambda: table.join(table), "Both sides of the join have a column 'a'"),
        (lambda: table.union_all(other.from_path("people")), "same TableEnvironment"),
        (lambda: other.create_temporary_view("w", table), "belong to this TableEnvironment"),
        (lambda: other.create_view("w", table), "belong to this TableEnvironment"),
        (lambda: table.add_columns(lit(1).alias("a")), "Column 'a' would be there twice"),
        (lambda: tables.from_elements([(1, 2)], ["x", "x"]), "column 'x' is there twice"),
        (lambda: tables.from_elements([(1,), ("a",)], ["x"]), "different types in one place"),
        (
            lambda: tables.create_temporary_table("q", TableDescriptor.for_connector("datagen").build()),
            "Missing schema",
        ),
        (lambda: Schema.new_builder().column("a", "FOO").build(), "data type 'FOO': expected a data type, found FOO"),
        (lambda: tables.execute_sql("SELECT 1").wait("x"), "wait needs a number of ms"),
        (lambda: tables.create_statement_set().execute(), "add an INSERT first"),
    ]
    for call, message in cases:
        with pytest.raises(ValidationError, match=message):
            call()


# -- odd, and right --------------------------------------------------------------------------------


ODD = ["None", "self", "c1_2", "a`b", "x.y", "日本", "class", "; import os", "a{0}", "%s", "'\""]


def test_odd_names(tables):
    quoted = ["`" + name.replace("`", "``") + "`" for name in ODD]
    tables.execute_sql(f"CREATE VIEW v AS SELECT {', '.join(f'{i} AS {name}' for i, name in enumerate(quoted))}")
    wanted = tuple(range(len(ODD)))
    result = tables.execute_sql(f"SELECT {', '.join(quoted)} FROM v WHERE `self` + 1 = 2")
    assert result.get_resolved_schema().get_column_names() == ODD
    assert [tuple(row) for row in result.collect()] == [wanted]
    assert rows(tables, "SELECT `class`, MAX(`None`) FROM v GROUP BY `class`") == [(6, 0)]
    assert rows(tables, "SELECT l.* FROM v AS l JOIN v AS r ON l.`x.y` = r.`x.y`") == [wanted]


def test_many_columns(tables):
    tables.execute_sql(f"CREATE VIEW wide AS SELECT {', '.join(f'{i} AS c1_{i}' for i in range(300))}")
    assert rows(tables, "SELECT * FROM wide") == [tuple(range(300))]
    assert rows(tables, f"SELECT {', '.join(f'SUM(c1_{i})' for i in range(300))} FROM wide") == [tuple(range(300))]


def test_constants_in_the_session_s_zone(tables):
    tables.execute_sql("SET 'table.local-time-zone' = 'Asia/Tokyo'")
    text = "CAST(TO_TIMESTAMP_LTZ(-1, 3) AS STRING)"
    assert rows(tables, f"SELECT {text}") == [("1970-01-01 08:59:59.999",)]
    assert rows(tables, f"SELECT * FROM (VALUES ({text})) AS t (a)") == [("1970-01-01 08:59:59.999",)]
    assert rows(tables, "SELECT CAST(CAST(TIMESTAMP '1970-01-01 09:00:00' AS TIMESTAMP_LTZ(3)) AS TIMESTAMP(3))") == [
        (dt.datetime(1970, 1, 1, 9),)
    ]


USING = "FROM people {} JOIN (VALUES (1, 'q'), (5, 'r'), (CAST(NULL AS INT), 'n')) AS u (a, z) USING (a)"


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("INNER", [(1, "ann", "q")]),
        ("LEFT", [(1, "ann", "q"), (2, "bob", None), (None, "cem", None)]),
        ("RIGHT", [(1, "ann", "q"), (5, None, "r"), (None, None, "n")]),
        ("FULL", [(1, "ann", "q"), (2, "bob", None), (5, None, "r"), (None, "cem", None), (None, None, "n")]),
    ],
)
def test_join_using(kind, wanted):
    tables = environment(batch=True)
    assert rows(tables, f"SELECT * {USING.format(kind)}") == sorted(wanted, key=repr)
    natural = USING.format(f"NATURAL {kind}").replace(" USING (a)", "")
    assert rows(tables, f"SELECT * {natural}") == sorted(wanted, key=repr)
    both = rows(tables, f"SELECT a, people.a, u.a {USING.format(kind)} WHERE a = 1")
    assert both == [(1, 1, 1)]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("a IN (SELECT 1)", [(1,)]),
        ("a NOT IN (SELECT 1)", [(2,)]),
        ("a NOT IN (SELECT a FROM people)", []),
        ("a NOT IN (SELECT a FROM people WHERE FALSE)", [(1,), (2,), (None,)]),
        ("NOT (a NOT IN (SELECT 2)) AND b = 'bob'", [(2,)]),
        ("(a, b) IN (SELECT a, b FROM people WHERE a > 1)", [(2,)]),
        ("EXISTS (SELECT 1)", [(1,), (2,), (None,)]),
        ("EXISTS (SELECT * FROM people WHERE a > 5)", []),
        ("NOT EXISTS (SELECT * FROM people WHERE a > 5)", [(1,), (2,), (None,)]),
        ("a = (SELECT MAX(a) FROM people)", [(2,)]),
        ("a + (SELECT 1) = 2", [(1,)]),
    ],
)
def test_queries_in_conditions(condition, wanted):
    assert rows(environment(batch=True), f"SELECT a FROM people WHERE {condition}") == wanted


def test_queries_as_columns():
    tables = environment(batch=True)
    assert rows(tables, "SELECT (SELECT MAX(a) FROM people) - a AS left_over FROM people") == [(0,), (1,), (None,)]
    assert rows(environment(), "SELECT (SELECT 1), a FROM people") == [(1, 1), (1, 2), (1, None)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT a FROM people WHERE EXISTS (SELECT 1 FROM people AS p WHERE p.a = x.a)", "No column 'x.a'"),
        ("SELECT (a, b) NOT IN (SELECT a, b FROM people) FROM people", "of several columns that may be NULL"),
        ("SELECT a FROM people WHERE a = (SELECT a, b FROM people)", "has one column, not 2"),
        ("SELECT a FROM people WHERE a > ALL (SELECT a, b FROM people)", "has one column, not 2"),
        ("SELECT a FROM people WHERE a > ANY (SELECT b FROM people)", "ANY: a is INT, the query's 'b'"),
        ("SELECT a FROM people WHERE a = ANY (SELECT b FROM people)", "ANY: a is INT, the query's 'b'"),
        ("SELECT a FROM people WHERE a > ALL (SELECT b FROM people)", "ALL: a is INT, the query's 'b'"),
        (
            "SELECT a FROM people AS p WHERE a IN (SELECT a FROM people WHERE a = p.a LIMIT 1)",
            "needs an ORDER BY of columns",
        ),
        ("SELECT a FROM people WHERE a IN (SELECT a, b FROM people)", "IN: 1 value on the left, and the query has 2"),
        ("SELECT a FROM people WHERE a IN (SELECT b FROM people)", "IN: a is INT, the query's 'b'"),
        (
            "SELECT 1 FROM people o LEFT JOIN people p ON EXISTS (SELECT 1 FROM people AS q WHERE q.a = o.a + p.a)",
            "names columns of both tables",
        ),
        ("SELECT DISTINCT a FROM people ORDER BY (SELECT MAX(a) FROM people) LIMIT 1", "after SELECT DISTINCT"),
    ],
)
def test_queries_that_are_refused(tables, query, message):
    with pytest.raises((ValidationError, UnsupportedOperation), match=f"line 1, column [\\s\\S]*{message}"):
        tables.execute_sql(query)


def test_a_result_that_is_closed_early(tables):
    tables.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000')")
    results = [tables.execute_sql("SELECT a FROM t").collect() for _ in range(2)]
    assert [len(next(found)) for found in results] == [1, 1]
    for found in results:
        found.close()
        found.close()
        assert list(found) == []


def test_arguments_that_a_function_does_not_take(tables):
    half = udf(lambda n: n // 2, input_types=[DataTypes.INT()], result_type=DataTypes.INT())
    tables.create_temporary_function("half", half)
    assert rows(tables, "SELECT half(CAST(a AS TINYINT)) FROM people WHERE a = 2") == [(1,)]
    message = "line 1, column 13: HALF: Invalid argument type at position 0. Data type INT expected but CHAR"
    with pytest.raises(ValidationError, match=message):
        tables.execute_sql("SELECT half(b) FROM people")


def test_a_query_that_is_a_value_has_one_row(tables):
    with pytest.raises(JobError, match="a query that is a value gave more than one row: make it give one"):
        rows(tables, "SELECT a FROM people WHERE a = (SELECT a FROM people)")


def test_current_watermark_takes_a_time_attribute(tables):
    with pytest.raises(ValidationError, match="line 1, column 26: The argument of CURRENT_WATERMARK.. must be"):
        tables.sql_query("SELECT CURRENT_WATERMARK(b) FROM people")


def test_current_watermark_where_there_is_none(tables):
    timed = "CREATE TABLE timed (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen', {})"
    timed = timed.format("'number-of-rows' = '1'")
    tables.execute_sql(timed)
    joined = "SELECT 1 FROM timed AS a JOIN timed AS b ON a.n = b.n AND CURRENT_WATERMARK(a.ts) IS NULL"
    with pytest.raises(UnsupportedOperation, match="CURRENT_WATERMARK in the condition of a join: put it in a column"):
        tables.execute_sql(joined)
    batch = environment(batch=True)
    batch.execute_sql(timed)
    with pytest.raises(ValidationError, match="CURRENT_WATERMARK is there in streaming mode only"):
        batch.execute_sql("SELECT CURRENT_WATERMARK(ts) FROM timed")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_times_of_the_record_are_texts(zone):
    tables = environment(batch=True)
    tables.get_config().set_local_timezone(zone)
    kinds = [DataTypes.INT(), DataTypes.TIMESTAMP(3), DataTypes.DATE(), DataTypes.TIME(), DataTypes.TIMESTAMP_LTZ(3)]
    fields = zip(["n", "at", "day", "clock", "moment", "big"], [*kinds, DataTypes.BIGINT()], strict=True)
    schema = DataTypes.ROW([DataTypes.FIELD(name, kind) for name, kind in fields])
    at, moment = dt.datetime(2024, 1, 2, 3, 4, 5, 678_000), dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
    row = (0, at, dt.date(2024, 1, 2), dt.time(10, 11, 12), moment, 1704164645678000)
    tables.create_temporary_view("t", tables.from_elements([row], schema))
    times = (
        f"'2024-01-02 03:04:05.678', '2024-01-02', '10:11:12', '2024-01-02 {3 if zone == 'UTC' else 12:02}:04:05.000'"
    )
    for query in (
        "SELECT 10 / n, at, `day`, clock, moment, big FROM t",
        "SELECT a.at, a.`day`, a.clock, a.moment FROM t AS a JOIN t AS b ON a.big = b.big AND 10 / a.n > b.n",
    ):
        with pytest.raises(FunctionError) as failed:
            rows(tables, query)
        assert times in str(failed.value)
        if "JOIN" not in query:
            assert f"record:   (0, {times}, 1704164645678000)" in str(failed.value)
