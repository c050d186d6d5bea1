"""`datastream sql` in a pseudo terminal, and as a command of scripts."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Runs, datastream
from tests.support.sql_prompt import SqlPrompt

TICKS = "CREATE TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');"
GONE = "CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole');"


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    """Starts processes in the test's folder, and ends them with the test."""
    made = Runs(tmp_path)
    yield made
    made.end()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[SqlPrompt]:
    started = SqlPrompt(tmp_path)
    yield started
    started.kill()


def test_statements_are_typed(client: SqlPrompt, tmp_path: Path) -> None:
    client.type(
        "SELECT 7 AS\rseven;\r", r"\|       seven \|", r"\|           7 \|", "Received a total of 1 row", "SQL>"
    )
    client.type("SELEC 1;\r", "ERROR", "line 1, column 1: .* did you mean SELECT", r"\^", "SQL>")
    client.type("SELECT 'not ended\x03", "SQL>")
    client.type("SELECT CHR(27) || '[31m' || CHR(10) AS red;\r", r" \\x1b\[31m\\n \|", "SQL>")  # no colours of data
    client.type("CREATE VIEW few AS SELECT 5 AS five;\r", "succeeded", "SQL>")
    client.type("SELECT fi\x1b[D\x1b[D\x1b[C\x1b[C", "fi")
    client.type("ve FROM fe\t", "fe.*w")
    client.type(";\r", "Received a total of 1 row", "SQL>")
    client.type("\x1b[A\x1b[A", "CREATE")
    client.type("\x03", "SQL>")
    client.type("\x04")
    assert client.end() == 0
    kept = (tmp_path / "history").read_text()
    assert "+SELECT 7 AS\n+seven;\n" in kept and "not ended" not in kept
    assert (tmp_path / "history").stat().st_mode & 0o077 == 0


def test_ctrl_c_cancels_what_runs(client: SqlPrompt) -> None:
    client.type(f"{TICKS}{GONE}\r", "succeeded", "succeeded", "SQL>")
    client.type("SELECT * FROM ticks;\r", r"\| \+I \|", r"\| \+I \|")
    client.type("\x03", "Query terminated, received a total of", "SQL>")
    client.type("INSERT INTO gone SELECT * FROM ticks;\r", "Job ID: [0-9a-f]{32}", "SQL>", "out")  # below the prompt
    client.type("SET 'table.dml-sync' = 'true';\r", "succeeded", "SQL>")
    client.type("CREATE TABLE also LIKE gone;\r", "succeeded", "SQL>")
    client.type("INSERT INTO also SELECT * FROM ticks;\r", r"\.also: ")
    client.type("\x03", "The job was cancelled", "SQL>")
    client.type("SHOW JOBS;\r", r"CANCELED", r"RUNNING", r"CANCELED", "SQL>")
    client.type("QUIT;\r", "waiting for a job of this session; Ctrl-C cancels")
    client.type("\x03", "cancelled")
    assert client.end() == 130


@pytest.mark.long
def test_jobs_on_spark_are_cancelled(tmp_path: Path) -> None:
    client = SqlPrompt(tmp_path, "spark")
    try:
        client.type(f"{TICKS}{GONE}\r", "succeeded", "succeeded", "SQL>")
        client.type("SELECT * FROM ticks;\r", r"\| \+I \|", r"\| \+I \|")
        client.type("\x03", "Query terminated, received a total of", "SQL>")
        client.type("SET 'table.dml-sync' = 'true';\r", "succeeded", "SQL>")
        client.type("INSERT INTO gone SELECT * FROM ticks;\r", "out")
        client.type("\x03", "The job was cancelled", "SQL>")
        client.type("SELECT 7 AS seven;\r", r"\|           7 \|", "Received a total of 1 row", "SQL>")
        client.type("\x04")
        assert client.end() == 0
    finally:
        client.kill()


def test_a_view_follows_the_result(client: SqlPrompt) -> None:
    client.type(f"{TICKS}\r", "succeeded", "SQL>")
    client.type("SET 'sql-client.execution.result-mode' = 'table';\r", "succeeded", "SQL>")
    client.type("SELECT COUNT(*) AS n FROM ticks;\r", "Table, running: ", "Q quit")
    client.type("", *[r"\x1b\[0m\d+\x1b"] * 3)  # only what changes is drawn
    client.type("q", "Result retrieval cancelled", "SQL>")
    client.type("SET 'sql-client.execution.result-mode' = 'changelog';\r", "succeeded", "SQL>")
    client.type("SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t (a);\r", "Changelog, ")
    client.type("q", "SQL>")
    client.type("SELECT 1 / a FROM (VALUES (0)) AS t (a);\r", "ZeroDivisionError", "SQL>")


def run(folder: Path, *args: object, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        datastream("sql", "--executor", "local", *args), input=typed, capture_output=True, text=True, cwd=folder
    )


def test_files_end_with_the_first_error(tmp_path: Path) -> None:
    (tmp_path / "init.sql").write_text("CREATE VIEW few AS SELECT 5 AS five; SHOW VIEWS;")
    (tmp_path / "job.sql").write_text("SELECT five FROM few;\nSELECT six\nFROM few;\nSHOW CATALOGS;")
    ended = run(tmp_path, "-i", "init.sql", "-o", "csv", "-f", "job.sql")
    assert (ended.returncode, ended.stdout) == (2, "five\n5\n")
    error = ended.stderr.partition("[ERROR] Could not execute SQL statement. Reason:\n")[2]
    assert error.startswith("job.sql, line 2, column 8: No column 'six'"), ended.stderr
    assert error.endswith("\n  SELECT six\n         ^\n")


def test_what_runs_and_what_is_lost_is_said(tmp_path: Path) -> None:
    for number, seconds in enumerate((31, 2, 3)):
        (tmp_path / "readings" / f"{number}.csv").parent.mkdir(exist_ok=True)
        (tmp_path / "readings" / f"{number}.csv").write_text(
            f"{number},2024-01-01 00:00:{seconds:02},{'x' * 200}\n"  # each is an epoch
        )
    with sqlite3.connect(tmp_path / "rooms.db") as database:
        database.execute("CREATE TABLE rooms (id INTEGER, name TEXT)")
        database.execute("INSERT INTO rooms VALUES (0, 'hall')")
    database.close()
    (tmp_path / "job.sql").write_text(
        """\
        SET 'parallelism.default' = '1'; SET 'datastream.epoch.max-records' = '1'; SET 'table.dml-sync' = 'true';
        CREATE TABLE r (room INT, made TIMESTAMP(3), wide STRING, p AS PROCTIME(), WATERMARK FOR made AS made)
        WITH ('connector' = 'filesystem', 'path' = 'readings', 'format' = 'csv');
        CREATE TABLE rooms (id INT, name STRING)
        WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:rooms.db', 'table-name' = 'rooms');
        CREATE TABLE gone (n BIGINT) WITH ('connector' = 'blackhole');
        INSERT INTO gone SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(made), INTERVAL '10' SECOND))
        GROUP BY window_start, window_end;
        SELECT name FROM r JOIN rooms FOR SYSTEM_TIME AS OF r.p ON r.room = rooms.id;
        """
    )
    ended = run(tmp_path, "-o", "csv", "-f", "job.sql")
    assert (ended.returncode, ended.stdout) == (0, "name\nhall\n"), ended.stderr
    said = [line for line in ended.stderr.splitlines() if not line.startswith("[INFO]")]
    assert said[0] == "running: insert-into_default_catalog.default_database.gone (job.sql, line 7)"
    assert re.fullmatch(r"warning: 2 records came late at .*WindowAggregate.*, and were dropped", said[1]), said
    assert said[2].startswith("finished: 3 records in")
    assert said[3] == "running: query (job.sql, line 9)"
    assert re.fullmatch(r"warning: 2 records found nothing at .*LookupJoin.*, and were dropped", said[4]), said
    quiet = run(tmp_path, "--no-progress", "-o", "csv", "-f", "job.sql").stderr.splitlines()
    assert [line for line in quiet if not line.startswith("[INFO]")] == [said[1], said[4]]


def test_records_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    for number in range(3):  # each is an epoch
        (tmp_path / "json" / f"{number}.json").write_text(f'{{"n": {number}}}\nno\n["no"]\n')
    (tmp_path / "few.csv").write_text("1,a\n2\n3,b,c\n")
    (tmp_path / "job.sql").write_text(
        """\
        SET 'parallelism.default' = '1'; SET 'datastream.epoch.max-records' = '1';
        CREATE TABLE j (n INT) WITH ('connector' = 'filesystem', 'path' = 'json', 'format' = 'json',
        'json.ignore-parse-errors' = 'true');
        CREATE TABLE c (n INT, s STRING) WITH ('connector' = 'filesystem', 'path' = 'few.csv', 'format' = 'csv',
        'csv.ignore-parse-errors' = 'true');
        SELECT n FROM j;
        SELECT n FROM c;
        """
    )
    ended = run(tmp_path, "-o", "csv", "-f", "job.sql")
    assert ended.returncode == 0, ended.stderr
    said = [line for line in ended.stderr.splitlines() if " could not be read at " in line]
    place = "could not be read at Source: table `default_catalog`.`default_database`"
    assert said == [
        f"warning: 6 records {place}.`j`, and were dropped",
        f"warning: 1 record {place}.`c`, and was dropped",
    ]


def test_an_interrupted_file(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(f"{TICKS}\nSELECT * FROM ticks;\nSHOW CATALOGS;")
    started = runs.start(*datastream("sql", "--executor", "local", "-o", "csv", "-f", tmp_path / "job.sql"))
    started.until(lambda: started.out.count("\n") > 2, "rows")
    started.process.send_signal(signal.SIGINT)
    assert started.wait() == 130
    assert "cancelling; Ctrl-C again ends at once" in started.err and "Traceback" not in started.err
    assert "default_catalog" not in started.out


def test_jobs_are_waited_for(tmp_path: Path) -> None:
    rows = "INSERT INTO shown VALUES (1), (2);"
    failing = "INSERT INTO shown SELECT 1 / n FROM (VALUES (0)) AS t (n);"
    text = f"CREATE TABLE shown (n INT) WITH ('connector' = 'print'); {rows} {failing}"
    ended = run(tmp_path, typed=text)
    assert "+I[1]" in ended.stdout and "+I[2]" in ended.stdout
    assert ended.returncode == 1 and "ZeroDivisionError" in ended.stderr, ended.stderr
    assert "Traceback" not in ended.stderr


def test_nothing_of_spark_is_imported(tmp_path: Path) -> None:
    code = "import sys; from datastream.cli import main\ntry: main(['sql', '-e', 'SHOW TABLES; EXPLAIN SELECT 1'])\n"
    code += "except SystemExit as end: print(end.code, {'pyspark', 'pandas', 'prompt_toolkit'} & set(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert ended.stdout.endswith("0 set()\n"), ended.stdout + ended.stderr


STUBBORN = """
import threading
from datastream.cli.sql.cancelling import run_cancellable

def work():
    print("begun", flush=True)
    threading.Event().wait()

run_cancellable(work, lambda: print("asked to end", flush=True))
"""


def test_the_third_interrupt_ends_the_process(runs: Runs) -> None:
    started = runs.start(sys.executable, "-c", STUBBORN)
    started.until(lambda: "begun" in started.out, "its begin")
    started.process.send_signal(signal.SIGINT)
    started.until(lambda: "asked to end" in started.out, "the first interrupt")
    started.process.send_signal(signal.SIGINT)
    started.until(lambda: "Ctrl-C again ends the client at once" in started.err, "the second interrupt")
    started.process.send_signal(signal.SIGINT)
    assert started.wait() == 130
