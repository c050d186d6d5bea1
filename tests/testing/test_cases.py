"""Cases that share a job."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from datastream.testing import case

CONFTEST = 'pytest_plugins = ["datastream.testing.plugin"]\n'
ONE_FAILS = """
from datastream.testing import case

@case
def test_sum(env):
    got = yield env.from_collection([1, 2])
    assert sum(got) == 3

@case
def test_division(env):
    got = yield env.from_collection([1, 0]).map(lambda n: 1 // n)

@case
def test_assertion(env):
    got = yield env.from_collection([1, 2])
    assert got == []
"""


def test_only_the_case_at_fault_fails_and_one_worker_has_them_all(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_small.py").write_text(ONE_FAILS)
    command = [sys.executable, "-m", "pytest", "-v", "--rootdir", tmp_path, "-p", "no:cacheprovider", "-k", "spark"]
    done = subprocess.run(
        [*command, "-n", "2", "--dist", "loadgroup", tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    ended = re.findall(r"^\[(gw\d)\] \[ *\d+%\] ([A-Z]+) test_small.py::(\S+)@spark-2-0", done.stdout, re.M)
    assert {name: result for _, result, name in ended} == {
        "test_sum[spark]": "PASSED",
        "test_division[spark]": "FAILED",
        "test_assertion[spark]": "FAILED",
    }, done.stdout + done.stderr
    assert len({worker for worker, _, _ in ended}) == 1
    assert "test_small.py:16: AssertionError" in done.stdout


def test_a_case_yields() -> None:
    with pytest.raises(TypeError, match="expected a function that yields streams, got <function"):

        @case
        def test_nothing(env: object) -> None:
            pass
