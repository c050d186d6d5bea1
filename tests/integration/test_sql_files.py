"""`datastream run` with a file of SQL."""

from __future__ import annotations

from pathlib import Path

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
