"""Running jobs are listed, looked at and cancelled by other processes; several run side by side."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from datastream import Configuration, JobClient, JobStatus, StreamExecutionEnvironment
from datastream.config import ExternalizedCheckpointRetention
from datastream.connectors import DataGeneratorSource, DiscardingSink
from datastream.errors import JobCancelled, JobNotFound
from datastream.job.registry import folder
from tests.support.processes import JOBS, Runs, datastream
from tests.support.waiting import wait_until


@pytest.fixture(autouse=True)
def own_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def command(*args: object) -> subprocess.CompletedProcess[str]:
    """Run ``datastream ARGS`` to its end."""
    return subprocess.run(datastream(*args), capture_output=True, text=True, timeout=60)


def endless(checkpoint: Path, delete: bool = False) -> JobClient:
    """Start a job in this process."""
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    if delete:
        env.get_checkpoint_config().set_externalized_checkpoint_retention(
            ExternalizedCheckpointRetention.DELETE_ON_CANCELLATION
        )
    env.add_source(DataGeneratorSource(int, rate_per_second=1000)).sink_to(DiscardingSink())
    return env.execute_async(f"endless {checkpoint.name}")


def test_two_jobs_of_one_process_are_seen_and_cancelled_by_others(tmp_path: Path) -> None:
    one, two = endless(tmp_path / "one"), endless(tmp_path / "two")
    try:
        id = str(one.get_job_id())
        wait_until(lambda: one.get_accumulators().result()["records_in"] > 0, "records of the first job")
        wait_until(lambda: two.get_accumulators().result()["records_in"] > 0, "records of the second job")

        listed = [json.loads(line) for line in command("list", "--json").stdout.splitlines()]
        assert [(job["id"], job["name"], job["status"]) for job in listed] == [
            (id, "endless one", "RUNNING"),
            (str(two.get_job_id()), "endless two", "RUNNING"),
        ]
        assert id in command("list").stdout
        for file in (*folder().iterdir(), tmp_path / "one" / "control.json"):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600

        shown = json.loads(command("status", "--json", tmp_path / "one").stdout)
        assert (shown["pid"], shown["restarts"], shown["checkpoint"]) == (os.getpid(), 0, str(tmp_path / "one"))
        assert "status      RUNNING" in command("status", id[:8]).stdout

        cancelled = command("cancel", tmp_path / "one")
        assert (cancelled.stdout, cancelled.returncode) == (f"{id} CANCELED\n", 0)
        with pytest.raises(JobCancelled, match="'endless one' was cancelled by another process"):
            one.get_job_execution_result().result(60)
        assert one.get_job_status().result() is JobStatus.CANCELED
        assert two.get_job_status().result() is JobStatus.RUNNING
        assert (tmp_path / "one" / "commits").exists()
        again = command("cancel", tmp_path / "one")
        assert again.returncode == 1 and "no job runs on the checkpoint directory" in again.stderr
    finally:
        one.cancel()
        two.cancel()
    assert command("list").stderr == "no job runs on this machine\n"


@pytest.mark.long
def test_a_client_of_a_job_elsewhere(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    run = runs.job("--checkpoint-dir", checkpoint, JOBS / "endless.py")
    run.until((checkpoint / "commits" / "0").exists, "first epoch")
    client = JobClient.connect(str(checkpoint))
    assert JobClient.connect(str(client.get_job_id())).get_job_id() == client.get_job_id()
    assert client.get_job_status().result() is JobStatus.RUNNING
    run.until(lambda: client.get_accumulators().result()["records_in"] > 0, "records")
    client.cancel().result(60)
    assert client.get_job_status().result() is JobStatus.CANCELED
    with pytest.raises(JobCancelled):
        client.get_job_execution_result().result(60)
    assert run.wait() == 130, run.told()
    assert "cancelled" in run.err
    run.assert_tidy()
    with pytest.raises(JobNotFound, match="no job runs on the checkpoint directory"):
        JobClient.connect(str(checkpoint))


@pytest.mark.long
def test_a_killed_drivers_job_is_not_listed(runs: Runs, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    run = runs.job("--checkpoint-dir", checkpoint, JOBS / "endless.py")
    run.until((checkpoint / "commits" / "0").exists, "first epoch")
    client = JobClient.connect(str(checkpoint))
    run.process.kill()
    run.wait()
    with pytest.raises(Exception, match="without a word about how the job ended"):
        client.get_job_execution_result().result(60)
    assert command("list").stderr == "no job runs on this machine\n"
    assert list(folder().iterdir()) == []
    assert command("status", checkpoint).returncode == 1


def test_a_checkpoint_directory_goes_with_a_cancelled_job_if_it_is_to(tmp_path: Path) -> None:
    for name in ("alone", "beside others"):
        checkpoint = tmp_path / name
        client = endless(checkpoint, delete=True)
        wait_until(lambda: client.get_accumulators().result()["records_in"] > 0, "records")  # noqa: B023
        if name != "alone":
            (checkpoint / "mine.txt").touch()
        client.cancel()
        assert not checkpoint.exists() or [file.name for file in checkpoint.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("job", ["nothing", "0" * 32])
def test_jobs_that_are_not_there(job: str) -> None:
    answer = command("status", job)
    assert answer.returncode == 1
    assert f"'{job}' is neither a checkpoint directory nor the id of a job that runs on this machine" in answer.stderr
