"""A NiFi's port: site-to-site over HTTP."""

from __future__ import annotations

import time
from enum import Enum
from urllib.parse import quote, urlsplit

from datastream.errors import ValidationError

from .answers import Controller, Nodes, Port, decoded
from .client_config import SiteToSiteClientConfig
from .connection import Connection, host
from .transaction import Transaction

#: How long the nodes of a cluster are known, in seconds.
_PEERS_S = 60.0
_SHOWN_PORTS = 10


class Direction(Enum):
    """What a port is for; the values are its kinds in URLs and in messages.

    Attributes:
        RECEIVE: An output port, whose flow files are received.
        SEND: An input port, to which packets are sent.
    """

    RECEIVE = ("output-ports", "output port")
    SEND = ("input-ports", "input port")


class Site:
    """A port of a NiFi. Used by one thread at a time.

    Args:
        config: How it is reached.
        direction: What the port is for.
    """

    def __init__(self, config: SiteToSiteClientConfig, direction: Direction) -> None:
        self._config = config
        self._direction = direction
        self._path, self._kind = direction.value
        self._connection = Connection(str(self), config.timeout_ms / 1000)
        self._port: str | None = config.port_identifier
        self._apis: list[str] = []
        self._known_at = 0.0
        self._turn = 0

    def begin(self) -> Transaction:
        """A new transaction.

        Raises:
            ConnectionError: The NiFi is away, or the port takes none at the moment.
            ValidationError: There is no such port, or the NiFi refuses the client.
        """
        if not self._apis or time.monotonic() - self._known_at > _PEERS_S:
            self._look()
        api = self._apis[self._turn % len(self._apis)]
        self._turn += 1
        try:
            port = self._port or self._port_at(api)
            answer = self._connection.request(
                "POST", f"{api}/data-transfer/{self._path}/{quote(port, safe='')}/transactions"
            )
        except ConnectionError:
            self._apis = []  # it may be another node's turn
            raise
        self._port = port
        location = answer.headers.get("Location", "")
        if "/data-transfer/" not in location:
            raise ConnectionError(f"NiFi at {host(api)} has begun a transaction, but does not say where")
        return Transaction(self._connection, api + location[location.index("/data-transfer/") :], self._config)

    def close(self) -> None:
        """End the connections."""
        self._connection.close()

    def __str__(self) -> str:
        return f"{self._kind} {self._config.port}"

    def _look(self) -> None:
        """Find the nodes. One alone is reached by its URL, whatever it calls itself."""
        problem: Exception | None = None
        for url in self._config.urls:
            api = _api(url)
            asked = f"{api}/site-to-site/peers"
            try:
                nodes = decoded(self._connection.request("GET", asked).content, Nodes, asked).peers or []
            except ConnectionError as error:
                problem = error
                continue
            path = urlsplit(api).path
            apis = [f"http{'s' if node.secure else ''}://{node.hostname}:{node.port}{path}" for node in nodes]
            self._apis = apis if len(apis) > 1 else [api]
            self._known_at = time.monotonic()
            return
        assert problem is not None
        raise problem

    def _port_at(self, api: str) -> str:
        """The id of the port that the configuration names."""
        asked = f"{api}/site-to-site"
        there = decoded(self._connection.request("GET", asked).content, Controller, asked).controller
        ports = (there.output_ports if self._direction is Direction.RECEIVE else there.input_ports) or []
        found = [port.id for port in ports if port.name == self._config.port_name]
        if len(found) == 1:
            return found[0]
        if found:
            raise ValidationError(
                f"NiFi at {host(api)} has {len(found)} {self._kind}s {self._config.port}; use port_identifier"
            )
        raise ValidationError(
            f"NiFi at {host(api)} has no {self} that allows remote access; there are: {_named(ports)}"
        )


def _api(url: str) -> str:
    """The URL of the REST API of a NiFi, from that of its user interface."""
    return url if url.endswith("/nifi-api") else url.removesuffix("/nifi") + "/nifi-api"


def _named(ports: list[Port]) -> str:
    """The names of some ports."""
    names = sorted(repr(port.name) for port in ports)
    more = len(names) - _SHOWN_PORTS
    return (", ".join(names[:_SHOWN_PORTS]) or "none") + (f" and {more} more" if more > 0 else "")
