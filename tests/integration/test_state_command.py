"""``datastream state`` on what a job has left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datastream.spark.checkpoints.job_file import content_of
from tests.support.processes import JOBS, Run, Runs, datastream

pytestmark = pytest.mark.long


def state(runs: Runs, *args: object) -> Run:
    return runs.start(*datastream("state", *args))


def test_states_of_a_job_are_listed_and_shown(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    runs.job("--checkpoint-dir", checkpoint, JOBS / "kept_states.py").succeed()
    before = {path: path.stat().st_mtime_ns for path in checkpoint.rglob("*")}

    listed = state(runs, "ls", "--operator", "keep", checkpoint).succeed()
    assert [line.split() for line in listed.splitlines()[1:]] == [
        ["keep", "keyed_process", "all", "list", "3"],
        ["keep", "keyed_process", "last", "value", "3"],
    ]

    shown = state(runs, "show", "--format", "json", "--limit", 20, checkpoint)
    rows = [json.loads(line) for line in shown.succeed().splitlines()]
    found = {(row["operator"], row["state"], row["key"]): row for row in rows}
    assert len(found) == len(rows) == 3 + 3 + 2
    assert found["keep", "all", "key 1"]["value"] == list(range(1, 60, 3))
    assert found["keep", "all", "key 1"]["entries"] == 2000
    assert found["keep", "last", "key 1"]["value"] == "<__main__.Note {'number': 5998}>"
    assert "warning: __main__.Note is defined in the job's own script" in shown.err
    assert found["sums", "(reduce)", 0]["value"] == sum(range(0, 6000, 2))
    assert found["sums", "(reduce)", 1]["value"] == sum(range(1, 6000, 2))

    assert {path: path.stat().st_mtime_ns for path in checkpoint.rglob("*")} == before


def test_folders_that_cannot_be_read(runs: Runs, tmp_path: Path) -> None:
    none = state(runs, "ls", tmp_path)
    assert none.wait() == 1
    assert "is not a checkpoint of a job: it has no job.json" in none.err
    (tmp_path / "job.json").write_text(json.dumps(content_of("0", {"state": {}})))
    empty = state(runs, "ls", tmp_path)
    assert empty.wait() == 1
    assert "holds no state yet: no epoch has been committed" in empty.err
