"""What is tried."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, get_args

Job = Literal["count", "map", "window"]
Victim = Literal["driver", "java", "worker", "broker"]

JOBS: tuple[Job, ...] = get_args(Job)
VICTIMS: tuple[Victim, ...] = get_args(Victim)

#: Kills fall when so much of the output is committed.
_FROM, _TO = 0.05, 0.9


@dataclass(frozen=True)
class Trial:
    """One trial. All of it that is random comes from the seed.

    Attributes:
        messages: In the input.
        partitions: Of the input and of the output.
        keys: How many different ones.
        kills: How many.
        seed: Of everything random.
        victims: Who may be killed; each is, before one is for the second time.
        job: ``count``: running counts by key; ``map``: stateless; ``window``: counts in windows of event time.
        epoch_records: How many records an epoch holds at most.
        limit_s: The trial has failed after so long.
    """

    messages: int = 1_000_000
    partitions: int = 8
    keys: int = 1000
    kills: int = 5
    seed: int = 0
    victims: tuple[Victim, ...] = VICTIMS
    job: Job = "count"
    epoch_records: int = 50_000
    limit_s: float = 900.0


@dataclass(frozen=True)
class Strike:
    """A kill that is to come.

    Attributes:
        victim: Who.
        share: It falls when so much of the output is committed, from 0 to 1 ...
        amid: ... and while a transaction holds records that are not committed, ...
        delay: ... or else so much of an epoch's length later: anywhere in an epoch.
        away_s: How long a broker stays away.
    """

    victim: Victim
    share: float
    amid: bool
    delay: float
    away_s: float


def strikes(trial: Trial) -> list[Strike]:
    """The kills of a trial, in order."""
    chance = random.Random(trial.seed)
    victims: list[Victim] = []
    while len(victims) < trial.kills:
        victims += chance.sample(trial.victims, len(trial.victims))
    # One in each part of the run, so that the job works for a while between two of them.
    width = (_TO - _FROM) / max(trial.kills, 1)
    return [
        Strike(
            victim,
            share=_FROM + (i + chance.uniform(0, 0.8)) * width,
            amid=chance.random() < 0.5,
            delay=chance.random(),
            away_s=chance.uniform(1, 5),
        )
        for i, victim in enumerate(victims[: trial.kills])
    ]
