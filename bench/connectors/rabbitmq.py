"""``python -m bench.connectors.rabbitmq``: messages sent and read, ours and by pika alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import pika

from bench.connectors.sides import Rates, read, write
from datastream.connectors.rabbitmq import RMQConnectionConfig, RMQSink, RMQSource
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.rabbitmq import PASSWORD, USER, RabbitMQ, RabbitServer

_PERSISTENT = pika.BasicProperties(delivery_mode=2)


def write_ours(server: RabbitServer, queue: str, records: list[bytes], batch: int) -> None:
    """The whole path of a writer."""
    sink = RMQSink(_config(server), queue, ByteArraySchema())
    sink.batch_size = batch
    write(sink, records)


def write_bare(server: RabbitServer, queue: str, records: list[bytes], batch: int) -> None:
    """pika's asynchronous connection: a batch, then a wait for all its confirmations."""
    opened: list[Any] = []
    confirmed: list[int] = [0]
    connection = pika.SelectConnection(
        _parameters(server), on_open_callback=lambda c: c.channel(on_open_callback=opened.append)
    )
    loop = connection.ioloop
    loop.activate_poller()

    def run_until(done: Callable[[], bool]) -> None:
        while not done():
            loop.poll()
            loop.process_timeouts()

    def on_confirmation(frame: Any) -> None:
        # Enough for a benchmark: the server confirms in order here.
        confirmed[0] = max(confirmed[0], frame.method.delivery_tag)

    run_until(lambda: bool(opened))
    (channel,) = opened
    channel.confirm_delivery(on_confirmation)
    for start in range(0, len(records), batch):
        part = records[start : start + batch]
        for body in part:
            channel.basic_publish("", queue, body, _PERSISTENT, mandatory=True)
        wanted = start + len(part)
        run_until(lambda tag=wanted: confirmed[0] >= tag)
    connection.close()
    run_until(lambda: connection.is_closed)
    loop.close()


def write_blocking(server: RabbitServer, queue: str, records: list[bytes], batch: int) -> None:
    """pika's blocking connection, which waits for the confirmation of each message."""
    connection = pika.BlockingConnection(_parameters(server))
    channel = connection.channel()
    channel.confirm_delivery()
    for body in records:
        channel.basic_publish("", queue, body, _PERSISTENT, mandatory=True)
    connection.close()


def read_ours(server: RabbitServer, queue: str, count: int, batch: int, with_ids: bool) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    read(RMQSource(_config(server), queue, with_ids, ByteArraySchema()), count, batch)


def read_bare(server: RabbitServer, queue: str, count: int, batch: int) -> list[bytes]:
    """A consumer of pika's blocking connection that acknowledges batches."""
    connection = pika.BlockingConnection(_parameters(server))
    channel = connection.channel()
    channel.basic_qos(prefetch_count=2 * batch)
    found: list[bytes] = []

    def on_message(_: Any, method: Any, properties: Any, body: bytes) -> None:
        found.append(body)
        if len(found) % batch == 0 or len(found) == count:
            channel.basic_ack(method.delivery_tag, multiple=True)

    channel.basic_consume(queue, on_message)
    while len(found) < count:
        connection.process_data_events(time_limit=1)
    connection.close()
    return found


def _config(server: RabbitServer) -> RMQConnectionConfig:
    builder = RMQConnectionConfig.Builder().set_host(server.host).set_port(server.port).set_virtual_host("/")
    return builder.set_user_name(USER).set_password(PASSWORD).build()


def _parameters(server: RabbitServer) -> pika.ConnectionParameters:
    return pika.ConnectionParameters(server.host, server.port, credentials=pika.PlainCredentials(USER, PASSWORD))


@click.command()
@click.option("--records", default=10_000, show_default=True, help="Messages of a round, of 100 bytes.")
@click.option("--batch", default=1000, show_default=True, help="Messages between two waits for confirmations.")
@click.option("--epoch", default=5000, show_default=True, help="Messages that are read between two acknowledgements.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, batch: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    server = begin(RabbitMQ())
    given = [b"%099d\n" % n for n in range(records)]
    few = given[: max(records // 10, 1)]
    rates = Rates(records)

    try:
        for _ in range(rounds):
            queue = server.queue("bench")
            rates.measure("write, ours", lambda queue=queue: write_ours(server, queue, given, batch))
            rates.measure("read, ours", lambda queue=queue: read_ours(server, queue, records, epoch, False))
            rates.measure("write, bare", lambda queue=queue: write_bare(server, queue, given, batch))
            rates.measure("read, bare", lambda queue=queue: read_bare(server, queue, records, epoch))
            rates.measure("write, blocking", lambda queue=queue: write_blocking(server, queue, few, batch), len(few))
            server.delete(queue)
            queue = server.queue("bench")
            server.publish(queue, [(str(n), body) for n, body in enumerate(given)])
            rates.measure("read with ids, ours", lambda queue=queue: read_ours(server, queue, records, epoch, True))
            server.publish(queue, [(str(n), body) for n, body in enumerate(given)])
            rates.measure("read with ids, bare", lambda queue=queue: read_bare(server, queue, records, epoch))
            server.delete(queue)
    finally:
        server.stop()
    rates.show(
        (
            ("write, confirmed by batches", "write, ours", "write, bare"),
            ("write, confirmed one by one", "write, ours", "write, blocking"),
            ("read, at least once", "read, ours", "read, bare"),
            ("read, exactly once", "read with ids, ours", "read with ids, bare"),
        )
    )


if __name__ == "__main__":
    main()
