"""When the next epoch may begin: by a clock that nobody sets."""

from __future__ import annotations

from typing import Any

import pytest

from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.api.environment import graph_of
from datastream.connectors import DataGeneratorSource, DiscardingSink
from datastream.runtime import epoch_planner as module
from datastream.runtime.epoch_planner import EpochPlanner
from datastream.runtime.program import JobSpec, Program


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "time", made)  # a look at the time of day would fail
    return made


class Planned:
    """A job that always has records to read, and the driver's order."""

    order: str | None = None

    def __init__(self, **pauses: int) -> None:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(1)
        source = DataGeneratorSource(lambda number: number)
        env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").sink_to(DiscardingSink())
        program = Program(JobSpec(graph_of(env, "job"), "", "", {}, **pauses))
        self.planner = EpochPlanner(program, lambda: None, lambda: None, lambda: self.order)
        self.offset: dict[str, Any] = self.planner.initial()

    @property
    def read(self) -> int:
        """How many records the epochs until now hold."""
        (offset,) = self.offset["sources"].values()
        return int(offset["n"])

    def plans(self) -> bool:
        """Whether an epoch begins now."""
        end = self.planner.latest(self.offset)
        begins, self.offset = end != self.offset, end
        return begins


def test_an_interval_is_from_start_to_start(clock: Clock) -> None:
    job = Planned(interval_ms=5000)
    assert job.plans(), "the first epoch does not wait"
    clock.now += 2  # it took so long
    assert not job.plans()
    assert job.planner.pause_s == 3
    clock.now += 2.9
    assert not job.plans()
    clock.now += 0.1
    assert job.planner.pause_s == 0
    assert job.plans()
    clock.now += 6
    assert job.plans(), "one that took longer is followed at once"


def test_a_pause_is_from_end_to_start(clock: Clock) -> None:
    job = Planned(min_pause_ms=5000)
    assert job.plans()
    clock.now += 2
    assert not job.plans()
    clock.now += 4.9
    assert not job.plans()
    clock.now += 0.1
    assert job.plans()


@pytest.mark.parametrize(("took_s", "pauses_s"), [(1, 9), (8, 3)])
def test_the_longer_of_both_counts(clock: Clock, took_s: float, pauses_s: float) -> None:
    job = Planned(interval_ms=10_000, min_pause_ms=3000)
    assert job.plans()
    clock.now += took_s
    assert not job.plans()
    assert job.planner.pause_s == pauses_s


@pytest.mark.parametrize("pauses", [{"interval_ms": 3_600_000}, {"min_pause_ms": 3_600_000}])
@pytest.mark.parametrize(("order", "plans"), [("drain", True), ("stop", False), ("end", False)])
def test_an_order_does_not_wait_for_a_pause(clock: Clock, pauses: dict[str, int], order: str, plans: bool) -> None:
    job = Planned(**pauses)
    assert job.plans()
    clock.now += 1
    assert not job.plans()
    job.order = order
    assert job.plans() is plans
    assert job.offset["final"] is plans


@pytest.mark.parametrize("pauses", [{"interval_ms": 10_000}, {"min_pause_ms": 10_000}])
def test_epochs_far_apart_are_large_where_much_waits(clock: Clock, pauses: dict[str, int]) -> None:
    """An interval does not limit how many records go by as long as the machine has time left in it."""
    job = Planned(**pauses)
    for _ in range(60):
        before = job.read
        while not job.plans():
            clock.now += job.planner.pause_s
        clock.now += 0.1 + (job.read - before) / 50_000  # 50,000 records a second
    assert job.read - before >= 400_000
