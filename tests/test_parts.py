"""How the tests are divided: parts of the long ones, and what begins first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.seconds import FILE, LONG, ROOT, USUAL, learn, parts_of


def test_parts_are_as_long_as_one_another_and_each_file_is_in_one() -> None:
    seconds = {f"tests/test_{n}.py": float(n) for n in range(1, 40)}
    part = parts_of(seconds, 8)
    sums = [sum(seconds[file] for file in part if part[file] == which) for which in range(1, 9)]
    assert part.keys() == seconds.keys() and set(part.values()) == set(range(1, 9))
    assert max(sums) - min(sums) <= max(sums) / 10
    assert part == parts_of(dict(reversed(seconds.items())), 8)


def record(path: Path, long: bool, took: dict[str, float], rest: int = 6_000) -> Path:
    tests = {f"{file}::test": seconds for file, seconds in took.items()} | {
        f"tests/gone.py::{n}": 0.0 for n in range(rest)
    }
    lines = [
        {"test": test, "seconds": {"setup": 0.5, "call": seconds}, "long": long} for test, seconds in tests.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_seconds_are_those_of_the_last_whole_runs(tmp_path: Path) -> None:
    known = {USUAL: {"tests/test_docs.py": 9.0, "tests/test_version.py": 7.0, "tests/gone.py": 8.0}, LONG: {}}
    records = [
        record(tmp_path / "1", False, {"tests/test_docs.py": 5.0}),
        record(tmp_path / "2", True, {"tests/test_docs.py": 80.0, "tests/names/test_names.py": 0.1}, rest=100),
        record(tmp_path / "3", False, {"tests/test_docs.py": 4.0}, rest=10),
    ]
    assert learn(known, records) == {
        USUAL: {"tests/test_version.py": 7.0, "tests/test_docs.py": 5.5},
        LONG: {"tests/test_docs.py": 80.5},
    }


def test_the_files_that_are_kept_are_there() -> None:
    for seconds in json.loads(FILE.read_text()).values():
        assert [file for file in seconds if not (ROOT / file).exists()] == []


BOTH = """
import pytest

@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("run", ["local", "spark"])
def test_a(n, run): pass

@pytest.mark.parametrize("engine", ["spark"])
def test_on_spark_alone(engine): pass
"""


def test_each_turn_has_some_of_a_file_on_spark_and_all_turns_have_all(tmp_path: Path) -> None:
    (tmp_path / "test_both.py").write_text(BOTH)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    long\n    long_on_spark\n")
    seen: list[str] = []
    for turn in ("1/3", "2/3", "3/3"):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tests.support.selection",
            "--on-spark",
            turn,
            "--collect-only",
            "-q",
        ]
        found = subprocess.run(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        assert len([test for test in found if "local" in test]) == 7
        assert len([test for test in found if "on_spark_alone" in test]) == 1
        on_spark = [test for test in found if "[spark-" in test]
        assert len(on_spark) >= 2
        seen += on_spark
    assert len(seen) == len(set(seen)) == 7
