"""``python -m bench.connectors.mqtt``: messages published and received, ours and by paho-mqtt alone."""

from __future__ import annotations

import threading
from typing import Any

import click

from bench.connectors.sides import Rates, read, write
from datastream.connectors.mqtt import MqttSink, MqttSource
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.mqtt import Mqtt, MqttServer


def write_ours(server: MqttServer, topic: str, records: list[bytes]) -> None:
    """The whole path of a writer."""
    builder = MqttSink.builder().set_connection(server.connection).set_topic(topic)
    write(builder.set_serializer(ByteArraySchema()).build(), records)


def write_bare(server: MqttServer, topic: str, records: list[bytes]) -> None:
    """paho's thread, with as many messages in flight as the server allows."""
    server.publish((topic, record) for record in records)


def read_ours(server: MqttServer, topic: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader."""
    builder = MqttSource.builder().set_connection(server.connection).set_topics(topic).set_client_id(f"{topic}-ours")
    source = builder.set_deserializer(ByteArraySchema()).build()
    source.poll_ms = 0
    read(source, count, epoch)


def read_bare(server: MqttServer, topic: str, count: int) -> list[bytes]:
    """paho's thread, which acknowledges each message at once."""
    found, done = list[bytes](), threading.Event()

    def receive(message: Any) -> None:
        found.append(message.payload)
        if len(found) == count:
            done.set()

    with server.connected(f"{topic}-bare", 3600, receive):
        done.wait()
    return found


@click.command()
@click.option("--records", default=10_000, show_default=True, help="Messages of a round, of 100 bytes.")
@click.option("--epoch", default=5_000, show_default=True, help="Messages that an epoch reads.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each, by QoS 1."""
    server = begin(Mqtt())
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)

    try:
        for _ in range(rounds):
            topic = server.topic()
            rates.measure("write, ours", lambda topic=topic: write_ours(server, f"{topic}-write", given))
            rates.measure("write, bare", lambda topic=topic: write_bare(server, f"{topic}-write", given))
            server.keep(f"{topic}-ours-0", topic)
            server.keep(f"{topic}-bare", topic)
            server.publish((topic, record) for record in given)
            rates.measure("read, ours", lambda topic=topic: read_ours(server, topic, records, epoch))
            rates.measure("read, bare", lambda topic=topic: read_bare(server, topic, records))
    finally:
        server.stop()
    rates.show((("write", "write, ours", "write, bare"), ("read, at least once", "read, ours", "read, bare")))


if __name__ == "__main__":
    main()
