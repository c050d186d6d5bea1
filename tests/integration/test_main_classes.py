"""Records of classes that the job's own script defines."""

from __future__ import annotations

import pytest

from tests.support.processes import JOBS, Runs

pytestmark = pytest.mark.long  # many processes of their own


def test_records_of_classes_of_the_main_module(runs: Runs) -> None:
    out = runs.job(JOBS / "main_classes.py", 5000).succeed()
    assert "all records came back as what they were" in out
