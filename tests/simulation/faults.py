"""What goes wrong, and when: at points where the engine gives up control, counted through the whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from datastream.errors import ProcessLost

#: What a fault does.
#: ``driver``    all processes of the job are lost; it starts again from its checkpoint,
#: ``power``     the same, and what was not brought to the disk is lost too,
#: ``damage``    the same, and a file of those that the engine keeps is damaged,
#: ``worker``    the worker of the task is lost, and the task runs again in another one,
#: ``error``     the call fails, as a full disk or a lost connection lets it: the task runs again, or the job restarts,
#: ``twice``     another attempt at the same task runs meanwhile, in another worker, from its begin to its end,
#: ``straggler`` an attempt of the life before, that nobody has told, runs now,
#: ``slow``      the clock moves on.
FAULTS = ("driver", "power", "damage", "worker", "error", "twice", "straggler", "slow")


class Fault(NamedTuple):
    """One fault of a run.

    Attributes:
        kind: One of `FAULTS`.
        after: It falls so many points after the one before, or at the first one behind that where it can.
    """

    kind: str
    after: int


class Lost(ProcessLost):
    """A simulated process is lost."""


class Failed(OSError):
    """A simulated call fails."""


@dataclass
class Faults:
    """The faults of one run.

    Attributes:
        plan: What falls, in order.
        act: Carries out what does not end the call: (kind, in a task) -> whether it could.
        points: How many points were passed.
        fell: (point, its name, kind) of each fault that fell.
        in_task: Whether a task runs at the moment.
    """

    plan: list[Fault]
    act: Callable[[str], bool] = lambda kind: False
    points: int = 0
    fell: list[tuple[int, str, str]] = field(default_factory=list)
    in_task: bool = False
    lost: str | None = None
    _since: int = 0
    _calm: int = 0

    def point(self, name: str) -> None:
        """Control is with somebody else for a moment. Raises, if a fault says so."""
        if self.lost is not None:
            raise Lost  # whatever a lost process would still clean up
        if self._calm:
            return
        self.points += 1
        self._since += 1
        if not self.plan or self._since < self.plan[0].after:
            return
        kind = self.plan[0].kind
        if kind in ("worker", "twice") and not self.in_task:
            return
        if kind in ("twice", "straggler", "slow"):
            with self.calm():
                if not self.act(kind):
                    return
            self._note(name)
            return
        self._note(name)
        if kind == "error":
            raise Failed(28, f"simulated failure at {name}")
        self.lost = kind
        raise Lost

    def _note(self, name: str) -> None:
        self.fell.append((self.points, name, self.plan[0].kind))
        del self.plan[0]
        self._since = 0

    @contextmanager
    def calm(self) -> Iterator[None]:
        """Nothing falls meanwhile."""
        self._calm += 1
        try:
            yield
        finally:
            self._calm -= 1


#: The faults of the run in hand: the functions of a job, its source and its sink ask it.
current = Faults([])


def begin(faults: Faults) -> None:
    """From now on points belong to these faults."""
    global current
    current = faults


def point(name: str) -> None:
    """A point of the run in hand."""
    current.point(name)
