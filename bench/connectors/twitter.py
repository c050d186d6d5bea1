"""``python -m bench.connectors.twitter``: posts of a stream, ours and by httpx alone."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection

import click
import httpx

from bench.connectors.sides import Rates, read
from datastream.connectors.twitter import TwitterSource

_TOKEN = "of the bench"
_PATH = "/2/tweets/sample/stream"
#: The id of the first post: of 2026-01-01; each is a millisecond after the one before.
_FIRST_ID, _MS = (1_767_225_600_000 - 1_288_834_974_657) << 22, 1 << 22
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
#: Bytes that are sent at once.
_BLOCK = 1 << 16


def serve(ready: Connection, records: int) -> None:
    """A server whose streams begin with so many posts, a chunk each, as fast as they are read."""
    lines = [
        json.dumps({"data": {"id": str(_FIRST_ID + n * _MS), "text": f"{n:0200d}"}}).encode() for n in range(records)
    ]
    body = b"".join(b"%x\r\n%s\r\n\r\n" % (len(line) + 2, line) for line in lines)
    with socket.create_server(("127.0.0.1", 0)) as server:
        ready.send(f"http://127.0.0.1:{server.getsockname()[1]}")
        while True:
            client, _ = server.accept()
            with client:
                asked = b""
                while b"\r\n\r\n" not in asked:
                    asked += client.recv(_BLOCK)
                try:
                    client.sendall(_HEAD + body)
                    client.recv(1)  # it is open until the client goes
                except OSError:
                    pass


@contextmanager
def served(records: int) -> Iterator[str]:
    """The server in a process of its own: its URL."""
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=serve, args=(its, records), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def read_ours(url: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    read(TwitterSource({TwitterSource.BEARER_TOKEN: _TOKEN, TwitterSource.CLIENT_HOSTS: url}), count, epoch)


def read_bare(url: str, count: int) -> None:
    """A loop over the lines, each of which is decoded: what clients of X's streams do."""
    found = 0
    headers = {"Authorization": f"Bearer {_TOKEN}"}
    with httpx.Client() as client, client.stream("GET", f"{url}{_PATH}", headers=headers) as response:
        for line in response.iter_lines():
            if line:
                found += "data" in json.loads(line)
                if found == count:
                    return


@click.command()
@click.option("--records", default=100_000, show_default=True, help="Posts of a round, of 250 bytes.")
@click.option("--epoch", default=20_000, show_default=True, help="Posts that an epoch reads, at most.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, epoch: int, rounds: int) -> None:
    """Compare, in one process with one connection each; the server has another process."""
    rates = Rates(records)
    with served(records) as url:
        for _ in range(rounds):
            rates.measure("read, ours", partial(read_ours, url, records, epoch))
            rates.measure("read, bare", partial(read_bare, url, records))
    rates.show((("read", "read, ours", "read, bare"),))


if __name__ == "__main__":
    main()
