"""``python -m bench.connectors.pulsar``: messages published and read, ours and by pulsar-client alone."""

from __future__ import annotations

import click
from pulsar import MessageId

from bench.connectors.sides import Rates, read, write
from datastream.connectors import DeliveryGuarantee
from datastream.connectors.pulsar import PulsarSink, PulsarSource, StopCursor
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.pulsar import ONCE, Pulsar, PulsarServer

#: What a producer of Java puts into an entry, which is also what the sink does.
_BATCH = 1000


def write_ours(server: PulsarServer, topic: str, records: list[bytes], guarantee: DeliveryGuarantee) -> None:
    """The whole path of a writer."""
    builder = PulsarSink.builder().set_service_url(server.url).set_admin_url(server.admin_url).set_topics([topic])
    write(builder.set_serialization_schema(ByteArraySchema()).set_delivery_guarantee(guarantee).build(), records)


def write_bare(server: PulsarServer, topic: str, records: list[bytes]) -> None:
    """The library's producer, which waits for all confirmations at the end."""
    server.publish(topic, records, _BATCH)


def read_ours(server: PulsarServer, topic: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    builder = PulsarSource.builder().set_service_url(server.url).set_topics([topic]).set_subscription_name("bench")
    builder.set_bounded_stop_cursor(StopCursor.latest()).set_deserialization_schema(ByteArraySchema())
    read(builder.build(), count, epoch)


def read_bare(server: PulsarServer, topic: str, count: int) -> list[bytes]:
    """The library's reader."""
    with server.connected() as client:
        reader = client.create_reader(topic, MessageId.earliest)
        found = [reader.read_next(10_000).data() for _ in range(count)]
        reader.close()
    return found


@click.command()
@click.option("--records", default=100_000, show_default=True, help="Messages of a round, of 100 bytes.")
@click.option("--epoch", default=25_000, show_default=True, help="Messages of an epoch.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    server = begin(Pulsar())
    server.make_namespace()
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)
    exactly, at_least = DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE

    try:
        for _ in range(rounds):
            once, other = [server.topic(namespace=ONCE) for _ in range(2)]
            ours, bare = server.topic(), server.topic()
            rates.measure("write once, ours", lambda topic=once: write_ours(server, topic, given, exactly))
            rates.measure("write once, bare", lambda topic=other: write_bare(server, topic, given))
            rates.measure("write, ours", lambda topic=ours: write_ours(server, topic, given, at_least))
            rates.measure("write, bare", lambda topic=bare: write_bare(server, topic, given))
            rates.measure("read, ours", lambda topic=bare: read_ours(server, topic, records, epoch))
            rates.measure("read, bare", lambda topic=bare: read_bare(server, topic, records))
    finally:
        server.stop()
    rates.show_guarantees()


if __name__ == "__main__":
    main()
