"""What docs/differences.md says of tables, and what docs/table.md says is not there yet."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, JobError, UnsupportedOperation, ValidationError
from datastream.table import (
    DataTypes,
    EnvironmentSettings,
    TableEnvironment,
    col,
)
from datastream.table.connectors.docs import CONNECTORS, FORMATS, page
from datastream.table.connectors.formats.registry import _FORMATS
from datastream.table.connectors.registry import _BUILT_IN
from datastream.table.udf import udaf
from datastream.time import Instant
from tests.table import process_functions

DOCS = Path(__file__).parents[2] / "docs"
Tables = TableEnvironment
RETURNED = (("a", "INTEGER"), ("b", "INTEGER"), ("c", "DOUBLE"))


@pytest.fixture(autouse=True)
def local(monkeypatch):
    monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def tables() -> Tables:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "1")
    made.execute_sql("CREATE VIEW t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (2, 'a')) AS t (n, s)")
    made.execute_sql(
        "CREATE TABLE timed (n INT, m INT, ts TIMESTAMP(3), now AS PROCTIME(), WATERMARK FOR ts AS ts) WITH "
        "('connector' = 'datagen', 'number-of-rows' = '1')"
    )
    made.execute_sql(
        "CREATE VIEW latest AS SELECT n, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY n ORDER BY ts DESC) AS r "
        "FROM timed) WHERE r = 1"
    )
    made.execute_sql("CREATE TABLE sunk (n INT) WITH ('connector' = 'blackhole')")
    return made


def rows(tables: Tables, query: str) -> list[tuple[Any, ...]]:
    with tables.execute_sql(query).collect() as found:
        return [tuple(row) for row in found]


# -- differences ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 2147483647 + MIN(n) FROM t",
        "SELECT CAST(300 AS TINYINT)",
        "SELECT SUM(CAST(n + 120 AS TINYINT)) FROM t",
        "SELECT CAST(9999.5 AS DECIMAL(3, 1))",
        "SELECT VAR_SAMP(CAST(n * 20 AS TINYINT)) FROM t",
        "SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) + MIN(n) FROM t",
    ],
)
def test_a_number_that_leaves_its_type_is_an_error(tables, query):
    with pytest.raises((FunctionError, JobError), match="TypeMismatch: expected"):
        rows(tables, query)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 IN (1.5, 2)", False),
        ("1 NOT IN (1.5, 2)", True),
        ("n IN (2.5, 1)", True),
        ("n IN (1.5, 1.9)", False),
        ("n IN (CAST(1.5 AS DOUBLE))", False),
        ("CAST(n AS TINYINT) IN (257, 2)", False),
        ("(n, s) IN ((1.5, 'a'), (2, 'a'))", False),
    ],
)
def test_numbers_of_a_list_are_compared_exactly(tables, expression, value):
    assert rows(tables, f"SELECT {expression} FROM t WHERE n = 1") == [(value,)]


@pytest.mark.parametrize("condition", ["s = DATE '2024-01-01'", "s <> TIMESTAMP '2024-01-01 00:00:00'", "s < 1"])
def test_a_string_that_is_no_date_or_number_is_an_error(tables, condition):
    with pytest.raises((FunctionError, JobError), match="TRY_CAST returns NULL instead"):
        rows(tables, f"SELECT {condition} FROM t")


def test_try_cast_gives_null(tables):
    assert rows(tables, "SELECT TRY_CAST(9999.5 AS DECIMAL(3, 1))") == [(None,)]


def test_json_does_not_round(tables, tmp_path):
    (tmp_path / "a.json").write_text('{"n": 1.5}\n')
    tables.execute_sql(
        f"CREATE TABLE j (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    )
    with pytest.raises((FunctionError, JobError), match="column n: expected a whole number"):
        rows(tables, "SELECT n FROM j")
    assert rows(tables, "SELECT n FROM j /*+ OPTIONS('json.ignore-parse-errors' = 'true') */") == [(None,)]


def test_a_decimal_of_json_may_have_underscores(tables, tmp_path):
    (tmp_path / "a.json").write_text('{"n": "1_000", "m": "1_000"}\n')
    options = (
        f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json', 'json.ignore-parse-errors' = 'true'"
    )
    tables.execute_sql(f"CREATE TABLE j (n DECIMAL(5, 0), m INT) WITH ({options})")
    assert rows(tables, "SELECT n FROM j") == [(Decimal(1000),)]
    assert rows(tables, "SELECT m FROM j") == [(None,)]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_boolean_is_true_or_false(tables, tmp_path, form):
    texts = ["yes", "1", "TRUE", "false"]
    (tmp_path / "a").write_text("".join(f"{t},x\n" if form == "csv" else f'{{"a": "{t}"}}\n' for t in texts))
    options = (
        f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = '{form}', '{form}.ignore-parse-errors' = 'true'"
    )
    tables.execute_sql(f"CREATE TABLE b (a BOOLEAN, x STRING) WITH ({options})")
    assert rows(tables, "SELECT a FROM b") == [(None,), (None,), (True,), (False,)]


def test_times_before_1970_keep_their_day_and_csv_may_have_a_t(tables, tmp_path):
    (tmp_path / "a").write_text("1960-01-01T10:00:00,x\n")
    options = f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv'"
    tables.execute_sql(f"CREATE TABLE old (a TIMESTAMP(3), x STRING) WITH ({options})")
    assert rows(tables, "SELECT CAST(CAST(a AS DATE) AS STRING) FROM old") == [("1960-01-01",)]


def test_a_text_with_too_many_digits_for_its_decimal(tables):
    assert rows(tables, "SELECT TRY_CAST(s AS DECIMAL(5, 2)) FROM (VALUES ('999.995'), ('1.005')) AS t (s)") == [
        (None,),
        (Decimal("1.01"),),
    ]


def test_approx_count_distinct_is_exact(tables):
    assert rows(tables, "SELECT APPROX_COUNT_DISTINCT(s) FROM t")[-1] == (2,)


def test_conditions_are_not_combined_by_words():
    for combine in (lambda: col("a") > 1 and col("b") > 2, lambda: 1 < col("a") < 3):
        with pytest.raises(ValidationError, match="combine conditions with &"):
            combine()


def test_a_constant_float_has_all_its_digits(tables):
    query = "SELECT CAST(CAST(1 AS FLOAT) / 3 AS STRING), CAST(CAST(a AS FLOAT) / 3 AS STRING) FROM (VALUES 1) AS t (a)"
    assert rows(tables, query)[-1] == ("0.33333334", "0.33333334")


def test_times_have_microseconds(tables):
    found = rows(tables, "SELECT CAST(TIMESTAMP '2026-01-01 00:00:00.123456789' AS STRING)")
    assert found[0][0].startswith("2026-01-01 00:00:00.123456")
    assert "789" not in found[0][0]


def test_times_have_no_more_digits_than_their_type(tables, tmp_path):
    (tmp_path / "f").write_text('{"a": "2024-01-01 00:00:00.1"}\n{"a": "2024-01-01 00:00:00.2"}\n')
    tables.execute_sql(
        f"CREATE TABLE cut (a TIMESTAMP(0)) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    )
    assert len(rows(tables, "SELECT DISTINCT a FROM cut")) == 1
    assert len(rows(tables, "SELECT a FROM cut WHERE a = TIMESTAMP '2024-01-01 00:00:00'")) == 2
    assert rows(tables, "SELECT DISTINCT CAST(a AS TIMESTAMP(6)) FROM cut") == [(dt.datetime(2024, 1, 1),)]


def test_results_have_microseconds_and_instants(tables):
    given = "TIMESTAMP '2024-01-01 00:00:00.123456'"
    tables.get_config().set("table.local-time-zone", "UTC")
    (found,) = rows(tables, f"SELECT {given}, CAST({given} AS TIMESTAMP_LTZ(6))")
    assert found == (dt.datetime(2024, 1, 1, 0, 0, 0, 123456), Instant(1704067200, 123_456_000))


def test_times_before_1970_are_rounded_down_and_a_time_stays_within_the_day(tables):
    view = "(VALUES (TIMESTAMP '1959-12-31 12:00:00', TIME '23:30:00')) AS t (a, b)"
    units = ("YEAR", "MONTH", "WEEK")
    found = rows(tables, f"SELECT {', '.join(f'FLOOR(a TO {unit})' for unit in units)}, CEIL(b TO HOUR) FROM {view}")
    assert found == [(dt.datetime(1959, 1, 1), dt.datetime(1959, 12, 1), dt.datetime(1959, 12, 27), dt.time(0))]


def test_to_pandas_keeps_the_moment(tables):
    tables.get_config().set_local_timezone("Europe/Berlin")
    frame = tables.sql_query("SELECT CAST(TIMESTAMP '2024-07-01 10:00:00' AS TIMESTAMP_LTZ(3)) AS t").to_pandas()
    assert str(frame["t"][0]) == "2024-07-01 10:00:00+02:00"


def test_to_pandas_of_no_rows_has_the_dtypes_of_the_types(tables):
    frame = tables.sql_query(
        "SELECT * FROM (VALUES (1, TIMESTAMP '2024-07-01 10:00:00.5')) AS t (a, b) WHERE a > 1"
    ).to_pandas()
    assert [str(kind) for kind in frame.dtypes] == ["int32", "datetime64[ms]"]


def test_variances_of_decimals_have_all_their_digits(tables):
    values = "(CAST('99999999.99' AS DECIMAL(38, 10))), (CAST('-0.0000000001' AS DECIMAL(38, 10)))"
    found = rows(tables, f"SELECT VAR_SAMP(d) FROM (VALUES {values}) AS t (d)")
    assert found[-1] == (Decimal("4999999999000000.01005"),)


@pytest.mark.parametrize("text", ["12x", "x", "1e", "."])
def test_a_text_with_a_wrong_letter_is_not_a_decimal(tables, text):
    assert rows(tables, f"SELECT TRY_CAST('{text}' AS DECIMAL(5, 2))") == [(None,)]


@pytest.mark.parametrize("text", ["0000-01-01 00:00:00", "+10000-01-01 00:00:00"])
def test_years_are_1_to_9999(tables, text):
    assert rows(tables, f"SELECT TRY_CAST('{text}' AS TIMESTAMP(3)), TO_TIMESTAMP('{text}')") == [(None, None)]


@pytest.mark.parametrize(
    "call",
    [
        "TO_TIMESTAMP('2024', 'yyyy-bb')",
        "TO_TIMESTAMP_LTZ('2024', 'MMMMMM')",
        "TO_DATE('2024', 'yyyy''T')",
        "UNIX_TIMESTAMP('2024', 'yyyy VV')",
        "FROM_UNIXTIME(0, 'yyyy XXXX')",
        "DATE_FORMAT(TIMESTAMP '2024-01-01 00:00:00', 'yyyy z')",
        "DATE_FORMAT('2024-01-01 00:00:00', 'b')",
    ],
)
def test_a_wrong_date_pattern_is_an_error_when_the_job_is_built(tables, call):
    with pytest.raises(ValidationError, match="date pattern"):
        tables.sql_query(f"SELECT {call}")


def test_a_text_that_is_no_date_is_null_and_an_unknown_zone_an_error(tables):
    assert rows(tables, "SELECT TO_DATE('x', 'yyyy-MM-dd')") == [(None,)]
    with pytest.raises((JobError, FunctionError, ValidationError), match="time zone"):
        rows(tables, "SELECT CONVERT_TZ('2024-01-01 00:00:00', 'Nowhere/X', 'UTC') FROM t")


def test_json_values_are_converted_and_texts_keep_all_digits(tables, tmp_path):
    document = '{"a": "7", "b": 1.5, "c": 2}'
    returned = ", ".join(f"JSON_VALUE('{document}', '$.{name}' RETURNING {kind})" for name, kind in RETURNED)
    assert rows(tables, f"SELECT {returned}") == [(7, None, 2.0)]
    (tmp_path / "f").write_text('{"a": {"x": 19.90, "y": [1e400]}}\n')
    tables.execute_sql(
        f"CREATE TABLE texts (a STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json')"
    )
    assert rows(tables, "SELECT a FROM texts") == [('{"x":19.90,"y":[1E+400]}',)]


def test_json_values_of_too_many_bits_are_null(tables):
    document = '{"a": 2147483648, "b": 9223372036854775808}'
    query = "JSON_VALUE('{0}', '$.a' RETURNING INT), JSON_VALUE('{0}', '$.b' RETURNING BIGINT)"
    assert rows(tables, "SELECT " + query.format(document)) == [(None, None)]


SESSIONS = "TABLE(SESSION(TABLE timed {}, DESCRIPTOR(ts), INTERVAL '5' SECOND))"
OF_N = SESSIONS.format("PARTITION BY n")


@pytest.mark.parametrize(
    ("sessions", "keys"),
    [
        (OF_N, ""),
        (SESSIONS.format(""), ", n"),
        (SESSIONS.format(""), ", n + 1"),
        (OF_N, ", n + 1"),  # several n may share a key
        (OF_N, ", n, n / 3"),
        (OF_N, ", n, m"),
        (SESSIONS.format("PARTITION BY (n, m)"), ", n"),
        (f"(SELECT m AS n, n AS m, window_start, window_end FROM {OF_N})", ", n"),
        (f"(SELECT m AS n, window_start, window_end FROM {OF_N})", ", n"),
        (f"(SELECT n + 1 AS n, window_start, window_end FROM {OF_N})", ", n"),
        (f"(SELECT 1 AS n, window_start, window_end FROM {OF_N})", ", n"),
    ],
)
def test_sessions_are_grouped_by_the_columns_that_they_are_of(tables, sessions, keys):
    plan = tables.explain_sql(f"SELECT COUNT(*) FROM {sessions} GROUP BY window_start, window_end{keys}")
    assert "GroupAggregate(" in plan and "WindowAggregate(" not in plan  # so results are changes, as in Flink


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        ("*", "n"),
        ("n AS k, m, ts, window_start, window_end", "k"),
        ("m AS n, n AS m, window_end, window_start", "m"),
        ("n, n AS again, window_start, window_end", "again"),
        ("n, n AS again, window_start, window_end", "again, n"),
        ("n, m, window_start, window_end", "n, 'x', CAST(window_start AS DATE)"),
    ],
)
def test_columns_of_sessions_may_have_other_names(tables, columns, keys):
    query = "SELECT COUNT(*) FROM {} GROUP BY window_start, window_end, {}"
    assert rows(tables, query.format(f"(SELECT {columns} FROM {OF_N})", keys)) == rows(tables, query.format(OF_N, "n"))


def test_rows_that_change_leave_an_order_with_an_offset(tables):
    totals = "(VALUES ('a', 1), ('b', 1), ('c', 1), ('b', 1), ('a', 1), ('c', 1), ('c', 1)) AS v(k, n)"
    query = f"SELECT k, SUM(n) AS s FROM {totals} GROUP BY k ORDER BY s DESC LIMIT 2 OFFSET 1"
    kept: list[tuple[Any, ...]] = []
    with tables.execute_sql(query).collect() as changes:
        for row in changes:
            kept.append(tuple(row)) if row.get_row_kind().value in (0, 2) else kept.remove(tuple(row))
    assert sorted(kept) == [("a", 2), ("b", 2)]


def test_hints_of_joins_have_no_effect(tables):
    query = "a.n FROM t AS a JOIN t AS b ON a.n = b.n AND a.s = b.s"
    assert rows(tables, f"SELECT /*+ BROADCAST(b) */ {query}") == rows(tables, f"SELECT {query}")


# -- what is not there yet -----------------------------------------------------------------------------


def _pandas_aggregate(tables: Tables) -> None:
    size = udaf(lambda column: len(column), result_type=DataTypes.BIGINT(), func_type="pandas")
    tables.from_path("t").group_by(col("s")).select(size(col("n"))).execute()


def _ordered_table(tables: Tables) -> None:
    tables.create_temporary_function("greet", process_functions.GreetingWithMemory())
    tables.execute_sql("SELECT * FROM greet(input => TABLE t PARTITION BY s ORDER BY n)")


#: A word of the row in docs/table.md -> what is refused.
MISSING: dict[str, list[Any]] = {
    "OVER windows that end after": [
        "SELECT SUM(n) OVER (ORDER BY ts DESC) FROM timed",
        "SELECT SUM(n) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM timed",
        "SELECT SUM(n) OVER (ORDER BY p) FROM (SELECT COUNT(*) AS n, PROCTIME() AS p FROM timed GROUP BY s)",
    ],
    "Queries in ON of an outer join": [
        "SELECT a.n FROM t AS a LEFT JOIN t AS b ON EXISTS (SELECT n FROM t AS c WHERE c.n = a.n + b.n)",
        "SELECT (NULLIF(n, 1), s) IN (SELECT n, s FROM t) FROM t",
    ],
    "as of a constant": ["SELECT n FROM timed FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00'"],
    "Pandas aggregates": [_pandas_aggregate],
    "`ORDER BY` without a LIMIT": ["SELECT n FROM t ORDER BY n"],
    "Windows of processing time": [
        "SELECT n FROM (SELECT n, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n) AS r FROM "
        "TABLE(TUMBLE(TABLE timed, DESCRIPTOR(now), INTERVAL '1' SECOND))) WHERE r = 1",
    ],
    "`SESSION` over updates": [
        "SELECT * FROM TABLE(SESSION(TABLE latest, DESCRIPTOR(ts), INTERVAL '1' SECOND))",
    ],
    "[Process table functions]": [_ordered_table],
    "`WITH RECURSIVE`": [
        "WITH RECURSIVE a AS (SELECT 1) SELECT * FROM a",
        "SELECT * FROM t TABLESAMPLE BERNOULLI (5)",
        "SELECT n FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY n) IN (SELECT 1)",
    ],
    "Catalogs of Hive": [
        "CREATE CATALOG c WITH ('type' = 'hive')",
        "LOAD MODULE hive",
    ],
}
CASES = [(what, case) for what, cases in MISSING.items() for case in cases]


@pytest.mark.parametrize(("what", "case"), CASES, ids=[f"{what}-{number}" for number, (what, _) in enumerate(CASES)])
def test_what_is_not_there_yet_is_refused(tables, what, case):
    with pytest.raises((UnsupportedOperation, ValidationError)):
        case(tables) if callable(case) else tables.execute_sql(case)


def test_the_page_lists_what_is_tested_here():
    section = (DOCS / "table.md").read_text().partition("## What is not there yet\n")[2]
    listed = [line for line in section.splitlines() if line.startswith("| ")][2:]
    for what in MISSING:
        assert sum(what in line for line in listed) == 1, what
    assert len(listed) == len(MISSING)


def test_refused_statements_of_the_page_are_refused(tables):
    section = (DOCS / "sql.md").read_text().partition("## Unsupported statements\n")[2]
    names = re.findall(r"`([A-Z ]+)`", " ".join(line.split(" | ")[0] for line in section.splitlines()[4:]))
    assert len(names) > 12
    for name in names:
        if name in ("DISTRIBUTED BY", "ALTER TABLE ADD PARTITION"):
            continue
        with pytest.raises((UnsupportedOperation, ValidationError), match=f"{name.split()[0]}.*is not supported"):
            tables.execute_sql(f"{name} x")
    for text in (
        "CREATE TABLE d (a INT) DISTRIBUTED BY (a) WITH ('connector' = 'print')",
        "ALTER TABLE sunk ADD PARTITION (a = 1)",
        "CREATE FUNCTION f AS 'a.B' USING JAR 'c.jar'",
    ):
        with pytest.raises(UnsupportedOperation, match="is not supported"):
            tables.execute_sql(text)


# -- the page of connectors ----------------------------------------------------------------------------


def test_the_page_of_connectors_is_current():
    current = (DOCS / "table-connectors.md").read_text()
    assert current == page(), "python -m datastream.table.connectors.docs > docs/table-connectors.md"


def test_the_page_of_connectors_is_whole():
    assert set(CONNECTORS) == set(_BUILT_IN)
    assert set(FORMATS) == set(_FORMATS)
