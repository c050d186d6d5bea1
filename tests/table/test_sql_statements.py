"""Statements of SQL: what they become, what is refused, and what errors of a text show."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from datastream.errors import ValidationError
from datastream.table import DataTypes
from datastream.table.sql.errors import SqlError
from datastream.table.sql.parser import parse
from datastream.table.sql.statements import (
    Alter,
    ColumnSpec,
    CreateCatalog,
    CreateDatabase,
    CreateFunction,
    CreateTable,
    CreateView,
    Describe,
    Drop,
    Explain,
    Insert,
    LoadModule,
    Query,
    Refused,
    Reset,
    Set,
    Show,
    StatementSetBlock,
    UnloadModule,
    Use,
)
from datastream.table.sql.tokens import tokenize
from tests.support.sql_trees import meaning, statement


def test_create_table_with_every_kind_of_column() -> None:
    made = statement(
        """CREATE TEMPORARY TABLE IF NOT EXISTS cat.db.`my orders` (
            id BIGINT NOT NULL COMMENT 'the key',
            `user` VARCHAR(20),
            cost AS price * 2 COMMENT 'twice',
            ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
            `offset` BIGINT METADATA VIRTUAL,
            price DECIMAL(10, 2),
            WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
            CONSTRAINT pk PRIMARY KEY (id, `user`) NOT ENFORCED
        ) COMMENT 'all of them' PARTITIONED BY (`user`) WITH ('connector' = 'kafka', 'topic' = 'a''b')"""
    )
    assert isinstance(made, CreateTable)
    assert made.path == ("cat", "db", "my orders")
    assert (made.temporary, made.if_not_exists, made.comment) == (True, True, "all of them")
    assert [(each.name, each.type) for each in made.columns if each.expression is None] == [
        ("id", DataTypes.BIGINT(False)),
        ("user", DataTypes.VARCHAR(20)),
        ("ts", DataTypes.TIMESTAMP_LTZ(3)),
        ("offset", DataTypes.BIGINT()),
        ("price", DataTypes.DECIMAL(10, 2)),
    ]
    by_name = {each.name: each for each in made.columns}
    assert by_name["id"].comment == "the key"
    assert (str(by_name["cost"].expression), by_name["cost"].comment) == ("*(price, 2)", "twice")
    assert (by_name["ts"].metadata, by_name["ts"].virtual) == ("timestamp", False)
    assert (by_name["offset"].metadata, by_name["offset"].virtual) == ("offset", True)
    assert made.watermark is not None
    assert (made.watermark.column, str(made.watermark.expression)) == ("ts", "-(ts, 5000)")
    assert (made.primary_key, made.key_name) == (("id", "user"), "pk")
    assert made.partitions == ("user",)
    assert made.options == {"connector": "kafka", "topic": "a'b"}


def test_primary_key_of_a_column() -> None:
    assert statement("CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED, n STRING)").primary_key == ("id",)


def test_create_table_like() -> None:
    made = statement("CREATE TABLE t WITH ('k' = 'v') LIKE db.p (EXCLUDING OPTIONS OVERWRITING WATERMARKS)")
    assert (made.like, made.like_options) == (("db", "p"), ("EXCLUDING OPTIONS", "OVERWRITING WATERMARKS"))
    assert made.options == {"k": "v"}


def test_create_table_as() -> None:
    made = statement("CREATE TABLE t (b, a) WITH ('k' = 'v') AS SELECT a, b FROM u")
    assert made.query.text == "SELECT a, b FROM u"
    assert made.columns == (ColumnSpec("b"), ColumnSpec("a"))


def test_create_view() -> None:
    made = statement("CREATE TEMPORARY VIEW IF NOT EXISTS v (x, y COMMENT 'z') COMMENT 'c' AS SELECT a, b FROM t")
    assert isinstance(made, CreateView)
    assert (made.columns, made.column_comments, made.comment) == (("x", "y"), {"y": "z"}, "c")
    assert (made.temporary, made.if_not_exists, made.query.text) == (True, True, "SELECT a, b FROM t")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("CREATE CATALOG c", CreateCatalog("c")),
        (
            "CREATE CATALOG IF NOT EXISTS c COMMENT 'x' WITH ('type' = 'jdbc')",
            CreateCatalog("c", {"type": "jdbc"}, "x", True),
        ),
        (
            "CREATE DATABASE IF NOT EXISTS c.d COMMENT 'x' WITH ('k' = 'v')",
            CreateDatabase(("c", "d"), {"k": "v"}, "x", True),
        ),
        ("CREATE FUNCTION f AS 'm.f' LANGUAGE PYTHON", CreateFunction(("f",), "m.f", "PYTHON")),
        (
            "CREATE TEMPORARY SYSTEM FUNCTION IF NOT EXISTS f AS 'm.f' LANGUAGE PYTHON",
            CreateFunction(("f",), "m.f", "PYTHON", True, True, True),
        ),
        ("CREATE TEMPORARY FUNCTION c.d.f AS 'x.F'", CreateFunction(("c", "d", "f"), "x.F", "JAVA", True)),
        ("DROP TABLE IF EXISTS c.d.t", Drop("TABLE", ("c", "d", "t"), True)),
        ("DROP TEMPORARY VIEW v", Drop("VIEW", ("v",), temporary=True)),
        ("DROP DATABASE d CASCADE", Drop("DATABASE", ("d",), cascade=True)),
        ("DROP DATABASE IF EXISTS d RESTRICT", Drop("DATABASE", ("d",), True)),
        ("DROP CATALOG c", Drop("CATALOG", ("c",))),
        ("DROP TEMPORARY SYSTEM FUNCTION f", Drop("FUNCTION", ("f",), temporary=True, system=True)),
        ("USE CATALOG c", Use("CATALOG", ("c",))),
        ("USE c.d", Use("DATABASE", ("c", "d"))),
        ("USE MODULES core, hive", Use("MODULES", ("core", "hive"))),
        ("LOAD MODULE hive WITH ('v' = '3')", LoadModule("hive", {"v": "3"})),
        ("UNLOAD MODULE hive", UnloadModule("hive")),
        ("show catalogs", Show("CATALOGS")),
        ("SHOW CURRENT CATALOG", Show("CURRENT CATALOG")),
        ("SHOW CURRENT DATABASE", Show("CURRENT DATABASE")),
        ("SHOW DATABASES IN c", Show("DATABASES", ("c",))),
        ("SHOW TABLES FROM c.d NOT LIKE 'a%'", Show("TABLES", ("c", "d"), "a%", True)),
        ("SHOW VIEWS ILIKE 'a%'", Show("VIEWS", (), "a%", False, True)),
        ("SHOW COLUMNS FROM t LIKE 'f%'", Show("COLUMNS", ("t",), "f%")),
        ("SHOW FUNCTIONS", Show("FUNCTIONS")),
        ("SHOW USER FUNCTIONS", Show("USER FUNCTIONS")),
        ("SHOW FULL MODULES", Show("FULL MODULES")),
        ("SHOW CREATE VIEW v", Show("CREATE VIEW", ("v",))),
        ("SHOW PARTITIONS t", Show("PARTITIONS", ("t",))),
        ("DESCRIBE t", Describe("TABLE", ("t",))),
        ("DESC EXTENDED c.d.t", Describe("TABLE", ("c", "d", "t"), True)),
        ("DESCRIBE DATABASE EXTENDED d", Describe("DATABASE", ("d",), True)),
        ("DESCRIBE CATALOG c", Describe("CATALOG", ("c",))),
        ("SET", Set()),
        ("SET 'table.exec.mini-batch.enabled' = 'true'", Set("table.exec.mini-batch.enabled", "true")),
        ("SET table.exec.mini-batch.size = 5000", Set("table.exec.mini-batch.size", "5000")),
        ("RESET", Reset()),
        ("RESET 'k'", Reset("k")),
        ("ALTER TABLE t RENAME TO c.d.u", Alter("TABLE", ("t",), "rename", {"to": ("c", "d", "u")})),
        ("ALTER TABLE t RENAME a TO b", Alter("TABLE", ("t",), "rename column", {"column": "a", "to": "b"})),
        ("ALTER TABLE IF EXISTS t SET ('k' = 'v')", Alter("TABLE", ("t",), "set", {"options": {"k": "v"}}, True)),
        ("ALTER TABLE t RESET ('k', 'l')", Alter("TABLE", ("t",), "reset", {"keys": ("k", "l")})),
        ("ALTER TABLE t DROP (a, b)", Alter("TABLE", ("t",), "drop", {"names": ("a", "b")})),
        ("ALTER TABLE t DROP a", Alter("TABLE", ("t",), "drop", {"names": ("a",)})),
        ("ALTER TABLE t DROP WATERMARK", Alter("TABLE", ("t",), "drop watermark")),
        ("ALTER TABLE t DROP PRIMARY KEY", Alter("TABLE", ("t",), "drop primary key", {"key_name": None})),
        ("ALTER TABLE t DROP CONSTRAINT pk", Alter("TABLE", ("t",), "drop primary key", {"key_name": "pk"})),
        ("ALTER VIEW v RENAME TO w", Alter("VIEW", ("v",), "rename", {"to": ("w",)})),
        ("ALTER DATABASE d SET ('k' = 'v')", Alter("DATABASE", ("d",), "set", {"options": {"k": "v"}})),
        (
            "ALTER FUNCTION f AS 'm.g' LANGUAGE PYTHON",
            Alter("FUNCTION", ("f",), "as", {"target": "m.g", "language": "PYTHON"}),
        ),
    ],
)
def test_statement(text: str, made: Any) -> None:
    assert statement(text) == made


def test_alter_table_adds_columns_key_and_watermark() -> None:
    made = statement(
        "ALTER TABLE t ADD (c INT AFTER b, d AS c + 1 FIRST, PRIMARY KEY (c) NOT ENFORCED, WATERMARK FOR ts AS ts)"
    )
    assert made.action == "add"
    assert [each.name for each in made.arguments["columns"]] == ["c", "d"]
    assert made.arguments["places"] == {"c": "b", "d": None}
    assert made.arguments["primary_key"] == ("c",)
    assert made.arguments["watermark"].column == "ts"


def test_alter_table_modifies_a_column() -> None:
    made = statement("ALTER TABLE t MODIFY c DOUBLE")
    assert (made.action, made.arguments["columns"]) == ("modify", (ColumnSpec("c", DataTypes.DOUBLE()),))


def test_alter_view_as() -> None:
    assert statement("ALTER VIEW v AS SELECT 1").arguments["query"].text == "SELECT 1"


def test_insert_with_columns_partition_and_hint() -> None:
    made = statement(
        "INSERT OVERWRITE s /*+ OPTIONS('sink.parallelism' = '2') */ PARTITION (dt = '2026-01-01', n = -1, h) (a) "
        "SELECT a, h FROM t"
    )
    assert isinstance(made, Insert)
    assert made.path == ("s",)
    assert made.overwrite
    assert made.options == {"sink.parallelism": "2"}
    assert made.partition == {"dt": "2026-01-01", "n": "-1"}
    assert made.columns == ("a", "h")
    assert made.query.text == "SELECT a, h FROM t"


@pytest.mark.parametrize("query", ["(SELECT 1)", "((SELECT 1) UNION SELECT 2)", "VALUES (1)", "TABLE t"])
def test_insert_of_a_query(query: str) -> None:
    made = statement(f"INSERT INTO s {query}")
    assert (made.columns, made.query.text) == (None, query)


@pytest.mark.parametrize(
    "text",
    [
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END",
        "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;",
    ],
)
def test_statement_sets(text: str) -> None:
    made = statement(text)
    assert isinstance(made, StatementSetBlock)
    assert [each.path for each in made.statements] == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("text", "kind", "details"),
    [
        ("EXPLAIN SELECT a FROM t", Query, ()),
        ("EXPLAIN PLAN FOR INSERT INTO s SELECT 1", Insert, ()),
        ("EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT 1", Query, ("ESTIMATED_COST", "CHANGELOG_MODE")),
        ("EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", StatementSetBlock, ()),
        ("EXPLAIN CREATE TABLE t AS SELECT 1", CreateTable, ()),
    ],
)
def test_explain(text: str, kind: type, details: tuple[str, ...]) -> None:
    made = statement(text)
    assert isinstance(made, Explain)
    assert isinstance(made.statement, kind)
    assert made.details == details


def test_several_statements() -> None:
    found = parse(";; SELECT ';' ; -- a; b\n SHOW TABLES;\nINSERT INTO s SELECT 1")
    assert [type(each) for each in found] == [Query, Show, Insert]
    assert parse(" -- nothing\n;") == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("UPDATE s SET a = 1", "UPDATE"),
        ("DELETE FROM s WHERE a = 1", "DELETE"),
        ("TRUNCATE TABLE s", "TRUNCATE TABLE"),
        ("CALL c.d.p(1)", "CALL"),
        ("ANALYZE TABLE t COMPUTE STATISTICS", "ANALYZE TABLE"),
        ("ADD JAR '/x.jar'", "ADD JAR"),
        ("STOP JOB 'x' WITH SAVEPOINT", "STOP JOB"),
        ("DESCRIBE JOB 'x'", "DESCRIBE JOB"),
        ("CREATE MATERIALIZED TABLE t AS SELECT 1", "CREATE MATERIALIZED TABLE"),
        ("DROP MATERIALIZED TABLE t", "DROP MATERIALIZED TABLE"),
        ("ALTER MATERIALIZED TABLE t SUSPEND", "ALTER MATERIALIZED TABLE"),
        ("CREATE MODEL m WITH ('provider' = 'x') AS SELECT 1", "CREATE MODEL AS"),
        ("CREATE OR REPLACE TABLE t AS SELECT 1", "CREATE OR REPLACE"),
        ("CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) INTO 4 BUCKETS", "DISTRIBUTED"),
        ("CREATE FUNCTION f AS 'x.F' LANGUAGE JAVA USING JAR '/x.jar'", "USING JAR"),
        ("ALTER TABLE t ADD IF NOT EXISTS PARTITION (p = 1)", "ALTER TABLE ADD PARTITION"),
        ("SHOW PROCEDURES", "SHOW PROCEDURES"),
        ("SELECT * FROM ML_EVALUATE(TABLE t, MODEL m, DESCRIPTOR(a))", "ML_EVALUATE"),
    ],
)
def test_refused(text: str, what: str) -> None:
    made, following = parse(f"{text}; SHOW TABLES")
    assert isinstance(made, Refused)
    assert made.what == what
    assert made.reason
    assert following == Show("TABLES")


def test_a_statement_set_is_refused_as_one() -> None:
    text = """EXECUTE STATEMENT SET BEGIN
        INSERT INTO a SELECT * FROM ML_EVALUATE(TABLE t, MODEL m, DESCRIPTOR(CASE));
        INSERT INTO b SELECT 1;
    END; SHOW TABLES"""
    assert [type(each) for each in parse(text)] == [Refused, Show]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELCT a FROM t", "expected a statement, found SELCT; did you mean SELECT?"),
        ("CREATE TABEL t (a INT)", "expected OR REPLACE, TEMPORARY, TABLE, VIEW"),
        ("CREATE TABEL t (a INT)", "did you mean TABLE?"),
        ("CREATE TABLE t (a INT, )", "expected the name of a column"),
        ("CREATE TABLE t (a INT b INT)", "found b"),
        ("CREATE TABLE t (a)", "column a has no type"),
        ("CREATE TABLE t (a STRNG)", "found STRNG; did you mean STRING?"),
        (
            "CREATE TABLE t (order INT)",
            "expected the name of a column, found order; a name like this keyword needs backticks: `order`",
        ),
        ("CREATE TABLE t (a INT PRIMARY KEY)", "followed by NOT ENFORCED"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a) ENFORCED)", "followed by NOT ENFORCED"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a) NOT ENFORCED, PRIMARY KEY (a) NOT ENFORCED)", "one primary key"),
        ("CREATE TABLE t (ts DATE, WATERMARK FOR ts AS ts, WATERMARK FOR ts AS ts)", "one watermark"),
        ("CREATE TABLE t (a INT) WITH (connector = 'kafka')", "expected a key in single quotes, found connector"),
        ("CREATE TABLE t (a INT) WITH ('connector' 'kafka')", "expected '=', found 'kafka'"),
        ("CREATE TABLE t (a INT) WITH ('n' = 1)", "expected a value in single quotes, found 1"),
        ("CREATE TABLE t (a INT) WITH ('k' = 'v') COMMENT 'late'", "found COMMENT"),
        ("CREATE VIEW v SELECT 1", "expected COMMENT or AS, found SELECT"),
        ("DROP TABEL t", "did you mean TABLE?"),
        ("DROP TEMPORARY DATABASE d", "expected SYSTEM, TABLE, VIEW, FUNCTION or MODEL"),
        ("ALTER TABLE t ADD a", "expected a data type, found the end"),
        ("ALTER TABLE t ADD (a)", "column a has no type"),
        ("ALTER DATABASE d RENAME TO e", "expected SET or RESET"),
        ("SHOW TABELS", "did you mean TABLES?"),
        ("SHOW COLUMNS t", "expected FROM or IN"),
        ("INSERT s SELECT 1", "expected INTO or OVERWRITE"),
        ("INSERT INTO s (a, b)", "expected"),
        ("SET a 1", "expected '=', found 1"),
        ("EXECUTE STATEMENT SET BEGIN SELECT 1; END", "expected INSERT, found SELECT"),
        ("EXECUTE STATEMENT SET BEGIN END", "expected"),
        ("BEGIN STATEMENT SET; INSERT INTO a SELECT 1;", "expected END or INSERT"),
        ("SELECT 1 SELECT 2", "found SELECT"),
        ("SHOW TABLES x", "; or the end, found x"),
        ("EXPLAIN DROP TABLE t", "expected"),
        ("USE MODULES", "expected a module's name"),
    ],
)
def test_wrong_statement(text: str, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_an_error_shows_line_column_and_place() -> None:
    with pytest.raises(SqlError) as caught:
        parse("SELECT a,\n\tb,\n  FROM t;\nSHOW TABLES")
    error = caught.value
    assert (error.line, error.column) == (3, 3)
    assert str(error) == "line 3, column 3: expected an expression, found FROM\n    FROM t;\n    ^"
    assert isinstance(error, ValidationError)


def test_the_caret_stands_below_its_place_behind_tabs() -> None:
    with pytest.raises(SqlError) as caught:
        parse("SELECT\n\ta b c")
    assert str(caught.value).splitlines()[1:] == ["  \ta b c", "  \t    ^"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(end: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse(f"SELECT 'x{end}y',{end}FROM")
    assert (caught.value.line, caught.value.column) == (3, 1)


def test_errors_travel() -> None:
    with pytest.raises(SqlError) as caught:
        parse("SELECT")
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.line, error.column) == (str(caught.value), 1, 7)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT CASE WHEN b > 1 THEN 'x' ELSE f(c, 2) END x FROM t WHERE a BETWEEN 1 AND 2 AND b LIKE 'x' ESCAPE '!'",
        "SELECT SUM(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM a.b JOIN c ON d",
        "SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY GROUPING SETS ((a), ())",
        "CREATE TABLE t (a INT METADATA FROM 'x' VIRTUAL, WATERMARK FOR b AS b - 1) COMMENT 'c' WITH ('k' = 'v')",
        "INSERT INTO s PARTITION (d = 'x') (a, b) SELECT DISTINCT a, b FROM t ORDER BY a DESC NULLS LAST OFFSET 2 ROWS",
        "ALTER TABLE t ADD (c INT NOT NULL COMMENT 'x' AFTER b, PRIMARY KEY (a) NOT ENFORCED)",
    ],
)
def test_every_word_has_a_meaning(text: str) -> None:
    """Without any one token the text is wrong, or means something else."""
    silent = set()
    for token in tokenize(text)[:-1]:
        try:
            if meaning(f"{text[: token.start]} {text[token.end :]}") == meaning(text):
                silent.add(token.text)
        except SqlError:
            pass
    assert silent <= {"AS", "TABLE", "ROWS"}
