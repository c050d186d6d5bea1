"""Loops with exchanges over savepoints: what was being fed back is there once in the restored job."""

from __future__ import annotations

import os
import shutil
import stat
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from datastream import KeyedProcessFunction, ValueStateDescriptor
from datastream.errors import CheckpointError
from datastream.spark.savepoint import take_savepoint
from datastream.types import Types
from tests.support.savepoints import END, Part

ROUNDS = 5


class Visits(KeyedProcessFunction):
    """Numbers the visits of each key."""

    def open(self, runtime_context: Any) -> None:
        self.visits = runtime_context.get_state(ValueStateDescriptor("visits", Types.LONG()))

    def process_element(self, value: tuple[int, int], ctx: Any) -> Any:
        visit = (self.visits.value() or 0) + 1
        self.visits.update(visit)
        yield value[0], value[1] + 1, visit


def looped(env: Any, numbers: Any) -> Any:
    """(number, round, visits of the number so far); every number goes round five times."""
    loop = numbers.map(lambda n: (n, 0)).iterate()
    visited = loop.key_by(lambda p: p[0]).process(Visits()).uid("visits")
    loop.close_with(visited.filter(lambda t: t[1] < ROUNDS).map(lambda t: (t[0], t[1])))
    return visited


WANTED = Counter((n, turn, turn) for n in range(1, END + 1) for turn in range(1, ROUNDS + 1))


def differences(found: list[Any]) -> str:
    got = Counter(found)
    return f"lost {list((WANTED - got).items())[:3]}; too often {list((got - WANTED).items())[:3]}"


def check_rest(before: list[Any], rest: list[Any]) -> None:
    """Check that a job that went on from somewhere in an earlier one gave all from there on, once."""
    assert set(before) | set(rest) == set(WANTED)
    turns: defaultdict[int, list[int]] = defaultdict(list)
    for number, turn, visit in rest:
        turns[number].append(turn)
        assert visit == turn
    assert all(sorted(some) == list(range(ROUNDS + 1 - len(some), ROUNDS + 1)) for some in turns.values())


@pytest.mark.long
@pytest.mark.parametrize("epochs", [1, 2, 4, 6])
@pytest.mark.parametrize(("parallelism", "key_groups"), [(2, 128), (4, 128), (1, 128), (3, 40)])
def test_feedback_in_flight(epochs: int, parallelism: int, key_groups: int, tmp_path: Path) -> None:
    first = Part(looped, epochs=epochs)
    first.handle.savepoint(tmp_path / "savepoint")
    more = {"pipeline.max-parallelism": str(key_groups)}
    rest = Part(looped, savepoint=tmp_path / "savepoint", parallelism=parallelism, more=more)
    found = first.results + rest.results
    assert Counter(found) == WANTED, differences(found)


def test_a_chain_of_savepoints_and_two_jobs_from_one(tmp_path: Path) -> None:
    parts = [Part(looped, epochs=2)]
    for n, parallelism in enumerate((4, 1, 3)):
        parts[-1].handle.savepoint(tmp_path / str(n))
        parts.append(Part(looped, epochs=1, savepoint=tmp_path / str(n), parallelism=parallelism))
    parts[-1].handle.savepoint(tmp_path / "last")
    before = [result for part in parts for result in part.results]
    for parallelism in (2, 5):
        found = before + Part(looped, savepoint=tmp_path / "last", parallelism=parallelism).results
        assert Counter(found) == WANTED, differences(found)


@pytest.mark.long
def test_on_spark_at_another_parallelism(tmp_path: Path) -> None:
    """A savepoint of the running job, and one of the stopped one."""
    running = tmp_path / "running"

    def while_it_runs() -> None:
        take_savepoint(tmp_path / "checkpoint", running)

    first = Part(
        looped, epochs=3, executor="spark", checkpoint=tmp_path / "checkpoint", before_stop=while_it_runs, parallelism=2
    )
    take_savepoint(tmp_path / "checkpoint", tmp_path / "stopped")
    rest = Part(looped, executor="spark", checkpoint=tmp_path / "new", savepoint=tmp_path / "stopped", parallelism=4)
    found = first.results + rest.results
    assert Counter(found) == WANTED, differences(found)

    for parallelism in (1, 3):  # the same one, twice
        check_rest(first.results, Part(looped, savepoint=running, parallelism=parallelism).results)


@pytest.mark.long
@pytest.mark.parametrize("which", ["epoch", "part"])
def test_notes_that_were_lost(which: str, tmp_path: Path) -> None:
    """Neither a job that is started again nor a savepoint passes over them."""
    checkpoint = tmp_path / "checkpoint"
    Part(looped, epochs=3, executor="spark", checkpoint=checkpoint)
    epochs = checkpoint / "spool" / "iterate-2-feedback" / "parts" / "epochs"
    last = max(int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdecimal())
    for path in (checkpoint / "offsets").iterdir():  # as if no epoch were under way
        if path.name.lstrip(".").split(".")[0] == str(last + 1):
            path.unlink()
    lost = epochs / f"{last}-0"
    if which == "part":
        lost = next(path for path in sorted(epochs.parent.parent.iterdir()) if path.name.startswith(f"{last}-"))
    lost.unlink()
    with pytest.raises(CheckpointError, match=f"{lost}.*is missing"):
        take_savepoint(checkpoint, tmp_path / "savepoint")
    with pytest.raises(CheckpointError, match=f"{lost}.*is missing"):
        Part(looped, executor="spark", checkpoint=checkpoint)


def test_a_savepoint_that_is_read_only(tmp_path: Path) -> None:
    """The notes that a job brings back from it are in folders that it can write to."""
    first = Part(looped, epochs=2)
    first.handle.savepoint(tmp_path / "savepoint")
    for folder, _, files in os.walk(tmp_path / "savepoint"):
        os.chmod(folder, 0o555)
        for name in files:
            os.chmod(Path(folder, name), 0o444)
    checkpoint = tmp_path / "checkpoint"
    rest = Part(looped, executor="spark", checkpoint=checkpoint, savepoint=tmp_path / "savepoint")
    assert Counter(first.results + rest.results) == WANTED
    assert all(os.stat(folder).st_mode & stat.S_IWUSR for folder, _, _ in os.walk(checkpoint / "spool"))


@pytest.mark.long
def test_a_driver_that_died_at_each_step_of_an_epoch(tmp_path: Path) -> None:
    """Behind the sinks' commit, between what tasks left and that commit, and before the tasks."""
    died = tmp_path / "died"
    apart = {"datastream.trigger.interval-ms": "4000"}  # so that what the last epoch has read is still there
    first = Part(
        looped,
        epochs=3,
        executor="spark",
        checkpoint=tmp_path / "whole",
        more=apart,
        before_stop=lambda: shutil.copytree(tmp_path / "whole", died),
    )
    last = max(int(path.name) for path in (died / "offsets").iterdir() if path.name.isdecimal())
    for path in (died / "commits" / str(last), died / "commits" / f".{last}.crc"):
        path.unlink()
    for step in range(3):
        checkpoint = tmp_path / str(step)
        spool = checkpoint / "spool" / "iterate-2-feedback"
        shutil.copytree(died, checkpoint)
        if step >= 1:
            (spool / "parts" / "epochs" / f"{last}-0").unlink(missing_ok=True)
        if step >= 2:
            for path in spool.glob(f"{last}-*"):
                path.unlink()
        rest = Part(looped, executor="spark", checkpoint=checkpoint)
        assert rest.epochs[0] == last
        check_rest(first.results, rest.results)
