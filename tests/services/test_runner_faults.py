"""What happens to a job around which the machine changes: its clock, its temporary folders, its checkpoint."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import datastream
from tests.support.set_clock import SetClock

from .conftest import Runner, Runners

pytestmark = [pytest.mark.long, pytest.mark.parametrize("interval", ["0 ms", "500 ms"])]

#: 100 records a second, without an end.
ENDLESS = """
from pyflink.datastream import StreamExecutionEnvironment
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink
env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(lambda number: number, rate_per_second=100)
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
numbers.key_by(lambda number: number % 5).reduce(max).sink_to(DiscardingSink())
env.execute("endless")
"""


def endless(runners: Runners, interval: str, **environment: str) -> Runner:
    runner = runners.start(
        *("-p", 1, "--checkpoint-dir", "checkpoint", "-D", f"execution.checkpointing.interval={interval}"),
        *("--stuck-after", 30, "-D", "spark.driver.memory=512m", runners.script(ENDLESS)),
        **environment,
    )
    after_epochs(runner, 3)
    return runner


def after_epochs(runner: Runner, more: int) -> None:
    """Wait until the job, which never looks unhealthy, has committed more epochs."""
    seen = len(runner.events("epoch"))
    runner.run.until(lambda: len(runner.events("epoch")) >= seen + more, f"{more} more epochs")


def test_the_clock_is_set(runners: Runners, tmp_path: Path, interval: str) -> None:
    clock = SetClock(tmp_path)
    runner = endless(runners, interval, **clock.environment)
    for hours in (-1, 0, 1, 0):
        clock.set(hours)
        after_epochs(runner, 5)
        assert runner.get("/healthz")[0] == 200
    numbers = [event["epoch"] for event in runner.events("epoch")]
    assert numbers == list(range(len(numbers)))
    counted = sum(event["records_in"] for event in runner.events("epoch"))
    assert counted <= 100 * (runner.get("/")[1]["uptime_s"] + 1), "no hour of records came at once"
    assert not runner.events("restart")
    assert runner.terminate() == 0, runner.run.told()


def _files(folder: Path) -> None:
    """As systemd-tmpfiles, which takes files that are old."""
    for file in folder.glob("datastream-*/*"):
        if file.is_file():
            file.unlink()


def _all(folder: Path) -> None:
    """As somebody who needs space."""
    while found := list(folder.glob("datastream-*")):
        for each in found:
            shutil.rmtree(each, ignore_errors=True)


@pytest.mark.parametrize("tidy", [_files, _all])
def test_the_temporary_folder_is_tidied(runners: Runners, interval: str, tidy: Callable[[Path], None]) -> None:
    runner = endless(runners, interval)
    java = runner.run.java().pid
    tidy(runner.run.temp)
    runner.run.until(lambda: bool(runner.events("restart")), "restart")
    after_epochs(runner, 5)
    assert "was deleted, or files in it were" in runner.events("restart")[0]["error"]
    assert runner.run.java().pid != java
    numbers = [event["epoch"] for event in runner.events("epoch")]
    assert numbers == list(range(len(numbers)))
    assert runner.get("/healthz")[0] == 200
    stopped = runners.runs.start(*datastream("stop", "checkpoint", "-p", "savepoint"))
    stopped.succeed()
    assert runner.run.wait() == 0, runner.run.told()
    runner.run.assert_tidy()


def test_the_checkpoint_is_deleted(runners: Runners, interval: str) -> None:
    runner = endless(runners, interval)
    (runners.folder / "checkpoint").rename(runners.folder / "aside")
    assert runner.run.wait() == 2, "started again by itself it would begin anew"
    (failed,) = runner.events("failed")
    assert failed["type"] == "CheckpointLost" and "it has been deleted" in failed["error"]
    assert not runner.events("restart")
    runner.run.assert_tidy()
