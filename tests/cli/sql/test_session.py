"""Statements of a session and what is printed of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from datastream.cli.sql.completing import completions
from datastream.cli.sql.output import Output
from datastream.cli.sql.session import SqlSession, StatementFailed
from datastream.config.settings import settings

NUMBERS = (
    "CREATE VIEW numbers AS SELECT * FROM (VALUES (1, 'a,\"b'), (2, ''), (3, CAST(NULL AS STRING))) AS t (n, word);"
)
SINK = "CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole');"


@pytest.fixture(autouse=True)
def local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    monkeypatch.setattr(settings(), "parallelism", 1)


def run(capsys: pytest.CaptureFixture[str], text: str, form: str = "table") -> tuple[str, str]:
    """What statements write to standard output, without colours and times, and to standard error."""
    session = SqlSession(Output(form))
    settings().on_started = session.jobs.note
    try:
        session.run_text(text, "the test")
    finally:
        settings().on_started = None
    found = capsys.readouterr()
    return re.sub(r"[0-9.]+ seconds|\x1b\[[0-9;]*m", "", found.out), found.err


def test_rows_come_with_their_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS v (a);")
    assert out.splitlines() == [
        "+----+----------------------+",
        "| op |                    n |",
        "+----+----------------------+",
        "| +I |                    1 |",
        "| -U |                    1 |",
        "| +U |                    2 |",
        "+----+----------------------+",
        "Received a total of 3 rows ()",
    ]


def test_final_rows_in_batch_mode(capsys: pytest.CaptureFixture[str]) -> None:
    batch = "SET 'execution.runtime-mode' = 'batch'; SET 'sql-client.display.print-time-cost' = 'false';"
    out, _ = run(capsys, f"{batch} {NUMBERS} SELECT n FROM numbers; SELECT n FROM numbers WHERE n > 9;")
    assert out.splitlines()[3:] == [
        "+---+",
        "| n |",
        "+---+",
        "| 1 |",
        "| 2 |",
        "| 3 |",
        "+---+",
        "3 rows in set",
        "Empty set",
    ]


def test_long_texts_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "SET 'sql-client.display.max-column-width' = '8'; SELECT 'abcdefghijkl' AS a;")
    assert "| +I | abcde... |" in out


def test_a_statement_set_runs_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    inserts = "INSERT INTO gone SELECT n FROM numbers; " * 2
    out, _ = run(
        capsys, f"SET 'table.dml-sync' = 'true'; {NUMBERS}{SINK}BEGIN STATEMENT SET; {inserts} END; SHOW JOBS;"
    )
    lines = out.splitlines()
    assert lines[:6] == ["[INFO] Execute statement succeeded."] * 6
    assert lines[6] == "[INFO] Complete execution of the SQL update statement."
    assert sum("FINISHED" in line for line in lines) == 1


def test_an_insert_is_not_waited_for_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, f"{NUMBERS}{SINK}INSERT INTO gone SELECT n FROM numbers;")
    assert out.splitlines()[2:4] == [
        "[INFO] Submitting SQL update statement to the cluster...",
        "[INFO] SQL update statement has been successfully submitted to the cluster:",
    ]
    assert re.fullmatch(r"Job ID: [0-9a-f]{32}", out.splitlines()[4])


def test_csv_has_rows_alone(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, f"{NUMBERS} SELECT * FROM numbers; SHOW VIEWS;", "csv")
    assert out == 'n,word\n1,"a,""b"\n2,""\n3,\nview name\nnumbers\n'
    assert err == "[INFO] Execute statement succeeded.\n"


def test_json_says_how_rows_change(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, f"{NUMBERS} SELECT * FROM numbers; SELECT COUNT(*) AS c FROM numbers WHERE n < 3;", "json")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"n": 1, "word": 'a,"b'},
        {"n": 2, "word": ""},
        {"n": 3, "word": None},
        {"op": "+I", "c": 1},
        {"op": "-U", "c": 1},
        {"op": "+U", "c": 2},
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SHOW TABLES;\nSELECT x\nFROM\n  nothing;\nSHOW VIEWS;", "the test, line 4, column 3: No table 'nothing'"),
        ("\n  SELEC 1;", "the test, line 2, column 3: expected a statement, found SELEC; did you mean SELECT?"),
        ("\nDROP TABLE nothing;", "the test, line 2: Table with identifier"),
        ("STOP JOB 'abc';", "the test, line 1: no job of this session with the id 'abc'"),
        ("DESCRIBE JOB 'abc';", "the test, line 1: no job of this session with the id 'abc'"),
        ("DESC JOB abc;", "expected DESCRIBE JOB '<id>'; SHOW JOBS lists the jobs"),
        ("BEGIN STATEMENT SET; SHOW TABLES;", "Only INSERT statement is allowed in Statement Set."),
        ("BEGIN STATEMENT SET;", "BEGIN STATEMENT SET without END"),
        (
            "SET 'sql-client.execution.result-mode' = 'table'; SELECT 1;",
            "it only supports to use TABLEAU as value of",
        ),
        ("SOURCE 'nothing.sql';", "nothing.sql cannot be read: No such file"),
    ],
)
def test_errors_say_where(capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    with pytest.raises(StatementFailed) as failed:
        run(capsys, text)
    assert said in failed.value.text
    assert "Traceback" not in failed.value.text
    if "column" in said:
        line, caret = failed.value.text.splitlines()[-2:]
        assert len(caret) == 2 + int(said.split("column ")[1][0]) and caret.endswith("^")


def test_statements_after_an_error_do_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StatementFailed):
        run(capsys, "SHOW CATALOGS; SHOW nothing; SHOW DATABASES;")
    out = capsys.readouterr().out
    assert "default_catalog" in out and "default_database" not in out


def test_reset_goes_back_to_the_beginning(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings().properties, "table.dml-sync", "true")
    changed = "SET 'table.dml-sync' = 'false'; SET 'execution.runtime-mode' = 'batch'; SET 'pipeline.name' = 'x';"
    out, _ = run(capsys, f"{changed} RESET 'table.dml-sync'; SET;", "csv")
    assert out == "key,value\nexecution.runtime-mode,batch\npipeline.name,x\ntable.dml-sync,true\n"
    out, _ = run(capsys, f"{changed} RESET; SET;", "csv")
    assert out == "key,value\nexecution.runtime-mode,STREAMING\ntable.dml-sync,true\n"


def test_set_shows_no_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "SET 's3.secret-key' = 'Zq7x'; SET 'a.url' = 'http://me:Zq7x@host'; SET;", "csv")
    assert out == "key,value\na.url,http://[hidden]@host\ns3.secret-key,[hidden]\n"


def test_files_run_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "o'clock.sql"
    file.write_text(f"{NUMBERS}\nSHOW VIEWS;")
    quoted = str(file).replace("'", "''")
    assert "| numbers |" in re.sub(" +", " ", run(capsys, f"SOURCE '{quoted}';")[0])
    file.write_text(f"\nSOURCE '{quoted}';")
    with pytest.raises(StatementFailed, match=r"o'clock\.sql, line 2: .* runs itself by SOURCE"):
        run(capsys, f"SOURCE '{quoted}';")


@pytest.fixture
def session() -> SqlSession:
    made = SqlSession(Output())
    made.run_text("CREATE TABLE orders (id INT, `order` STRING, amount INT) WITH ('connector' = 'blackhole');", "")
    return made


@pytest.mark.parametrize(
    ("before", "some"),
    [
        ("SEL", ["SELECT"]),
        ("sel", ["select"]),
        ("SHOW TABLES; SEL", ["SELECT"]),
        ("SELECT * FROM ord", ["orders"]),
        ("SELECT id FROM orders ", ["WHERE", "GROUP BY", "ORDER BY", "LIMIT"]),
        ("SELECT id FROM orders WHERE am", ["amount"]),
        ("SELECT id FROM orders AS o WHERE o.", ["id", "`order`", "amount"]),
        ("SELECT UPP", ["UPPER"]),
        ("SELECT * FROM default_database.", ["orders"]),
        ("SELECT * FROM default_catalog.default_database.", ["orders"]),
        ("USE CATALOG ", ["default_catalog"]),
        ("INSERT INTO ord", ["orders"]),
        ("CREATE TEMP", ["TEMPORARY"]),
        ("SET 'table.dml", ["table.dml-sync"]),
        ("SELECT 'sel", []),
    ],
)
def test_completion(session: SqlSession, before: str, some: list[str]) -> None:
    found = [text for text, _, _ in completions(session.t_env, before, before)]
    assert set(some) <= set(found)
    assert bool(some) or not found
