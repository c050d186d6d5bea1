"""A checkpoint directory that is deleted or replaced while its job holds it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.environment import graph_of
from datastream.errors import CheckpointDamaged, CheckpointLost, CheckpointMismatch
from datastream.graph import Plan
from datastream.spark.checkpoints import Checkpoint, acquire


def plan() -> Plan:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection([1]).print().uid("out")
    return Plan.of(graph_of(env, "job"))


def commit(folder: Path, *epochs: int) -> None:
    (folder / "commits").mkdir(exist_ok=True)
    for epoch in epochs:
        (folder / "commits" / str(epoch)).write_text("v1\n{}")
        (folder / "commits" / f".{epoch}.crc").touch()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Checkpoint]:
    """One whose job has committed two epochs."""
    checkpoint = acquire(str(tmp_path / "checkpoint"), plan())
    commit(tmp_path / "checkpoint", 0, 1)
    yield checkpoint
    checkpoint.release()


def test_a_folder_that_is_as_it_was_left_is_taken(held: Checkpoint) -> None:
    held.check()
    held.check_past(-1)
    held.check_past(1)


def _deleted(folder: Path) -> None:
    shutil.rmtree(folder)


def _emptied(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def _a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.touch()


def _copied_back(folder: Path) -> None:
    """A backup of the very job: nobody holds it."""
    folder.rename(folder.with_name("aside"))
    shutil.copytree(folder.with_name("aside"), folder)


def _anothers(folder: Path) -> None:
    folder.rename(folder.with_name("aside"))
    acquire(str(folder), plan()).release()
    commit(folder, *range(10))


def _without_job(folder: Path) -> None:
    (folder / "job.json").unlink()


@pytest.mark.parametrize("change", [_deleted, _emptied, _a_file, _copied_back, _anothers, _without_job])
def test_a_folder_that_is_another_one_is_refused(held: Checkpoint, change: Callable[[Path], None]) -> None:
    change(Path(held.path))
    for check in (held.check, lambda: held.check_past(1)):
        with pytest.raises(CheckpointLost, match="no longer the one that this job runs on: .* deleted|replaced"):
            check()


def test_what_was_put_into_the_folder_is_refused(held: Checkpoint, tmp_path: Path) -> None:
    """Its lock stays, and so only what is in it tells."""
    other = acquire(str(tmp_path / "other"), plan())
    other.release()
    own = (Path(held.path) / "job.json").read_bytes()
    shutil.copy(tmp_path / "other" / "job.json", held.path)
    with pytest.raises(CheckpointLost, match=f"it belongs to the job {other.job_id}"):
        held.check_past(1)
    (Path(held.path) / "job.json").write_bytes(own)
    with pytest.raises(CheckpointLost, match="batch 2 was committed there, and now 1 is the last one"):
        held.check_past(2)
    shutil.rmtree(Path(held.path) / "commits")
    with pytest.raises(CheckpointLost, match="batch 1 was committed there, and now no epoch is"):
        held.check_past(1)


def test_at_a_cancel_only_the_own_folder_is_deleted(held: Checkpoint, tmp_path: Path) -> None:
    _anothers(Path(held.path))
    held.delete()
    assert (tmp_path / "checkpoint" / "job.json").exists()


def test_at_a_cancel_the_own_folder_is_deleted(held: Checkpoint, tmp_path: Path) -> None:
    held.delete()
    assert not (tmp_path / "checkpoint").exists()


def test_a_damaged_id_is_told_before_any_epoch_was_planned(tmp_path: Path) -> None:
    """Spark writes it as it starts; its own error names no file."""
    acquire(str(tmp_path / "checkpoint"), plan()).release()
    (tmp_path / "checkpoint" / "metadata").touch()
    with pytest.raises(CheckpointDamaged, match=r"checkpoint/metadata is damaged: "):
        acquire(str(tmp_path / "checkpoint"), plan())


@pytest.mark.parametrize("name", ["state", "sources", "spool", "metadata", "commits", "offsets"])
def test_a_folder_with_what_would_be_taken_for_a_checkpoints_is_refused(tmp_path: Path, name: str) -> None:
    """The job would write into it, and might delete it."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "precious").touch()
    with pytest.raises(CheckpointMismatch, match=r"no job\.json|lost its job\.json"):
        acquire(str(tmp_path), plan())
    assert (tmp_path / name / "precious").exists()
    assert not (tmp_path / "job.json").exists()


@pytest.mark.parametrize(
    "name, content", [("control.json", '{"volume": 7}'), ("control.json", "notes"), ("owner.lock", "belongs to me")]
)
def test_files_of_users_with_names_of_ours_are_left_alone(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(CheckpointMismatch, match=f"is not a checkpoint .* but holds '{name}'"):
        acquire(str(tmp_path), plan())
    assert (tmp_path / name).read_text() == content
    assert [file.name for file in tmp_path.iterdir() if file.name != "owner.lock"] in ([name], [])


@pytest.mark.parametrize("name, content", [("control.json", '{"id": "a'), ("owner.lock", '{"dri'), ("owner.lock", "")])
def test_what_a_killed_driver_left_keeps_no_job_from_starting(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    acquire(str(tmp_path), plan()).release()
