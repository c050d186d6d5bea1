"""The containers of a compose project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import docker


@dataclass
class Stack:
    """The containers of a project, by their services' names.

    Attributes:
        project: Name of the project.
        highest: Service -> the most memory that `measure` has seen, in bytes.
    """

    project: str
    highest: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._client = docker.from_env()

    def container(self, service: str) -> Any:
        """A service's container.

        Raises:
            SystemExit: There is none.
        """
        found = self._containers({"com.docker.compose.service": service})
        if not found:
            raise SystemExit(
                f"there is no container of service {service} in project {self.project}: scripts/compose up"
            )
        return found[0]

    def kill(self, service: str) -> None:
        """End a container as ``docker kill`` does: no process of it can say anything."""
        self.container(service).kill()

    def start(self, service: str) -> None:
        """Start a container again, unless the engine has done so."""
        self.container(service).start()

    def measure(self) -> dict[str, int]:
        """Service -> bytes of memory, without what is cached of files."""
        found = {}
        for container in self._containers({}):
            if container.status == "running":
                memory = container.stats(stream=False, one_shot=True).get("memory_stats", {})
                used = memory.get("usage", 0) - memory.get("stats", {}).get("inactive_file", 0)
                name = container.labels["com.docker.compose.service"]
                found[name] = used
                self.highest[name] = max(used, self.highest.get(name, 0))
        return found

    def states(self) -> dict[str, str]:
        """Service -> its state, with its health if it has a check."""
        found = {}
        for container in self._containers({}, ended=True):
            state = container.attrs["State"]
            text = state.get("Health", {}).get("Status") or state["Status"]
            name = container.labels["com.docker.compose.service"]
            found[name] = f"{text} ({state['ExitCode']})" if state["Status"] == "exited" else text
        return dict(sorted(found.items()))

    def _containers(self, labels: dict[str, str], ended: bool = True) -> list[Any]:
        wanted = {"com.docker.compose.project": self.project, **labels}
        return list(self._client.containers.list(all=ended, filters={"label": [f"{k}={v}" for k, v in wanted.items()]}))
