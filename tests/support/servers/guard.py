"""A process that outlives the run by a moment and ends what the run left: servers, containers, folders.

A run may be killed with -9, or cut off by its time limit; then no ``finally`` and no ``atexit`` runs. The guard
reads its standard input from the run, which the kernel closes however the run ends.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

_GROUP, _FOLDER, _CONTAINER = "group", "folder", "container"


class Guard:
    """This process's guard; it starts with the first thing it is given."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._owner = os.getpid()

    def watch_group(self, group: int) -> None:
        """End a process group, unless it is released before."""
        self._tell("watch", _GROUP, group)

    def watch_folder(self, folder: Path) -> None:
        """Delete a folder, unless it is released before."""
        self._tell("watch", _FOLDER, folder)

    def watch_container(self, container: str) -> None:
        """Remove a container with its volumes, unless it is released before."""
        self._tell("watch", _CONTAINER, container)

    def release_group(self, group: int) -> None:
        """It has ended: its number may soon belong to somebody else."""
        self._tell("release", _GROUP, group)

    def release_folder(self, folder: Path) -> None:
        """It is gone, or meant to stay."""
        self._tell("release", _FOLDER, folder)

    def release_container(self, container: str) -> None:
        """It is gone."""
        self._tell("release", _CONTAINER, container)

    def close(self) -> None:
        """End all that is still watched, and wait for it."""
        # A forked child has a copy of this object, and must not end its parent's servers.
        if self._process is None or os.getpid() != self._owner:
            return
        process, self._process = self._process, None
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait(60)

    def _tell(self, *words: object) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C in a terminal reaches the run, not its guard
            )
            atexit.register(self.close)
        assert self._process.stdin is not None
        print(*words, file=self._process.stdin, flush=True)


#: One for all servers of this process.
guard = Guard()


def _end(kind: str, name: str) -> None:
    if kind == _GROUP:
        os.killpg(int(name), signal.SIGKILL)
    elif kind == _FOLDER:
        shutil.rmtree(name, ignore_errors=True)
    else:
        from testcontainers.core.docker_client import DockerClient

        DockerClient(timeout=30).client.api.remove_container(name, force=True, v=True)


def _main() -> None:
    watched: dict[tuple[str, str], None] = {}
    for line in sys.stdin:
        action, kind, name = line.rstrip("\n").split(" ", 2)
        if action == "watch":
            watched[kind, name] = None
        else:
            watched.pop((kind, name), None)
    # The newest first: a server before the folder it writes to.
    for kind, name in reversed(watched):
        # Whatever cannot be ended must not keep the rest from being ended.
        with contextlib.suppress(Exception):
            _end(kind, name)


if __name__ == "__main__":
    _main()
