"""The container that the workers of a job run in: one a job, with a zygote of its own in it.

It has the driver's user, and the machine's network and process numbers, as Spark talks to its workers over the loopback
and looks them up by number. It ends when its standard input closes, however the driver ends, and is removed then.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence

from .enter import CACHE
from .needs import Container, EnvironmentRefused
from .secret_values import hide

#: Label of containers that this project starts, with the driver's process as its value.
LABEL = "datastream.driver"
#: What the command adds to an error.
_HINTS = ("Run 'docker run --help'", "See 'docker run", "Usage:")
_ANSWER_S = 30
_PULL_S = 1800
_LINES = 50
_VARIABLES = ("PYTHONHASHSEED", "PYTHONPATH", "TZ", "LANG")


def check(container: Container) -> None:
    """Look for the engine and the image, which is pulled if it is not there.

    Raises:
        EnvironmentRefused: There is no engine, or no such image.
    """
    if shutil.which("docker") is None:
        raise EnvironmentRefused(
            "the job's workers are to run in a container, and there is no program 'docker' on PATH"
        )
    engine = _run(["docker", "version", "--format", "{{.Server.Version}}"], _ANSWER_S)
    if engine.returncode:
        raise EnvironmentRefused(
            f"the job's workers are to run in a container, and no Docker engine answers: {_said(engine)}"
        )
    if _run(["docker", "image", "inspect", "--format", "{{.Id}}", container.image], _ANSWER_S).returncode:
        pulled = _run(["docker", "pull", "--quiet", container.image], _PULL_S)
        if pulled.returncode:
            raise EnvironmentRefused(
                f"the image {container.image} is not on this machine and cannot be pulled: {_said(pulled)}"
            )
    uid = (container.user or str(os.getuid())).partition(":")[0]
    if uid not in (str(os.getuid()), getpass.getuser()):
        raise EnvironmentRefused(
            f"datastream.python.container.user is {container.user}, and the driver runs as {os.getuid()}: Spark's "
            "sockets are of the driver's user alone; start the job as that user"
        )
    for mount in container.mounts:
        here = mount.partition(":")[0]
        if not os.path.exists(here):
            raise EnvironmentRefused(f"{here} is to be mounted into the job's container, and does not exist")


def _run(command: list[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer within {limit_s:.0f} s")


def _said(done: subprocess.CompletedProcess[str]) -> str:
    lines = hide(done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"docker ended with {done.returncode}"


class RunningContainer:
    """A container that runs a command until its standard input closes.

    Args:
        container: How it is started.
        python: The interpreter in it.
        command: What that is to run.
        writable: Folders that it sees at their place, and may write to.
        readable: Folders that it sees at their place.
        variables: Environment variables that it gets.
    """

    def __init__(
        self,
        container: Container,
        python: str,
        command: Sequence[str],
        writable: Iterable[str],
        readable: Iterable[str],
        variables: Mapping[str, str],
    ) -> None:
        self.container = container
        self.name = f"datastream-{os.getpid()}-{secrets.token_hex(4)}"
        given = {name: text for name, text in variables.items() if name in _VARIABLES or name == CACHE}
        arguments = [
            "docker",
            "run",
            "--rm",
            "--interactive",
            f"--name={self.name}",
            f"--label={LABEL}={os.getpid()}",
            f"--network={container.network}",
            "--pid=host",
            "--ipc=host",
            f"--user={container.user or f'{os.getuid()}:{os.getgid()}'}",
            "--security-opt=no-new-privileges",
            f"--workdir={tempfile.gettempdir()}",
            *([f"--memory={container.memory}", f"--memory-swap={container.memory}"] if container.memory else []),
            *([f"--cpus={container.cpus}"] if container.cpus else []),
            *(f"--mount={_bind(place)}" for place in _outermost(writable)),
            *(f"--mount={_bind(place)},readonly" for place in _outermost(readable, below=writable)),
            *(f"--volume={_mount(mount)}" for mount in container.mounts),
            *(f"--env={name}={text}" for name, text in given.items()),
            *(f"--env={name}" for name in container.variables),
            *container.arguments,
            f"--entrypoint={python}",
            container.image,
            *command,
        ]
        self._said: list[str] = []
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name="datastream-container", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said = [*self._said[-_LINES:], line.rstrip()]

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def why(self) -> str:
        """Why it has ended, in its own words."""
        self._process.wait()
        self._reader.join(1)
        lines = [line for line in self._said if line and not line.startswith(_HINTS)]
        last = lines[-1] if lines else "it said nothing"
        if self._process.returncode == 137:
            return f"it was killed, perhaps as it needed more memory than it may have; last: {hide(last)}"
        return hide(last.removeprefix("docker: "))

    def stop(self) -> None:
        """End it, and wait until it is removed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            subprocess.run(["docker", "rm", "--force", self.name], capture_output=True, timeout=_ANSWER_S)
            self._process.kill()
            self._process.wait()


def _bind(place: str) -> str:
    """A folder at its own place; the path may have commas and colons."""
    if '"' in place:
        raise EnvironmentRefused(f"a container cannot be given the folder {place}: its name has a quotation mark")
    return f'type=bind,"source={place}","target={place}"'


def _mount(mount: str) -> str:
    """A folder at the same place, unless another is named."""
    here, _, rest = mount.partition(":")
    return f"{here}:{rest}" if rest.startswith("/") else f"{here}:{here}{f':{rest}' if rest else ''}"


def _names(place: str) -> tuple[str, str]:
    """A folder by its name, and by the one after all links."""
    return os.path.abspath(place), os.path.realpath(place)


def _outermost(places: Iterable[str], below: Iterable[str] = ()) -> list[str]:
    """Folders without those that are inside of others."""
    found = sorted({path for place in places if os.path.exists(place) for path in _names(place)})
    above = [os.path.abspath(place) for place in below if os.path.exists(place)]
    kept: list[str] = []
    for place in found:
        if place != "/" and not any(place == one or place.startswith(f"{one}/") for one in (*kept, *above)):
            kept.append(place)
    return kept
