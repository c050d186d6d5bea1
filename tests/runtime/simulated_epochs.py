"""Epochs on paper: what they cost, how that varies, and which fixed size would be best."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

#: Records an epoch may hold.
MOST = 16_000_000

_KEYS_A_PAGE = 128


@dataclass(frozen=True)
class Cost:
    """What an epoch costs once all is warm.

    Attributes:
        fixed: ms an epoch.
        record: ms a record.
        page: ms a page of state that is read and written.
        keys: Keys in use. Beyond as many records the pages touched hardly become more.
    """

    fixed: float
    record: float
    page: float = 0.0
    keys: int = 0

    def ms(self, records: float) -> float:
        pages = self.keys / _KEYS_A_PAGE
        touched = -pages * math.expm1(-records / pages) if pages else 0.0
        return self.fixed + self.record * records + self.page * touched


@dataclass(frozen=True)
class Load:
    """What makes the epochs of a run differ.

    Attributes:
        cold: Factors of the first epochs, one after the other.
        noise: Sigma of the log-normal factor of every epoch.
        stalls: Part of the epochs that take ten times as long.
        seed: Of the random numbers.
        held: Epoch -> most records that the input has for it; None: any number.
    """

    cold: tuple[float, ...] = ()
    noise: float = 0.0
    stalls: float = 0.0
    seed: int = 0
    held: Callable[[int], float] = field(default=lambda epoch: math.inf)


class Epoch(NamedTuple):
    """One epoch of a run."""

    budget: int
    records: int
    ms: float


def simulate(sizing, cost, epochs, load=Load(), known=True):
    """Run a sizing over so many epochs.

    Args:
        sizing: An `EpochSizing`.
        cost: A `Cost`, or a function: number of the epoch -> `Cost`.
        epochs: How many.
        load: What makes them differ.
        known: Whether the sizing gets the number of records.
    """
    draw = random.Random(load.seed)
    run = []
    for number in range(epochs):
        budget = sizing.budget
        records = int(min(budget, load.held(number)))
        ms = (cost if isinstance(cost, Cost) else cost(number)).ms(records) * draw.lognormvariate(0, load.noise)
        if number < len(load.cold):
            ms *= load.cold[number]
        if draw.random() < load.stalls:
            ms *= 10
        sizing.epoch_took(ms, records if known else None)
        run.append(Epoch(budget, records, ms))
    return run


def rate(run):
    """Records a ms."""
    return sum(epoch.records for epoch in run) / sum(epoch.ms for epoch in run)


def best_fixed(cost, target_ms, most=MOST):
    """The fixed size to compete with.

    It is the fastest whose epochs have the target's length, or are longer and pay for it: each doubling up to it makes
    records go by an eighth faster, or where epochs become very long by so much that halves would hardly be shorter.
    """
    size = 10_000 if cost.ms(10_000) <= target_ms else 12_500
    while size * 1.05 <= most and cost.ms(size * 1.05) <= target_ms:
        size = int(size * 1.05)
    while size * 2 <= most:
        pays = 1.12 if cost.ms(size * 2) <= 16 * target_ms else 1.6
        if size * 2 / cost.ms(size * 2) < pays * size / cost.ms(size):
            break
        size *= 2
    return size


class Fixed:
    """A sizing that does nothing."""

    def __init__(self, budget):
        self.budget = budget

    def epoch_took(self, ms, records=None):
        return None
