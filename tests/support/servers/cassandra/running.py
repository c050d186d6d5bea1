"""A node of Cassandra at an address, in a container, or as a process."""

from __future__ import annotations

import time

from tests.support.servers.cassandra import program
from tests.support.servers.cassandra.node import Node
from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.unavailable import UnavailableError

IMAGE = f"cassandra:{program.VERSION}"

_PORT = 9042
_ANSWER_S = 20.0
_START_S = 240.0
_COMMAND = f"export MAX_HEAP_SIZE={program.HEAP} HEAP_NEWSIZE=128m; exec docker-entrypoint.sh cassandra -f"


class Cassandra(Kind[Node]):
    """The kind of server that Cassandra is."""

    name = "cassandra"
    image = IMAGE

    def at(self, address: str) -> Node:
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            raise UnavailableError(f"{self.variable} is {address!r}; expected host:port")
        node = Node(host, int(port))
        deadline = time.monotonic() + _ANSWER_S
        while not node.is_ready():
            if time.monotonic() > deadline:
                raise UnavailableError(f"{self.variable} is {address}, but no Cassandra answers there")
        return node

    def in_container(self) -> Node:
        find_image(self.image)
        return ContainerNode(self.image)

    def as_process(self) -> Node:
        return OwnNode()


class ContainerNode(Node):
    """A node in a container."""

    def __init__(self, image: str) -> None:
        self._container = ServerContainer("cassandra", image, ["sh", "-c", _COMMAND], [_PORT])
        super().__init__(self._container.host, int(self._container.ports[_PORT]))
        self._container.wait_until(lambda: listens(self.host, self.port) and self.is_ready(), _START_S)

    def stop(self) -> None:
        self._container.stop()


class OwnNode(Node):
    """A node as a process of this machine, which a test may kill, start again and pause.

    Args:
        passwords: Whether clients need a user and a password.
        quick: Start sooner; but slower under load (for speed, say False).

    Raises:
        UnavailableError: Its jars cannot be had, or it does not start.
    """

    def __init__(self, passwords: bool = False, quick: bool = True) -> None:
        program.install()
        port, storage_port, jmx_port = free_ports(3)
        super().__init__("127.0.0.1", port, "cassandra" if passwords else None)
        self._process = ServerProcess("cassandra")
        try:
            self._command = program.node_command(self._process.folder, port, storage_port, jmx_port, passwords, quick)
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready."""
        self._process.start(self._command, lambda: listens(self.host, self.port) and self.is_ready(), _START_S)

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does; its data stays."""
        self._process.kill()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def stop(self) -> None:
        self._process.stop()
