"""Golden savepoints, and those of golden checkpoints, go on in a new folder, by other numbers of tasks and groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from golden import archives, running

from datastream.spark.savepoint import take_savepoint

pytestmark = pytest.mark.long  # many processes of their own

SHAPES: list[dict[str, str]] = [{}, {"parallelism.default": "5"}, {"pipeline.max-parallelism": "37"}]


@pytest.mark.parametrize(("release", "job"), archives.names())
def test_a_savepoint_of_a_golden_checkpoint_goes_on(release: str, job: str, tmp_path: Path) -> None:
    golden = archives.unpack(release, job, tmp_path)
    manifest = take_savepoint(golden.checkpoint, tmp_path / "savepoint")
    assert manifest.keys
    goes_on(job, golden, tmp_path / "savepoint", tmp_path / "new")


@pytest.mark.parametrize(("release", "job"), archives.names(archives.SAVEPOINTS))
def test_a_golden_savepoint_goes_on(release: str, job: str, tmp_path: Path) -> None:
    golden = archives.unpack(release, job, tmp_path, archives.SAVEPOINTS)
    goes_on(job, golden, golden.checkpoint, tmp_path / "new")


def goes_on(job: str, golden: archives.Golden, savepoint: Path, new: Path) -> None:
    for number, shape in enumerate(SHAPES):
        executor = "spark" if number == 0 else "local"
        more = {"execution.state-recovery.path": str(savepoint), **shape}
        after = running.run(job, new if executor == "spark" else None, executor, more=more)
        found, wanted = running.settled(golden.before + after), running.settled(golden.whole)
        lost, extra = list((wanted - found).items())[:5], list((found - wanted).items())[:5]
        assert found == wanted, f"{shape}: not there {lost}; too often {extra}"
