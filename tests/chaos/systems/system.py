"""A system: it is filled, a job reads all and writes all, and what it wrote is compared."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from tests.support.processes import visible_lines


class System(ABC):
    """A system of its own for one trial.

    Attributes:
        name: Its name.
        victims: What may be killed.
        twice: Records may be there twice: at least once.
        ends: The job ends by itself.
        environment: Variables of the job.
        epoch_records: Records of an epoch; None: a 25th of all.
    """

    name: ClassVar[str]
    victims: ClassVar[tuple[str, ...]] = ("driver", "worker", "server")
    twice: ClassVar[bool] = False
    ends: ClassVar[bool] = True
    environment: Mapping[str, str] = {}
    epoch_records: ClassVar[int | None] = None

    #: Made by `begin`: a server with `kill`, `start` and `stop`.
    _server: Any

    @abstractmethod
    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        """Start it, and fill it with so many records; what the job's script needs."""

    @abstractmethod
    def results(self) -> list[tuple[int, str]]:
        """What the job has written."""

    def kill(self) -> None:
        """End the server at once."""
        self._server.kill()

    def start(self) -> None:
        """Start it again."""
        self._server.start()

    def stop(self) -> None:
        """End it for good."""
        self._server.stop()

    def written(self) -> int:
        """About how many records are written."""
        return len(self.results())


class Local(System):
    """A system of files in the trial's folder: there is no server."""

    victims = ("driver", "worker", "committer")

    def stop(self) -> None:
        pass


class IntoFiles:
    """A system whose records a job writes into files, in the folder `_out`."""

    _out: Path

    def results(self) -> list[tuple[int, str]]:
        """What the job has written."""
        return list(parsed(visible_lines(self._out))) if self._out.exists() else []


class Following(IntoFiles):
    """A source that goes on as records come: half of them are there at the start, the others come later."""

    name = ""
    ends = False
    #: Records that come at once.
    step: ClassVar[int] = 5_000

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        """See `System`."""
        where = self._make(folder, range(count // 2))
        self._waiting = [range(n, min(n + self.step, count)) for n in range(count // 2, count, self.step)]
        self._out = folder / "out"
        return {**where, "out": str(self._out)}

    def _make(self, folder: Path, numbers: range) -> dict[str, Any]:
        """The system with its first records."""
        raise NotImplementedError

    def _append(self, numbers: range) -> None:
        raise NotImplementedError

    def written(self) -> int:
        """See `System`."""
        if self._waiting:  # as the job is looked at, records come
            self._append(self._waiting[0])
            del self._waiting[0]
        return len(self.results())


def problems(system: System, count: int) -> list[str]:
    """What is wrong with the results."""
    found = Counter(system.results())
    wanted = {(n, f"N{n}") for n in range(count)}
    missing, unknown = wanted - found.keys(), found.keys() - wanted
    twice = sum(n - 1 for n in found.values())
    return [
        *([f"{len(missing):,} are missing, such as {min(missing)}"] if missing else []),
        *([f"{len(unknown):,} are unknown, such as {min(unknown)}"] if unknown else []),
        *([f"{twice:,} are there twice"] if twice and not system.twice else []),
    ]


def parsed(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Records of lines such as ``5,N5``."""
    for line in lines:
        number, name = line.split(",")
        yield int(number), name


def as_argument(where: dict[str, Any]) -> str:
    """What the script takes."""
    return json.dumps(where)


def patiently(call: Any, limit_s: float = 60.0) -> Any:
    """Call until it does not fail: the server may be on its way back."""
    deadline = time.monotonic() + limit_s
    while True:
        try:
            return call()
        except Exception:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
