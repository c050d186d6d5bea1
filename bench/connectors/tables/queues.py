"""Tables of messages, as JSON: queues, streams, topics and URLs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from bench.connectors import http, kinesis, mqtt, pubsub, pulsar, rabbitmq, redis
from tests.support.servers.kinesis import Kinesis
from tests.support.servers.mqtt import Mqtt
from tests.support.servers.pubsub import PROJECT, PubSub
from tests.support.servers.pulsar import Pulsar
from tests.support.servers.rabbitmq import PASSWORD, USER, RabbitMQ
from tests.support.servers.redis import Redis

from .forms import as_json, of_json
from .sides import Pair, Rows, Systems, Table, case, server_of

_BATCH = 1000
_EPOCH = 5000
_PAGE = 1000
_HTTP_ROWS = 102_400


_RABBITMQ, _MQTT, _REDIS, _PULSAR, _KINESIS, _PUBSUB = map(server_of, (RabbitMQ, Mqtt, Redis, Pulsar, Kinesis, PubSub))


def _both(
    rows: Rows, table: Table, write: Callable[[list[bytes]], Any], read: Callable[[], list[bytes]], ends: bool
) -> Iterator[Pair]:
    """A table is written and read; then the same by the bare client, in another place or after it."""
    yield Pair("write", lambda: table.write(rows), lambda: write([as_json(row) for row in rows]))
    yield Pair("read", lambda: table.read(len(rows), ends), lambda: [of_json(message) for message in read()])


@case("rabbitmq", 20_480)
def rabbitmq_queue(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """pika's asynchronous writer and its blocking reader."""
    server, count = systems.get(_RABBITMQ), len(rows)
    ours, bare = server.queue("bench"), server.queue("bench")
    place = {"url": f"amqp://{server.host}:{server.port}/%2F", "username": USER, "password": PASSWORD, "queue": ours}
    table = Table({"connector": "rabbitmq", **place, "format": "json"})
    read = partial(rabbitmq.read_bare, server, bare, count, _EPOCH)
    yield from _both(rows, table, lambda records: rabbitmq.write_bare(server, bare, records, _BATCH), read, False)
    for queue in (ours, bare):
        server.delete(queue)


@case("mqtt", 20_480)
def mqtt_topic(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """paho-mqtt in a thread, with QoS 1."""
    server = systems.get(_MQTT)
    ours, bare = server.topic(), server.topic()
    place = {"url": f"mqtt://{server.host}:{server.port}", "topic": ours, "client-id": f"{ours}-ours"}
    server.keep(f"{ours}-ours-0", ours)
    server.keep(f"{bare}-bare", bare)
    table = Table({"connector": "mqtt", **place, "format": "json"})
    read = partial(mqtt.read_bare, server, bare, len(rows))
    yield from _both(rows, table, partial(mqtt.write_bare, server, bare), read, False)


@case("redis stream", 51_200)
def redis_stream(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """redis-py's transaction of all rows, and XRANGE."""
    server = systems.get(_REDIS)
    ours, bare = server.key(), server.key()
    place = {"url": f"redis://{server.host}:{server.port}", "data-type": "stream", "key": ours, "scan.bounded": "true"}
    table = Table({"connector": "redis", **place, "format": "json"})

    def write(records: list[bytes]) -> None:
        with server.api as api:
            pipeline = api.pipeline()
            for record in records:
                pipeline.xadd(bare, {"value": record})
            pipeline.execute()

    yield from _both(rows, table, write, lambda: redis.read_bare(server, bare, len(rows), _BATCH), True)
    with server.api as api:
        api.delete(ours, bare)


@case("pulsar", 102_400)
def pulsar_topic(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """pulsar-client's producer and reader."""
    server = systems.get(_PULSAR)
    ours, bare = server.topic(), server.topic()
    place = {"service-url": server.url, "topics": ours, "source.subscription-name": "bench"}
    table = Table({"connector": "pulsar", **place, "source.stop.at-message-id": "latest", "format": "json"})
    read = partial(pulsar.read_bare, server, bare, len(rows))
    yield from _both(rows, table, partial(pulsar.write_bare, server, bare), read, True)


@case("kinesis", 20_480)
def kinesis_stream(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """boto3, with requests as large as ours, on kinesalite."""
    server = systems.get(_KINESIS)
    ours, bare = server.stream(), server.stream()
    place = {name.replace(".provider", ""): value for name, value in server.properties.items()}
    place |= {"stream": ours, "scan.stream.initpos": "TRIM_HORIZON"}
    table = Table({"connector": "kinesis", **place, "format": "json"})
    read = partial(kinesis.read_bare, server, bare, len(rows), 10_000)
    yield from _both(rows, table, partial(kinesis.write_bare, server, bare), read, False)


@case("pubsub", 20_480)
def pubsub_topic(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """Google's publisher, and a client that pulls and acknowledges in turn."""
    server = systems.get(_PUBSUB)
    (ours, _), (bare, _) = server.topic(), server.topic()
    place = {"project": PROJECT, "topic": ours, "subscription": ours, "emulator": server.address}
    table = Table({"connector": "pubsub", **place, "format": "json"})
    read = partial(pubsub.read_pulled, server, bare, len(rows))
    yield from _both(rows, table, partial(pubsub.write_bare, server, bare), read, False)
    for name in (ours, bare):
        server.delete(name)


@contextmanager
def web_server() -> Iterator[str]:
    """A server of HTTP in another process."""
    with http.served(_HTTP_ROWS, _PAGE) as url:
        yield url


@case("http", _HTTP_ROWS)
def http_url(systems: Systems, rows: Rows) -> Iterator[Pair]:
    """httpx: requests of 500 rows that are sent, and pages of 1,000 that are read."""
    url = systems.get(web_server)
    sent = {"connector": "http", "url": f"{url}/results", "sink.batch-size": "500", "format": "json"}
    yield Pair(
        "write",
        lambda: Table(sent).write(rows),
        lambda: http.write_bare(url, [as_json(row).decode() for row in rows], 500),
    )
    cursor = {"scan.cursor.parameter": "after", "scan.cursor.field": "n", "scan.bounded": "true"}
    asked = {"connector": "http", "url": f"{url}/numbers", "format": "json", **cursor}
    table = Table(asked, "n BIGINT, name STRING", ("n", "name"))
    yield Pair(
        "read",
        lambda: table.read(_HTTP_ROWS),
        lambda: [(each["n"], each["name"]) for each in http.read_bare(url, _HTTP_ROWS)],
        _HTTP_ROWS,
    )
