"""The rule of scaling by backlog, with jobs that are simulated: loads that rise and fall, noise, epochs that hang."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from datastream.services.runner.scaling_rule import Decision, Limits, Sample, ScalingRule

LIMITS = Limits(least=1, most=8, up_backlog_s=60, up_after_s=30, down_after_s=300, utilization=0.7, cooldown_s=120)
MINUTE, HOUR = 60, 3600
Rate = Callable[[float], float]


@dataclass
class Simulated:
    """A job whose subtask processes 1,000 records/s, in epochs with a fixed cost; it stands still for a change.

    Attributes:
        load: Records per second that come, by the time.
        parallelism: Number of subtasks.
        noise: Part by which the length of epochs varies.
        epoch_s: Length that epochs are steered to.
        hangs: From when to when an epoch hangs, in s.
        knows: Whether the source knows its backlog.
    """

    load: Rate
    parallelism: int = 1
    limits: Limits = LIMITS
    noise: float = 0.0
    epoch_s: float = 1.0
    hangs: tuple[float, float] = (math.inf, math.inf)
    knows: bool = True
    fixed_s: float = 0.1
    trigger_s: float = 0.0
    changes: list[tuple[float, Decision]] = field(default_factory=list)
    backlogs: list[float] = field(default_factory=list)

    def run(self, until_s: float, seed: int = 0) -> list[int]:
        """Run; the parallelisms from first to last."""
        chance = random.Random(seed)
        now, backlog, told = 0.0, 0.0, 0.0
        rule, records, busy = ScalingRule(self.limits, self.parallelism, 0.0), 0.0, 0.0
        epoch_ends, in_epoch, began = math.inf, 0.0, 0.0
        free = 15.0
        found = [self.parallelism]
        while now < until_s:
            now += 0.1
            backlog += self.load(now) * 0.1
            if now >= epoch_ends and not self.hangs[0] <= now < self.hangs[1]:
                records, busy, backlog, epoch_ends = (
                    records + in_epoch,
                    busy + now - began,
                    backlog - in_epoch,
                    math.inf,
                )
                free = max(now, began + self.trigger_s)
            if epoch_ends == math.inf and now >= free and backlog >= 1:
                told = backlog
                in_epoch = min(backlog, 1000 * self.parallelism * (self.epoch_s - self.fixed_s))
                length = self.fixed_s + in_epoch / (1000 * self.parallelism)
                began, epoch_ends = now, now + length * (1 + self.noise * chance.uniform(-1, 1))
            elif epoch_ends == math.inf:
                told = backlog
            if round(now * 10) % 10 == 0:
                self.backlogs.append(backlog)
                decision = rule.observe(Sample(now, int(records), busy, int(told) if self.knows else None))
                if decision is not None:
                    self.changes.append((now, decision))
                    found.append(decision.parallelism)
                    self.parallelism, epoch_ends, free = decision.parallelism, math.inf, now + 15
                    note = rule.capacities
                    rule, records, busy = ScalingRule(self.limits, self.parallelism, now, note), 0.0, 0.0
        return found


def test_a_job_that_keeps_up_stays_as_it_is() -> None:
    for noise in (0.0, 0.5):
        for seed in range(5):
            assert Simulated(lambda now: 700, noise=noise).run(2 * HOUR, seed) == [1]
            assert Simulated(lambda now: 1500, 2, noise=noise).run(2 * HOUR, seed) == [2]


def test_a_load_that_rises_and_falls_is_followed() -> None:
    def load(now: float) -> float:
        return 500 if now < 10 * MINUTE or now > 60 * MINUTE else 2500

    job = Simulated(load)
    assert job.run(3 * HOUR) == [1, 2, 4, 2, 1]
    (up, first), (further, second), (down, third), (least, _) = job.changes
    assert 10 * MINUTE < up < 13 * MINUTE and further < 17 * MINUTE, "soon"
    assert 60 * MINUTE < down < 70 * MINUTE and least < 90 * MINUTE
    assert first.load.backlog > 0 and f"{first.load.backlog:,} records" in first.reason
    assert second.load.busy > 0.9 and 1500 < second.load.rate < 2100
    assert third.load.demand == pytest.approx(500, rel=0.1)
    assert (
        max(job.backlogs[20 * MINUTE : 60 * MINUTE]) < 700_000 and max(job.backlogs[40 * MINUTE : 60 * MINUTE]) < 10_000
    )


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_it_does_not_swing(seed: int) -> None:
    """A load between two sizes, with noise, bursts and a daily tide: few changes, and never back and forth at once."""
    chance = random.Random(seed)
    steady = chance.uniform(300, 7000)
    noisy = Simulated(lambda now: steady * (1 + 0.4 * math.sin(now / 7) + chance.uniform(-0.5, 0.5)), noise=0.6)
    found = noisy.run(3 * HOUR, seed)
    assert found == sorted(found), "it goes up to what is needed, and stays"
    assert found[-1] * 1000 > steady * 0.9 or found[-1] == 8
    tide = Simulated(lambda now: 2000 + 1800 * math.sin(now / HOUR), noise=0.3)
    tide.run(7 * HOUR, seed)
    assert len(tide.changes) <= 8
    for (then, before), (now, after) in zip(tide.changes, tide.changes[1:], strict=False):
        if (after.parallelism > after.before) != (before.parallelism > before.before):
            assert now - then > 10 * MINUTE


def test_limits_are_kept() -> None:
    limits = Limits(least=2, most=3)
    assert Simulated(lambda now: 50_000, 2, limits).run(HOUR) == [2, 3]
    assert Simulated(lambda now: 1 if now > 5 * MINUTE else 5000, 3, limits).run(2 * HOUR) == [3, 2]
    assert Simulated(lambda now: 50_000, 2, Limits(2, 2)).run(HOUR) == [2]


def test_a_burst_and_a_cooldown() -> None:
    burst = Simulated(lambda now: 20_000 if 10 * MINUTE < now < 10 * MINUTE + 2 else 300)
    assert burst.run(HOUR) == [1], "40 s of work that are soon done"
    job = Simulated(lambda now: 50_000)
    job.run(HOUR)
    times = [0.0, *(now for now, _ in job.changes)]
    assert len(times) == 4 and all(b - a >= 150 for a, b in zip(times, times[1:], strict=False))


def test_an_epoch_that_hangs_decides_nothing() -> None:
    job = Simulated(lambda now: 500, hangs=(10 * MINUTE, 40 * MINUTE))
    job.run(40 * MINUTE)
    assert job.changes == []
    idle = Simulated(lambda now: 5000 if now < MINUTE else 0, 4, hangs=(0, HOUR))
    assert idle.run(2 * HOUR)[0] == 4 and all(now > HOUR for now, _ in idle.changes)


def test_without_a_backlog_nothing_is_decided() -> None:
    assert Simulated(lambda now: 50_000, knows=False).run(HOUR) == [1]
    assert Simulated(lambda now: 1, 8, knows=False).run(2 * HOUR) == [8]


def test_a_job_whose_epochs_wait_for_their_trigger_is_not_short_of_subtasks() -> None:
    """Its backlog is large by design: what comes between two epochs."""
    limits = Limits(least=1, most=8, up_backlog_s=10)
    waiting = Simulated(lambda now: 400, 1, limits, trigger_s=120, epoch_s=100)
    assert waiting.run(2 * HOUR) == [1]


def test_long_epochs() -> None:
    job = Simulated(lambda now: 2200, epoch_s=20, fixed_s=5)
    assert job.run(2 * HOUR) == [1, 2, 4]


def test_epochs_that_take_all_that_waits() -> None:
    """A job that falls behind has longer and longer epochs then, and a change waits for their end."""
    job = Simulated(lambda now: 500 if now < 5 * MINUTE or now > HOUR else 2500, epoch_s=1e6)
    assert job.run(3 * HOUR) == [1, 2, 4, 2, 1]
    assert job.changes[1][0] < 20 * MINUTE
