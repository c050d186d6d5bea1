"""What is tried."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal, get_args

Fault = Literal[
    "driver", "java", "worker", "planner", "committer", "pause", "disk", "truncate", "flip", "sink", "broker"
]

#: The faults, and what each of them is.
FAULTS: dict[Fault, str] = {
    "driver": "kills the driver",
    "java": "kills Java",
    "worker": "kills a Python worker at work",
    "planner": "kills the process that plans epochs",
    "committer": "kills the process that commits epochs, at work",
    "pause": "stops driver, Java, a worker or all of them for a while",
    "disk": "fills the checkpoint's disk for a while",
    "truncate": "kills the driver and truncates one of the checkpoint's newest files",
    "flip": "kills the driver and flips a bit in one of the checkpoint's newest files",
    "sink": "makes every n-th call of a sink fail, once or twice",
    "broker": "kills Kafka's broker, and starts it again soon",
}
assert set(FAULTS) == set(get_args(Fault))

#: A fault falls while the job starts with this chance, otherwise between two of its first epochs.
_EARLY = 0.15
_EARLY_S = 6.0
_EPOCHS = 6
_EPOCH_S = 0.4


@dataclass(frozen=True)
class Trial:
    """One trial. All of it that is random comes from the seed.

    Attributes:
        kind: Name of the kind of job.
        faults: What goes wrong, one after the other.
        seed: Of everything random.
        pause_s: How long a pause lasts.
        limit_s: The trial has failed after so long.
    """

    kind: str
    faults: tuple[Fault, ...]
    seed: int
    pause_s: float = 4.0
    limit_s: float = 180.0

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.kind} {'+'.join(self.faults) or 'undisturbed'} {self.seed}"

    @property
    def command(self) -> str:
        """What repeats it."""
        return f"scripts/chaos --kinds {self.kind} --faults {'+'.join(self.faults)} --seed {self.seed}"


@dataclass(frozen=True)
class Strike:
    """A fault that is to come.

    Attributes:
        fault: Which.
        epochs: It falls when a run has committed so many epochs, 0: whether or not it has ...
        delay_s: ... and so much later: anywhere in an epoch, or in the start of a job.
        chance: For what is random about the fault itself.
    """

    fault: Fault
    epochs: int
    delay_s: float
    chance: random.Random


def strikes(trial: Trial) -> list[Strike]:
    """The faults of a trial, in order."""
    chance = random.Random(f"{trial.kind} {trial.seed}")
    found = []
    for fault in trial.faults:
        early = chance.random() < _EARLY
        epochs = 0 if early else chance.randint(1, _EPOCHS)
        delay_s = chance.uniform(0, _EARLY_S if early else _EPOCH_S)
        found.append(Strike(fault, epochs, delay_s, random.Random(chance.random())))
    return found
