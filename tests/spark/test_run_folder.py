"""What a killed run leaves is swept up by the next one; what a living one holds, or another one made, is not."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from datastream.spark.process.run_folder import RunFolder, sweep

HOLD = "from datastream.spark.process.run_folder import RunFolder; f = RunFolder(); print(f.path, flush=True); input()"


@pytest.fixture
def parent() -> Iterator[Path]:
    """A folder for temporary files whose path is short."""
    with tempfile.TemporaryDirectory(prefix="rf-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def dead(parent: Path) -> Path:
    """The folder of a process that was killed."""
    folder, process = _holder(parent)
    process.kill()
    process.communicate()
    return folder


def _holder(parent: Path) -> tuple[Path, subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(parent)},
    )
    assert process.stdout is not None
    return Path(process.stdout.readline().strip()), process


def test_only_folders_of_the_dead_are_swept(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(parent))
    mine = RunFolder()
    theirs, other = _holder(parent)
    sweep(parent)
    assert theirs.is_dir()
    assert Path(mine.path).is_dir()
    other.kill()
    other.communicate()
    (theirs / "temporary-checkpoint" / "offsets").mkdir(parents=True)
    sweep(parent)
    assert not theirs.exists()
    assert Path(mine.path).is_dir()
    mine.remove()
    assert not Path(mine.path).exists()


INTERRUPTED = """
import atexit, os, sys, threading
from datastream.spark.process import run_folder

class Nothing:
    start = lambda self: None

run_folder.threading.Thread = lambda **_: Nothing()  # a process that forks has no other threads

def interrupt(line):
    left = line
    def trace(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename == run_folder.__file__ and event in ("line", "return"):
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    try:
        held = run_folder.RunFolder()
    except KeyboardInterrupt:
        held = None
    sys.settrace(None)
    print(left <= 0, flush=True)
    atexit._run_exitfuncs()
    os._exit(0)

for line in range(1, 60):
    if not os.fork():
        interrupt(line)
    os.wait()
"""


def test_an_interrupt_leaves_nothing_wherever_it_comes(parent: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(parent)}
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True"] * done.stdout.count("True") + ["False"] * done.stdout.count("False")
    assert done.stdout.count("True") > 20 and done.stdout.count("False") > 1, done.stdout + done.stderr
    assert done.stderr == "" and list(parent.iterdir()) == []


def test_a_long_temporary_folder_is_avoided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    folder = RunFolder()
    assert len(folder.path) < 60
    folder.remove()


@pytest.mark.parametrize("name", ["job.json", "offsets", "commits"])
@pytest.mark.parametrize("inside", ["", "job", "temporary-checkpoint/deep", "a/b"])
def test_nothing_with_a_checkpoint_in_it_is_swept(parent: Path, dead: Path, name: str, inside: str) -> None:
    kept = dead / inside / name
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("{}") if name == "job.json" else kept.mkdir()
    sweep(parent)
    assert kept.exists()


def test_an_idle_checkpoint_is_not_swept(parent: Path) -> None:
    """A checkpoint has an owner.lock, too, and nobody holds it while its job is stopped."""
    for name in ("datastream-totals", "datastream-checkout", "datastream-ab_c1234"):
        for part in ("offsets", "commits", "state"):
            (parent / name / part).mkdir(parents=True)
        for file in ("job.json", "owner.lock"):
            (parent / name / file).touch()
    sweep(parent)
    assert len(list(parent.glob("*/*"))) == 15


@pytest.mark.parametrize("content", [None, "", "A temporary folder of datastream.", "\0" * 200])
def test_a_folder_of_such_a_name_is_not_swept_without_its_own_mark(parent: Path, content: str | None) -> None:
    other = parent / "datastream-checkout"
    other.mkdir()
    if content is not None:
        (other / "run.lock").write_text(content)
        (other / "owner.lock").write_text(content)
    sweep(parent)
    assert other.exists()


def _copied(dead: Path) -> Path:
    return shutil.copytree(dead, dead.with_name("datastream-copied_1"))


def _renamed(dead: Path) -> Path:
    return dead.rename(dead.with_name("datastream-renamed1"))


def _made_again(dead: Path) -> Path:
    """Its name is given to another folder, with the old files in it."""
    aside = dead.rename(dead.with_name("aside"))
    dead.mkdir()
    for file in aside.iterdir():
        shutil.copy2(file, dead)
    return dead


def _linked(dead: Path) -> Path:
    """A link in its place to it."""
    dead.symlink_to(dead.rename(dead.with_name("elsewhere")))
    return dead


def _mark_linked(dead: Path) -> Path:
    mark = dead / "run.lock"
    mark.symlink_to(mark.rename(dead.with_name("mark")))
    return dead


def _of_no_form(dead: Path) -> Path:
    return dead.rename(dead.with_name("datastream-environments-0"))


@pytest.mark.parametrize("change", [_copied, _renamed, _made_again, _linked, _mark_linked, _of_no_form])
def test_a_mark_counts_in_the_folder_alone_that_it_was_made_for(
    parent: Path, dead: Path, change: Callable[[Path], Path]
) -> None:
    changed = change(dead)
    (changed / "precious").touch()
    sweep(parent)
    assert (changed / "precious").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_folders_of_other_users_are_not_swept(parent: Path, dead: Path) -> None:
    os.chown(dead, 12345, 12345)
    sweep(parent)
    assert dead.exists()


def test_a_link_in_a_folder_is_not_followed(parent: Path, dead: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    (dead / "link").symlink_to(tmp_path)
    sweep(parent)
    assert not dead.exists()
    assert (tmp_path / "precious").exists()


def test_links_to_a_checkpoint_are_none(parent: Path, dead: Path, tmp_path: Path) -> None:
    """A checkpoint that was moved is read by links to it, which a killed process leaves."""
    checkpoint = tmp_path / "checkpoint"
    (checkpoint / "offsets").mkdir(parents=True)
    (checkpoint / "job.json").write_text("{}")
    (dead / "mirror").mkdir()
    for name in ("offsets", "job.json"):
        (dead / "mirror" / name).symlink_to(checkpoint / name)
    sweep(parent)
    assert not dead.exists()
    assert (checkpoint / "offsets").is_dir() and (checkpoint / "job.json").exists()


def test_programs_that_tidy_find_the_folder_locked(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd-tmpfiles leaves a folder that is locked alone, with all that is in it."""
    monkeypatch.setattr(tempfile, "tempdir", str(parent))
    folder = RunFolder()
    opened = os.open(folder.path, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(opened)
    folder.remove()


def test_at_the_end_only_what_was_made_is_deleted(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(parent))
    folder = RunFolder()
    assert folder.is_whole
    shutil.rmtree(folder.path)
    assert not folder.is_whole
    Path(folder.path).mkdir()
    (Path(folder.path) / "run.lock").touch()
    assert not folder.is_whole
    folder.remove()
    assert Path(folder.path).exists()
    folder.remove()


def test_a_checkpoint_in_the_folder_outlives_the_process(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(parent))
    folder = RunFolder()
    checkpoint = Path(folder.path, "job", "checkpoint")
    for name in ("offsets", "commits"):
        (checkpoint / name).mkdir(parents=True)
    (checkpoint / "job.json").touch()
    folder.remove()
    assert (checkpoint / "job.json").exists()
