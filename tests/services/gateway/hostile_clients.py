"""``python hostile_clients.py PORT NUMBER ADDRESS``: clients without a token that mean harm.

NUMBER of them say nothing, NUMBER send a byte a second, NUMBER ask as fast as they can; whoever is cut off comes back.
They go on until standard input ends, and then print how often each kind was connected, answered and cut off, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from collections import Counter

#: Nobody comes back more often than that.
_AGAIN_S = 0.2
counts: Counter[str] = Counter()

HEADS = (
    b"GET /jobs HTTP/1.1\r\nHost: gateway\r\nX: ",
    b"POST /artifacts/x/run HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000000\r\n\r\n",
    b"POST /jobs/x/stop HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n",
)
SHOUTS = (
    b"GET /jobs/overview HTTP/1.1\r\nHost: gateway\r\n\r\n",
    b"GET /jobs HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer dsg_%s\r\n\r\n" % (b"x" * 43),
    b"POST /artifacts/x/run HTTP/1.1\r\nHost: gateway\r\nContent-Length: 500000\r\n\r\n" + b"[" * 500_000,
    b"\x16\x03\x01 no request at all\r\n\r\n",
    b"GET /openapi.json HTTP/1.1\r\nHost: gateway\r\n\r\n" * 50,
    b"GET /docs HTTP/1.1\r\nHost: gateway\r\nX: " + b"y" * 60_000 + b"\r\n\r\n",
)


async def silent(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)


async def slow(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEADS[number % len(HEADS)])
    while not writer.is_closing():
        await asyncio.sleep(1)
        writer.write(b"y")
        await writer.drain()


async def shouting(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(SHOUTS[number % len(SHOUTS)])
        await writer.drain()
        if number % 2 and number > 10:
            await asyncio.sleep(0.05)  # it does not read what it has asked for
        elif not await reader.read(1 << 16):
            return
        counts["shouting answered"] += 1


async def client(kind: str, number: int, port: int, address: str) -> None:
    act = {"silent": silent, "slow": slow, "shouting": shouting}[kind]
    while True:
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            counts[f"{kind} connected"] += 1
            await act(number, reader, writer)
            counts[f"{kind} cut off"] += 1
        except OSError as error:
            counts[f"{kind} {type(error).__name__}"] += 1
        finally:
            if writer is not None:
                writer.transport.abort()
        await asyncio.sleep(_AGAIN_S)


async def main(port: int, number: int, address: str) -> None:
    kinds = ("silent", "slow", "shouting")
    tasks = [asyncio.create_task(client(kind, n, port, address)) for n in range(number) for kind in kinds]
    print("begun", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
