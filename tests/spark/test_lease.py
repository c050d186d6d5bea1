"""A folder on a file system without locks has one owner, whoever dies, pauses or is slow."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from datastream.errors import CheckpointInUse, CheckpointLost, WorkerError
from datastream.spark.checkpoints.lease import Lease

EVERY_S = 0.1


class Folder:
    """Files of a local folder, which may be out of reach."""

    def __init__(self, path: Path) -> None:
        self.path, self.away = path, False

    def _file(self, name: str = "") -> Path:
        if self.away:
            raise OSError("away")
        return self.path / name

    def names(self):
        return [file.name for file in self._file().iterdir()]

    def read(self, name):
        try:
            return self._file(name).read_bytes()
        except FileNotFoundError:
            if self.away:
                raise
            return None

    def create(self, name, content):
        try:
            with self._file(name).open("xb") as file:
                file.write(content)
        except FileExistsError:
            return False
        return True

    def replace(self, name, content):
        self._file(name).write_bytes(content)

    def delete(self, name):
        self._file(name).unlink(missing_ok=True)


def take(path: Path) -> Lease:
    return Lease(Folder(path), "store://x", EVERY_S)


def elsewhere(path: Path) -> None:
    """Let the owner be one of another machine, which can only be watched."""
    (file,) = path.glob("lease-*")
    file.write_text(json.dumps({**json.loads(file.read_text()), "host": "another"}))


def test_one_at_a_time(tmp_path: Path) -> None:
    first = take(tmp_path)
    with pytest.raises(
        CheckpointInUse, match="another running job .process .* holds the checkpoint directory store://x"
    ):
        take(tmp_path)
    first.check()
    first.release()
    second = take(tmp_path)
    second.check()
    second.release()
    assert [file.name for file in tmp_path.iterdir()] == ["lease-2"]


def test_a_folder_that_was_deleted_is_not_taken_for_another_jobs(tmp_path: Path) -> None:
    lease = take(tmp_path)
    (tmp_path / "lease-1").unlink()
    with pytest.raises(
        CheckpointLost, match="store://x is no longer the one that this job runs on: it has been deleted"
    ):
        lease.renew()
    with pytest.raises(CheckpointLost):
        lease.check()
    lease.release()
    assert not list(tmp_path.iterdir()), "nothing is left for the next job to trip over"


def test_an_owner_of_this_machine_that_was_killed_is_followed_at_once(tmp_path: Path) -> None:
    code = (
        "import os, sys, pathlib; from tests.spark.test_lease import Folder\n"
        "from datastream.spark.checkpoints.lease import Lease\n"
        "Lease(Folder(pathlib.Path(sys.argv[1])), 'store://x', 3600); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert (tmp_path / "lease-1").exists()
    take(tmp_path).release()


def test_a_silent_owner_elsewhere_is_followed_after_some_heartbeats(tmp_path: Path) -> None:
    silent = Folder(tmp_path)
    first = Lease(silent, "store://x", EVERY_S)
    silent.away = True
    elsewhere(tmp_path)
    began = time.monotonic()
    second = take(tmp_path)
    assert time.monotonic() - began >= 6 * EVERY_S
    with pytest.raises(WorkerError, match="could not be written to for"):
        first.check()
    silent.away = False
    with pytest.raises(CheckpointInUse, match="another job has taken over"):
        first.renew()
    second.check()
    first.release()
    second.check()
    assert not json.loads((tmp_path / "lease-2").read_bytes())["released"]
    second.release()


def test_of_many_that_follow_one_gets_it(tmp_path: Path) -> None:
    take(tmp_path).release()
    got: list[Lease] = []
    refused: list[CheckpointInUse] = []

    def follow() -> None:
        try:
            got.append(take(tmp_path))
        except CheckpointInUse as error:
            refused.append(error)

    threads = [threading.Thread(target=follow) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(refused)) == (1, 7)
    got[0].check()
    got[0].release()


def test_a_file_that_another_owner_has_replaced(tmp_path: Path) -> None:
    lease = take(tmp_path)
    (file,) = tmp_path.glob("lease-*")
    file.write_text(json.dumps({**json.loads(file.read_text()), "owner": "another"}))
    with pytest.raises(CheckpointInUse):
        lease.renew()
    assert json.loads(file.read_text())["owner"] == "another"
    lease.release()


def test_a_damaged_file_counts_as_silence(tmp_path: Path) -> None:
    (tmp_path / "lease-3").write_text("{")
    lease = take(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["lease-4"]
    lease.release()


def test_the_owner_is_told_although_its_file_is_just_being_written(tmp_path: Path) -> None:
    first = take(tmp_path)
    elsewhere(tmp_path)

    class Torn(Folder):
        reads = 0

        def read(self, name):
            self.reads += 1
            return b"" if self.reads % 3 == 0 else super().read(name)

    with pytest.raises(CheckpointInUse, match=r"another running job .process [0-9]+ on another."):
        Lease(Torn(tmp_path), "store://x", EVERY_S)
    first.release()
