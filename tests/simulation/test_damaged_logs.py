"""Logs of epochs that are damaged: who reads them says so, and names the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from datastream.errors import CheckpointError
from datastream.graph import Plan
from datastream.runtime.savepoints.manifest import new_folder
from datastream.runtime.savepoints.taking import write_savepoint
from datastream.spark.checkpoints.directory import acquire
from datastream.spark.savepoint import take_savepoint
from tests.simulation.log import Log
from tests.simulation.trial import graph

_PLAN = Plan.of(graph("totals", 2, None))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint with two epochs that are committed, and one that was planned."""
    folder = tmp_path / "checkpoint"
    acquire(str(folder), _PLAN).release()
    log = Log(str(folder))
    log.read(0)
    for epoch in range(3):
        log.plan({"sources": {"input": [epoch]}, "final": False, "epoch": epoch + 1})
        if epoch < 2:
            log.commit()
    acquire(str(folder), _PLAN).release()  # it is whole
    return folder


def test_an_epoch_that_was_planned_and_whose_offsets_are_gone_is_not_planned_again(folder: Path) -> None:
    """It may have been written in part, and would be another one."""
    (folder / "offsets" / "2").unlink()
    with pytest.raises(CheckpointError, match=f"{folder}/offsets/2 is damaged: it is missing, but its checksum"):
        acquire(str(folder), _PLAN)


def test_no_savepoint_is_taken_with_offsets_that_are_damaged(folder: Path, tmp_path: Path) -> None:
    offsets = folder / "offsets" / "1"
    offsets.write_text(offsets.read_text().replace("[1]", "[7]"))
    with pytest.raises(CheckpointError, match=f"{offsets} is damaged: it does not match its checksum"):
        take_savepoint(folder, tmp_path / "savepoint")
    assert not (tmp_path / "savepoint").exists()


def test_a_note_that_a_savepoint_would_lack_is_named_where_it_is_missing(tmp_path: Path) -> None:
    plan = Plan.of(graph("loop", 1, None))
    spool = tmp_path / "spool"
    spool.mkdir()
    offset = {"sources": {op.state_uid: 0 for op in plan.sources}, "final": False, "epoch": 2}
    with pytest.raises(CheckpointError, match=f"the note {spool}/.* is damaged: it is missing"):  # noqa: SIM117
        with new_folder(tmp_path / "savepoint") as made:
            write_savepoint(made, plan, {}, offset, str(spool), job_id="job", first_epoch=0, epoch=1)
