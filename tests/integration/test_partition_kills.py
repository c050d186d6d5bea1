"""The process that commits is killed when the rows of a partition are visible, and its file of success is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import JOBS, Run, Runs, visible_lines

pytestmark = pytest.mark.long


def start(runs: Runs, folder: Path) -> Run:
    return runs.job(
        "--checkpoint-dir", folder / "checkpoint",
        "-D", "restart-strategy.type=none", "-D", "datastream.epoch.max-records=20",
        JOBS / "hours.py", folder,
    )  # fmt: skip


def partitions(folder: Path) -> set[Path]:
    return {path for path in (folder / "out").iterdir() if not path.name.startswith(".")}


def test_success_comes_after_the_rows_and_in_spite_of_a_kill(runs: Runs, tmp_path: Path) -> None:
    killed = start(runs, tmp_path)
    assert killed.wait() == 1, killed.told()
    first = Path((tmp_path / "killed").read_text())
    assert first in partitions(tmp_path)
    assert len(visible_lines(first)) == 10
    assert list(tmp_path.rglob("_SUCCESS")) == []
    start(runs, tmp_path).succeed()
    assert len(partitions(tmp_path)) == 10
    assert all((path / "_SUCCESS").is_file() for path in partitions(tmp_path))
    assert sorted(int(line) for path in partitions(tmp_path) for line in visible_lines(path)) == list(range(100))
