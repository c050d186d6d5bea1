"""A job's control socket: what strangers, broken clients and suspended drivers do to each other."""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from datastream.cli.list import command
from datastream.errors import JobNotFound
from datastream.job import JobID, JobStatus, control, registry
from datastream.job.control import ControlError, ControlServer, request
from datastream.job.registry import JobNote, Registration, find_job, running_jobs
from tests.support.waiting import wait_until


class Job:
    """A job that runs."""

    job_id = JobID()
    name = "job"
    restarts, last_epoch = 0, 3
    status = JobStatus.RUNNING
    accumulators: dict[str, Any] = {"records_in": 1, "records_out": 2}

    def cancel_from_outside(self) -> None:
        pass

    def trigger_savepoint(self, directory: str | None) -> str:
        return "there"

    def stop_with_savepoint(self, drain: bool, directory: str | None) -> str:
        return "there"


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ControlServer]:
    (tmp_path / "run").mkdir()
    made = ControlServer(Job(), str(tmp_path / "run"), None)
    yield made
    made.close("FINISHED", None, 1)


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_strangers_and_broken_clients_harm_nobody(server: ControlServer) -> None:
    (note,) = running_jobs()
    lengths = (struct.pack("!i", -1), struct.pack("!i", 2**31 - 1), struct.pack("!iQ", -1, 2**62))
    for data in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 100_000, *lengths):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(note.address)
            with suppress(BrokenPipeError):
                stranger.sendall(data)
    hanging = [socket.socket(socket.AF_UNIX) for _ in range(20)]
    for client in hanging:
        client.connect(note.address)
    with pytest.raises(JobNotFound, match="does not answer"):
        request(replace(note, authkey="00" * 32), "status")
    for body in (b"[1]", b"null", b"{", b"[" * 100_000, b"\xff"):
        with Client(note.address, "AF_UNIX", authkey=bytes.fromhex(note.authkey)) as client, pytest.raises(EOFError):
            client.send_bytes(body)
            client.recv_bytes()
    with pytest.raises(ControlError, match="knows no command 'dance'"):
        request(note, "dance")
    assert request(note, "status")["epoch"] == 3
    waiting = Client(note.address, "AF_UNIX", authkey=bytes.fromhex(note.authkey))
    waiting.send_bytes(b'{"command": "wait"}')
    wait_until(lambda: server._requests, "request")
    server.close("FINISHED", None, 1)
    assert json.loads(waiting.recv_bytes())["ok"]["status"] == "FINISHED"
    assert running_jobs() == []
    for client in hanging:
        client.close()


def test_a_driver_that_is_suspended_keeps_nobody_waiting(
    server: ControlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "_PROMPT_S", 0.5)
    address = str(tmp_path / "suspended")
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(address)
        silent.listen(1)
        note = JobNote("f" * 32, "silent", os.getpid(), address, "00", None, 0)
        Registration(note)
        with pytest.raises(ControlError, match="has not answered for"):
            request(note, "status")
        done = CliRunner().invoke(command, [])
        assert done.exit_code == 0
        assert "warning: the driver of the job ffff" in done.stderr
        assert str(Job.job_id) in done.stdout, "the other job is listed"
    assert registry.folder().is_dir()


def test_the_job_of_a_folder_of_generations_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    address = tmp_path / "address"
    address.touch()
    (folder / "savepoints" / "11").mkdir(parents=True)
    for number in ("2", "9", "10"):
        (folder / number).mkdir()
    note = JobNote("a" * 32, "job", os.getpid(), str(address), "00", str(folder / "10"), 0)
    registration = Registration(note)
    assert find_job(str(folder)) == find_job(f"file://{folder}") == find_job(str(folder / "10")) == note
    registration.remove()
    Registration(replace(note, checkpoint=str(folder / "9")))
    with pytest.raises(JobNotFound, match="no job runs on the checkpoint directory"):
        find_job(str(folder))
