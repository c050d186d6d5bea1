"""Redis for the tests: a server at an address, in a container, or as a process of this machine.

def test_copy(redis_server):                 # shared by the whole run
    key = redis_server.key()                 # that nobody has
    redis_server.add(key, [b"a", b"b"])      # a stream
    ...

def test_server_dies(own_redis):             # this test's own
    own_redis.kill()
    own_redis.start()                        # same port, same data
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path

import redis

from datastream.connectors.redis import RedisConnection
from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.debian import unpacked
from tests.support.servers.kafka.certificate import certificate_for
from tests.support.servers.processes import ServerProcess, free_ports
from tests.support.servers.unavailable import UnavailableError

IMAGE = "redis:7.4"
_PORT = 6379
_PACKAGES = "redis-server redis-tools libhiredis0.14 libjemalloc2 liblua5.1-0 lua-bitop lua-cjson liblzf1 libatomic1"
_AT_ONCE = 5000


class RedisServer:
    """A server that runs.

    Args:
        host: Its host.
        port: Its port without TLS.
        tls_port: Its port with TLS; None: it has none.
        certificate: File of the authority to trust on that port.
    """

    def __init__(self, host: str, port: int, tls_port: int | None = None, certificate: str | None = None) -> None:
        self.host, self.port = host, port
        self._tls_port, self._certificate = tls_port, certificate

    @property
    def connection(self) -> RedisConnection:
        """How jobs reach it."""
        return RedisConnection(self.host, self.port, timeout_ms=5000)

    @property
    def tls(self) -> tuple[int, str]:
        """The port with TLS, and the file of the authority to trust.

        Raises:
            UnavailableError: This server was not started by the run as a process.
        """
        if self._tls_port is None or self._certificate is None:
            raise UnavailableError(f"the server at {self.host}:{self.port} has no known port with TLS")
        return self._tls_port, self._certificate

    @property
    def api(self) -> redis.Redis:
        """A client."""
        return redis.Redis(self.host, self.port, protocol=2, socket_timeout=10)

    def client(self) -> RedisServer:
        """The same server for another process."""
        return RedisServer(self.host, self.port, self._tls_port, self._certificate)

    def key(self, prefix: str = "test") -> str:
        """A key that nobody has."""
        return f"{prefix}-{uuid.uuid4().hex[:12]}"

    def add(self, stream: str, values: Iterable[bytes]) -> None:
        """Add entries, each with a field ``value``."""
        with self.api as api:
            pipeline = api.pipeline(transaction=False)
            for number, value in enumerate(values, 1):
                pipeline.xadd(stream, {"value": value})
                if number % _AT_ONCE == 0:
                    pipeline.execute()
            pipeline.execute()

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            with self.api as api:
                return bool(api.ping())
        except (redis.RedisError, OSError):
            return False

    def stop(self) -> None:
        """End the server, if this run started it."""


class Redis(Kind[RedisServer]):
    """The kind of server that Redis is."""

    name = "redis"
    image = IMAGE

    def at(self, address: str) -> RedisServer:
        host, _, port = address.partition(":")
        server = RedisServer(host, int(port or _PORT))
        return self.answering(server, server.is_ready, address, "Redis")

    def in_container(self) -> RedisServer:
        find_image(self.image)
        return ContainerRedisServer(self.image)

    def as_process(self) -> RedisServer:
        return OwnRedisServer()


class ContainerRedisServer(RedisServer):
    """A server in a container."""

    def __init__(self, image: str) -> None:
        self._container = ServerContainer("redis", image, ["redis-server"], [_PORT])
        super().__init__(self._container.host, self._container.ports[_PORT])
        self._container.wait_until(self.is_ready)

    def stop(self) -> None:
        self._container.stop()


class OwnRedisServer(RedisServer):
    """A server as a process of this machine, which a test may kill, start again and pause.

    It writes each command to a file before it answers, so a kill loses nothing.

    Raises:
        UnavailableError: Its program cannot be had, or it does not start.
    """

    def __init__(self) -> None:
        program = _program()
        port, tls_port = free_ports(2)
        self._process = ServerProcess("redis")
        home = self._process.folder
        certificate = certificate_for(["localhost", "127.0.0.1"])
        super().__init__("127.0.0.1", port, tls_port, str(home / "chain.pem"))
        (home / "chain.pem").write_text(certificate.chain)
        (home / "key.pem").write_text(certificate.key)
        settings = {
            "bind": "127.0.0.1",
            "port": str(port),
            "tls-port": str(tls_port),
            "tls-cert-file": str(home / "chain.pem"),
            "tls-key-file": str(home / "key.pem"),
            "tls-auth-clients": "no",
            "dir": str(home),
            "save": "",
            "appendonly": "yes",
            "appendfsync": "everysec",  # the machine goes on when the server is killed
        }
        self._command = [*program, *(word for name, value in settings.items() for word in (f"--{name}", value))]
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready."""
        self._process.start(self._command, self.is_ready)

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


def _program() -> list[str]:
    """The command that starts the server."""
    found = shutil.which("redis-server")
    if found is not None:
        return [found]
    root: Path = unpacked("redis-server", _PACKAGES.split())
    libraries = ":".join(map(str, (*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu"))))
    return ["env", f"LD_LIBRARY_PATH={libraries}", str(root / "usr" / "bin" / "redis-server")]
