"""RabbitMQ for the tests: a server at an address, in a container, or as a process of this machine.

def test_copy(rabbitmq):                     # shared by the whole run
    queue = rabbitmq.queue()                 # new, durable, with a name of its own
    rabbitmq.publish(queue, [b"a", b"b"])
    ...
    assert rabbitmq.drain(queue) == [b"a", b"b"]

def test_server_dies(own_rabbitmq):          # this test's own
    own_rabbitmq.kill()
    own_rabbitmq.start()                     # same port, same data
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pika
import pika.exceptions
from pika.adapters.blocking_connection import BlockingChannel

from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.debian import unpacked
from tests.support.servers.kafka.certificate import certificate_for
from tests.support.servers.processes import ServerProcess, free_ports
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

IMAGE = "rabbitmq:3.10"
USER = PASSWORD = "guest"

_PORT = 5672
_PATIENCE_S = 30.0
_INSTALLED = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
#: Debian's packages that the server needs.
_PACKAGES = """
rabbitmq-server erlang-base erlang-asn1 erlang-crypto erlang-eldap erlang-ftp erlang-inets erlang-mnesia erlang-os-mon
erlang-parsetools erlang-public-key erlang-runtime-tools erlang-snmp erlang-ssl erlang-syntax-tools erlang-tftp
erlang-tools erlang-xmerl
"""


class RabbitServer:
    """A server that runs.

    Args:
        host: Its host.
        port: Its port without TLS.
        tls_port: Its port with TLS; None: it has none.
        certificate: File of the authority to trust on that port.

    Attributes:
        host: Its host.
        port: Its port without TLS.
    """

    def __init__(self, host: str, port: int, tls_port: int | None = None, certificate: str | None = None) -> None:
        self.host, self.port = host, port
        self._tls_port, self._certificate = tls_port, certificate

    def client(self) -> RabbitServer:
        """The same server for another process."""
        return RabbitServer(self.host, self.port, self._tls_port, self._certificate)

    @property
    def tls(self) -> tuple[int, str]:
        """The port with TLS, and the file of the authority to trust.

        Raises:
            UnavailableError: This server was not started by the run as a process.
        """
        if self._tls_port is None or self._certificate is None:
            raise UnavailableError(f"the server at {self.host}:{self.port} has no known port with TLS")
        return self._tls_port, self._certificate

    @contextmanager
    def channel(self) -> Iterator[BlockingChannel]:
        """A channel of a connection of its own."""
        connection = pika.BlockingConnection(
            pika.ConnectionParameters(self.host, self.port, credentials=pika.PlainCredentials(USER, PASSWORD))
        )
        try:
            yield connection.channel()
        finally:
            if connection.is_open:
                connection.close()

    def queue(self, prefix: str = "test", arguments: Mapping[str, Any] | None = None) -> str:
        """Make a durable queue; its name."""
        name = self.name(prefix)
        with self.channel() as channel:
            channel.queue_declare(name, durable=True, arguments=dict(arguments or {}))
        return name

    def name(self, prefix: str = "test") -> str:
        """A name that no queue has."""
        return f"{prefix}-{uuid.uuid4().hex[:12]}"

    def publish(self, queue: str, messages: Iterable[bytes | tuple[str, bytes]]) -> None:
        """Write persistent messages, each a body or a correlation id and a body; returns when the server has them."""
        with self.channel() as channel:
            for message in messages:
                correlation_id, body = message if isinstance(message, tuple) else (None, message)
                properties = pika.BasicProperties(delivery_mode=2, correlation_id=correlation_id)
                channel.basic_publish("", queue, body, properties)
            channel.queue_declare(queue, passive=True)  # answered behind all of them

    def drain(self, queue: str) -> list[bytes]:
        """The bodies of what is in a queue, taken out of it."""
        return [body for body, _ in self.messages(queue)]

    def messages(self, queue: str) -> list[tuple[bytes, pika.BasicProperties]]:
        """Bodies and properties of what is in a queue, taken out of it."""
        found: list[tuple[bytes, pika.BasicProperties]] = []
        with self.channel() as channel:
            while True:
                method, properties, body = channel.basic_get(queue, auto_ack=True)
                if method is None:
                    return found
                found.append((body, properties))

    def size(self, queue: str) -> int:
        """How many messages are ready in a queue."""
        with self.channel() as channel:
            return int(channel.queue_declare(queue, passive=True).method.message_count)

    def wait_for_size(self, queue: str, size: int) -> None:
        """Wait until so many messages are ready: those of a connection that ended come back a moment later."""
        wait_until(
            lambda: self.size(queue) == size, f"{size} messages in {queue}", _PATIENCE_S, 0.05, lambda: self.size(queue)
        )

    def delete(self, queue: str) -> None:
        """Delete a queue with what is in it."""
        with self.channel() as channel:
            channel.queue_delete(queue)

    def stop(self) -> None:
        """End the server, if this run started it."""

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            with self.channel():
                return True
        except (pika.exceptions.AMQPError, OSError):
            return False


class RabbitMQ(Kind[RabbitServer]):
    """The kind of server that RabbitMQ is."""

    name = "rabbitmq"
    image = IMAGE

    def at(self, address: str) -> RabbitServer:
        host, _, port = address.partition(":")
        server = RabbitServer(host, int(port or _PORT))
        return self.answering(server, server.is_ready, address, "RabbitMQ")

    def in_container(self) -> RabbitServer:
        find_image(self.image)
        return ContainerRabbitServer(self.image)

    def as_process(self) -> RabbitServer:
        return OwnRabbitServer()


class ContainerRabbitServer(RabbitServer):
    """A server in a container."""

    def __init__(self, image: str) -> None:
        self._container = ServerContainer("rabbitmq", image, ["rabbitmq-server"], [_PORT])
        super().__init__(self._container.host, self._container.ports[_PORT])
        self._container.wait_until(self.is_ready)

    def stop(self) -> None:
        self._container.stop()


class OwnRabbitServer(RabbitServer):
    """A server as a process of this machine, which a test may kill, start again and pause.

    Args:
        folder: Where its data stays; None: in a temporary folder.

    Raises:
        UnavailableError: Its programs cannot be had, or it does not start.
    """

    def __init__(self, folder: Path | None = None) -> None:
        programs, path = _programs()
        port, tls_port, distribution, epmd = free_ports(4)
        self._process = ServerProcess("rabbitmq", folder)
        home = self._process.folder
        self._control = programs / "rabbitmqctl"
        certificate = certificate_for(["localhost", "127.0.0.1"])
        super().__init__("127.0.0.1", port, tls_port, str(home / "chain.pem"))
        self._environment = {
            **os.environ,
            "HOME": str(home),  # the cookie's place
            "PATH": path,
            "LC_ALL": "C.UTF-8",
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(epmd),
            "RABBITMQ_NODENAME": f"test{port}@localhost",
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": str(home / "none"),
            "RABBITMQ_MNESIA_BASE": str(home / "data"),
            "RABBITMQ_LOG_BASE": str(home / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(home / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}",
        }
        # epmd, which Erlang would leave behind as a daemon, is one of the server's own process group.
        self._command = ["sh", "-c", f"epmd & exec {shlex.quote(str(programs / 'rabbitmq-server'))}"]
        try:
            (home / "plugins").write_text("[].\n")
            (home / "chain.pem").write_text(certificate.chain)
            (home / "key.pem").write_text(certificate.key)
            (home / "rabbitmq.conf").write_text(
                f"listeners.tcp.1 = 127.0.0.1:{port}\n"
                f"listeners.ssl.1 = 127.0.0.1:{tls_port}\n"
                f"ssl_options.cacertfile = {home}/chain.pem\n"
                f"ssl_options.certfile = {home}/chain.pem\n"
                f"ssl_options.keyfile = {home}/key.pem\n"
                "disk_free_limit.absolute = 10MB\n"
                "log.console.level = warning\n"
            )
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready."""
        assert self._process.pid is None
        command = ["env", "-i", *(f"{name}={value}" for name, value in self._environment.items()), *self._command]
        self._process.start(command, self.is_ready)

    def control(self, *arguments: str) -> str:
        """What ``rabbitmqctl`` prints."""
        command = [str(self._control), "--quiet", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout

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


def _programs() -> tuple[Path, str]:
    """The folder of RabbitMQ's scripts, and the PATH by which they find Erlang."""
    path = os.environ.get("PATH", os.defpath)
    if _INSTALLED.exists() and shutil.which("erl"):
        return _INSTALLED.parent, path
    root = unpacked("rabbitmq-server", _PACKAGES.split(), _mend)
    return root / "usr" / "lib" / "rabbitmq" / "bin", f"{root}/usr/lib/erlang/bin:{path}"


def _mend(root: Path, later: Path) -> None:
    """Erlang's scripts know where it is installed."""
    erlang = root / "usr" / "lib" / "erlang"
    for script in [erlang / "bin" / "erl", *erlang.glob("erts-*/bin/erl")]:
        if script.is_file() and not script.is_symlink():
            text = script.read_text()
            script.write_text(text.replace("/usr/lib/erlang", str(later / "usr" / "lib" / "erlang")))
