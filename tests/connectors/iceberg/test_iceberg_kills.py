"""Jobs on Spark that read and write tables of Apache Iceberg, and are killed (-9)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from tests.connectors.iceberg.killed_job import properties
from tests.support.processes import ROOT
from tests.support.waiting import wait_until


def start(folder: Path, point: str, kind: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", "-D", "datastream.epoch.max-records=20"]
    command += ["--checkpoint-dir", f"{folder}/checkpoint", "tests/connectors/iceberg/killed_job.py", str(folder)]
    return subprocess.Popen(
        [*command, point, kind], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def run(folder: Path, point: str, kind: str) -> tuple[int, str]:
    process = start(folder, point, kind)
    output, _ = process.communicate(timeout=200)
    return process.returncode, output


def add(folder: Path, rows: pa.Table) -> None:
    with load_catalog("c", **properties(str(folder))) as catalog:
        catalog.create_namespace_if_not_exists("db")
        catalog.create_table_if_not_exists("db.in", rows.schema).append(rows)


def written(folder: Path) -> pa.Table:
    with load_catalog("c", **properties(str(folder))) as catalog:
        return catalog.load_table("db.out").scan().to_arrow()


@pytest.mark.long
@pytest.mark.parametrize("point", ["files", "before", "after"])
def test_a_job_that_was_killed_goes_on_with_exact_rows(tmp_path: Path, point: str) -> None:
    for start in range(0, 100, 10):
        add(tmp_path, pa.table({"id": list(range(start, start + 10))}))
    first = run(tmp_path, point, "append")
    assert first[0] == -signal.SIGKILL, first[1]
    assert (tmp_path / "died").exists()
    again = run(tmp_path, point, "append")
    assert again[0] == 0, again[1]
    assert sorted(written(tmp_path)["id"].to_pylist()) == list(range(100))


@pytest.mark.long
@pytest.mark.parametrize("point", ["files", "before", "after"])
def test_a_job_that_follows_and_merges_goes_on_after_a_kill(tmp_path: Path, point: str) -> None:
    def add_rows(version: int) -> None:
        numbers = range(version * 10, version * 10 + 10)
        add(tmp_path, pa.table({"key": [n % 7 for n in numbers], "n": list(numbers)}))

    def found() -> dict[int, int]:
        table = written(tmp_path)
        pairs = list(zip(table["key"].to_pylist(), table["n"].to_pylist(), strict=True))
        assert len(dict(pairs)) == len(pairs), "a key is there twice"
        return dict(pairs)

    for version in range(8):
        add_rows(version)
    first = run(tmp_path, point, "merge")
    assert first[0] == -signal.SIGKILL, first[1]
    again = start(tmp_path, point, "merge")
    try:
        add_rows(8)
        expected = {n % 7: n for n in range(90)}
        wait_until(lambda: again.poll() is not None or found() == expected, "merged rows", every_s=0.2)
        assert found() == expected
        again.terminate()
        again.communicate(timeout=60)
    finally:
        again.kill()
