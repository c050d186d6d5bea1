"""A zygote as its driver sees it: started, and stopped. What it does is in the module `zygote`."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from datastream import package
from datastream.logs import job_log
from datastream.logs.channel import LogChannel

from .printed import Printed
from .zygote import MODULES

_ZYGOTE = "datastream.spark.process.zygote"
_ENTER = Path(package.FOLDER, "environments", "enter.py")
_POLL_S = 0.01


class Outputs:
    """What functions print and log: pipes that all zygotes of a driver write to."""

    def __init__(self) -> None:
        self._printed = Printed()
        self._logged = LogChannel(job_log.show)
        self._closed = False

    @property
    def descriptors(self) -> tuple[int, int]:
        """The ends that are written to: what is printed, what is logged."""
        return self._printed.descriptor, self._logged.descriptor

    def drain(self) -> None:
        """Wait until all that was written is shown."""
        self._printed.drain()
        self._logged.drain()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._printed.close()
            self._logged.close()


def python_path(folder: str) -> str:
    """The PYTHONPATH of processes that work for a run.

    Args:
        folder: The run's.
    """
    return os.pathsep.join(filter(None, [package.link_into(folder), os.environ.get("PYTHONPATH")]))


def write_launcher(
    file: str,
    path: str,
    *,
    enter: str = "",
    entered: str = "",
    python: str = sys.executable,
    process: int | None = None,
    contained: bool = False,
) -> str:
    """Write the program that Spark starts as Python; returns its file.

    Args:
        file: Where it goes.
        path: The zygote's socket.
        enter: The file of the environment that forks of the zygote enter; empty: none.
        entered: The file of the environment that the zygote itself is in; empty: none.
        python: The interpreter where there is no zygote.
        process: The zygote's process number, if it may still be starting.
        contained: The zygote is in a container.
    """
    launcher = Path(__file__).with_name("launcher.py")
    given = [python, path, enter, entered, str(process or ""), "container" if contained else ""]
    words = [sys.executable, "-I", "-S", str(launcher), *given]
    new = f"{file}.new"
    Path(new).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    os.chmod(new, 0o755)
    os.replace(new, file)  # Spark may be starting it
    return file


class Zygote:
    """A process that Spark's Python processes fork from.

    Args:
        folder: The run's.
        name: Of its socket there.
        outputs: What functions print and log goes there.
        entered: The interpreter and the file of the environment that it is to be in; None: it is in none, with the
            driver's own interpreter.

    Attributes:
        path: Its socket.
    """

    def __init__(self, folder: str, name: str, outputs: Outputs, entered: tuple[str, str] | None = None) -> None:
        self.path = os.path.join(folder, name)
        environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": python_path(folder)}
        descriptors = outputs.descriptors
        command = [sys.executable, "-P"] if entered is None else [entered[0], str(_ENTER), entered[1]]
        self._process = subprocess.Popen(
            [*command, "-m", _ZYGOTE, self.path, *map(str, descriptors)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environment,
            pass_fds=descriptors,
            start_new_session=True,
        )
        launcher = os.path.join(folder, f"python-{name}")
        if entered is None:
            self.launcher = write_launcher(launcher, self.path)
        else:
            python, file = entered
            self.launcher = write_launcher(launcher, self.path, entered=file, python=python, process=self._process.pid)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def modules(self, within_s: float = 60.0) -> set[str]:
        """Top-level names of the modules that it has imported; empty if it does not come up."""
        file = Path(self.path + MODULES)
        deadline = time.monotonic() + within_s
        while not file.exists() and self.alive and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        try:
            return set(json.loads(file.read_text()))
        except (OSError, ValueError):
            return set()

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
