"""What happens when a checkpoint directory cannot be used, and when its job has finished."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from datastream import Configuration, StreamExecutionEnvironment
from datastream.errors import CheckpointMismatch
from tests.chaos.disk import Disk, can_mount
from tests.support.processes import JOBS, Run, Runs, visible_lines


def start(runs: Runs, folder: Path, checkpoint: Path, *args: object) -> Run:
    return runs.job("--checkpoint-dir", checkpoint, JOBS / "running_sums.py", folder / "out", *args)


def content(folder: Path) -> dict[str, bytes]:
    """All files below a folder, save who owns it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "owner.lock"
    }


def assert_refused(run: Run, *messages: str, code: int = 2) -> None:
    assert run.wait() == code, run.told()
    for message in messages:
        assert message in run.err, run.told()
    assert "Traceback" not in run.err, run.told()
    run.assert_tidy()


@pytest.mark.long
def test_another_jobs_folder_is_refused_and_left_alone(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    start(runs, tmp_path, checkpoint).succeed()
    before = content(checkpoint)
    assert_refused(
        start(runs, tmp_path, checkpoint, "--uid", "totals"),
        "belongs to another job",
        "state: 'sums' is only in the checkpoint",
        "state: 'totals' is only in the job",
        "choose another --checkpoint-dir",
    )
    assert content(checkpoint) == before

    again = start(runs, tmp_path, checkpoint)
    again.succeed()
    assert sorted(map(int, visible_lines(tmp_path / "out" / "numbers"))) == list(range(1, 101))
    again.assert_tidy()


@pytest.mark.long
def test_a_folder_in_use_is_refused_and_so_is_another_querys(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    owner = runs.job("--checkpoint-dir", checkpoint, JOBS / "endless.py")
    owner.until((checkpoint / "commits" / "0").exists, "first epoch")
    second = runs.job("--checkpoint-dir", checkpoint, JOBS / "endless.py")
    assert_refused(second, f"(process {owner.process.pid}) holds the checkpoint directory", code=1)
    assert owner.process.poll() is None, "the first job goes on"

    foreign = tmp_path / "foreign"
    (foreign / "offsets").mkdir(parents=True)
    (foreign / "offsets" / "0").write_text("v1\n{}\n")
    before = content(foreign)
    assert_refused(start(runs, tmp_path, foreign), "another Spark query", "choose another directory")
    assert content(foreign) == before


def test_a_second_job_of_a_script_is_refused_in_the_folder_of_a_finished_one(tmp_path: Path) -> None:
    def numbers(rest: int, folder: str) -> list[int]:
        configuration = Configuration()
        configuration.set_string("execution.checkpointing.dir", str(tmp_path / folder))
        stream = StreamExecutionEnvironment.get_execution_environment(configuration).from_sequence(1, 9)
        with stream.filter(lambda n: n % 2 == rest).execute_and_collect() as found:
            return sorted(found)

    assert numbers(0, "one") == [2, 4, 6, 8]
    with pytest.raises(CheckpointMismatch, match="earlier job of this script.*\n.*a directory of its own"):
        numbers(1, "one")
    assert numbers(1, "two") == [1, 3, 5, 7, 9]
    shutil.rmtree(tmp_path / "one")
    assert numbers(1, "one") == [1, 3, 5, 7, 9]


@pytest.mark.long
@pytest.mark.parametrize("known", [False, True])
def test_a_full_disk_is_named(runs: Runs, tmp_path: Path, known: bool) -> None:
    """Before the first byte could be written there, and when only the driver's own note does not fit any more."""
    if not can_mount():
        pytest.skip("this user may not mount")
    disk = Disk(tmp_path / "disk")
    try:
        checkpoint = tmp_path / "disk" / "checkpoint"
        if known:
            start(runs, tmp_path, checkpoint).succeed()
            (checkpoint / "owner.lock").write_bytes(b"")
        disk.fill()
        run = start(runs, tmp_path, checkpoint, *(("--count", 200) if known else ()))
        assert run.wait() != 0, run.told()
        assert "No space left on device" in run.err or "the disk is full" in run.err, run.told()
        assert "Traceback" not in run.err, run.told()
        run.assert_tidy()
    finally:
        disk.remove()
