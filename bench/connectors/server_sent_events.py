"""``python -m bench.connectors.server_sent_events``: events of a stream, ours and by httpx alone."""

from __future__ import annotations

from collections.abc import Iterator

import click
import httpx

from bench.connectors.sides import read
from bench.connectors.streams import PAUSE_S, compare
from datastream.connectors.http import ServerSentEventSource


def events(count: int) -> Iterator[bytes]:
    """Events with ids."""
    for n in range(count):
        yield b"id: %d\ndata: %0100d\n\n" % (n, n)


def read_ours(url: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    read(ServerSentEventSource.builder().set_connection(url).build(), count, epoch, PAUSE_S)


def read_bare(url: str, count: int) -> list[str]:
    """A loop over the lines that keeps the data, and does without ids, types and what else there is."""
    found: list[str] = []
    data: list[str] = []
    with httpx.Client() as client, client.stream("GET", url) as response:
        for line in response.iter_lines():
            if line.startswith("data: "):
                data.append(line[6:])
            elif not line and data:
                found.append("\n".join(data))
                data = []
                if len(found) == count:
                    break
    return found


@click.command()
@click.option("--records", default=100_000, show_default=True, help="Events of a round, of 100 bytes.")
@click.option("--epoch", default=20_000, show_default=True, help="Events that an epoch reads, at most.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process with one connection each; the server has another process."""
    compare("text/event-stream", events(records), read_ours, read_bare, records, epoch, rounds)


if __name__ == "__main__":
    main()
