"""`datastream run` with a file of SQL."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from tests.support.processes import Runs, datastream

FILE = """
-- Numbers.
CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '3');
CREATE TABLE shown (n INT) WITH ('connector' = 'print');
INSERT INTO shown SELECT n * 10 FROM numbers;
SELECT 'a;b' AS text
"""


def run(runs: Runs, folder: Path, text: str) -> tuple[int, str, str]:
    file = folder / "job.sql"
    file.write_text(text)
    started = runs.start(*datastream("run", "--executor", "local", file))
    return started.wait(), started.out, started.err


def test_statements_one_after_the_other(runs: Runs, tmp_path: Path) -> None:
    code, out, err = run(runs, tmp_path, FILE)
    assert code == 0, err
    printed = [line.partition("> ")[2] or line for line in out.splitlines() if "+I[" in line]
    assert sorted(printed) == ["+I[10]", "+I[20]", "+I[30]"]
    assert "a;b |" in out and "1 row in set" in out
    assert "3/4 INSERT INTO shown SELECT n * 10 FROM numbers: done in" in err


def test_a_wrong_file_runs_nothing(runs: Runs, tmp_path: Path) -> None:
    code, out, err = run(runs, tmp_path, "SELECT 1;\nSELECT 1 AS\na b;")
    assert code == 2 and out == ""
    assert "job.sql: line 3, column 3: expected" in err and "a b;\n" in err


def test_a_wrong_statement_is_named(runs: Runs, tmp_path: Path) -> None:
    code, out, err = run(runs, tmp_path, "SELECT 1;\nSELECT n FROM nothing;")
    assert code == 2 and "1 row in set" in out
    assert "2/2 SELECT n FROM nothing: begins\n" in err
    assert "job.sql: line 2, column 15: No table 'nothing'" in err
    assert f"  SELECT n FROM nothing;\n  {' ' * 14}^" in err


TABLES = """
CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen', 'number-of-rows' = '3',
  'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '2');
CREATE TABLE ticks (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '20');
CREATE TABLE shown (n INT) WITH ('connector' = 'print');
CREATE TABLE gone (n INT) WITH ('connector' = 'blackhole');
SET 'parallelism.default' = '1';
"""
ENDLESS = TABLES + "INSERT INTO gone SELECT n FROM ticks;\n"


@pytest.mark.long
def test_inserts_run_side_by_side(runs: Runs, tmp_path: Path) -> None:
    text = TABLES + "INSERT INTO shown SELECT n FROM ticks;\nINSERT INTO shown SELECT 1000 + n FROM numbers;"
    (tmp_path / "job.sql").write_text(text)
    started = runs.start(*datastream("run", "--executor", "local", "job.sql"))
    started.until(lambda: started.out.count("\n+I[100") == 3 and started.out.count("+I") > 5, "rows of both")
    assert "7/7 INSERT INTO shown SELECT 1000 + n FROM numbers: done in" in started.err
    started.process.terminate()
    assert started.wait() == 130
    assert all(re.fullmatch(r"\+I\[-?\d+\]", line) for line in started.out.splitlines())


def test_statements_wait_for_inserts_if_that_is_set(runs: Runs, tmp_path: Path) -> None:
    inserts = "".join(f"INSERT INTO kept VALUES ({n});\nSELECT COUNT(*) AS n FROM kept;\n" for n in range(3))
    made = (
        f"CREATE TABLE kept (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/kept', 'format' = 'csv');\n"
    )
    settings = "SET 'execution.runtime-mode' = 'batch';\nSET 'table.dml-sync' = 'true';\n"
    code, out, err = run(runs, tmp_path, settings + made + inserts)
    assert code == 0, err
    assert re.findall(r"\|\s+(\d+) \|", out) == ["1", "2", "3"]
    assert "runs as a job" not in err


def test_a_wrong_setting_is_refused_before_the_insert_starts(runs: Runs, tmp_path: Path) -> None:
    made = (
        f"CREATE TABLE kept (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/kept', 'format' = 'csv');\n"
    )
    code, _, err = run(runs, tmp_path, f"SET 'table.dml-sync' = 'maybe';\n{made}INSERT INTO kept VALUES (1);\n")
    assert code == 2 and "expected true or false" in err
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("last", "number"),
    [
        ("INSERT INTO shown SELECT n FROM ticks", signal.SIGTERM),
        ("SELECT n FROM ticks", signal.SIGINT),
        ("SET 'table.dml-sync' = 'true'; INSERT INTO shown SELECT n FROM ticks", signal.SIGTERM),
    ],
)
def test_a_signal_ends_a_file_without_a_traceback(
    runs: Runs, tmp_path: Path, last: str, number: signal.Signals
) -> None:
    (tmp_path / "job.sql").write_text(ENDLESS + last)
    started = runs.start(*datastream("run", "--executor", "local", "job.sql"))
    started.until(lambda: "+I" in started.out, "rows")
    started.process.send_signal(number)
    assert started.wait() == 130
    assert started.err.splitlines()[-1] == "cancelled" and "Traceback" not in started.err


@pytest.mark.long
def test_a_signal_ends_a_file_on_spark_without_a_traceback(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "job.sql").write_text(ENDLESS + "INSERT INTO shown SELECT n FROM ticks")
    started = runs.start(*datastream("run", "job.sql"))
    started.until(lambda: "+I" in started.out, "rows")
    started.process.terminate()
    assert started.wait() == 130
    assert started.err.splitlines()[-1] == "cancelled" and "Traceback" not in started.err
    started.assert_tidy()


def test_inserts_into_one_folder_lose_no_row(runs: Runs, tmp_path: Path) -> None:
    made = (
        f"CREATE TABLE kept (n INT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/kept', 'format' = 'csv');\n"
    )
    code, _, err = run(runs, tmp_path, made + "".join(f"INSERT INTO kept VALUES ({n});\n" for n in range(4)))
    assert code == 0, err
    rows = [line for path in (tmp_path / "kept").glob("part*") for line in path.read_text().split()]
    assert sorted(rows) == ["0", "1", "2", "3"]


def test_modules_of_functions_import_pyflink(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "numbers_of.py").write_text(
        "from pyflink.table import DataTypes\nfrom pyflink.table.udf import udf\n\n"
        "@udf(result_type=DataTypes.INT())\ndef twice(n):\n    return 2 * n\n"
    )
    text = "CREATE FUNCTION twice AS 'numbers_of.twice' LANGUAGE PYTHON; SELECT twice(21) AS n"
    files = f"python.files={tmp_path / 'numbers_of.py'}"
    started = runs.start(*datastream("sql", "--executor", "local", "-D", files, "-e", text))
    assert started.wait() == 0, started.err
    assert "|          42 |" in started.out
