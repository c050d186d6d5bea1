"""``python -m bench.connectors.pubsub``: messages sent and read, ours and by Google's client alone."""

from __future__ import annotations

import click
import grpc
from google.cloud.pubsub_v1 import PublisherClient, SubscriberClient
from google.cloud.pubsub_v1.types import BatchSettings
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from bench.connectors.sides import Rates, read, write
from datastream.connectors.pubsub import PubSubSink, PubSubSource
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.pubsub import PROJECT, PubSub, PubSubServer


def write_ours(server: PubSubServer, topic: str, records: list[bytes]) -> None:
    """The whole path of a writer."""
    builder = PubSubSink.new_builder().with_serialization_schema(ByteArraySchema()).with_project_name(PROJECT)
    sink = builder.with_topic_name(topic).with_host_and_port_for_emulator(server.address).build()
    write(sink, records)


def write_bare(server: PubSubServer, topic: str, records: list[bytes]) -> None:
    """Google's publisher with batches as large as ours; at the end it waits for all messages."""
    transport = PublisherGrpcTransport(channel=grpc.insecure_channel(server.address))
    client = PublisherClient(BatchSettings(max_messages=1000, max_bytes=1_000_000), transport=transport)
    path = client.topic_path(PROJECT, topic)
    for future in [client.publish(path, record) for record in records]:
        future.result()
    client.stop()


def read_ours(server: PubSubServer, subscription: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    builder = PubSubSource.new_builder().with_deserialization_schema(ByteArraySchema()).with_project_name(PROJECT)
    builder.with_subscription_name(subscription).with_host_and_port_for_emulator(server.address)
    read(builder.build(), count, epoch)


def read_pulled(server: PubSubServer, subscription: str, count: int) -> list[bytes]:
    """Google's client that pulls and acknowledges, one request after the other.

    Not by streaming pull: of that Google's in-memory server sends some hundred messages a second.
    """
    transport = SubscriberGrpcTransport(channel=grpc.insecure_channel(server.address))
    client = SubscriberClient(transport=transport)
    path, found = client.subscription_path(PROJECT, subscription), list[bytes]()
    while len(found) < count:
        received = client.pull(subscription=path, max_messages=1000).received_messages
        found += [one.message.data for one in received]
        if received:
            client.acknowledge(subscription=path, ack_ids=[one.ack_id for one in received])
    client.close()
    return found


@click.command()
@click.option("--records", default=20_000, show_default=True, help="Messages of a round, of 100 bytes.")
@click.option("--epoch", default=5000, show_default=True, help="Messages of an epoch.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    server = begin(PubSub())
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)

    try:
        for _ in range(rounds):
            topic, subscription = server.topic()
            rates.measure("write, ours", lambda topic=topic: write_ours(server, topic, given))
            rates.measure("read, ours", lambda name=subscription: read_ours(server, name, records, epoch))
            rates.measure("write, bare", lambda topic=topic: write_bare(server, topic, given))
            rates.measure("read, pulled", lambda name=subscription: read_pulled(server, name, records))
            server.delete(subscription)
    finally:
        server.stop()
    rates.show((("write", "write, ours", "write, bare"), ("read", "read, ours", "read, pulled")))


if __name__ == "__main__":
    main()
