"""``python -m bench.connectors.twitter``: posts of a stream, ours and by httpx alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import httpx

from bench.connectors.sides import read
from bench.connectors.streams import PAUSE_S, compare
from datastream.connectors.twitter import TwitterSource

_TOKEN = "of the bench"
_PATH = "/2/tweets/sample/stream"
#: The id of the first post: of 2026-01-01; each is a millisecond after the one before.
_FIRST_ID, _MS = (1_767_225_600_000 - 1_288_834_974_657) << 22, 1 << 22


def posts(count: int) -> Iterator[bytes]:
    """The lines of posts."""
    for n in range(count):
        yield json.dumps({"data": {"id": str(_FIRST_ID + n * _MS), "text": f"{n:0200d}"}}).encode() + b"\r\n"


def read_ours(url: str, count: int, epoch: int) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk."""
    read(TwitterSource({TwitterSource.BEARER_TOKEN: _TOKEN, TwitterSource.CLIENT_HOSTS: url}), count, epoch, PAUSE_S)


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
    compare("application/json", posts(records), read_ours, read_bare, records, epoch, rounds)


if __name__ == "__main__":
    main()
