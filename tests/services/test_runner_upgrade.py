"""Jobs that change between two starts of their runner: parallelism and code, with kills at any moment."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.services.conftest import Runner, Runners
from tests.support.processes import visible_lines

#: Running counts of the numbers to argv[2], in epochs of a twentieth of them; argv[3] changes the job.
COUNTS = """
import sys, time
from pyflink.common import Encoder, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, RollingPolicy
from datastream.connectors import DataGeneratorSource

out, count, change = sys.argv[1], int(sys.argv[2]), sys.argv[3]

def slow(n):
    if n % (count // 20) == 0:
        time.sleep(0.3)
    return n % 7, 1

env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(int, count=count)
pairs = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers").map(slow)
if change == "rebalanced":
    pairs = pairs.rebalance().map(lambda pair: pair)
counts = pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("counts")
sink = FileSink.for_row_format(out, Encoder.simple_string_encoder())
sink = sink.with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy()).build()
counts.map(lambda pair: f"{pair[0]} {pair[1]}").sink_to(sink).uid("out")
env.execute("counts")
"""
COUNT = 1400


def counts(runners: Runners, parallelism: int, *flags: object, change: str = "none") -> Runner:
    """A runner of `COUNTS` on the test's generations."""
    folder = runners.folder
    return runners.start(
        "--upgrade",
        "savepoint",
        "--checkpoint-dir",
        folder / "checkpoint",
        "-D",
        f"datastream.epoch.max-records={COUNT // 20}",
        "-p",
        parallelism,
        *flags,
        runners.script(COUNTS),
        folder / "out",
        COUNT,
        change,
    )


def assert_exact(runners: Runners) -> None:
    expected = sorted(f"{key} {count}" for key in range(7) for count in range(1, COUNT // 7 + 1))
    assert sorted(visible_lines(runners.folder / "out")) == expected


def steps(runner: Runner) -> list[str]:
    return [event["step"] for event in runner.events("upgrade")]


def after_epochs(runner: Runner, number: int) -> Callable[[], bool]:
    return lambda: len(runner.events("epoch")) >= number


def generations(runners: Runners) -> list[str]:
    return sorted(path.name for path in (runners.folder / "checkpoint").iterdir() if path.name.isdecimal())


@pytest.mark.long
def test_another_parallelism_starts_from_a_savepoint(runners: Runners) -> None:
    first = counts(runners, 2)
    first.run.until(after_epochs(first, 2), "epochs")
    assert first.terminate() == 0, first.run.told()
    assert steps(first) == ["begin"]
    again = counts(runners, 2)
    again.run.until(after_epochs(again, 1), "an epoch")
    assert again.terminate() == 0, again.run.told()
    assert steps(again) == [], "the job fits"
    wider = counts(runners, 3)
    wider.run.until(lambda: "clean" in steps(wider), "an end of the first generation")
    assert wider.terminate() == 0, wider.run.told()
    assert steps(wider) == ["savepoint", "saved", "begin", "clean"]
    assert generations(runners) == ["2"]
    back = counts(runners, 2)
    back.run.succeed()
    assert steps(back)[:3] == ["savepoint", "saved", "begin"]
    assert generations(runners) == ["3"]
    assert [path.name for path in (runners.folder / "checkpoint" / "savepoints").iterdir()] == ["3"]
    assert_exact(runners)
    plain = runners.start(
        "--checkpoint-dir", runners.folder / "checkpoint", runners.script(COUNTS), "out", COUNT, "none"
    )
    assert plain.run.wait() == 2, "a job beside the generations would start from the beginning"
    assert "the last one in 3" in plain.run.err


@pytest.mark.long
def test_a_checkpoint_of_before_is_the_first_generation(runners: Runners) -> None:
    first = counts(runners, 2, "--upgrade", "refuse")
    first.run.until(after_epochs(first, 2), "epochs")
    assert first.terminate() == 0, first.run.told()
    assert (runners.folder / "checkpoint" / "job.json").exists()
    fitting = counts(runners, 2)
    fitting.run.until(after_epochs(fitting, 1), "an epoch")
    assert fitting.terminate() == 0, fitting.run.told()
    assert generations(runners) == []
    wider = counts(runners, 3)
    wider.run.succeed()
    assert generations(runners) == ["1"]
    assert not (runners.folder / "checkpoint" / "job.json").exists()
    assert_exact(runners)


@pytest.mark.long
def test_an_epoch_that_was_interrupted_ends_as_it_began(runners: Runners) -> None:
    first = counts(runners, 2)
    first.run.until(after_epochs(first, 2), "epochs")
    offsets, commits = (runners.folder / "checkpoint" / "1" / name for name in ("offsets", "commits"))

    def last(folder: Path) -> int:
        return max((int(path.name) for path in folder.iterdir() if path.name.isdecimal()), default=-1)

    def interrupted() -> bool:
        return last(offsets) > last(commits)

    first.run.until(interrupted, "an epoch amid")
    first.kill_all()
    if not interrupted():
        pytest.skip("the epoch ended before the kill")
    changed = counts(runners, 2, change="rebalanced")
    assert changed.run.wait() == 2, changed.run.told()
    assert "roll back to the earlier version" in changed.events("failed")[0]["error"]
    wider = counts(runners, 4)
    wider.run.until(lambda: "begin" in steps(wider), "a new generation")
    assert steps(wider) == ["finish", "savepoint", "saved", "begin"]
    wider.run.until(after_epochs(wider, 2), "epochs")
    assert wider.terminate() == 0, wider.run.told()
    changed = counts(runners, 2, change="rebalanced")
    changed.run.until(after_epochs(changed, 2), "epochs")
    assert changed.terminate() == 0, changed.run.told()
    rolled_back = counts(runners, 4)
    rolled_back.run.succeed()
    assert_exact(runners)


@pytest.mark.long
def test_a_generation_that_committed_nothing_is_replaced(runners: Runners) -> None:
    first = counts(runners, 2)
    first.run.until(after_epochs(first, 2), "epochs")
    assert first.terminate() == 0, first.run.told()
    wider = counts(runners, 4)
    wider.run.until(lambda: (runners.folder / "checkpoint" / "2" / "job.json").exists(), "a generation")
    wider.kill_all()
    committed = any((runners.folder / "checkpoint" / "2" / "commits").glob("[0-9]*"))
    back = counts(runners, 2)
    back.run.succeed()
    assert committed or steps(back)[0] == "replace"
    assert_exact(runners)


@pytest.mark.long
def test_a_standby_goes_on_from_the_newest_generation(runners: Runners) -> None:
    first = counts(runners, 2)
    first.run.until(after_epochs(first, 1), "an epoch")
    refused = counts(runners, 2)
    standby = counts(runners, 3, "--standby")
    assert refused.run.wait() == 75, refused.run.told()
    standby.run.until(lambda: bool(standby.events("standby")), "standby")
    first.kill_all()
    standby.run.succeed()
    assert "saved" in steps(standby)
    assert_exact(runners)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(3))
def test_kills_at_any_moment(runners: Runners, seed: int) -> None:
    """Kills amid epochs, savepoints and first epochs of generations; the parallelism differs with each start."""
    chance = random.Random(seed)
    parallelism, ended = 2, False
    for _ in range(9):
        runner = counts(runners, parallelism)
        what = chance.choice(["savepoint", "begin", "finish", "epoch", "epochs"])
        number, delay = chance.randint(1, 3), chance.random() * chance.choice([0.05, 0.5, 2])
        deadline = time.monotonic() + 60
        while runner.run.process.poll() is None and time.monotonic() < deadline:
            if what in steps(runner) or (what.startswith("epoch") and after_epochs(runner, number)()):
                break
            if what in ("savepoint", "finish") and after_epochs(runner, 3)():
                break
            time.sleep(0.01)
        time.sleep(delay)
        runner.kill_all()
        print(seed, parallelism, what, steps(runner), len(runner.events("epoch")), runner.run.process.returncode)
        if runner.run.process.returncode == 0:
            ended = True
            break
        assert runner.run.process.returncode == -9, runner.run.told()
        parallelism = chance.choice([2, 4, 1])
    if not ended:
        counts(runners, parallelism).run.succeed(300)
    assert_exact(runners)
