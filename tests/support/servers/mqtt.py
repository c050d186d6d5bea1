"""Mosquitto for the tests: a server of MQTT 5 at an address, in a container, or as a process of this machine.

def test_copy(mqtt):                         # shared by the whole run
    topic = mqtt.topic()                     # that nobody has
    with mqtt.subscribed(f"{topic}/#") as received:
        mqtt.publish([(f"{topic}/a", b"1")])
        ...

def test_server_dies(own_mqtt):              # this test's own
    own_mqtt.kill()
    own_mqtt.start()                         # same port, same data
"""

from __future__ import annotations

import getpass
import shutil
import subprocess
import threading
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from datastream.connectors.mqtt import MqttConnection
from datastream.connectors.mqtt.client import Client
from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.debian import unpacked
from tests.support.servers.kafka.certificate import certificate_for
from tests.support.servers.processes import ServerProcess, free_ports
from tests.support.servers.unavailable import UnavailableError
from tests.support.waiting import wait_until

IMAGE = "eclipse-mosquitto:2"
_PORT = 1883
_PACKAGES = "mosquitto libmosquitto1 libcjson1 libdlt2 libwrap0"
_WAIT_S = 30.0
_AT_ONCE = 1000


class MqttServer:
    """A server that runs.

    Args:
        host: Its host.
        port: Its port without TLS.
        tls_port: Its port with TLS; None: it has none.
        certificate: File of the authority to trust on that port.
        guarded_port: Its port that wants a user and a password; None: it has none.
    """

    def __init__(
        self,
        host: str,
        port: int,
        tls_port: int | None = None,
        certificate: str | None = None,
        guarded_port: int | None = None,
    ) -> None:
        self.host, self.port = host, port
        self._tls_port, self._certificate, self._guarded_port = tls_port, certificate, guarded_port

    @property
    def connection(self) -> MqttConnection:
        """How jobs reach it."""
        return MqttConnection(self.host, self.port)

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
    def guarded_port(self) -> int:
        """The port at which ``reader`` with the password ``s3cret`` may use the topics ``open/#`` alone.

        Raises:
            UnavailableError: This server was not started by the run as a process.
        """
        if self._guarded_port is None:
            raise UnavailableError(f"the server at {self.host}:{self.port} has no known port with users")
        return self._guarded_port

    def client(self) -> MqttServer:
        """The same server for another process."""
        return MqttServer(self.host, self.port, self._tls_port, self._certificate, self._guarded_port)

    def topic(self, prefix: str = "test") -> str:
        """A topic that nobody has, without levels."""
        return f"{prefix}-{uuid.uuid4().hex[:12]}"

    @contextmanager
    def connected(
        self, client_id: str = "", expiry_s: int = 0, receive: Any = None, filter: str | None = None, qos: int = 2
    ) -> Iterator[Client]:
        """A client in a thread of its own, that has subscribed where there is a filter."""
        client = Client(CallbackAPIVersion.VERSION2, client_id=client_id, protocol=paho.MQTTv5)
        ready, subscribed = threading.Event(), threading.Event()
        client.on_connect = lambda *_: ready.set()
        client.on_subscribe = lambda *_: subscribed.set()
        client.on_message = lambda _, __, message: receive(message) if receive is not None else None
        client.max_inflight_messages_set(20)
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        if expiry_s:
            properties.SessionExpiryInterval = expiry_s
        client.connect(self.host, self.port, clean_start=not expiry_s, properties=properties)
        client.loop_start()
        try:
            assert ready.wait(_WAIT_S), "the server did not answer"
            if filter is not None:
                client.subscribe(filter, qos)
                assert subscribed.wait(_WAIT_S), "the server did not answer"
            yield client
        finally:
            client.disconnect()
            client.loop_stop()
            client.release()

    @contextmanager
    def subscribed(self, filter: str) -> Iterator[list[Any]]:
        """What comes from now on."""
        received: list[Any] = []
        with self.connected(receive=received.append, filter=filter):
            yield received

    def keep(self, client_id: str, filter: str) -> None:
        """Make a session that keeps what comes from now on, for `drain` or a source."""
        with self.connected(client_id, 3600, filter=filter, qos=1):
            pass

    def drain(self, client_id: str, topic: str) -> list[Any]:
        """What a session of `keep` has kept of a topic, taken out of it."""
        received: list[Any] = []
        end = uuid.uuid4().hex.encode()
        self.publish([(topic, end)])
        with self.connected(client_id, 3600, received.append):
            wait_until(lambda: any(each.payload == end for each in received), f"the end of {topic}", _WAIT_S, 0.01)
        return [each for each in received if each.payload != end]

    def publish(self, messages: Iterable[tuple[str, bytes]], qos: int = 1, retain: bool = False, **named: Any) -> None:
        """Publish messages; returns when the server has them.

        Args:
            messages: Topics and payloads.
            qos: Their quality of service.
            retain: Whether they are retained.
            named: Properties of MQTT 5 by paho's names.
        """
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        for name, value in named.items():
            setattr(properties, name, value)
        with self.connected() as client:
            sent = [client.publish(topic, payload, qos, retain, properties) for topic, payload in messages]
            for each in sent:
                each.wait_for_publish(_WAIT_S)

    def publish_each(self, messages: Iterable[tuple[str, bytes, str]]) -> None:
        """Publish messages with QoS 1, each a topic, a payload, and its user property ``id``; returns at their end."""
        with self.connected() as client:
            info = None
            for topic, payload, id in messages:
                properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
                properties.UserProperty = ("id", id)
                info = client.publish(topic, payload, 1, properties=properties)
                if info.mid % _AT_ONCE == 0:  # paho keeps no more than it has numbers for
                    info.wait_for_publish(_WAIT_S)
            if info is not None:
                info.wait_for_publish(_WAIT_S)

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            with self.connected():
                return True
        except (OSError, AssertionError):
            return False

    def stop(self) -> None:
        """End the server, if this run started it."""


class Mqtt(Kind[MqttServer]):
    """The kind of server that Mosquitto is."""

    name = "mqtt"
    image = IMAGE

    def at(self, address: str) -> MqttServer:
        host, _, port = address.partition(":")
        server = MqttServer(host, int(port or _PORT))
        return self.answering(server, server.is_ready, address, "MQTT 5")

    def in_container(self) -> MqttServer:
        find_image(self.image)
        return ContainerMqttServer(self.image)

    def as_process(self) -> MqttServer:
        return OwnMqttServer()


class ContainerMqttServer(MqttServer):
    """A server in a container."""

    def __init__(self, image: str) -> None:
        self._container = ServerContainer("mqtt", image, ["mosquitto", "-c", "/mosquitto-no-auth.conf"], [_PORT])
        super().__init__(self._container.host, self._container.ports[_PORT])
        self._container.wait_until(self.is_ready)

    def stop(self) -> None:
        self._container.stop()


class OwnMqttServer(MqttServer):
    """A server as a process of this machine, which a test may end, start again and pause.

    It writes its sessions to a file when it is asked to end, and every second; a kill loses what came since.

    Raises:
        UnavailableError: Its program cannot be had, or it does not start.
    """

    def __init__(self) -> None:
        environment, programs = _programs()
        port, tls_port, guarded_port = free_ports(3)
        self._process = ServerProcess("mqtt")
        home = self._process.folder
        certificate = certificate_for(["localhost", "127.0.0.1"])
        super().__init__("127.0.0.1", port, tls_port, str(home / "chain.pem"), guarded_port)
        try:
            (home / "chain.pem").write_text(certificate.chain)
            (home / "key.pem").write_text(certificate.key)
            (home / "acl").write_text("user reader\ntopic readwrite open/#\n")
            (home / "passwords").touch()
            subprocess.run(
                [*environment, str(programs[1]), "-b", str(home / "passwords"), "reader", "s3cret"],
                check=True,
                capture_output=True,
                timeout=60,
            )
            settings = home / "mosquitto.conf"
            settings.write_text(
                f"user {getpass.getuser()}\nper_listener_settings true\n"
                f"listener {port} 127.0.0.1\nallow_anonymous true\n"
                f"listener {tls_port} 127.0.0.1\nallow_anonymous true\n"
                f"certfile {home}/chain.pem\nkeyfile {home}/key.pem\n"
                f"listener {guarded_port} 127.0.0.1\nallow_anonymous false\n"
                f"password_file {home}/passwords\nacl_file {home}/acl\n"
                f"persistence true\npersistence_location {home}/\nautosave_interval 1\n"
                "sys_interval 1\nmax_queued_messages 0\nset_tcp_nodelay true\nmax_packet_size 1000000\n"
                "log_type error\nlog_type warning\nlog_type notice\n"
            )
            self._command = [*environment, str(programs[0]), "-c", str(settings)]
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready."""
        self._process.start(self._command, self.is_ready)

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does: what it wrote to its file stays."""
        self._process.kill()

    def stop_gently(self) -> None:
        """Have it write its sessions to the file, and end; `start` goes on with them."""
        self._process.shut_down()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def stop(self) -> None:
        self._process.stop()


def _programs() -> tuple[list[str], tuple[Path, Path]]:
    """What goes before the programs, and these: the server, and the one that writes files of passwords."""
    found, passwords = shutil.which("mosquitto"), shutil.which("mosquitto_passwd")
    if found is not None and passwords is not None:
        return [], (Path(found), Path(passwords))
    root: Path = unpacked("mosquitto", _PACKAGES.split())
    libraries = ":".join(map(str, (*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu"))))
    return (
        ["env", f"LD_LIBRARY_PATH={libraries}"],
        (root / "usr" / "sbin" / "mosquitto", root / "usr" / "bin" / "mosquitto_passwd"),
    )
