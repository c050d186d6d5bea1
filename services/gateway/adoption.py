"""Takes drivers that others have started into the list of jobs."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from .driver_client import DriverClient, DriverError, DriverIsWrong
from .job_states import ENDED
from .jobs import AdoptedJob, Jobs
from .launchers.external import ExternalLauncher
from .launchers.external_drivers import ExternalDriver
from .launchers.launcher import Launcher

_LOGGER = logging.getLogger("datastream")
_LOOK_S = 2.0
#: Drivers that are asked at once.
_AT_ONCE = 64


class Adoption:
    """Looks for drivers that run and belong to no active job, and makes a job for each.

    Args:
        jobs: The jobs.
        launcher: That knows the drivers; None: there are none.
        client: Asks them.
    """

    def __init__(self, jobs: Jobs, launcher: Launcher | None, client: DriverClient) -> None:
        self._jobs, self._launcher, self._client = jobs, launcher, client
        self._closed = threading.Event()
        self._asking = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="datastream-adoption")
        self._thread = threading.Thread(target=self._main, daemon=True, name="datastream-adoption")

    def start(self) -> None:
        """Begin."""
        if isinstance(self._launcher, ExternalLauncher):
            self._thread.start()

    def close(self) -> None:
        """Adopt no more."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()
        self._asking.shutdown(cancel_futures=True)

    def _main(self) -> None:
        assert isinstance(self._launcher, ExternalLauncher)
        while not self._closed.is_set():
            try:
                active = {row.given_name: row for row in self._jobs.active() if row.launcher == self._launcher.name}
                missing = []
                for driver in self._launcher.drivers.values():
                    row = active.get(driver.name)
                    if row is None:
                        missing.append(driver)
                    elif row.control_token != driver.control_token:
                        self._jobs.change(row.id, control_token=driver.control_token)
                # At the same time: one that is slow to answer keeps no other from being found.
                for _ in self._asking.map(partial(self._adopt, self._launcher), missing):
                    pass
            except Exception:  # a database that is away for a while
                _LOGGER.exception("drivers of others cannot be looked for")
            self._closed.wait(_LOOK_S)

    def _adopt(self, launcher: ExternalLauncher, driver: ExternalDriver) -> None:
        try:
            snapshot = self._client.snapshot(driver.url, driver.control_token)
            if snapshot["job_id"] is not None:
                self._client.plan(driver.url, driver.control_token)
        except DriverIsWrong as error:
            _LOGGER.warning("the driver %s at %s is not followed: %s", driver.name, driver.url, error)
            return
        except DriverError as error:
            _LOGGER.debug("the driver %s at %s: %s", driver.name, driver.url, error)
            return
        if snapshot["status"] not in (*ENDED, "CANCELLING"):
            row = self._jobs.adopt(
                AdoptedJob(
                    launcher=launcher.name,
                    kind="external",
                    name=driver.name,
                    place=driver.url,
                    control_token=driver.control_token,
                    given_name=driver.name,
                    settings={"name": driver.name},
                )
            )
            launcher.adopt(driver, self._jobs.folder(row.id))
            _LOGGER.info("the driver of %s at %s is followed as job %s", driver.name, driver.url, row.id)
