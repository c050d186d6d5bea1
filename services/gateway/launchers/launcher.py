"""What a launcher is: it starts drivers somewhere, and finds them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from datastream.errors import DataStreamError


class EngineAway(DataStreamError):
    """What starts a launcher's drivers does not answer."""


@dataclass(frozen=True)
class Launch:
    """One attempt of a job. All that a launcher does follows from it, so a gateway that was killed finds its drivers.

    Attributes:
        job: The job's id.
        attempt: From 1; each driver is another attempt.
        artifact: The script or archive, on the gateway's machine.
        kind: ``script`` or ``archive``.
        folder: The job's folder on the gateway's machine.
        settings: Of the runner, as its file has them, without the artifact, the address, the port and the token. They
            may hold secrets: neither a command line nor a log shows them.
        control_token: Who knows it may steer the driver.
    """

    job: str
    attempt: int
    artifact: Path
    kind: str
    folder: Path
    settings: Mapping[str, Any] = field(repr=False)
    control_token: str = field(repr=False)


@dataclass(frozen=True)
class Alive:
    """The driver runs.

    Attributes:
        url: Of its HTTP endpoints; None: not known yet.
    """

    url: str | None = None


@dataclass(frozen=True)
class Ended:
    """The driver has ended.

    Attributes:
        code: Its exit code; None: it was killed, or that is not known.
        reason: What is known of that.
    """

    code: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Absent:
    """The attempt was never started, or nothing is left of it."""


State = Alive | Ended | Absent


class Launcher(Protocol):
    """Starts drivers. Each method may raise `EngineAway`. Called from several threads."""

    @property
    def name(self) -> str:
        """For people, and in requests."""

    def availability(self) -> str | None:
        """None if it can start drivers, else why not."""

    def checkpoint_dir(self, folder: Path) -> str:
        """Where a job's checkpoint lies unless its request says otherwise, as its drivers see it.

        Args:
            folder: The job's folder on the gateway's machine.
        """

    def savepoint_dir(self, job: str, folder: Path) -> str:
        """Where a job's savepoints go unless its request says otherwise; they stay when the job is forgotten."""

    def start(self, launch: Launch) -> None:
        """Start a driver; returns while it starts. To start an attempt again changes nothing."""

    def state(self, launch: Launch) -> State:
        """How an attempt is."""

    def kill(self, launch: Launch) -> None:
        """End a driver at once, with all its processes. It may have gone."""

    def memory(self, launch: Launch) -> int | None:
        """The memory of a driver and its processes, in bytes; None: not known."""

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        """The driver's log, line by line without line ends.

        Args:
            launch: The attempt.
            last: Only this number of the last lines; None: all.
            follow: Go on while it says true; an empty line is given each second in which there is no other. None: end
                where the log ends now.
        """

    def remove(self, launch: Launch) -> None:
        """Delete what an ended attempt has left, but not its log."""

    def forget(self, job: str, folder: Path) -> None:
        """Delete what an ended job has left outside its folder, logs and checkpoints too."""

    def pool(self) -> tuple[int, int] | None:
        """How many drivers are ready for the next job, and how many there should be; None: there is no pool."""

    def close(self) -> None:
        """The gateway ends. Drivers of jobs go on."""
