"""A server as a process of this machine, in a process group of its own."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from tests.support.servers.guard import guard
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

#: Longer than a server takes to start on a busy machine.
START_S = 120.0


def free_ports(count: int) -> list[int]:
    """Ports of the loopback interface that nobody listens on.

    They lie below those that the kernel gives to outgoing connections. A client that tries again and again to reach
    a server that is down could otherwise be given the server's own port, and keep the server from it.
    """
    found: list[int] = []
    draw = random.SystemRandom()
    for _ in range(1000):
        port = draw.randrange(15_000, 30_000)
        if port not in found and is_free(port):
            found.append(port)
            if len(found) == count:
                return found
    raise UnavailableError(f"{count} free ports between 15000 and 30000 were not found on 127.0.0.1")


def is_free(port: int) -> bool:
    """Whether a server could listen on a port of the loopback interface."""
    with socket.socket() as probe:
        # As servers do: a closed connection that lingers is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def listens(host: str, port: int) -> bool:
    """Whether somebody accepts connections there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


class ServerProcess:
    """A process that can be killed and started again. It ends with this process, however that ends.

    Args:
        name: For messages and the folder's name.
        folder: What the server writes goes here, and stays. None: a temporary folder, deleted by `stop`.

    Attributes:
        folder: The server's folder.
        log: What the server printed.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self._name = name
        self._temporary = folder is None
        self.folder = folder or Path(tempfile.mkdtemp(prefix=f"datastream-{name}-"))
        if self._temporary:
            guard.watch_folder(self.folder)
        self.log = self.folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Its process id, while it runs."""
        return self._process.pid if self._process else None

    def start(self, command: Sequence[str], ready: Callable[[], bool], limit_s: float = START_S) -> None:
        """Start it and wait until it is ready.

        Raises:
            UnavailableError: It ended, or was not ready in time; with the end of its log.
        """
        assert self._process is None, f"{self._name} runs already"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                start_new_session=True,
            )
        guard.watch_group(self._process.pid)
        process = self._process

        def look() -> bool:
            ended = process.poll()
            if ended is not None:
                raise UnavailableError(f"{self._name} ended with {ended} before it was ready{self._last_words()}")
            return ready()

        try:
            wait_until(look, f"ready {self._name}", limit_s, 0.05)
        except AssertionError as error:
            words = self._last_words()
            self.kill()
            raise UnavailableError(f"{error}{words}") from None
        except BaseException:
            self.kill()
            raise

    def wait(self) -> int:
        """Wait for its end; the exit code."""
        assert self._process is not None, f"{self._name} does not run"
        return self._process.wait()

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does. What it wrote stays."""
        if self._process is None:
            return
        process, self._process = self._process, None
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        guard.release_group(process.pid)

    def shut_down(self, limit_s: float = 30.0) -> None:
        """Ask it to end in good order; kill it when that takes too long. What it wrote stays."""
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(limit_s)
            self.kill()

    def pause(self) -> None:
        """Stop it in its tracks, as a hanging machine would; connections stay open."""
        assert self._process is not None, f"{self._name} does not run"
        os.killpg(self._process.pid, signal.SIGSTOP)
        # Its threads stop one after the other; the process counts as stopped when all have.
        stopped, process = (psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE), psutil.Process(self._process.pid)
        wait_until(lambda: process.status() in stopped, "stopped process", every_s=0.001)

    def resume(self) -> None:
        """Let it go on after `pause`."""
        assert self._process is not None, f"{self._name} does not run"
        os.killpg(self._process.pid, signal.SIGCONT)

    def stop(self) -> None:
        """End it, and delete its folder if that is temporary."""
        self.kill()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)
            guard.release_folder(self.folder)

    def _last_words(self) -> str:
        return ":\n" + self.log.read_text(errors="replace")[-3000:]
