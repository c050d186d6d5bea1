"""Windows, sessions, timers and broadcast state, with processes killed at random moments: nothing is lost or twice."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from jobs.timed_results import BUCKET_MS, FULL, GAP_MS, RULES, WINDOW_MS, event, for_rules, in_burst

from tests.support.processes import JOBS, Run, Runs, visible_lines

COUNT = 480_000
VICTIMS = ["driver", "worker", "java"]


def start(runs: Runs, folder: Path) -> Run:
    return runs.job(
        "--log-format", "json", "--checkpoint-dir", folder / "checkpoint",
        "-D", "restart-strategy.type=none",  # each failure ends the process, and the next one continues
        "-D", "datastream.epoch.max-records=24000", "-D", "spark.driver.memory=1g",
        JOBS / "timed_results.py", folder / "out", "--count", COUNT,
    )  # fmt: skip


def kill(run: Run, victim: str, chance: random.Random) -> None:
    """End one process of a run by SIGKILL, some epochs after its start."""
    wanted = chance.randint(1, 5)
    run.until(lambda: run.err.count('"event": "epoch"') >= wanted, f"epoch {wanted}")
    time.sleep(chance.random())
    run.kill(victim)
    assert run.wait() != 0, run.told()
    run.assert_gone()


@pytest.mark.long
def test_restarts_change_no_result(runs: Runs, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    seed = random.randrange(2**32)
    record_property("seed", seed)
    print(f"seed {seed}")  # shown when the test fails
    chance = random.Random(seed)
    for victim in chance.sample(VICTIMS, len(VICTIMS)):
        kill(start(runs, tmp_path), victim, chance)
    assert "the script went on to its end" in start(runs, tmp_path).succeed()
    for name, wanted in plain().items():
        found = Counter(visible_lines(tmp_path / "out" / name))
        lost, more = list((wanted - found).items())[:5], list((found - wanted).items())[:5]
        assert found == wanted, f"{name}: not there {lost}; too often {more}"


def plain() -> dict[str, Counter[str]]:
    """The lines of each sink."""
    windows: dict[tuple[int, int], list[int]] = defaultdict(list)
    buckets: Counter[tuple[int, int]] = Counter()
    bursts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    joined: list[tuple[int, ...]] = []
    for one in map(event, range(COUNT)):
        key, number, at = one
        windows[key, at // WINDOW_MS * WINDOW_MS].append(number)
        buckets[key, at // BUCKET_MS * BUCKET_MS + BUCKET_MS] += 1
        if in_burst(one):
            bursts[key].append((at, number))
        if for_rules(one):
            joined.append((number, 1000 + number * RULES // COUNT))
    parts = [(*bucket, FULL) for bucket, n in buckets.items() for _ in range(n // FULL)]
    parts += [(*bucket, n % FULL) for bucket, n in buckets.items() if n % FULL]
    return {
        "tumbling": lines(
            [(key, at, at + WINDOW_MS, len(numbers), sum(numbers)) for (key, at), numbers in windows.items()]
        ),
        "sessions": lines([(key, *session) for key, some in bursts.items() for session in sessions(some)]),
        "buckets": lines(parts),
        "joined": lines(joined),
    }


def sessions(records: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """(start, end, how many, sum) of the sessions of one key."""
    found: list[list[int]] = []
    for at, number in sorted(records):
        if found and at <= found[-1][1]:
            found[-1][1:] = [at + GAP_MS, found[-1][2] + 1, found[-1][3] + number]
        else:
            found.append([at, at + GAP_MS, 1, number])
    return [tuple(session) for session in found]


def lines(rows: list[tuple[int, ...]]) -> Counter[str]:
    return Counter(",".join(map(str, row)) for row in rows)
