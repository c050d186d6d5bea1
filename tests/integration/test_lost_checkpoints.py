"""The checkpoint of a running job is deleted or replaced: the job ends, and says why."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from datastream import CheckpointLost, Configuration, StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink
from tests.support.waiting import PATIENCE_S, wait_until


def environment(checkpoint: Path, **settings: object) -> StreamExecutionEnvironment:
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    for key, value in settings.items():
        configuration.set_string(key.replace("__", ".").replace("_", "-"), str(value))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    return env


def _deleted(checkpoint: Path) -> None:
    shutil.rmtree(checkpoint.rename(checkpoint.with_name("aside")))  # at once: Spark is writing into it


def _replaced(checkpoint: Path) -> None:
    """By a copy, as of a backup."""
    shutil.copytree(checkpoint, checkpoint.with_name("copy"))
    checkpoint.rename(checkpoint.with_name("aside"))
    checkpoint.with_name("copy").rename(checkpoint)


@pytest.mark.long
@pytest.mark.parametrize("interval", ["0 ms", "1 h"])
@pytest.mark.parametrize("change", [_deleted, _replaced])
def test_a_job_without_an_end(tmp_path: Path, change: Callable[[Path], None], interval: str) -> None:
    checkpoint = tmp_path / "checkpoint"
    env = environment(checkpoint, execution__checkpointing__interval=interval)
    source = DataGeneratorSource(lambda number: number, rate_per_second=1000)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    stream.key_by(lambda number: number % 10).reduce(max).sink_to(DiscardingSink())
    job = env.execute_async("endless")
    wait_until((checkpoint / "commits" / "0").exists, "commit")
    change(checkpoint)
    with pytest.raises(CheckpointLost, match=f"{checkpoint} is no longer the one that this job runs on"):
        job.get_job_execution_result().result(PATIENCE_S)
    assert job.get_job_status().result().name == "FAILED"


def test_a_job_whose_last_epoch_runs(tmp_path: Path) -> None:
    """It has written all its output, and is no success: it could not be continued, nor its output be trusted."""
    checkpoint, seen = tmp_path / "checkpoint", tmp_path / "seen"
    env = environment(checkpoint)

    def slow(number: int) -> int:
        seen.touch()
        while checkpoint.exists():
            time.sleep(0.01)
        return number

    env.from_collection([1, 2, 3]).map(slow).sink_to(DiscardingSink())
    job = env.execute_async("ends")
    wait_until(seen.exists, "record")
    checkpoint.rename(tmp_path / "aside")
    with pytest.raises(CheckpointLost, match="deleted"):
        job.get_job_execution_result().result(PATIENCE_S)


def test_a_job_that_restarts(tmp_path: Path) -> None:
    """Its restart does not begin anew in a new folder."""
    checkpoint, failing = tmp_path / "checkpoint", tmp_path / "failing"
    env = environment(
        checkpoint,
        restart_strategy__type="fixed-delay",
        restart_strategy__fixed_delay__attempts=5,
        restart_strategy__fixed_delay__delay="10 ms",
    )

    def fail(number: int) -> int:
        if failing.exists():
            shutil.rmtree(checkpoint, ignore_errors=True)
            raise ConnectionError("away")
        return number

    source = DataGeneratorSource(lambda number: number, rate_per_second=1000)
    env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").map(fail).sink_to(DiscardingSink())
    job = env.execute_async("restarts")
    wait_until((checkpoint / "commits" / "0").exists, "commit")
    failing.touch()
    with pytest.raises(CheckpointLost):
        job.get_job_execution_result().result(PATIENCE_S)
