"""Statements that define and show: catalogs, databases, tables, views, functions, settings."""

from __future__ import annotations

import pytest

from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table import DataTypes, EnvironmentSettings, ResultKind, Schema, TableDescriptor, TableEnvironment
from datastream.table.udf import udf

ORDERS = """
    CREATE TABLE orders (
      id INT,
      price DECIMAL(10, 2) COMMENT 'in euros',
      twice AS price * 2,
      ts TIMESTAMP(3),
      origin STRING METADATA FROM 'topic' VIRTUAL,
      WATERMARK FOR ts AS ts - INTERVAL '5' SECOND,
      PRIMARY KEY (id) NOT ENFORCED
    ) COMMENT 'all' PARTITIONED BY (id) WITH ('connector' = 'kafka', 'topic' = 'o')
"""

plus_one = udf(lambda x: x + 1, result_type=DataTypes.BIGINT())


@pytest.fixture
def tables():
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


def rows(tables, statement):
    return [tuple(row) for row in tables.execute_sql(statement).collect()]


def test_describe(tables):
    result = tables.execute_sql(ORDERS)
    assert result.get_result_kind() is ResultKind.SUCCESS
    assert rows(tables, "DESCRIBE orders") == [
        ("id", "INT", False, "PRI(id)", None, None, None),
        ("price", "DECIMAL(10, 2)", True, None, None, None, "in euros"),
        ("twice", "DECIMAL(21, 2)", True, None, "AS `price` * 2", None, None),
        ("ts", "TIMESTAMP(3) *ROWTIME*", True, None, None, "`ts` - INTERVAL '5' SECOND", None),
        ("origin", "STRING", True, None, "METADATA FROM 'topic' VIRTUAL", None, None),
    ]
    columns = tables.execute_sql("DESCRIBE orders").get_resolved_schema().get_column_names()
    assert columns == ["name", "type", "null", "key", "extras", "watermark", "comment"]
    assert [row[0] for row in rows(tables, "SHOW COLUMNS FROM orders LIKE '%t%'")] == ["twice", "ts"]


def test_show_create_hides_secrets(tables):
    secret = "'connector' = 'print', 'password' = 'abc', 'properties.sasl.jaas.config' = 'x password=\"abc\";'"
    tables.execute_sql(f"CREATE TABLE s (a INT) WITH ({secret}, 'url' = 'jdbc:x://h/d?password=abc&z=1')")
    ((text,),) = rows(tables, "SHOW CREATE TABLE s")
    assert "abc" not in text
    assert "'password' = '[hidden]'" in text
    assert "z=1" in text


def test_show_create_table_gives_the_same_table_again(tables):
    tables.execute_sql(ORDERS)
    ((text,),) = rows(tables, "SHOW CREATE TABLE orders")
    assert text == (
        "CREATE TABLE `default_catalog`.`default_database`.`orders` (\n"
        "  `id` INT NOT NULL,\n"
        "  `price` DECIMAL(10, 2) COMMENT 'in euros',\n"
        "  `twice` AS `price` * 2,\n"
        "  `ts` TIMESTAMP(3),\n"
        "  `origin` VARCHAR(2147483647) METADATA FROM 'topic' VIRTUAL,\n"
        "  WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND,\n"
        "  CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED\n"
        ")\n"
        "COMMENT 'all'\n"
        "PARTITIONED BY (`id`)\n"
        "WITH (\n"
        "  'connector' = 'kafka',\n"
        "  'topic' = 'o'\n"
        ")\n"
    )
    tables.execute_sql("DROP TABLE orders")
    tables.execute_sql(text)
    assert rows(tables, "SHOW CREATE TABLE orders") == [(text,)]


def test_alter_table(tables):
    tables.execute_sql("CREATE TABLE t (a INT, b STRING, c AS a + 1) WITH ('connector' = 'print')")
    tables.execute_sql("ALTER TABLE t ADD (d INT FIRST, e STRING COMMENT 'x' AFTER a)")
    tables.execute_sql("ALTER TABLE t MODIFY b BIGINT")
    tables.execute_sql("ALTER TABLE t RENAME d TO f")
    tables.execute_sql("ALTER TABLE t DROP e")
    assert [row[:2] for row in rows(tables, "DESCRIBE t")] == [
        ("f", "INT"),
        ("a", "INT"),
        ("b", "BIGINT"),
        ("c", "INT"),
    ]
    with pytest.raises(ValidationError, match="the column `c` is computed of it"):
        tables.execute_sql("ALTER TABLE t DROP a")
    with pytest.raises(ValidationError, match="No column 'x'"):
        tables.execute_sql("ALTER TABLE t DROP x")
    tables.execute_sql("ALTER TABLE t SET ('k' = 'v')")
    tables.execute_sql("ALTER TABLE t RESET ('k')")
    tables.execute_sql("ALTER TABLE t RENAME TO u")
    assert rows(tables, "SHOW TABLES") == [("u",)]


def test_like_and_views(tables):
    tables.execute_sql(ORDERS)
    tables.execute_sql("CREATE TABLE more (extra INT) WITH ('topic' = 'x') LIKE orders (EXCLUDING WATERMARKS)")
    assert [row[0] for row in rows(tables, "DESCRIBE more")] == ["id", "price", "twice", "ts", "origin", "extra"]
    assert not any(row[5] for row in rows(tables, "DESCRIBE more"))
    assert "'topic' = 'x'" in rows(tables, "SHOW CREATE TABLE more")[0][0]
    tables.execute_sql("CREATE VIEW cheap (n, p) AS SELECT id, price FROM orders WHERE price < 3")
    assert rows(tables, "SHOW VIEWS") == [("cheap",)]
    assert tables.from_path("cheap").get_schema().get_field_names() == ["n", "p"]
    assert rows(tables, "SHOW CREATE VIEW cheap") == [
        (
            "CREATE VIEW `default_catalog`.`default_database`.`cheap` (\n  `n`,\n  `p`\n)\n"
            "AS SELECT id, price FROM orders WHERE price < 3\n",
        )
    ]
    with pytest.raises(ValidationError, match="is only supported for tables"):
        tables.execute_sql("SHOW CREATE TABLE cheap")


def test_catalogs_and_databases(tables):
    tables.execute_sql("CREATE DATABASE d COMMENT 'mine' WITH ('k' = 'v')")
    tables.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'x')")
    assert rows(tables, "SHOW DATABASES") == [("d",), ("default_database",)]
    tables.execute_sql("USE d")
    assert rows(tables, "SHOW CURRENT DATABASE") == [("d",)]
    with pytest.raises(ValidationError, match="currently in use"):
        tables.execute_sql("DROP DATABASE d")
    tables.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'print')")
    tables.execute_sql("USE CATALOG c")
    assert (tables.get_current_catalog(), tables.get_current_database()) == ("c", "x")
    with pytest.raises(ValidationError, match="is not empty"):
        tables.execute_sql("DROP DATABASE default_catalog.d")
    tables.execute_sql("DROP DATABASE default_catalog.d CASCADE")
    assert ("type", "generic_in_memory") in rows(tables, "DESCRIBE CATALOG c")
    with pytest.raises(UnsupportedOperation, match="no catalogs of type 'hive'"):
        tables.execute_sql("CREATE CATALOG h WITH ('type' = 'hive')")
    with pytest.raises(ValidationError, match=r"Did you mean 'c'\?"):
        tables.use_catalog("C")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "'type' = 'fil'",
            "catalog x: there is no type 'fil', did you mean 'file'? The types are: generic_in_memory, file, jdbc, "
            "iceberg, delta-catalog, state",
        ),
        (
            "'type' = 'sql'",
            "catalog x: there is no type 'sql'. The types are: generic_in_memory, file, jdbc, iceberg, delta-catalog, "
            "state",
        ),
        ("'tpye' = 'file', 'path' = '/x'", "catalog x: there is no option 'tpye', did you mean 'type'?"),
        (
            "'path' = '/x'",
            "catalog x: the option 'type' is missing, such as 'type' = 'generic_in_memory'. The types are: "
            "generic_in_memory, file, jdbc, iceberg, delta-catalog, state",
        ),
        (
            "'type' = 'generic_in_memory', 'default_database' = 'd'",
            "catalog x: there is no option 'default_database', did you mean 'default-database'? The options are: "
            "type, default-database",
        ),
        (
            "'type' = 'jdbc', 'user-name' = 'u'",
            "catalog x: there is no option 'user-name', did you mean 'username'? The options are: type, "
            "default-database, username, password, base-url",
        ),
    ],
)
def test_misspelled_options_of_catalogs(tables, options, message):
    with pytest.raises(ValidationError) as error:
        tables.execute_sql(f"CREATE CATALOG x WITH ({options})")
    assert str(error.value) == message


def test_settings(tables):
    tables.execute_sql("SET 'table.local-time-zone' = 'Europe/Berlin'")
    assert tables.get_config().get_local_timezone() == "Europe/Berlin"
    assert ("table.local-time-zone", "Europe/Berlin") in rows(tables, "SET")
    tables.execute_sql("RESET 'table.local-time-zone'")
    tables.execute_sql("SET 'execution.runtime-mode' = 'batch'")
    tables.execute_sql("RESET 'execution.runtime-mode'")
    assert dict(rows(tables, "SET"))["execution.runtime-mode"] == "STREAMING"
    assert not any(key == "table.local-time-zone" for key, _ in rows(tables, "SET"))
    with pytest.raises(ValidationError, match="there is no time zone 'Nowhere'"):
        tables.execute_sql("SET 'table.local-time-zone' = 'Nowhere'")


def test_functions(tables):
    tables.execute_sql(f"CREATE TEMPORARY FUNCTION more AS '{__name__}.plus_one' LANGUAGE PYTHON")
    tables.execute_sql(f"CREATE FUNCTION kept AS '{__name__}.plus_one' LANGUAGE PYTHON")
    assert rows(tables, "SHOW USER FUNCTIONS") == [("kept",), ("more",)]
    query = tables.sql_query("SELECT more(a), KEPT(a) FROM (VALUES (CAST(1 AS BIGINT))) AS t(a)")
    assert query.get_schema().get_field_data_types() == [DataTypes.BIGINT(), DataTypes.BIGINT()]
    assert tables.drop_temporary_function("more") and not tables.drop_temporary_function("more")
    assert tables.drop_function("kept")
    with pytest.raises(ValidationError, match="No function 'MORE'"):
        tables.sql_query("SELECT more(1)")
    with pytest.raises(UnsupportedOperation, match="one of Java"):
        tables.execute_sql("CREATE TEMPORARY SYSTEM FUNCTION j AS 'com.acme.F'")
    with pytest.raises(ValidationError, match="cannot be imported"):
        tables.execute_sql("CREATE TEMPORARY SYSTEM FUNCTION j AS 'nothing.here' LANGUAGE PYTHON")


def test_modules(tables):
    assert tables.list_modules() == ["core"]
    assert rows(tables, "SHOW FULL MODULES") == [("core", True)]
    tables.execute_sql("UNLOAD MODULE core")
    with pytest.raises(ValidationError, match="No function"):
        tables.sql_query("SELECT UPPER('a')")
    tables.execute_sql("LOAD MODULE core")
    tables.sql_query("SELECT UPPER('a')")


def test_temporary_tables_hide_others(tables):
    descriptor = (
        TableDescriptor.for_connector("print").schema(Schema.new_builder().column("a", "BIGINT").build()).build()
    )
    tables.create_table("t", descriptor)
    tables.create_temporary_table("t", descriptor)
    assert tables.list_tables() == tables.list_temporary_tables() == ["t"]
    with pytest.raises(ValidationError, match="Drop it first"):
        tables.drop_table("t")
    assert tables.drop_temporary_table("t") and tables.drop_table("t") and not tables.drop_table("t")
    with pytest.raises(ValidationError, match="does not exist"):
        tables.execute_sql("DROP TABLE t")


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("CREATE TABLE t (a INT, a INT) WITH ('connector' = 'print')", "A column named 'a' already exists"),
        (
            "CREATE TABLE t (a INT, PRIMARY KEY (b) NOT ENFORCED) WITH ('connector' = 'print')",
            "Primary key column 'b' is not defined",
        ),
        ("CREATE TABLE t (a INT, b AS c + 1) WITH ('connector' = 'print')", "No column 'c'"),
        ("CREATE TABLE t (a INT, WATERMARK FOR a AS a) WITH ('connector' = 'print')", "WATERMARK FOR a"),
        ("INSERT INTO nowhere SELECT 1", "No table 'nowhere'"),
        ("SELECT 1; SELECT 2", "expected one statement, got 2"),
    ],
)
def test_mistakes(tables, statement, text):
    with pytest.raises(ValidationError, match=text):
        tables.execute_sql(statement)


def test_plans_as_text(tables):
    tables.execute_sql("CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'datagen')")
    tables.execute_sql("CREATE TABLE s (a BIGINT) WITH ('connector' = 'print')")
    text = tables.explain_sql("INSERT INTO s SELECT a FROM t")
    for heading in ("Abstract Syntax Tree", "Optimized Physical Plan", "Optimized Execution Plan"):
        assert f"== {heading} ==" in text
    assert "default_catalog.default_database.s" in text
    assert rows(tables, "EXPLAIN SELECT a FROM t")[0][0] == tables.explain_sql("SELECT a FROM t")
    with pytest.raises(ValidationError, match="Different number of columns"):
        tables.explain_sql("INSERT INTO s SELECT a, b FROM t")
    with pytest.raises(ValidationError, match="Incompatible types for sink column 'a' at position 1"):
        tables.explain_sql("INSERT INTO s SELECT b FROM t")


def test_null_of_functions_inside_of_others(tables):
    """A function that gives NULL though no argument is NULL."""
    found = rows(
        tables,
        "SELECT CAST(NULLIF(n, 1) AS STRING), UPPER(PRINTF('%d', s)), UPPER(ELT(n + 5, s)) "
        "FROM (VALUES (1, 'a')) AS t (n, s)",
    )
    assert found == [(None, None, None)]


def test_json_inside_of_json(tables):
    found = rows(
        tables,
        "SELECT JSON_OBJECT('a' VALUE JSON_OBJECT('b' VALUE JSON_ARRAY(1)), 'r' VALUE ROW(DATE '2026-01-01', 'x')), "
        "JSON_ARRAY(ARRAY[ROW(1)], JSON('[1, 2]')), JSON_QUERY('[1, {\"a\": 2}]', '$' RETURNING ARRAY<STRING>)",
    )
    assert found == [
        (
            '{"a":{"b":[1]},"r":{"EXPR$0":"2026-01-01","EXPR$1":"x"}}',
            '[[{"EXPR$0":1}],[1,2]]',
            ["1", '{"a":2}'],
        )
    ]


def test_fields_of_a_row_by_star(tables):
    query = "SELECT r.*, t.r.*, n FROM (SELECT CAST(ROW(1, 'x') AS ROW<a INT, b STRING>) AS r, 2 AS n) AS t"
    assert rows(tables, query) == [(1, "x", 1, "x", 2)]
    with pytest.raises(ValidationError, match="No table has columns for n"):
        tables.execute_sql("SELECT n.* FROM (SELECT 1 AS n)")


def test_decimals_have_no_negative_zero(tables):
    columns = "CAST(-a AS STRING), CAST(a * -1 AS STRING), CAST(ROUND(a - 2.5, -1) AS STRING)"
    assert rows(tables, f"SELECT {columns} FROM (VALUES (0.0)) AS t (a)") == [("0.0", "0.0", "0")]


def test_create_text_of_a_catalog(tables):
    tables.execute_sql("CREATE CATALOG mine COMMENT 'it''s' WITH ('type' = 'generic_in_memory')")
    text = "CREATE CATALOG `mine`\nCOMMENT 'it''s'\nWITH (\n  'type' = 'generic_in_memory'\n)\n"
    assert rows(tables, "SHOW CREATE CATALOG mine") == [(text,)]


def test_computed_columns_are_shown_as_sql_that_can_be_read_again(tables):
    expressions = [
        "CASE WHEN `n` > 1 THEN 'x' ELSE CAST(`n` AS STRING) END",
        "EXTRACT(YEAR FROM `ts`)",
        "FLOOR(`ts` TO DAY)",
        "TRIM(LEADING 'x' FROM `a`)",
        "`n` BETWEEN ASYMMETRIC 1 AND 2",
        "`n` NOT IN (1, 2)",
        "NOT (`n` > 1 AND `n` < 5)",
        "TIMESTAMPDIFF(DAY, `ts`, `ts`)",
        "OVERLAY(`a` PLACING 'x' FROM 2 FOR 1)",
        "MAP['a', `n`]",
        "JSON_OBJECT(KEY 'a' VALUE `n` NULL ON NULL)",
        "CURRENT_TIMESTAMP",
    ]
    columns = ", ".join(f"c{i} AS {each}" for i, each in enumerate(expressions))
    tables.execute_sql(f"CREATE TABLE t (a STRING, n INT, ts TIMESTAMP(3), {columns}) WITH ('connector' = 'print')")
    shown = rows(tables, "SHOW CREATE TABLE t")[0][0]
    tables.execute_sql("DROP TABLE t")
    tables.execute_sql(shown)
    found = [row[4] for row in rows(tables, "DESCRIBE t")][3:]
    assert [
        each.removeprefix("AS ").replace("(`n` > 1) AND (`n` < 5)", "`n` > 1 AND `n` < 5") for each in found
    ] == expressions
