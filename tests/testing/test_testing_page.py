"""The files of docs/testing.md are tests that pass."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.processes import ROOT

FILE = re.compile(r"^```python\n# (\S+\.py)\n(.*?)^```", re.S | re.M)


def test_the_page_passes_on_both_executors(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "testing.md").read_text()
    for name, code in FILE.findall(page):
        (tmp_path / name).write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", tmp_path, "-p", "no:cacheprovider", tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "6 passed" in done.stdout, done.stdout + done.stderr
