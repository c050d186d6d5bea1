"""What finalizers raise fails a test, but for those that run where deeply nested data has used up the frames."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TESTS = """
class Finalized:
    def __del__(self):
        count(9)

def count(number):
    return number and count(number - 1)

def deeper(finalized):
    try:
        deeper(finalized)
    except RecursionError:
        finalized.pop()
        raise

def test_without_frames():
    finalized = [Finalized() for _ in range(1000)]
    try:
        deeper(finalized)
    except RecursionError:
        pass

class Broken:
    def __del__(self):
        raise ValueError("of a finalizer")

def test_broken():
    Broken()
"""


def test_a_finalizer_without_frames_fails_no_test_but_a_broken_one_does(tmp_path: Path) -> None:
    (tmp_path / "test_them.py").write_text(_TESTS)
    options = ["-q", "-p", "tests.support.isolation", "-p", "no:cacheprovider", "-W", "error", "--rootdir", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tmp_path], capture_output=True, text=True, check=False
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "ValueError: of a finalizer" in done.stdout
