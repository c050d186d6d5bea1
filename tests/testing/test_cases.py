"""Cases that share a job."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from datastream import StreamExecutionEnvironment
from datastream.config.settings import settings
from datastream.testing import Runner, case, collect
from datastream.testing.cases import Case
from tests.support.waiting import PATIENCE_S

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


@pytest.mark.long
def test_only_the_case_at_fault_fails_and_one_worker_has_them_all(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_small.py").write_text(ONE_FAILS)
    command = [sys.executable, "-m", "pytest", "-v", "--rootdir", tmp_path, "-p", "no:cacheprovider", "-k", "spark"]
    done = subprocess.run(
        [*command, "-n", "2", "--dist", "loadgroup", tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
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
    with pytest.raises(TypeError, match=r"there is no yield in test_nothing \(.*test_cases\.py:\d+\)"):

        @case
        def test_nothing(env: object) -> None:
            pass


def a_list(env: StreamExecutionEnvironment) -> Generator[Any, Any, None]:
    yield [env.from_collection([1])]


def nothing(env: StreamExecutionEnvironment) -> Generator[Any, Any, None]:
    if env is None:
        yield


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (a_list, r"expected one stream or a tuple of them, got list \[.*\] from a_list \(.*test_cases\.py:\d+\)"),
        (nothing, r"nothing was yielded by nothing \(.*test_cases\.py:\d+\)"),
    ],
)
def test_what_a_case_yields_are_streams(build: Callable[..., Any], text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", "local")
    with pytest.raises(TypeError, match=text):
        Runner("local", {}).check(Case(build))


def test_a_case_that_cannot_be_built_does_not_fail_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[int] = []

    def good(env: StreamExecutionEnvironment) -> Generator[Any, Any, None]:
        got.extend((yield env.from_collection([1])))

    monkeypatch.setattr(settings(), "executor", "local")
    wrong, right = Case(a_list), Case(good)
    runner = Runner("spark", {wrong: "together", right: "together"})  # shares as on Spark, runs here
    runner.check(right)
    assert got == [1]


@pytest.mark.parametrize("before", ["local", "spark"])
def test_collect_runs_on_the_executor_it_is_given(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings(), "executor", before)
    env = StreamExecutionEnvironment.get_execution_environment()
    here = os.getpid()
    assert collect(env.from_collection([1]).map(lambda n: os.getpid()), executor="local") == [here]
    assert settings().executor == before
    with pytest.raises(ValueError, match="expected 'local' or 'spark', got 'flink'"):
        collect(env.from_collection([1]), executor="flink")
