"""Runners whose jobs run on Spark: one checkpoint for several, SIGTERM amid an epoch, kills, a full disk."""

from __future__ import annotations

import signal
import zipfile
from pathlib import Path

import pytest

from tests.chaos.disk import Disk, can_mount
from tests.services.conftest import Runner, Runners
from tests.support.cluster import Cluster
from tests.support.processes import visible_lines

#: Running counts of the numbers to argv[2], in epochs of a tenth of them; each epoch takes argv[3] seconds.
COUNTS = """
import sys, time
from pathlib import Path
from pyflink.common import Encoder, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy
from datastream.connectors import DataGeneratorSource

out, count, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])

def slow(n):
    if n % (count // 10) == 0:
        (out.parent / f"epoch-{n}").touch()
        time.sleep(seconds)
    return n % 7, 1

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = env.from_source(DataGeneratorSource(int, count=count), WatermarkStrategy.no_watermarks(), "numbers")
counts = source.map(slow).key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
sink = FileSink.for_row_format(str(out), Encoder.simple_string_encoder())
sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
counts.map(lambda pair: f"{pair[0]} {pair[1]}").sink_to(sink)
env.execute("counts")
"""
#: No record for days: it waits for the first.
IDLE = """
from pyflink.common import WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from datastream.connectors import DataGeneratorSource
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
source = DataGeneratorSource(int, rate_per_second=1e-6)
env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").print()
env.execute("idle")
"""
SHOUT = """
import sys
from pyflink.datastream import StreamExecutionEnvironment
from words import shout
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(sys.argv[1:]).map(shout).print()
env.execute("shout")
"""
COUNT = 700


def counts(runners: Runners, *flags: object, seconds: float = 1.0) -> Runner:
    """A runner of `COUNTS` on the test's checkpoint."""
    folder = runners.folder
    epochs = ("-D", f"datastream.epoch.max-records={COUNT // 10}")
    script = runners.script(COUNTS)
    return runners.start(
        "--checkpoint-dir", folder / "checkpoint", *epochs, *flags, script, folder / "out", COUNT, seconds
    )


def expected() -> list[str]:
    return sorted(f"{key} {count}" for key in range(7) for count in range(1, COUNT // 7 + 1))


@pytest.mark.long
def test_a_second_runner_is_refused_and_a_standby_takes_over(runners: Runners) -> None:
    checkpoint = ("--checkpoint-dir", runners.folder / "checkpoint")
    script = runners.script(IDLE)
    first = runners.start(*checkpoint, script)
    first.until_ready()
    second = runners.start(*checkpoint, script)
    standby = runners.start(*checkpoint, "--standby", script)
    assert second.run.wait() == 75, second.run.told()
    assert f"(process {first.run.process.pid}) holds the checkpoint directory" in second.events("failed")[0]["error"]
    standby.run.until(lambda: standby.get("/")[1] is not None and standby.get("/")[1]["status"] == "standby", "standby")
    assert standby.get("/healthz") == (200, {"status": "standby"})
    status, about = standby.get("/readyz")
    assert status == 503 and "holds the checkpoint directory" in about["reason"]
    assert first.get("/readyz")[0] == 200, "the first job goes on"
    other = runners.start(*checkpoint, "--standby", script)
    other.run.until(lambda: bool(other.events("standby")), "standby")
    assert other.terminate() == 0, other.run.told()
    first.kill_all()
    standby.until_ready()
    assert len(standby.events("standby")) == 1, "said once"
    assert standby.terminate() == 0, standby.run.told()
    standby.run.assert_tidy()


@pytest.mark.long
def test_an_idle_job_is_healthy_and_ends_at_once(runners: Runners) -> None:
    """Its next epoch may begin in ten minutes: neither its health nor its end waits for that."""
    runner = runners.start("--stuck-after", 5, "-D", "datastream.trigger.interval-ms=600000", runners.script(IDLE))
    runner.until_ready()
    ready_at = runner.get("/")[1]["uptime_s"]
    runner.run.until(lambda: runner.get("/")[1]["uptime_s"] > ready_at + 8, "time")
    assert runner.get("/healthz") == (200, {"status": "running"})
    assert runner.terminate() == 0, runner.run.told()
    runner.run.assert_tidy()


@pytest.mark.long
def test_sigterm_amid_an_epoch_commits_it(runners: Runners) -> None:
    runner = counts(runners)
    runner.run.until((runners.folder / "epoch-70").exists, "second epoch")
    assert runner.terminate() == 0, runner.run.told()
    epochs = [event["epoch"] for event in runner.events("epoch")]
    assert 1 in epochs and not runner.events("epoch")[-1]["final"]
    committed = visible_lines(runners.folder / "out")
    assert len(committed) == 70 * len(epochs) < COUNT
    # Later than the grace period allows: the epoch is given up, and the checkpoint stays whatever its retention.
    retention = "execution.checkpointing.externalized-checkpoint-retention=DELETE_ON_CANCELLATION"
    hasty = counts(runners, "--grace", 0.5, "-D", retention, seconds=600)
    hasty.run.until((runners.folder / f"epoch-{70 * len(epochs)}").exists, "next epoch")
    assert hasty.terminate() == 143, hasty.run.told()
    hasty.run.assert_gone()
    counts(runners, seconds=0).run.succeed()
    assert sorted(visible_lines(runners.folder / "out")) == expected()


@pytest.mark.long
def test_a_full_checkpoint_volume_at_the_start(runners: Runners) -> None:
    if not can_mount():
        pytest.skip("this user may not mount")
    disk = Disk(runners.folder / "checkpoint")
    try:
        disk.fill()
        runner = counts(runners)
        assert runner.run.wait() == 1, "to be tried again"
        assert "No space left on device" in runner.events("failed")[0]["error"]
        disk.free()
        counts(runners, seconds=0).run.succeed()
        assert sorted(visible_lines(runners.folder / "out")) == expected()
    finally:
        disk.remove()


@pytest.mark.long
def test_a_checkpoint_volume_that_fills_up(runners: Runners) -> None:
    """The job restarts inside until there is room again."""
    if not can_mount():
        pytest.skip("this user may not mount")
    disk = Disk(runners.folder / "checkpoint")
    try:
        runner = counts(runners, seconds=2)
        runner.until_ready()
        disk.fill()
        runner.run.until(lambda: bool(runner.events("restart")), "restart")
        assert "the disk is full" in runner.events("restart")[0]["error"]
        assert runner.get("/healthz")[0] == 200
        disk.free()
        runner.run.succeed()
        assert sorted(visible_lines(runners.folder / "out")) == expected()
    finally:
        disk.remove()


@pytest.mark.long
def test_killed_five_times_amid_epochs(runners: Runners) -> None:
    for number in range(5):
        runner = counts(runners)
        runner.run.until((runners.folder / f"epoch-{70 * (number + 1)}").exists, f"epoch {number + 1}")
        runner.kill_all()
    counts(runners, seconds=0).run.succeed()
    assert sorted(visible_lines(runners.folder / "out")) == expected()


@pytest.mark.long
def test_an_archive_on_a_cluster(runners: Runners) -> None:
    """Its packages reach workers that share no folder with the driver's."""
    folder = runners.folder / "cluster"
    folder.mkdir()
    cluster = Cluster(runners.runs, folder)
    archive = runners.folder / "job.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("words/__init__.py", "def shout(word):\n    return word.upper()\n")
        out.writestr("words/__main__.py", SHOUT)
    python = f"spark.pyspark.python={cluster.python}"
    runner = runners.start("--master", cluster.master, "-D", python, "--archive", archive, "a", "b")
    assert runner.run.succeed() == "A\nB\n", runner.run.told()


@pytest.mark.long
def test_a_java_process_that_hangs_is_unhealthy(runners: Runners) -> None:
    runner = runners.start("--stuck-after", 5, runners.script(IDLE))
    runner.until_ready()
    runner.run.java().send_signal(signal.SIGSTOP)
    runner.run.until(lambda: runner.get("/healthz")[0] == 503, "stuck job")
    assert runner.get("/healthz")[1]["status"] == "stuck"
    runner.run.process.terminate()
    runner.run.wait(60)
    runner.run.assert_gone()


@pytest.mark.long
def test_a_broker_that_is_away_at_the_start(runners: Runners, tmp_path: Path) -> None:
    pytest.importorskip("confluent_kafka")
    script, port = runners.reader_of_an_absent_broker()
    runner = runners.start("--checkpoint-dir", tmp_path / "checkpoint", script)
    assert runner.run.wait() == 1, "to be tried again"
    assert f"127.0.0.1:{port}" in runner.events("failed")[0]["error"]
    runner.run.assert_tidy()
