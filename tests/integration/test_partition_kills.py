"""The process that commits is killed when the rows of a partition are visible, and its file of success is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from datastream.connectors.files.remote.location import parse_location
from tests.support.processes import JOBS, Run, Runs, visible_lines

pytestmark = pytest.mark.long


def start(runs: Runs, folder: Path, path: object) -> Run:
    return runs.job(
        "--checkpoint-dir", folder / "checkpoint",
        "-D", "restart-strategy.type=none", "-D", "datastream.epoch.max-records=20",
        JOBS / "hours.py", folder, path,
    )  # fmt: skip


def partitions(folder: Path) -> set[Path]:
    return {path for path in (folder / "out").iterdir() if not path.name.startswith(".")}


def test_success_comes_after_the_rows_and_in_spite_of_a_kill(runs: Runs, tmp_path: Path) -> None:
    killed = start(runs, tmp_path, tmp_path / "out")
    assert killed.wait() == 1, killed.told()
    first = Path((tmp_path / "killed").read_text())
    assert first in partitions(tmp_path)
    assert len(visible_lines(first)) == 10
    assert list(tmp_path.rglob("_SUCCESS")) == []
    start(runs, tmp_path, tmp_path / "out").succeed()
    assert len(partitions(tmp_path)) == 10
    assert all((path / "_SUCCESS").is_file() for path in partitions(tmp_path))
    assert sorted(int(line) for path in partitions(tmp_path) for line in visible_lines(path)) == list(range(100))


def test_the_same_on_s3(runs: Runs, tmp_path: Path, s3: Any) -> None:
    path = s3.uri("out")
    killed = start(runs, tmp_path, path)
    assert killed.wait() == 1, killed.told()
    first = parse_location((tmp_path / "killed").read_text()).path
    assert len(s3.lines(f"{first}/")) == 10
    assert [key for key in s3.visible() if "_SUCCESS" in key] == []
    start(runs, tmp_path, path).succeed()
    done = [key.rpartition("/")[0] for key in s3.visible() if key.endswith("/_SUCCESS")]
    assert len(done) == 10 and first in done
    assert sorted(map(int, s3.lines("out/"))) == list(range(100))
    assert s3.uploads() == []
