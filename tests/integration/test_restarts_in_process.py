"""Workers and Java are killed, and the job restarts in its driver: every record counts exactly once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.cluster import Cluster
from tests.support.processes import JOBS, Run, Runs, visible_lines

pytestmark = pytest.mark.long

COUNT = 600_000


def start(runs: Runs, folder: Path, *options: object) -> Run:
    return runs.job(
        "--log-format", "json", "-D", "datastream.epoch.max-records=20000", "-D", "spark.driver.memory=1g",
        *options,
        JOBS / "running_sums.py", folder / "out", "--count", COUNT,
    )  # fmt: skip


def events(run: Run, name: str) -> list[dict]:
    found = [json.loads(line) for line in run.err.splitlines() if line.startswith("{")]
    return [event for event in found if event["event"] == name]


def after_epochs(run: Run, number: int) -> None:
    seen = len(events(run, "epoch"))
    run.until(lambda: len(events(run, "epoch")) >= seen + number, f"{number} more epochs")


def assert_exactly_once(folder: Path, run: Run) -> None:
    numbers = sorted(map(int, visible_lines(folder / "out" / "numbers")))
    assert numbers == list(range(1, COUNT + 1))
    epochs = [event["epoch"] for event in events(run, "epoch")]
    assert epochs == list(range(len(epochs)))
    last = {}
    for line in visible_lines(folder / "out" / "sums"):
        key, total = map(int, line.split(","))
        last[key] = max(total, last.get(key, 0))
    assert last == {key: sum(range(key or 100, COUNT + 1, 100)) for key in range(100)}


@pytest.mark.parametrize("kept", [True, False], ids=["checkpoint directory", "temporary folder"])
def test_workers_and_java_are_killed(runs: Runs, tmp_path: Path, kept: bool) -> None:
    options = ("--checkpoint-dir", tmp_path / "checkpoint") if kept else ("-D", "execution.checkpointing.interval=10")
    run = start(runs, tmp_path, *options)
    after_epochs(run, 2)

    def kill() -> bool:  # a worker that is idle just then is not missed
        for worker in run.python_workers():
            worker.kill()
        return bool(events(run, "restart"))

    run.until(kill, "restart")
    first = events(run, "restart")[0]
    assert first["type"] == "WorkerError" and "a Python worker process died" in first["error"], first
    after_epochs(run, 2)
    java, known = run.java(), len(events(run, "restart"))
    java.kill()
    run.until(lambda: len(events(run, "restart")) > known, "restart after Java was killed")
    assert "the Java process was ended by signal 9" in events(run, "restart")[-1]["error"]
    after_epochs(run, 1)
    assert run.java().pid != java.pid
    assert "the script went on to its end" in run.succeed()
    assert_exactly_once(tmp_path, run)
    assert events(run, "end")[0]["status"] == "FINISHED"
    run.assert_tidy()


def test_java_is_killed_again_while_it_starts(runs: Runs, tmp_path: Path) -> None:
    run = start(
        runs, tmp_path, "--checkpoint-dir", tmp_path / "checkpoint", "-D", "restart-strategy.type=fixed-delay",
        "-D", "restart-strategy.fixed-delay.attempts=10", "-D", "restart-strategy.fixed-delay.delay=100 ms",
    )  # fmt: skip
    after_epochs(run, 1)
    first = run.java()
    first.kill()
    run.until(lambda: any(java.pid != first.pid for java in run.named("java")), "another Java")
    run.java().kill()
    assert "the script went on to its end" in run.succeed()
    assert_exactly_once(tmp_path, run)
    assert len(events(run, "restart")) == 2
    run.assert_tidy()


def test_java_of_a_driver_beside_a_cluster_is_killed(runs: Runs, cluster: Cluster, tmp_path: Path) -> None:
    run = start(
        runs, tmp_path, "--checkpoint-dir", tmp_path / "checkpoint", "--master", cluster.master,
        "-D", f"spark.pyspark.python={cluster.python}", "-D", "spark.executor.memory=512m",
        "-D", "datastream.epoch.max-records=60000",
    )  # fmt: skip
    run.until(lambda: len(events(run, "epoch")) >= 2, "two epochs", limit_s=240)
    java = next(java for java in run.named("java") if java.parent().pid == run.process.pid)
    java.kill()
    run.until(lambda: events(run, "restart"), "restart after Java was killed", limit_s=60)
    assert "the Java process was ended by signal 9" in events(run, "restart")[0]["error"]
    assert "the script went on to its end" in run.succeed(limit_s=240)
    assert len(events(run, "restart")) == 1
    assert_exactly_once(tmp_path, run)


def test_a_driver_that_is_killed_leaves_its_folder_to_the_next_at_once(runs: Runs, tmp_path: Path) -> None:
    options = ("--checkpoint-dir", tmp_path / "checkpoint")
    run = start(runs, tmp_path, *options)
    for _ in range(2):
        after_epochs(run, 2)
        run.process.kill()
        run = start(runs, tmp_path, *options)
    assert "the script went on to its end" in run.succeed()
    assert sorted(map(int, visible_lines(tmp_path / "out" / "numbers"))) == list(range(1, COUNT + 1))


def test_an_epoch_that_takes_too_long_is_stopped(runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import time\nfrom pathlib import Path\n"
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        f"marker = Path({str(tmp_path / 'marker')!r})\n"
        "def slow(n):\n"
        "    if n == 25 and not marker.exists():\n"
        "        marker.touch()\n"
        "        time.sleep(600)\n"
        "    return n\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.set_parallelism(1)\n"
        "env.from_collection(list(range(50))).map(slow).print()\n"
        "env.execute()\n"
    )
    run = runs.job(
        "--log-format", "json", "--checkpoint-dir", tmp_path / "checkpoint", "-D", "datastream.epoch.max-records=10",
        "-D", "execution.checkpointing.timeout=5 s", "-D", "execution.checkpointing.tolerable-failed-checkpoints=1",
        script,
    )  # fmt: skip
    assert run.succeed().split() == [str(n) for n in range(50)]
    (failed,) = events(run, "restart")
    assert not failed["counted"]
    assert "longer than execution.checkpointing.timeout, which is 5,000 ms" in failed["error"]
