"""Which way a test gets its server: one that runs already, a container, or a process of this machine."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, Literal, Protocol, TypeVar

from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

#: How long, in s, a server that runs already may take to answer.
_ANSWER_S = 10.0

FORCE = "DATASTREAM_TEST_SERVERS"
"""``container`` or ``process``: take this way or none."""

REQUIRE = "DATASTREAM_REQUIRE_SERVERS"
"""``1``: a test whose server cannot be had fails, where it would be skipped."""

Way = Literal["address", "container", "process"]


class Server(Protocol):
    """A server that runs."""

    def stop(self) -> None:
        """End it and delete what it wrote; a server that was there before is left alone."""

    def client(self) -> Server:
        """What other processes of the run use it by: it can be pickled, and does not stop the server."""


ServerT = TypeVar("ServerT", bound=Server)


class Kind(ABC, Generic[ServerT]):
    """A kind of server, and how one begins. Each way returns a server that is ready.

    Attributes:
        name: Of the fixture and in messages, such as ``kafka``.
        image: The container image.
    """

    name: str
    image: str

    @abstractmethod
    def at(self, address: str) -> ServerT:
        """The server that runs at an address.

        Raises:
            UnavailableError: There is none.
        """

    @abstractmethod
    def in_container(self) -> ServerT:
        """Start it in a container.

        Raises:
            UnavailableError: No engine answers, or the image cannot be had, or the server does not start.
        """

    @abstractmethod
    def as_process(self) -> ServerT:
        """Start it as a process of this machine.

        Raises:
            UnavailableError: Its programs cannot be had, or it does not start.
        """

    def answering(self, server: ServerT, is_ready: Callable[[], bool], place: str, title: str) -> ServerT:
        """The server that runs at a place, once it answers.

        Raises:
            UnavailableError: It does not.
        """
        try:
            wait_until(is_ready, "answer", _ANSWER_S, 0.1)
        except AssertionError:
            raise UnavailableError(f"{self.variable} is {place}, but no {title} answers there") from None
        return server

    @property
    def variable(self) -> str:
        """The environment variable that holds the address of a server to use."""
        return f"DATASTREAM_TEST_{self.name.upper()}"


#: Kind of server -> the way that was taken, and why not the ways before it. For the summary of the run.
taken: dict[str, str] = {}


def begin(kind: Kind[ServerT]) -> ServerT:
    """A server of a kind, in the first way that works.

    Raises:
        UnavailableError: None does; the message gives each way's reason.
    """
    address = os.environ.get(kind.variable)
    if address:
        # An address that does not work is a mistake to tell, not a reason to test against something else.
        return _try(kind, "address", address, [f"{kind.variable}={address}"])
    forced = os.environ.get(FORCE)
    if forced not in (None, "", "container", "process"):
        raise UnavailableError(f"{FORCE} is {forced!r}; expected container or process, or leave it unset")
    reasons: list[str] = [f"{FORCE}={forced}"] if forced else []
    ways: list[Way] = ["container", "process"]
    for way in ways:
        if not forced or way == forced:
            try:
                return _try(kind, way, "", reasons)
            except UnavailableError as error:
                reasons.append(f"{way}: {error}")
    told = "; ".join(reasons)
    taken[kind.name] = f"none: {told}"
    raise UnavailableError(f"no {kind.name} to test against: {told}")


def _try(kind: Kind[ServerT], way: Way, address: str, why: list[str]) -> ServerT:
    if way == "address":
        server = kind.at(address)
    elif way == "container":
        server = kind.in_container()
    else:
        server = kind.as_process()
    taken[kind.name] = "; ".join([_describe(kind, way), *why])
    return server


def _describe(kind: Kind[ServerT], way: Way) -> str:
    return {
        "address": "a server that runs already",
        "container": f"a container of {kind.image}",
        "process": "a process of this machine",
    }[way]
