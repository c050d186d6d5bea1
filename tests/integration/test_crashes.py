"""Processes are killed at random moments; a restart goes on, and every record counts exactly once."""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import JOBS, Run, Runs, visible_lines

pytestmark = pytest.mark.long

COUNT = 1_200_000
KEYS = 100
VICTIMS = ("driver", "worker", "java", "driver")


def start(runs: Runs, folder: Path) -> Run:
    return runs.job(
        "--log-format", "json", "--checkpoint-dir", folder / "checkpoint",
        "-D", "restart-strategy.type=none",  # each failure ends the process, and the next one continues
        "-D", "datastream.epoch.max-records=40000", "-D", "spark.driver.memory=1g",
        JOBS / "running_sums.py", folder / "out", "--count", COUNT,
    )  # fmt: skip


def epochs(run: Run) -> int:
    return run.err.count('"event": "epoch"')


def kill(run: Run, victim: str, chance: random.Random) -> None:
    """End one process of a run by SIGKILL, some epochs after its start, and see how the others take it."""
    wanted = chance.randint(1, 4)
    run.until(lambda: epochs(run) >= wanted, f"epoch {wanted}")
    time.sleep(chance.random() / 2)
    if victim == "driver":
        run.process.kill()
        run.wait(10)
    else:
        run.java().kill() if victim == "java" else run.kill_python_workers()
        assert run.wait() == 1, run.told()
        assert_says_what_to_do(run, victim)
    run.assert_gone()


def assert_says_what_to_do(run: Run, victim: str) -> None:
    last = json.loads(run.err.splitlines()[-1])
    assert last["event"] == "failed", run.told()
    assert last["type"] == "WorkerError"
    assert ("Java" if victim == "java" else "a Python worker process died") in last["error"]
    assert "--checkpoint-dir" in last["error"]
    assert "Traceback" not in last["error"]


def test_every_record_counts_exactly_once_whatever_is_killed(
    runs: Runs, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    seed = random.randrange(2**32)
    record_property("seed", seed)
    print(f"seed {seed}")  # shown when the test fails
    chance = random.Random(seed)
    victims = list(VICTIMS)
    chance.shuffle(victims)
    for victim in victims:
        kill(start(runs, tmp_path), victim, chance)
    last = start(runs, tmp_path)
    assert "the script went on to its end" in last.succeed()
    assert_exactly_once(tmp_path / "out")

    again = start(runs, tmp_path)
    assert "the script went on to its end" in again.succeed()
    assert epochs(again) == 0, "the job had finished, nothing was left to do"
    assert_exactly_once(tmp_path / "out")
    again.assert_tidy()


def assert_exactly_once(out: Path) -> None:
    numbers = sorted(map(int, visible_lines(out / "numbers")))
    assert numbers == list(range(1, COUNT + 1))
    sums: dict[int, list[int]] = defaultdict(list)
    for line in visible_lines(out / "sums"):
        key, total = line.split(",")
        sums[int(key)].append(int(total))
    assert sorted(sums) == list(range(KEYS))
    for key, totals in sums.items():
        totals.sort()
        added = [new - old for old, new in zip([0, *totals], totals, strict=False)]
        # Each update added one number of this key, and all of them were added: every update, once.
        assert sorted(added) == list(range(key or KEYS, COUNT + 1, KEYS))
