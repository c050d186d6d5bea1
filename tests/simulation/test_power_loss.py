"""What has to be there after a loss of power that came right behind a call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from datastream.graph import Plan
from datastream.io import Spool
from datastream.runtime.savepoints.manifest import folder_of, new_folder, read_manifest, verify
from datastream.runtime.savepoints.matching import copy_notes
from datastream.runtime.savepoints.taking import write_savepoint
from datastream.spark.checkpoints.directory import acquire
from datastream.spark.checkpoints.job_file import read_job
from tests.simulation.disk import Disk
from tests.simulation.trial import graph

_PLAN = Plan.of(graph("totals", 2, None))
_OFFSET = {"sources": {}, "final": False}


def _checkpoint_directory(folder: Path) -> None:
    acquire(str(folder / "deep" / "checkpoint"), _PLAN).release()


def _is_a_job(folder: Path) -> bool:
    return bool(read_job(folder / "deep" / "checkpoint")["id"])


def _savepoint(folder: Path) -> None:
    Spool(str(folder / "spool"), "queue").part("acknowledged").write(1, 0, b"note")
    with new_folder(folder / "savepoint") as made:
        write_savepoint(made, _PLAN, {}, _OFFSET, str(folder / "spool"), job_id="job", first_epoch=0, epoch=1)


def _is_whole(folder: Path) -> bool:
    saved = folder_of(folder / "savepoint")
    manifest = read_manifest(saved)
    verify(saved, manifest)
    return len(manifest.spool) == 1


def _restored_notes(folder: Path) -> None:
    _savepoint(folder)
    copy_notes(str(folder / "savepoint" / "spool"), str(folder / "restored"))


def _are_there(folder: Path) -> bool:
    return Spool(str(folder / "restored"), "queue").part("acknowledged").read(1, 0) == b"note"


@pytest.mark.parametrize(
    ("act", "holds"),
    [(_checkpoint_directory, _is_a_job), (_savepoint, _is_whole), (_restored_notes, _are_there)],
    ids=["a new checkpoint directory", "a savepoint", "notes of a savepoint"],
)
def test_it_survives(tmp_path: Path, act: Callable[[Path], None], holds: Callable[[Path], bool]) -> None:
    for seed in range(30):
        folder = tmp_path / str(seed)
        folder.mkdir()
        disk = Disk(str(folder), lambda name: None)
        with disk.followed():
            act(folder)
            disk.lose_power(Random(seed))
        assert holds(folder)
