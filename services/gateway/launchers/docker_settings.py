"""What can be set of containers."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from datastream.errors import ValidationError

from .variables import read_variables

PREFIX = "DATASTREAM_GATEWAY_DOCKER_"

#: How the gateway reaches drivers: by a port that is published on loopback, or by the container's name.
PORT, NAME = "port", "name"


@dataclass(frozen=True)
class DockerSettings:
    """Settings of the Docker launcher.

    Attributes:
        host: The engine, such as ``unix:///run/docker.sock`` or ``tcp://10.0.0.5:2376``; None: as Docker's own client
            finds it (``DOCKER_HOST``).
        image: Image of the drivers; one with the runner as its entrypoint.
        memory: Limit of a container, such as ``2g``.
        cpus: Limit of a container, such as ``1.5``; None: all.
        network: Network of the containers; None: the engine's default one.
        reach: ``port``: a free port of 127.0.0.1 is published for each driver. ``name``: the gateway runs in a
            container in the same network and uses the driver's name.
        user: User and group of the processes, as numbers.
        tmp: Size of ``/tmp``.
        mounts: More mounts, each ``SOURCE:TARGET`` or ``SOURCE:TARGET:ro``; a source is a folder of the engine's
            machine or the name of a volume.
        savepoints: Volume that all jobs have at ``/savepoints``, for their savepoints.
        gateway: Name of this gateway in the containers' labels.
    """

    host: str | None = None
    image: str = "datastream"
    memory: str = "2g"
    cpus: str | None = None
    network: str | None = None
    reach: str = PORT
    user: str = "10001:10001"
    tmp: str = "512m"
    mounts: tuple[str, ...] = ()
    savepoints: str = "datastream-savepoints"
    gateway: str = "datastream"

    def __post_init__(self) -> None:
        problems = [
            f"{PREFIX}{name.upper()}: {problem}, got {value!r}"
            for name, value, problem in (
                ("memory", self.memory, _wants(r"\d+[bkmg]?", self.memory, "expected a size such as 2g")),
                ("tmp", self.tmp, _wants(r"\d+[bkmg]?", self.tmp, "expected a size such as 512m")),
                ("user", self.user, _wants(r"\d+(:\d+)?", self.user, "expected numbers such as 10001:10001")),
                ("cpus", self.cpus, _wants(r"\d+(\.\d+)?", self.cpus or "1", "expected a number such as 1.5")),
                ("reach", self.reach, _wants(f"{PORT}|{NAME}", self.reach, f"expected {PORT} or {NAME}")),
                *(
                    (
                        "mounts",
                        mount,
                        _wants(r"[^:]+:/[^:]*(:r[ow])?", mount, "expected SOURCE:TARGET or SOURCE:TARGET:ro"),
                    )
                    for mount in self.mounts
                ),
            )
            if problem
        ]
        if self.network in ("host", "none") or (self.network or "").startswith("container:"):
            problems.append(f"{PREFIX}NETWORK: drivers need a network of containers, got {self.network!r}")
        if self.reach == NAME and self.network in (None, "bridge", "default"):
            problems.append(f"{PREFIX}NETWORK: names of containers are known in a network that was made, name one")
        if problems:
            raise ValidationError("\n".join(problems))

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> DockerSettings:
        """The settings in variables such as ``DATASTREAM_GATEWAY_DOCKER_IMAGE``.

        Raises:
            ValidationError: One is unknown, or its value is wrong.
        """
        return read_variables(cls, PREFIX, variables)

    @property
    def owner(self) -> tuple[int, int]:
        """User and group as numbers."""
        user, _, group = self.user.partition(":")
        return int(user), int(group or user)


def _wants(pattern: str, text: str, expected: str) -> str | None:
    return None if re.fullmatch(pattern, text, re.IGNORECASE) else expected
