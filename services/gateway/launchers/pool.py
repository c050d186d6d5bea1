"""Drivers that have started Java and a Spark session before there is a job for them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

#: Before the next one is tried, when one did not get ready.
_PAUSE_S = 30.0
#: After a driver was taken the cores are its job's for so long.
_LATER_S = 5.0


#: Variables of the library itself, and of its tests.
_OTHERS = re.compile("DATASTREAM_(JAVA_ARCHIVE|PYTHON|TEST_)")


class Driver:
    """A process that waits for a job.

    Args:
        work: Its working directory.
        warm: Whether it starts Spark before there is a job.
    """

    def __init__(self, work: Path, warm: bool) -> None:
        self.warm = warm
        self.ready = False
        with (work / "drivers.log").open("ab") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}.driver", "warm" if warm else "cold"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                cwd=work,
                env=environment(),
                start_new_session=True,
            )

    def wait_until_ready(self) -> bool:
        """Whether it has got ready, or has ended before."""
        assert self.process.stdout is not None
        # Java's and Spark's own words may come first.
        self.ready = any(line == b"ready\n" for line in iter(self.process.stdout.readline, b""))
        return self.ready

    def take(self, order: dict[str, Any]) -> None:
        """Give it its job. It lives on without us.

        Raises:
            OSError: It has ended.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order).encode() + b"\n")
        self.process.stdin.flush()
        self.process.stdin.close()

    def end(self) -> None:
        """It is no longer needed."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Pool:
    """Keeps some drivers ready.

    Args:
        size: How many; 0: none.
        work: Their working directory.
    """

    def __init__(self, size: int, work: Path) -> None:
        self.size, self._work = size, work
        self._drivers: list[Driver] = []
        self._changed = threading.Condition()
        self._closed = False
        self._taken = -_LATER_S
        self._thread = threading.Thread(target=self._fill, daemon=True, name="datastream-pool")
        if size:
            self._thread.start()

    @property
    def ready(self) -> int:
        """How many could take a job at once."""
        with self._changed:
            return sum(driver.ready and driver.process.poll() is None for driver in self._drivers)

    def take(self) -> Driver | None:
        """A driver that is ready, or soon will be; None if there is none."""
        with self._changed:
            alive = [driver for driver in self._drivers if driver.process.poll() is None]
            chosen = next((driver for driver in alive if driver.ready), alive[0] if alive else None)
            if chosen is not None:
                self._drivers.remove(chosen)
                self._taken = time.monotonic()
                self._changed.notify_all()
            return chosen

    def close(self) -> None:
        """End all that wait."""
        with self._changed:
            self._closed = True
            drivers, self._drivers = self._drivers, []
            self._changed.notify_all()
        for driver in drivers:
            driver.end()

    def _fill(self) -> None:
        """One after the other: two at a time would both be late."""
        while True:
            with self._changed:
                self._drivers = [driver for driver in self._drivers if driver.process.poll() is None]
                while len(self._drivers) >= self.size and not self._closed:
                    self._changed.wait(_PAUSE_S)
                    self._drivers = [driver for driver in self._drivers if driver.process.poll() is None]
                while not self._closed and (early_s := self._taken + _LATER_S - time.monotonic()) > 0:
                    self._changed.wait(early_s)
                if self._closed:
                    return
                driver = Driver(self._work, warm=True)
                self._drivers.append(driver)
            if not driver.wait_until_ready() and not self._closed:
                with self._changed:
                    if driver in self._drivers:
                        self._drivers.remove(driver)
                time.sleep(_PAUSE_S)


def environment() -> dict[str, str]:
    """The gateway's own, without settings: its own hold the database's password, and a runner would take others."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith("DATASTREAM_") or _OTHERS.match(name)
    }
