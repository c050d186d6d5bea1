"""Starts real processes for the tests, and knows every process that came of them."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.failures import has_failed
from tests.support.waiting import PATIENCE_S, USUAL_LIMIT_S, scaled, wait_until

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / "tests" / "integration" / "jobs"
GONE_S = 10.0
"""Within this time all processes of a job have gone after its driver has."""

_MARK = "DATASTREAM_TEST_RUN"


def datastream(*args: object) -> list[str]:
    """The command line of ``datastream ARGS``."""
    return [sys.executable, "-m", "datastream.cli", *map(str, args)]


def heed_interrupts() -> None:
    """A test run in the background ignores Ctrl-C, and its children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Run:
    """A process, and all processes that it or its children started, wherever they hang by now.

    They are found by an environment variable that all of them inherit.

    Attributes:
        temp: The temporary folder of all these processes.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: dict[str, str | None] | None = None) -> None:
        self.mark = uuid.uuid4().hex
        self.temp = Path(tempfile.mkdtemp(prefix="it-", dir="/tmp"))  # short: sockets are made in it
        self._out, self._err = self.temp / "out.txt", self.temp / "err.txt"
        merged = {**os.environ, "TMPDIR": str(self.temp), _MARK: self.mark}
        merged.setdefault("DATASTREAM_JAVA_ARCHIVE", "off")  # it would be made by a process that outlives the run
        merged |= environment or {}
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env={key: value for key, value in merged.items() if value is not None},
                start_new_session=True,
                preexec_fn=heed_interrupts,
            )

    @property
    def out(self) -> str:
        return self._out.read_text(errors="replace")

    @property
    def err(self) -> str:
        return self._err.read_text(errors="replace")

    def wait(self, limit_s: float = USUAL_LIMIT_S) -> int:
        """Wait for the end; the exit code. The limit is that of an idle machine."""
        try:
            return self.process.wait(scaled(limit_s))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {limit_s} s\n{self.told()}") from None

    def succeed(self, limit_s: float = USUAL_LIMIT_S) -> str:
        """Wait for an end without error; stdout."""
        assert self.wait(limit_s) == 0, self.told()
        return self.out

    def until(self, happened: Callable[[], bool], what: str, limit_s: float = USUAL_LIMIT_S) -> None:
        """Wait until something has happened; the process must not end before."""

        def look() -> bool:
            ended = self.process.poll()  # first: its last act may be what is waited for
            if happened():
                return True
            assert ended is None, f"ended with {ended} before {what}\n{self.told()}"
            return False

        wait_until(look, what, limit_s, 0.05, self.told)

    def living(self) -> list[psutil.Process]:
        """All of its processes that are alive; a zombie is not."""
        return [process for process in psutil.process_iter() if self._is_ours(process)]

    def named(self, name: str) -> list[psutil.Process]:
        """Those of its living processes that have a name."""
        found = []
        for process in self.living():
            with _vanished():
                if process.name() == name:
                    found.append(process)
        return found

    def java(self) -> psutil.Process:
        """The Java process."""
        return self.named("java")[0]

    def python_workers(self) -> list[psutil.Process]:
        """Processes in which the user's functions run: forks of Spark's daemon, which is one of the zygote."""
        found = []
        for process in self.living():
            with _vanished():
                parent = process.parent()
                above = parent.parent() if parent is not None else None
                if above is not None and _is_zygote(above) and _is_zygote(process):
                    found.append(process)
        return found

    def kill(self, victim: str) -> None:
        """Kill the ``driver``, ``java`` or the Python workers."""
        if victim == "driver":
            self.process.kill()
        elif victim == "java":
            self.java().kill()
        else:
            self.kill_python_workers()

    def kill_python_workers(self) -> None:
        """Kill workers until the job has noticed: one that is idle just then is not missed."""

        def kill_once() -> bool:
            for worker in self.python_workers():
                with _vanished():
                    worker.kill()
            return self.process.poll() is not None

        wait_until(kill_once, "end after the deaths of workers", every_s=0.1, seen=self.told)

    def interrupt(self) -> None:
        """What Ctrl-C does: SIGINT to the driver."""
        self.process.send_signal(signal.SIGINT)

    def assert_gone(self, limit_s: float = GONE_S) -> None:
        """No process of the job is left, or none soon."""

        def told() -> str:
            return "\n".join([*map(_told, self.living()), self.told()])

        wait_until(lambda: not self.living(), "end of all processes", limit_s, every_s=0.05, seen=told)

    def assert_tidy(self) -> None:
        """No process and no temporary folder of ours is left."""
        self.assert_gone()
        assert sorted(self.temp.glob("datastream-*")) == [], self.told()

    def told(self) -> str:
        """What it wrote, for messages."""
        return f"--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-6000:]}"

    def end(self) -> None:
        """End everything that is left; what it wrote is kept, and named, if the test has failed."""
        for process in self.living():
            with _vanished():
                process.kill()
        self.process.wait(PATIENCE_S)
        if has_failed():
            print(f"kept: {self.temp}, of {shlex.join(map(str, self.process.args))}")
        else:
            shutil.rmtree(self.temp, ignore_errors=True)

    def _is_ours(self, process: psutil.Process) -> bool:
        with _vanished():
            return process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_MARK) == self.mark
        return False


class Runs:
    """The runs of one test; ended with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs: list[Run] = []

    def start(
        self, *command: object, folder: Path | None = None, environment: dict[str, str | None] | None = None
    ) -> Run:
        """Start a command in the test's folder."""
        run = Run([str(part) for part in command], folder or self.folder, environment)
        self._runs.append(run)
        return run

    def job(self, *args: object, environment: dict[str, str | None] | None = None) -> Run:
        """Start ``datastream run ARGS``."""
        return self.start(*datastream("run", *args), environment=environment)

    def end(self) -> None:
        for run in self._runs:
            run.end()


def visible_lines(folder: Path) -> list[str]:
    """The lines of all finished files below a folder."""
    lines: list[str] = []
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden:
            lines += path.read_text().splitlines()
    return lines


def _is_zygote(process: psutil.Process) -> bool:
    return "datastream.spark.process.zygote" in process.cmdline()


@contextmanager
def _vanished() -> Iterator[None]:
    """A process may end, or belong to somebody else, while it is looked at."""
    try:
        yield
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return


def _told(process: psutil.Process) -> str:
    with _vanished():
        return f"{process.pid} {process.status()} {' '.join(process.cmdline())[:150]}"
    return f"{process.pid}"
