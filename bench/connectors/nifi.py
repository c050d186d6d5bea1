"""``python -m bench.connectors.nifi``: packets sent and received, ours and by a loop over httpx.

There is no library of site-to-site for Python: the bare side speaks the protocol of NiFi's REST API by itself.
"""

from __future__ import annotations

import struct
import zlib
from functools import partial

import click
import httpx

from bench.connectors.sides import Rates, read, write
from datastream.connectors.nifi import NiFiSink, NiFiSource, StandardNiFiDataPacket
from tests.support.servers.choice import begin
from tests.support.servers.nifi import Flow, NiFi, NiFiServer

_CONFIRM = {"responseCode": "12"}
_HEADERS = {"x-nifi-site-to-site-protocol-version": "1"}


def write_ours(server: NiFiServer, flow: Flow, records: list[bytes]) -> None:
    """The whole path of a writer and its committer, which sends."""
    write(NiFiSink(server.config(flow.input), lambda record, _: StandardNiFiDataPacket(record, {})), records)


def write_bare(server: NiFiServer, flow: Flow, records: list[bytes], batch: int) -> None:
    """A transaction after the other, each packet with an id as ours."""
    with httpx.Client(headers=_HEADERS, timeout=60) as client:
        for start in range(0, len(records), batch):
            parts = []
            for number, record in enumerate(records[start : start + batch], start):
                id = b"job/uid/0/0/%d" % number
                parts.append(struct.pack(">ii13si", 1, 13, b"datastream.id", len(id)))
                parts += id, struct.pack(">q", len(record)), record
            data = b"".join(parts)
            where = _transaction(client, server, "input-ports", flow.ids[0])
            headers = {"Content-Type": "application/octet-stream"}
            answer = client.post(f"{where}/flow-files", content=data, headers=headers).raise_for_status()
            assert answer.text == str(zlib.crc32(data))
            client.delete(where, params=_CONFIRM).raise_for_status()


def read_ours(server: NiFiServer, flow: Flow, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    read(NiFiSource(server.config(flow.output)), count, epoch)


def read_bare(server: NiFiServer, flow: Flow, count: int, epoch: int) -> None:
    """A transaction after the other; packets are taken to pieces."""
    found = 0
    with httpx.Client(headers=_HEADERS, timeout=60) as client:
        while found < count:
            where = _transaction(client, server, "output-ports", flow.ids[1])
            limits = {"x-nifi-site-to-site-batch-count": str(epoch)}
            data = client.get(f"{where}/flow-files", headers=limits).raise_for_status().content
            found += len(_packets(data))
            client.delete(where, params={**_CONFIRM, "checksum": str(zlib.crc32(data))}).raise_for_status()


def _transaction(client: httpx.Client, server: NiFiServer, kind: str, port: str) -> str:
    """The URL of a new transaction."""
    answer = client.post(f"{server.url}-api/data-transfer/{kind}/{port}/transactions").raise_for_status()
    return answer.headers["Location"]


def _packets(data: bytes) -> list[tuple[bytes, dict[str, str]]]:
    """Contents and attributes."""
    found, at = [], 0
    while at < len(data):
        (attributes,) = struct.unpack_from(">i", data, at)
        at += 4
        texts = []
        for _ in range(2 * attributes):
            (size,) = struct.unpack_from(">i", data, at)
            texts.append(data[at + 4 : at + 4 + size].decode())
            at += 4 + size
        (size,) = struct.unpack_from(">q", data, at)
        found.append((data[at + 8 : at + 8 + size], dict(zip(texts[::2], texts[1::2], strict=True))))
        at += 8 + size
    return found


@click.command()
@click.option("--records", default=20_000, show_default=True, help="Packets of a round, of 100 bytes.")
@click.option("--epoch", default=5000, show_default=True, help="Packets of an epoch that reads.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process, with one connection each."""
    server = begin(NiFi())
    given = [b"%099d\n" % n for n in range(records)]
    rates = Rates(records)

    try:
        for _ in range(rounds):
            ours, bare = (server.flow(limit=2 * records) for _ in range(2))
            rates.measure_both(
                partial(write_ours, server, ours, given),
                partial(write_bare, server, bare, given, NiFiSink.transaction_packets),
                partial(read_ours, server, ours, records, epoch),
                partial(read_bare, server, bare, records, epoch),
            )
            for flow in (ours, bare):
                server.end(flow)
    finally:
        server.stop()
    rates.show_both()


if __name__ == "__main__":
    main()
