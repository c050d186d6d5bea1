"""``python -m bench.connectors.redis``: entries and values written and read, ours and by redis-py alone."""

from __future__ import annotations

import click

from bench.connectors.sides import Rates, read, write
from datastream.connectors import DeliveryGuarantee
from datastream.connectors.redis import RedisCommand, RedisSink, RedisStreamsSource
from datastream.formats import ByteArraySchema
from tests.support.servers.choice import begin
from tests.support.servers.redis import Redis, RedisServer


def write_ours(server: RedisServer, key: str, records: list[bytes], batch: int, guarantee: DeliveryGuarantee) -> None:
    """The whole path of a writer."""
    write(
        RedisSink(
            server.connection,
            lambda record: RedisCommand.rpush(key, record),
            guarantee,
            marker_prefix=f"{key}:",
            batch_size=batch,
        ),
        records,
    )


def write_bare(server: RedisServer, key: str, records: list[bytes], batch: int, transaction: bool) -> None:
    """redis-py's pipelines; with transactions, one of all records."""
    with server.api as api:
        size = len(records) if transaction else batch
        for start in range(0, len(records), size):
            pipeline = api.pipeline(transaction=transaction)
            for record in records[start : start + size]:
                pipeline.rpush(key, record)
            pipeline.execute()


def read_ours(server: RedisServer, key: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader."""
    read(RedisStreamsSource(server.connection, key, ByteArraySchema(), poll_ms=0), count, epoch)


def read_bare(server: RedisServer, key: str, count: int, batch: int) -> list[bytes]:
    """XRANGE, a request after the other."""
    with server.api as api:
        found, last = list[bytes](), b"0-0"
        while len(found) < count:
            entries = api.xrange(key, b"(" + last, "+", batch)
            found += [fields[b"value"] for _, fields in entries]
            last = entries[-1][0]
    return found


@click.command()
@click.option("--records", default=50_000, show_default=True, help="Records of a round, of 100 bytes.")
@click.option("--batch", default=1000, show_default=True, help="Records of a request.")
@click.option("--epoch", default=10_000, show_default=True, help="Records that an epoch reads.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, batch: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    server = begin(Redis())
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)
    exactly, at_least = DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE

    try:
        for _ in range(rounds):
            stream, lists = server.key(), [server.key() for _ in range(4)]
            server.add(stream, given)
            rates.measure("write once, ours", lambda key=lists[0]: write_ours(server, key, given, batch, exactly))
            rates.measure("write once, bare", lambda key=lists[1]: write_bare(server, key, given, batch, True))
            rates.measure("write, ours", lambda key=lists[2]: write_ours(server, key, given, batch, at_least))
            rates.measure("write, bare", lambda key=lists[3]: write_bare(server, key, given, batch, False))
            rates.measure("read, ours", lambda key=stream: read_ours(server, key, records, epoch))
            rates.measure("read, bare", lambda key=stream: read_bare(server, key, records, batch))
            with server.api as api:
                api.delete(stream, *lists)
    finally:
        server.stop()
    rates.show_guarantees()


if __name__ == "__main__":
    main()
