"""``python -m bench.connectors.dynamic_kafka``: records of a stream, ours and by confluent-kafka alone."""

from __future__ import annotations

from functools import partial

import click
from confluent_kafka import TopicPartition

from bench.connectors.sides import Rates, read
from bench.kafka_broker import PARTITIONS, broker, consumer
from datastream.connectors.dynamic_kafka import DynamicKafkaSource, SingleClusterTopicMetadataService
from datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaRecordDeserializationSchema
from datastream.formats import ByteArraySchema

_BATCH = 1000


def read_ours(bootstrap: str, source: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader."""
    service = SingleClusterTopicMetadataService("bench", {"bootstrap.servers": bootstrap})
    builder = DynamicKafkaSource.builder().set_stream_ids([source]).set_kafka_metadata_service(service)
    builder.set_deserializer(KafkaRecordDeserializationSchema.value_only(ByteArraySchema()))
    read(builder.set_bounded(KafkaOffsetsInitializer.latest()).build(), count, epoch)


def read_bare(bootstrap: str, source: str, count: int) -> None:
    """A consumer of all partitions, which takes the values."""
    reader, found = consumer(bootstrap), 0
    reader.assign([TopicPartition(source, number, 0) for number in range(PARTITIONS)])
    while found < count:
        found += len([message.value() for message in reader.consume(_BATCH, 0.1)])
    reader.close()


@click.command()
@click.option("--records", default=1_000_000, show_default=True, help="Records of a round.")
@click.option("--epoch", default=250_000, show_default=True, help="Records that an epoch reads.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process; topics have 8 partitions."""
    rates = Rates(records)
    with broker(records) as there:
        bootstrap, source = there["bootstrap"], there["source"]
        for _ in range(rounds):
            rates.measure("read, ours", partial(read_ours, bootstrap, source, records, epoch))
            rates.measure("read, bare", partial(read_bare, bootstrap, source, records))
    rates.show((("read", "read, ours", "read, bare"),))


if __name__ == "__main__":
    main()
