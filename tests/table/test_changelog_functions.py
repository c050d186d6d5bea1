"""TO_CHANGELOG and FROM_CHANGELOG."""

from __future__ import annotations

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, UnsupportedOperation, ValidationError
from datastream.table import EnvironmentSettings, TableEnvironment
from datastream.table.catalogs.errors import TableException


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    monkeypatch.setattr(settings(), "executor", "local")
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.get_config().set("parallelism.default", "1")
    env.execute_sql("CREATE TEMPORARY VIEW names AS SELECT * FROM (VALUES ('Bob'), ('Al'), ('Bob')) AS t (name)")
    env.execute_sql("CREATE TEMPORARY VIEW counts AS SELECT name, COUNT(*) AS c FROM names GROUP BY name")
    env.execute_sql("""CREATE TEMPORARY VIEW codes AS
        SELECT * FROM (VALUES (1, 'c', 'a'), (2, 'r', 'b'), (1, 'd', 'a')) AS t (v, o, n)""")
    return env


def rows(env: TableEnvironment, query: str) -> list[tuple[object, ...]]:
    with env.execute_sql(query).collect() as found:
        return [(row.get_row_kind().name, *row) for row in found]


def test_changes_are_new_rows(tables: TableEnvironment) -> None:
    assert rows(tables, "SELECT * FROM TO_CHANGELOG(input => TABLE counts)") == [
        ("INSERT", "INSERT", "Bob", 1),
        ("INSERT", "INSERT", "Al", 1),
        ("INSERT", "UPDATE_BEFORE", "Bob", 1),
        ("INSERT", "UPDATE_AFTER", "Bob", 2),
    ]


def test_new_rows_are_inserted(tables: TableEnvironment) -> None:
    query = "SELECT * FROM TO_CHANGELOG(TABLE names, DESCRIPTOR(kind), MAP['INSERT', 'I'])"
    assert rows(tables, query) == [("INSERT", "I", "Bob"), ("INSERT", "I", "Al"), ("INSERT", "I", "Bob")]
    assert rows(tables, query.replace("'INSERT'", "'DELETE'")) == []


def test_kinds_without_a_code_are_left_out(tables: TableEnvironment) -> None:
    mapped = "op_mapping => MAP['INSERT, UPDATE_AFTER', 'U']"
    found = rows(tables, f"SELECT op, c FROM TO_CHANGELOG(input => TABLE counts, {mapped}) WHERE name = 'Bob'")
    assert found == [("INSERT", "U", 1), ("INSERT", "U", 2)]


def test_rows_are_changes(tables: TableEnvironment) -> None:
    call = (
        "FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c, r', 'INSERT', 'd', 'DELETE'])"
    )
    assert rows(tables, f"SELECT * FROM {call}") == [("INSERT", 1, "a"), ("INSERT", 2, "b"), ("DELETE", 1, "a")]
    assert rows(tables, f"SELECT SUM(v) FROM {call}")[-1] == ("UPDATE_AFTER", 2)


def test_there_and_back(tables: TableEnvironment) -> None:
    query = "SELECT * FROM FROM_CHANGELOG(input => (SELECT * FROM TO_CHANGELOG(input => TABLE counts)))"
    assert rows(tables, query) == rows(tables, "SELECT * FROM counts")


def test_a_compiled_plan_has_them(tables: TableEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
    tables.execute_sql("CREATE TABLE s (op STRING, name STRING, c BIGINT) WITH ('connector' = 'print')")
    plan = tables.compile_plan_sql("INSERT INTO s SELECT * FROM TO_CHANGELOG(input => TABLE counts)")
    plan.execute().wait()
    assert "+I[UPDATE_AFTER, Bob, 2]" in capsys.readouterr().out


def test_explain_shows_the_kinds_that_come(tables: TableEnvironment) -> None:
    call = (
        "FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c, r', 'INSERT', 'd', 'DELETE'])"
    )
    text = "".join(str(row[0]) for row in tables.execute_sql(f"EXPLAIN CHANGELOG_MODE SELECT * FROM {call}").collect())
    assert "ProcessTableFunction(invocation=[FROM_CHANGELOG(TABLE(#0))], select=[v,n], changelogMode=[I,D])" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TO_CHANGELOG(input => TABLE counts PARTITION BY name)", "Only tables with set semantics may be partitioned"),
        ("TO_CHANGELOG(input => TABLE counts, op => DESCRIPTOR(name))", "the table has a column 'name'"),
        ("TO_CHANGELOG(input => TABLE counts, op => DESCRIPTOR(a, b))", "'op' expects one column"),
        ("TO_CHANGELOG(input => TABLE counts, op_mapping => MAP['insert', 'I'])", "'insert' is no kind of change"),
        (
            "TO_CHANGELOG(input => TABLE counts, op_mapping => MAP['INSERT', 'I', 'INSERT,DELETE', 'D'])",
            "is there twice",
        ),
        ("TO_CHANGELOG(input => TABLE counts, mapping => MAP['INSERT', 'I'])", "did you mean 'op_mapping'"),
        ("TO_CHANGELOG(op => DESCRIPTOR(a))", "the argument 'input' expects a table"),
        ("FROM_CHANGELOG(input => TABLE codes)", "line 1, column 15: No column 'op'"),
        ("FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(v))", "the column 'v' has to be a STRING"),
        (
            "FROM_CHANGELOG(TABLE codes, DESCRIPTOR(o), MAP['c', 'INSERT', 'r', 'INSERT'])",
            "'INSERT' is there twice; codes of one kind are one text: 'c, r'",
        ),
    ],
)
def test_wrong_calls(tables: TableEnvironment, call: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        tables.execute_sql(f"SELECT * FROM {call}")


def test_an_unknown_code_fails_the_job(tables: TableEnvironment) -> None:
    call = "FROM_CHANGELOG(input => TABLE codes, op => DESCRIPTOR(o), op_mapping => MAP['c', 'INSERT', 'd', 'DELETE'])"
    with pytest.raises(FunctionError, match=r"Received invalid op code 'r'. Defined op codes are: \[c, d\]"):
        rows(tables, f"SELECT * FROM {call}")


def test_changes_are_no_rows_of_a_changelog(tables: TableEnvironment) -> None:
    with pytest.raises(TableException, match="takes new rows only"):
        rows(tables, "SELECT * FROM FROM_CHANGELOG(input => TABLE counts, op => DESCRIPTOR(name))")


def test_batch_mode_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    env.execute_sql("CREATE TEMPORARY VIEW names AS SELECT * FROM (VALUES ('Bob')) AS t (name)")
    with pytest.raises(UnsupportedOperation, match="streaming mode only"):
        env.execute_sql("SELECT * FROM TO_CHANGELOG(input => TABLE names)")
