"""``python -m bench.connectors.kinesis``: records put and read, ours and by boto3 alone."""

from __future__ import annotations

from functools import partial

import click

from bench.connectors.sides import Rates, read, write
from datastream.connectors.kinesis import FlinkKinesisConsumer, KinesisStreamsSink, PartitionKeyGenerator
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.kinesis import Kinesis, KinesisServer


def write_ours(server: KinesisServer, stream: str, records: list[bytes]) -> None:
    """The whole path of a writer."""
    builder = KinesisStreamsSink.builder().set_serialization_schema(ByteArraySchema()).set_stream_name(stream)
    builder.set_partition_key_generator(PartitionKeyGenerator.fixed())
    write(builder.set_kinesis_client_properties(server.properties).build(), records)


def write_bare(server: KinesisServer, stream: str, records: list[bytes]) -> None:
    """Requests as large as ours, one after the other."""
    client = server.boto()
    for start in range(0, len(records), 500):
        entries = [{"Data": data, "PartitionKey": "0"} for data in records[start : start + 500]]
        assert client.put_records(StreamName=stream, Records=entries)["FailedRecordCount"] == 0


def read_ours(server: KinesisServer, stream: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    properties = {**server.properties, "flink.stream.initpos": "TRIM_HORIZON"}
    read(FlinkKinesisConsumer(stream, ByteArraySchema(), properties), count, epoch)


def read_bare(server: KinesisServer, stream: str, count: int, most: int) -> list[bytes]:
    """Requests as large as ours, one after the other."""
    client, found = server.boto(), list[bytes]()
    (shard,) = server.open_shards(stream)
    begin = client.get_shard_iterator(StreamName=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
    place = begin["ShardIterator"]
    while len(found) < count:
        answer = client.get_records(ShardIterator=place, Limit=most)
        found += [record["Data"] for record in answer["Records"]]
        place = answer["NextShardIterator"]
    return found


@click.command()
@click.option("--records", default=20_000, show_default=True, help="Records of a round, of 100 bytes.")
@click.option("--epoch", default=5000, show_default=True, help="Records of an epoch, and of a request.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each and one shard."""
    server = begin(Kinesis())
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)

    try:
        for _ in range(rounds):
            ours, bare = server.stream(), server.stream()
            rates.measure_both(
                partial(write_ours, server, ours, given),
                partial(write_bare, server, bare, given),
                partial(read_ours, server, ours, records, epoch),
                partial(read_bare, server, bare, records, epoch),
            )
    finally:
        server.stop()
    rates.show_both()


if __name__ == "__main__":
    main()
