"""A checkpoint directory has one driver, also when several containers share it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from datastream.errors import CheckpointInUse
from datastream.spark.checkpoints import lock
from datastream.spark.checkpoints.lock import lock_folder, note_java
from datastream.spark.checkpoints.place import born, place
from tests.support.waiting import wait_until

#: Numbers of processes, mounts and the host's name of its own, as a container has them.
CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts"]
HOLD = """
import sys, time
from pathlib import Path
from datastream.errors import CheckpointInUse
from datastream.spark.checkpoints.lock import lock_folder, note_java
try:
    held = lock_folder(Path(sys.argv[1]))
    note_java(held, int(sys.argv[2]))
    print("held", flush=True)
    time.sleep(600)
except CheckpointInUse as error:
    print(error, flush=True)
"""


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Stands for a Java process."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def noted(folder: Path, java: int, **changed: object) -> None:
    """What an earlier driver left."""
    note = {**place(), "driver": os.getppid(), "java": java, "java_born": born(java), **changed}
    (folder / "owner.lock").write_text(json.dumps(note))


def test_the_java_of_a_killed_driver_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sleeper: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.3)
    noted(tmp_path, sleeper.pid)
    with pytest.raises(CheckpointInUse, match=f"its Java process {sleeper.pid} still runs"):
        lock_folder(tmp_path)
    sleeper.kill()
    wait_until(lambda: psutil.Process(sleeper.pid).status() == psutil.STATUS_ZOMBIE, "end")
    lock_folder(tmp_path).close()  # it has ended, though nobody has waited for it


@pytest.mark.parametrize(
    "changed",
    [{"pids": "pid:[1]"}, {"host": "another container"}, {"boot": "an earlier one"}, {"java_born": "1"}],
    ids=lambda changed: next(iter(changed)),
)
def test_a_process_that_only_has_the_number_of_that_java_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sleeper: subprocess.Popen[bytes], changed: dict[str, str]
) -> None:
    """In a new container the numbers begin anew, and this driver's own Java may have that of the earlier one's."""
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.3)
    noted(tmp_path, sleeper.pid, **changed)
    lock_folder(tmp_path).close()


def test_the_note_of_an_earlier_version(tmp_path: Path) -> None:
    (tmp_path / "owner.lock").write_text(json.dumps({"driver": 1, "java": os.getpid()}))
    lock_folder(tmp_path).close()


def test_a_file_system_without_locks_is_not_taken_for_another_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: object, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="No locks available"):
        lock_folder(tmp_path)


@contextmanager
def container(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process in a container that takes hold of a folder; its first line."""
    command = [*CONTAINER, sys.executable, "-c", HOLD, str(folder), "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


@pytest.mark.skipif(
    not shutil.which("unshare") or subprocess.run([*CONTAINER, "true"], capture_output=True).returncode != 0,
    reason="this user may not make namespaces",
)
def test_containers_that_share_a_folder(tmp_path: Path) -> None:
    with container(tmp_path) as (first, said):
        assert said == "held"
        with container(tmp_path) as (_, refused):
            assert refused.startswith("another running job (process 1) holds the checkpoint directory")
        with pytest.raises(CheckpointInUse):
            lock_folder(tmp_path)
        first.kill()  # and all in its container with it
        first.wait()
        began = time.monotonic()
        while True:
            with container(tmp_path) as (_, again):
                if again == "held":
                    break
            assert time.monotonic() - began < 60, again


def test_the_driver_itself_may_take_hold_again(tmp_path: Path) -> None:
    held = lock_folder(tmp_path)
    note_java(held, os.getpid())
    held.close()
    lock_folder(tmp_path).close()
