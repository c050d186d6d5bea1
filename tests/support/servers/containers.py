"""A server in a container, by testcontainers."""

from __future__ import annotations

import contextlib
import gc
import time
import warnings
from collections.abc import Callable

import docker
import requests
from docker.errors import DockerException, ImageNotFound, NotFound
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.docker_client import DockerClient

from tests.support.servers.guard import guard
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

#: An engine that answers later than this is taken for none.
ANSWER_S = 5
#: A registry that is silent for so long is taken for out of reach.
SILENCE_S = 15
#: How long a pull may take.
PULL_S = 150.0
#: How long a server may take to be ready.
START_S = 120.0

_FAULTS = (DockerException, requests.RequestException, OSError)


def find_image(image: str) -> None:
    """See that the engine has an image, or pull it. Never hangs: silent engines and registries are given up.

    Raises:
        UnavailableError: No engine answers, or it has no such image and cannot pull it.
    """
    client = _connect(ANSWER_S)
    try:
        client.images.get(image)
    except ImageNotFound:
        _pull(image)
    except _FAULTS as error:
        raise UnavailableError(f"no Docker engine answers ({_short(error)})") from error
    finally:
        client.close()


def _connect(timeout_s: int) -> docker.DockerClient:
    """A client of an engine that answers."""
    with warnings.catch_warnings():
        # Where no engine answers, the client leaves its socket to the garbage collector, which would warn later.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            return DockerClient(timeout=timeout_s).client
        except _FAULTS as error:
            reason = _short(error)
        gc.collect()
    raise UnavailableError(f"no Docker engine answers ({reason})")


def _pull(image: str) -> None:
    repository, _, tag = image.rpartition(":")
    deadline = time.monotonic() + PULL_S
    client = _connect(SILENCE_S)
    try:
        for event in client.api.pull(repository, tag=tag, stream=True, decode=True):
            if "error" in event:
                raise UnavailableError(f"the image {image} cannot be pulled ({str(event['error'])[:200]})")
            if time.monotonic() > deadline:
                raise UnavailableError(f"pulling the image {image} took over {PULL_S:.0f} s; `docker pull` it before")
    except _FAULTS as error:
        raise UnavailableError(f"the image {image} cannot be pulled ({_short(error)})") from error
    finally:
        client.close()


class ServerContainer:
    """A container. It ends with this process, however that ends.

    Args:
        name: For messages.
        image: Its image, which the engine has (`find_image`).
        command: What it runs.
        ports: The ports it listens on.

    Raises:
        UnavailableError: The engine did not start it.
    """

    def __init__(self, name: str, image: str, command: list[str], ports: list[int]) -> None:
        # Ryuk, which would remove the container of a dead run, is one more image to pull; the guard does its work.
        testcontainers_config.ryuk_disabled = True
        self._name = name
        self._container = DockerContainer(image).with_command(command).with_exposed_ports(*ports)
        try:
            self._container.start()
            self._id = self._container.get_container_id()
            guard.watch_container(self._id)
            self.host = self._container.get_container_host_ip()
            self.ports = {port: self._container.get_exposed_port(port) for port in ports}
        except _FAULTS as error:
            self.stop()
            raise UnavailableError(f"{name} did not start in a container ({_short(error)})") from error
        except BaseException:
            self.stop()
            raise

    def write(self, path: str, text: str) -> None:
        """Write a file into it."""
        self._container.copy_into_container(text.encode(), path)

    def wait_until(self, ready: Callable[[], bool], limit_s: float = START_S) -> None:
        """Wait until the server is ready.

        Raises:
            UnavailableError: It ended, or was not ready in time; with the end of its log. It is removed.
        """

        def look() -> bool:
            self._container.reload()
            if self._container.status == "exited":
                raise UnavailableError(f"{self._name} ended before it was ready{self._last_words()}")
            return ready()

        try:
            wait_until(look, f"ready {self._name}", limit_s, 0.05)
        except AssertionError as error:
            words = self._last_words()
            self.stop()
            raise UnavailableError(f"{error}{words}") from None
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Remove it."""
        with contextlib.suppress(NotFound):  # somebody was faster
            self._container.stop()
        if hasattr(self, "_id"):
            guard.release_container(self._id)

    def _last_words(self) -> str:
        out, err = self._container.get_logs()
        return ":\n" + (out + err).decode(errors="replace")[-3000:]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
