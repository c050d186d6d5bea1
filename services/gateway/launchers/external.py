"""Drivers that others start and start again; they are watched and steered, not started."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import httpx

from ..bounded_http import BoundedClient, TooMuch
from ..driver_answers import SHORT_BYTES, WrongAnswer, read_object
from .ended import read_ended, write_ended
from .external_drivers import ExternalDriver
from .launcher import Alive, Ended, Launch, State
from .refusal import LaunchRefused

_ANSWER_S = 2.0
_STARTS_NONE = "it starts no jobs: it watches drivers that something else starts"
_NAME = "external"
_ENDING = ("FINISHED", "CANCELED", "CANCELLING")


class ExternalLauncher:
    """Watches drivers by their URLs.

    Args:
        drivers: By the names of their jobs.
    """

    name = "external"

    def __init__(self, drivers: Mapping[str, ExternalDriver]) -> None:
        self.drivers = drivers
        self._client = BoundedClient()
        #: Jobs whose drivers were seen to end.
        self._ending: set[str] = set()

    def availability(self) -> str | None:
        return _STARTS_NONE

    def checkpoint_dir(self, folder: Path) -> str:
        return ""  # none of its jobs is started

    def savepoint_dir(self, job: str, folder: Path) -> str:
        """In the folder that the file names for the driver, which `adopt` has noted in the job's folder."""
        with suppress(OSError):
            driver = self.drivers.get((folder / _NAME).read_text())
            if driver is not None:
                return f"{driver.savepoint_dir}/{job}"
        return f"/tmp/savepoints/{job}"

    def adopt(self, driver: ExternalDriver, folder: Path) -> None:
        """Note in a job's folder whose driver it has."""
        (folder / _NAME).write_text(driver.name)

    def start(self, launch: Launch) -> None:
        if launch.settings.get("name") not in self.drivers:
            raise LaunchRefused(_STARTS_NONE)

    def state(self, launch: Launch) -> State:
        """Alive also while the driver does not answer: what starts it will start it again."""
        if (ended := read_ended(launch)) is not None:
            return ended
        driver = self.drivers.get(str(launch.settings.get("name")))
        status = None if driver is None else self._status(driver)
        if driver is not None and status is not None:
            if status in _ENDING:
                self._ending.add(launch.job)
            else:
                self._ending.discard(launch.job)
            return Alive(driver.url)
        if launch.job in self._ending:
            return self._end(launch, Ended(0))
        return Alive(None)

    def kill(self, launch: Launch) -> None:
        """Forgets a driver that does not answer; one that does is left to what started it."""
        driver = self.drivers.get(str(launch.settings.get("name")))
        if driver is None or self._status(driver) is None:
            self._end(launch, Ended(None, "its driver does not answer"))

    def memory(self, launch: Launch) -> int | None:
        return None

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        text = "the log of this job is where its driver was started, not at the gateway"
        yield json.dumps({"level": "info", "logger": "datastream.gateway", "event": text})

    def remove(self, launch: Launch) -> None:
        self._ending.discard(launch.job)

    def forget(self, job: str, folder: Path) -> None:
        self._ending.discard(job)

    def pool(self) -> tuple[int, int] | None:
        return None

    def close(self) -> None:
        self._client.close()

    def _status(self, driver: ExternalDriver) -> str | None:
        """The status of a driver's job; None: the driver does not answer."""
        with suppress(httpx.HTTPError, TimeoutError, TooMuch, WrongAnswer):
            _, text = self._client.ask("GET", driver.url + "/", _ANSWER_S, SHORT_BYTES)
            return str(read_object(text).get("status"))
        return None

    def _end(self, launch: Launch, ended: Ended) -> Ended:
        write_ended(launch, ended)
        return ended
