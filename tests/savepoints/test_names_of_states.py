"""What ``datastream state ls`` calls the states of a job."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from click.testing import CliRunner

from datastream.cli.state import command
from datastream.errors import CheckpointMismatch
from datastream.graph.shape import describe
from datastream.spark.checkpoints.job_file import compare
from tests.support.kept_jobs import RULES, ruled
from tests.support.savepoints import Part


@pytest.fixture(scope="module")
def job() -> Part:
    return Part(ruled, epochs=2)


def test_broadcast_states_have_the_names_of_their_descriptors(job: Part, tmp_path: Path) -> None:
    job.handle.savepoint(str(tmp_path / "savepoint"))
    shown = CliRunner().invoke(command, ["ls", str(tmp_path / "savepoint")], catch_exceptions=False).stdout
    assert [line.split()[2:4] for line in shown.splitlines() if "broadcast " in line] == [
        [RULES.get_name(), "broadcast"]
    ]


def test_broadcast_states_may_come_and_go(job: Part) -> None:
    shape = describe(job.handle._program.plan)
    (uid,) = (uid for uid, about in shape["state"].items() if any("states" in form for form in about["forms"]))
    known = copy.deepcopy(shape)
    for form in known["state"][uid]["forms"]:
        if "states" in form:
            form["states"] = ["of before"]
    compare(known, shape, "folder")
    known["state"][uid]["kind"] = "other"
    with pytest.raises(CheckpointMismatch):
        compare(known, shape, "folder")
