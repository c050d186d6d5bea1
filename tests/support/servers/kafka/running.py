"""A broker at an address, in a container, or as a process."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.kafka import program
from tests.support.servers.kafka.broker import Broker
from tests.support.servers.kafka.certificate import Certificate, certificate_for
from tests.support.servers.kafka.layout import PROTOCOLS, PUBLIC, SESSION_MS, Listener, Secured, server_properties
from tests.support.servers.processes import ServerProcess, free_ports, listens
from tests.support.servers.unavailable import UnavailableError

IMAGE = f"apache/kafka:{program.VERSION}"

_ANSWER_S = 10.0
_PORTS = {name: 9092 + number for number, name in enumerate(PROTOCOLS)}
_PROPERTIES = "/tmp/server.properties"
_END = "# end\n"
# The addresses that clients are told are known once the container runs: it waits for them.
_COMMAND = f"""
until grep -qs '^# end' {_PROPERTIES}; do sleep 0.05; done
export KAFKA_HEAP_OPTS=-Xmx{program.HEAP} KAFKA_JVM_PERFORMANCE_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
cd /opt/kafka/bin
./kafka-storage.sh format --cluster-id {program.CLUSTER} --config {_PROPERTIES} &&
exec ./kafka-server-start.sh {_PROPERTIES}
"""


class Kafka(Kind[Broker]):
    """The kind of server that Kafka is."""

    name = "kafka"
    image = IMAGE

    def at(self, address: str) -> Broker:
        broker = Broker(address)
        deadline = time.monotonic() + _ANSWER_S
        while not broker.is_ready():
            if time.monotonic() > deadline:
                raise UnavailableError(f"{self.variable} is {address}, but no Kafka broker answers there")
        return broker

    def in_container(self) -> Broker:
        find_image(self.image)
        return ContainerBroker(self.image)

    def as_process(self) -> Broker:
        return OwnBroker()


class ContainerBroker(Broker):
    """A broker in a container."""

    def __init__(self, image: str) -> None:
        self._container = ServerContainer("kafka", image, ["sh", "-c", _COMMAND], [_PORTS[name] for name in PUBLIC])
        host, ports = self._container.host, self._container.ports
        certificate = certificate_for(["localhost", host])
        listeners = {
            name: Listener(f"0.0.0.0:{port}", f"{host}:{ports[port]}" if name in PUBLIC else f"127.0.0.1:{port}")
            for name, port in _PORTS.items()
        }
        super().__init__(listeners["plain"].advertised, _secured(listeners, certificate))
        text = server_properties(listeners, "/tmp/kafka-data", certificate)
        self._container.write(_PROPERTIES, text + _END)
        self._container.wait_until(self.is_ready)

    def stop(self) -> None:
        self._container.stop()


class OwnBroker(Broker):
    """A broker as a process of this machine, which a test may kill, start again and pause.

    Args:
        port: Of its plain listener; None: any that is free.
        folder: Where its data stays; None: in a temporary folder.
        quick: Start in half the time; but slower under load (for speed, say False).
        session_ms: How long the controller takes it for alive without hearing of it.

    Raises:
        UnavailableError: Its jars cannot be had, or it does not start.
    """

    def __init__(
        self, port: int | None = None, folder: Path | None = None, quick: bool = True, session_ms: int = SESSION_MS
    ) -> None:
        program.install()
        ports = dict(zip(PROTOCOLS, free_ports(len(PROTOCOLS)), strict=True))
        if port is not None:
            ports["plain"] = port
        certificate = certificate_for(["localhost", "127.0.0.1"])
        addresses = {name: f"127.0.0.1:{number}" for name, number in ports.items()}
        listeners = {name: Listener(address, address) for name, address in addresses.items()}
        super().__init__(addresses["plain"], _secured(listeners, certificate))
        self._port = ports["plain"]
        self._process = ServerProcess("kafka", folder)
        properties, data = self._process.folder / "server.properties", self._process.folder / "data"
        self._command = program.broker_command(properties, quick)
        try:
            program.make_data_folder(data)
            properties.write_text(server_properties(listeners, str(data), certificate, session_ms))
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill` or `shut_down`: same port, same data. Returns when it is ready."""
        self._process.start(self._command, lambda: listens("127.0.0.1", self._port) and self.is_ready())

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does; its data stays."""
        self._process.kill()

    def shut_down(self) -> None:
        """End it in good order; its data stays."""
        self._process.shut_down()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def wait(self) -> int:
        """Wait until it ends; the exit code."""
        return self._process.wait()

    def stop(self) -> None:
        self._process.stop()


def _secured(listeners: dict[str, Listener], certificate: Certificate) -> dict[str, Secured]:
    return {
        name: Secured(
            listeners[name].advertised, PROTOCOLS[name], certificate.chain if "SSL" in PROTOCOLS[name] else None
        )
        for name in PUBLIC
        if name != "plain"
    }
