"""A running job leaves a savepoint, and goes on, stops, or drains first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from datastream import Configuration, JobClient, JobStatus, StreamExecutionEnvironment, Time, WatermarkStrategy
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors import DataGeneratorSource
from datastream.errors import CheckpointError, ValidationError
from datastream.runtime.savepoints.manifest import read_manifest
from datastream.spark.checkpoints.lock import lock_folder
from datastream.time import TimestampAssigner
from datastream.windows import TumblingEventTimeWindows
from tests.support.processes import datastream
from tests.support.waiting import wait_until


class Number(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


def counted(checkpoint: Path | None, first: int = 100, savepoint: str | None = None) -> JobClient:
    """Start a job that counts all records in one window, which ends with time itself; wait for its first records."""
    configuration = Configuration()
    if savepoint is not None:
        configuration.set_string("execution.state-recovery.path", savepoint)
    if checkpoint is not None:
        configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Number())
    source = DataGeneratorSource(int, rate_per_second=1000)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    pairs = numbers.assign_timestamps_and_watermarks(strategy).map(lambda n: (0, 1))
    windows = pairs.key_by(lambda pair: pair[0]).window(TumblingEventTimeWindows.of(Time.days(300)))
    windows.reduce(lambda a, b: (0, a[1] + b[1])).uid("count").print()
    client = env.execute_async("counted")

    def look() -> bool:
        assert not handle_of(client).future.done()
        return bool(client.get_accumulators().result().get("records_in", 0) >= first)

    wait_until(look, "records")
    return client


@pytest.mark.long
def test_a_savepoint_of_a_job_that_goes_on_and_of_one_that_stops(tmp_path, capsys) -> None:
    client = counted(tmp_path / "checkpoint")
    id = str(client.get_job_id())
    path = client.trigger_savepoint(str(tmp_path / "savepoints")).result(60)
    assert Path(path).parent == tmp_path / "savepoints" and Path(path).name.startswith(f"savepoint-{id[:6]}-")
    assert list(Path(path).iterdir())
    assert client.get_job_status().result() is JobStatus.RUNNING
    with pytest.raises(ValidationError, match="a savepoint needs a folder, and none was given"):
        client.stop_with_savepoint(False).result(60)

    stop = [*datastream("stop", "--savepointPath", tmp_path / "savepoints", tmp_path / "checkpoint")]
    done = subprocess.run(stop, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    lock_folder(tmp_path / "checkpoint").close()  # the next job can have it at once
    path = done.stdout.removeprefix("Savepoint completed. Path: ").strip()
    assert list(Path(path).iterdir())
    result = client.get_job_execution_result().result(60)
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert result.get_accumulator_result("records_out") == 0, "its window is still open"
    offsets = [int(file.name) for file in (tmp_path / "checkpoint" / "offsets").iterdir() if file.name.isdigit()]
    commits = [int(file.name) for file in (tmp_path / "checkpoint" / "commits").iterdir() if file.name.isdigit()]
    assert max(offsets) == max(commits), "no epoch was cut off"


def test_a_job_that_drains_has_finished(tmp_path, capsys) -> None:
    client = counted(tmp_path / "checkpoint")
    path = client.stop_with_savepoint(True, str(tmp_path / "savepoints")).result(60)
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert list(Path(path).iterdir())
    result = client.get_job_execution_result().result(60)
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert capsys.readouterr().out.strip() == str((0, result.get_accumulator_result("records_in")))


def test_a_job_that_is_ending_is_not_stopped_and_keeps_its_status(tmp_path, monkeypatch, capsys) -> None:
    class Late:
        said = None

        def on_start(self, graph):
            pass

        on_epoch = on_restart = on_start

        def on_end(self, status, error):
            try:
                handle_of(client).stop_with_savepoint(False, str(tmp_path / "savepoints"))
            except ValidationError as refused:
                self.said = f"{status}: {refused}"

    late = Late()
    monkeypatch.setattr(settings(), "listeners", [late])
    client = counted(tmp_path / "checkpoint")
    client.stop_with_savepoint(True, str(tmp_path / "savepoints")).result(60)
    client.get_job_execution_result().result(60)
    assert late.said == "FINISHED: the job has ended"
    client.cancel().result(60)
    assert client.get_job_status().result() is JobStatus.FINISHED


def test_a_job_without_a_checkpoint_directory_takes_none(tmp_path) -> None:
    client = counted(None)
    with pytest.raises(ValidationError, match="and this job's is a temporary one"):
        client.trigger_savepoint(str(tmp_path)).result(60)
    client.cancel()


def test_a_job_that_has_hardly_started(tmp_path) -> None:
    """It commits an epoch first, to take the savepoint of; a restored one takes its state over first."""
    client = counted(tmp_path / "checkpoint", first=0)
    path = client.stop_with_savepoint(False, str(tmp_path / "savepoints")).result(60)
    client.get_job_execution_result().result(60)
    again = counted(tmp_path / "restored", first=0, savepoint=path)
    later = again.stop_with_savepoint(False, str(tmp_path / "savepoints")).result(60)
    again.get_job_execution_result().result(60)
    assert client.get_job_status().result() is again.get_job_status().result() is JobStatus.FINISHED
    first, second = (read_manifest(Path(folder)) for folder in (path, later))
    assert second.epoch >= first.epoch and second.keys == first.keys
    assert second.sources["numbers"]["offset"]["n"] >= first.sources["numbers"]["offset"]["n"]


def test_a_job_goes_on_when_its_savepoint_fails(tmp_path, caplog) -> None:
    client = counted(tmp_path / "checkpoint")
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="cannot be written: Not a directory"):
        client.stop_with_savepoint(False, str(tmp_path / "file")).result(60)
    assert "the job was not stopped, because its savepoint failed, and continues" in caplog.text
    seen = client.get_accumulators().result()["records_in"]

    def goes_on() -> bool:
        assert client.get_job_status().result() is JobStatus.RUNNING
        return bool(client.get_accumulators().result()["records_in"] != seen)

    wait_until(goes_on, "more records")
    path = client.stop_with_savepoint(False, str(tmp_path / "savepoints")).result(60)
    result = client.get_job_execution_result().result(60)
    offset = read_manifest(Path(path)).sources["numbers"]["offset"]["n"]
    assert result.get_accumulator_result("records_in") == offset, "nothing was lost or doubled on the way"
