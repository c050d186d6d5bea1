"""What happens when a checkpoint folder cannot be used, and when its job has finished."""

from __future__ import annotations

from pathlib import Path

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


def assert_refused(run: Run, *messages: str) -> None:
    assert run.wait() == 1, run.told()
    for message in messages:
        assert message in run.err, run.told()
    assert "Traceback" not in run.err, run.told()
    run.assert_tidy()


def test_another_jobs_folder_is_refused_and_left_alone(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    start(runs, tmp_path, checkpoint).succeed()
    before = content(checkpoint)
    assert_refused(
        start(runs, tmp_path, checkpoint, "--uid", "totals"),
        "belongs to another job",
        '"sums"',
        '"totals"',
        "choose another --checkpoint-dir",
    )
    assert content(checkpoint) == before

    again = start(runs, tmp_path, checkpoint)
    again.succeed()
    assert sorted(map(int, visible_lines(tmp_path / "out" / "numbers"))) == list(range(1, 101))
    again.assert_tidy()


def test_a_folder_in_use_is_refused_and_so_is_another_querys(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    owner = runs.job("--checkpoint-dir", checkpoint, JOBS / "endless.py")
    owner.until((checkpoint / "commits" / "0").exists, "first epoch")
    second = runs.job("--checkpoint-dir", checkpoint, JOBS / "endless.py")
    assert_refused(second, f"(process {owner.process.pid}) holds the checkpoint folder")
    assert owner.process.poll() is None, "the first job goes on"

    foreign = tmp_path / "foreign"
    (foreign / "offsets").mkdir(parents=True)
    (foreign / "offsets" / "0").write_text("v1\n{}\n")
    before = content(foreign)
    assert_refused(start(runs, tmp_path, foreign), "another Spark query", "choose another folder")
    assert content(foreign) == before
