"""The quick start of tables by the command line, as a person would run it."""

from __future__ import annotations

from tests.support.processes import ROOT, Runs

SCRIPT = ROOT / "examples" / "table_quick_start" / "quick_start.py"


def test_quick_start(runs: Runs) -> None:
    run = runs.job("--no-progress", SCRIPT)
    shown = run.succeed()
    assert "+I[flink, 2]" in shown
    assert "+I[pyflink, 1]" in shown
    cells = [line.replace(" ", "") for line in shown.splitlines()]
    assert [line for line in cells if line in ("|3|3|", "|7|7|")] == ["|3|3|", "|7|7|"]
    assert [line for line in cells if line in ("|2|", "|3|", "|4|")] == ["|2|", "|3|", "|4|"]
    run.assert_tidy()
