"""``python -m bench.connectors.http``: records sent and read, ours and by httpx alone."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import click
import httpx

from bench.connectors.sides import Rates, read, write
from datastream.connectors.http import HttpCursor, HttpSink, HttpSource
from datastream.formats import SimpleStringSchema
from tests.support.servers.web import Reply, Request, WebServer


def serve(ready: Connection, records: int, page: int) -> None:
    """A server with pages of records, which takes what is sent."""

    def numbers(request: Request) -> Reply:
        first = int(request.query.get("after", -1)) + 1
        found = [{"n": n, "name": f"name {n}"} for n in range(first, min(first + page, records))]
        return Reply(200, {}, json.dumps(found).encode())

    with WebServer() as server:
        server.pages["/numbers"] = numbers
        ready.send(server.url)
        ready.recv()


@contextmanager
def served(records: int, page: int) -> Iterator[str]:
    """The server in a process of its own: its URL."""
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=serve, args=(its, records, page))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


def write_ours(url: str, records: list[str], batch: int) -> None:
    """The whole path of a writer and its committer, which sends."""
    sending = HttpSink.builder().set_connection(f"{url}/results").set_serializer(SimpleStringSchema())
    write(sending.set_batch(batch).build(), records)


def write_bare(url: str, records: list[str], batch: int) -> None:
    """A request after the other, each with a key."""
    with httpx.Client() as client:
        for start in range(0, len(records), batch):
            body = f"[{','.join(records[start : start + batch])}]".encode()
            headers = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
            client.post(f"{url}/results", content=body, headers=headers).raise_for_status()


def read_ours(url: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    asking = HttpSource.builder().set_connection(f"{url}/numbers").set_cursor(HttpCursor("after", "n"))
    read(asking.set_bounded().build(), count, epoch)


def read_bare(url: str, count: int) -> list[Any]:
    """A request after the other, with the cursor of the page before."""
    with httpx.Client() as client:
        found, query = list[Any](), {}
        while len(found) < count:
            page: list[Any] = client.get(f"{url}/numbers", params=query).raise_for_status().json()
            found += page
            query = {"after": page[-1]["n"]}
    return found


@click.command()
@click.option("--records", default=100_000, show_default=True, help="Records of a round.")
@click.option("--batch", default=500, show_default=True, help="Records of a request that is sent.")
@click.option("--page", default=1000, show_default=True, help="Records of an answer that is read.")
@click.option("--epoch", default=20_000, show_default=True, help="Records that an epoch reads.")
@click.option("--rounds", default=5, show_default=True, help="Rounds; the sides take turns, the median counts.")
def main(records: int, batch: int, page: int, epoch: int, rounds: int) -> None:
    """Compare, in one process with one connection each; the server has another process."""
    given = [json.dumps({"n": n, "name": f"name {n}"}) for n in range(records)]
    rates = Rates(records)
    with served(records, page) as url:
        for _ in range(rounds):
            rates.measure_both(
                partial(write_ours, url, given, batch),
                partial(write_bare, url, given, batch),
                partial(read_ours, url, records, epoch),
                partial(read_bare, url, records),
            )
    rates.show_both()


if __name__ == "__main__":
    main()
