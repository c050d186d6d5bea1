"""Queues, which forget what was acknowledged."""

from __future__ import annotations

import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.chaos.systems.system import IntoFiles, System, parsed
from tests.support.waiting import wait_until


class _Rabbit(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.rabbitmq import OwnRabbitServer

        self._server = OwnRabbitServer()
        self._queue = self._server.queue("numbers")
        return {"address": f"{self._server.host}:{self._server.port}"}


class RabbitSource(IntoFiles, _Rabbit):
    """RMQSource with correlation ids, into files."""

    name = "rabbitmq-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._server.publish(self._queue, ((str(n), f"{n},n{n}".encode()) for n in range(count)))
        self._out = folder / "out"
        return {**where, "in": self._queue, "out": str(self._out)}


class RabbitSink(_Rabbit):
    """RMQSink: at least once, so messages come twice when an epoch runs again."""

    name = "rabbitmq-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._found: list[tuple[int, str]] = []
        return {**self._begin(), "out": self._queue, "count": count}

    def results(self) -> list[tuple[int, str]]:
        if not self._found:
            with self._server.channel() as channel:
                channel.basic_qos(prefetch_count=5000)
                for method, _, body in channel.consume(self._queue, auto_ack=True, inactivity_timeout=2):
                    if method is None:
                        break
                    self._found += parsed([body.decode()])
        return self._found

    def written(self) -> int:
        return self._server.size(self._queue)


class _Mqtt(System):
    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.mqtt import OwnMqttServer

        self._server = OwnMqttServer()
        return {"port": self._server.port}


class MqttSource(IntoFiles, _Mqtt):
    """MqttSource with ids, into files. A killed server delivers again what was acknowledged since it last saved."""

    name = "mqtt-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._server.keep("reader-0", "numbers")
        self._server.publish_each(("numbers", f"{n},n{n}".encode(), str(n)) for n in range(count))
        self._out = folder / "out"
        return {**where, "in": "numbers", "out": str(self._out)}


class MqttSink(_Mqtt):
    """MqttSink: at least once, so messages come twice when an epoch runs again.

    A server that is killed has forgotten what it confirmed since it last saved, so it is asked to end.
    """

    name = "mqtt-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._received: list[bytes] = []
        self._published = [0]  # in each life of the server, as it says itself: the reader may be far behind
        self._clients = ExitStack()
        for name, receive, topic in (
            ("drain", lambda message: self._received.append(message.payload), "numbers"),
            ("count", lambda message: self._count(int(message.payload)), "$SYS/broker/publish/messages/received"),
        ):
            self._clients.enter_context(self._server.connected(name, 3600, receive, topic, 1))
        return {**where, "out": "numbers", "count": count}

    def results(self) -> list[tuple[int, str]]:
        end = uuid.uuid4().hex.encode()
        self._server.publish([("numbers", end)])
        wait_until(lambda: end in self._received[-5000:], "the end of the numbers", 300.0, 0.05)
        return list(parsed(payload.decode() for payload in self._received if b"," in payload))

    def written(self) -> int:
        return sum(self._published)

    def _count(self, published: int) -> None:
        if published < self._published[-1]:
            self._published.append(0)
        self._published[-1] = published

    def kill(self) -> None:
        self._server.stop_gently()

    def stop(self) -> None:
        self._clients.close()
        super().stop()


class _PubSub(System):
    """Google's in-memory server forgets all when it is killed, so it is not."""

    victims = ("driver", "worker")

    def _begin(self) -> dict[str, Any]:
        from tests.support.servers.pubsub import OwnPubSubServer

        self._server = OwnPubSubServer()
        self._topic, _ = self._server.topic()
        return {"address": self._server.address}


class PubSubSource(IntoFiles, _PubSub):
    """PubSubSource, into files."""

    name = "pubsub-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        where = self._begin()
        self._server.publish(self._topic, (f"{n},n{n}".encode() for n in range(count)))
        self._out = folder / "out"
        return {**where, "in": self._topic, "out": str(self._out)}


class PubSubSink(_PubSub):
    """PubSubSink: at least once, so messages come twice when an epoch runs again."""

    name = "pubsub-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._found: list[tuple[int, str]] = []
        return {**self._begin(), "out": self._topic, "count": count}

    def results(self) -> list[tuple[int, str]]:
        self._found += parsed(data.decode() for data in self._server.drain(self._topic))
        return self._found

    def written(self) -> int:
        self._found += parsed(data.decode() for data in self._server.drain(self._topic, 1.0))
        return len(self._found)


class _NiFi(System):
    def _begin(self, count: int) -> dict[str, Any]:
        from tests.support.servers.nifi import OwnNiFi

        self._server = OwnNiFi()
        self._flow = self._server.flow(limit=2 * count)
        return {"url": self._server.url}


class NiFiSource(IntoFiles, _NiFi):
    """NiFiSource, into files."""

    name = "nifi-source"
    ends = False

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        from datastream.connectors.nifi import StandardNiFiDataPacket

        where = self._begin(count)
        for first in range(0, count, 10_000):
            numbers = range(first, min(first + 10_000, count))
            self._server.put(self._flow.input, [StandardNiFiDataPacket(f"{n},n{n}".encode()) for n in numbers])
        self._out = folder / "out"
        return {**where, "in": self._flow.output, "out": str(self._out)}


class NiFiSink(_NiFi):
    """NiFiSink: at least once, so packets come twice when the answer to the end of a transaction is lost."""

    name = "nifi-sink"
    twice = True

    def begin(self, folder: Path, count: int) -> dict[str, Any]:
        self._found: list[tuple[int, str]] = []
        return {**self._begin(count), "out": self._flow.input, "count": count}

    def results(self) -> list[tuple[int, str]]:
        packets = self._server.take(self._flow.output)
        self._found += parsed(packet.get_content().decode() for packet in packets)
        return self._found

    def written(self) -> int:
        return self._server.size(self._flow)
