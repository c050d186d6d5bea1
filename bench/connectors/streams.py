"""A server whose streams of HTTP begin with what is given, as fast as it is read, and stay open."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection

from bench.connectors.sides import Rates

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n"
#: What a job of Spark takes between two epochs, at least.
PAUSE_S = 0.1
#: Bytes that are received at once.
_BLOCK = 1 << 16


def _serve(ready: Connection, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ready.send(f"http://127.0.0.1:{server.getsockname()[1]}")
        while True:
            client, _ = server.accept()
            with client:
                asked = b""
                while b"\r\n\r\n" not in asked:
                    asked += client.recv(_BLOCK)
                try:
                    client.sendall(answer)
                    client.recv(1)  # it is open until the client goes
                except OSError:
                    pass


@contextmanager
def served(content_type: str, chunks: Iterable[bytes]) -> Iterator[str]:
    """The server in a process of its own: its URL.

    Args:
        content_type: Of the streams.
        chunks: What is sent, each as a chunk of HTTP.
    """
    answer = _HEAD % content_type.encode() + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_serve, args=(its, answer), daemon=True)
    process.start()
    its.close()  # or its end is never heard of
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def compare(
    content_type: str,
    chunks: Iterable[bytes],
    ours: Callable[[str, int, int], object],
    bare: Callable[[str, int], object],
    records: int,
    epoch: int,
    rounds: int,
) -> None:
    """Print the rates of two sides that read the stream in turns.

    Args:
        content_type: Of the stream.
        chunks: Its records, each as a chunk of HTTP.
        ours: Reads so many records of a URL, so many in an epoch.
        bare: Reads so many records of a URL.
        records: How many records there are.
        epoch: How many an epoch reads at most.
        rounds: How many times each side reads them.
    """
    rates = Rates(records)
    with served(content_type, chunks) as url:
        for _ in range(rounds):
            rates.measure("read, ours", partial(ours, url, records, epoch))
            rates.measure("read, bare", partial(bare, url, records))
    rates.show((("read", "read, ours", "read, bare"),))
