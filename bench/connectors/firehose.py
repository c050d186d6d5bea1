"""``python -m bench.connectors.firehose``: records put into a delivery stream, ours and by boto3 alone."""

from __future__ import annotations

from functools import partial

import click

from bench.connectors.sides import Rates, write
from datastream.connectors.kinesis import KinesisFirehoseSink
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.kinesis import KinesisServer
from tests.support.servers.s3 import S3


def write_ours(server: KinesisServer, stream: str, records: list[bytes]) -> None:
    """The whole path of a writer."""
    builder = KinesisFirehoseSink.builder().set_serialization_schema(ByteArraySchema())
    builder.set_delivery_stream_name(stream).set_firehose_client_properties(server.properties)
    write(builder.build(), records)


def write_bare(server: KinesisServer, stream: str, records: list[bytes]) -> None:
    """Requests as large as ours, one after the other."""
    client = server.boto("firehose")
    for start in range(0, len(records), 500):
        entries = [{"Data": data} for data in records[start : start + 500]]
        assert client.put_record_batch(DeliveryStreamName=stream, Records=entries)["FailedPutCount"] == 0


@click.command()
@click.option("--records", default=50_000, show_default=True, help="Records of a round, of 100 bytes.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, rounds: int) -> None:
    """Compare, in one process, with one connection each; the server is moto's."""
    moto = begin(S3())
    server = KinesisServer(moto.endpoint)
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)
    try:
        ours, bare = server.delivery_stream(), server.delivery_stream()
        for _ in range(rounds):
            rates.measure("write, ours", partial(write_ours, server, ours, given))
            rates.measure("write, bare", partial(write_bare, server, bare, given))
    finally:
        moto.stop()
    rates.show((("write", "write, ours", "write, bare"),))


if __name__ == "__main__":
    main()
