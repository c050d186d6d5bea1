"""Jobs on Spark that read and write tables of Delta Lake, and are killed (-9)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.support.processes import ROOT


def run(folder: Path, point: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "datastream.cli",
        "run",
        "--no-progress",
        "--checkpoint-dir",
        f"{folder}/checkpoint",
    ]
    command += ["-D", "datastream.epoch.max-records=20", "tests/connectors/delta/killed_job.py", str(folder), point]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)


@pytest.mark.long
@pytest.mark.parametrize("point", ["files", "before", "after"])
def test_a_job_that_was_killed_goes_on_with_exact_rows(tmp_path: Path, point: str) -> None:
    for start in range(0, 100, 10):
        write_deltalake(tmp_path / "in", pa.table({"id": list(range(start, start + 10))}), mode="append")
    first = run(tmp_path, point)
    assert first.returncode == -signal.SIGKILL, first.stdout + first.stderr
    assert (tmp_path / "died").exists()
    again = run(tmp_path, point)
    assert again.returncode == 0, again.stdout + again.stderr
    table = DeltaTable(tmp_path / "out")
    assert sorted(table.to_pyarrow_table()["id"].to_pylist()) == list(range(100))
    assert table.version() >= 4
