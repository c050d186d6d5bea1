"""Records of classes that the job's own script defines."""

from __future__ import annotations

from tests.support.processes import JOBS, Runs


def test_records_of_classes_of_the_main_module(runs: Runs) -> None:
    out = runs.job(JOBS / "main_classes.py", 5000).succeed()
    assert "all records came back as what they were" in out
