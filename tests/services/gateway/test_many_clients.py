"""500 clients at once, 1,000 uploads, and what is left of them."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable

import httpx
import psutil
import pytest

from tests.services.gateway.conftest import COUNT, GatewayServer

pytestmark = pytest.mark.long

CLIENTS, TURNS = 500, 6
UPLOADS = 1000


def test_500_clients_read_without_an_error(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway()
    jid = gateway.submit(COUNT)
    gateway.until_epoch(jid)
    paths = ("/jobs/overview", f"/jobs/{jid}", f"/jobs/{jid}/metrics", f"/jobs/{jid}/logs", "/artifacts", "/overview")
    answers: Counter[int] = Counter()

    async def read(client: httpx.AsyncClient, number: int) -> None:
        for turn in range(TURNS):
            answer = await client.get(paths[(number + turn) % len(paths)])
            answers[answer.status_code] += 1

    async def all_at_once() -> None:
        limits = httpx.Limits(max_connections=CLIENTS)
        head = {"Authorization": f"Bearer {gateway.token}"}
        async with httpx.AsyncClient(base_url=gateway.url, headers=head, limits=limits, timeout=120) as client:
            await asyncio.gather(*(read(client, number) for number in range(CLIENTS)))

    asyncio.run(all_at_once())
    assert answers == {200: CLIENTS * TURNS}
    assert gateway.job(jid)["state"] == "RUNNING"
    gateway.cancel(jid)


def test_1000_uploads_leave_nothing_behind(own_gateway: Callable[..., GatewayServer]) -> None:
    gateway = own_gateway("--max-writes", "10000")
    process = psutil.Process(gateway.run.process.pid)

    def round_of(number: int) -> None:
        ids = [gateway.upload(f"job{n}.py", f"x = {n}\n" + "#" * 20_000) for n in range(number)]
        assert len(set(ids)) == number
        for id in ids:
            assert gateway.client.delete(f"/artifacts/{id}").status_code == 200

    round_of(100)
    before = process.memory_info().rss, process.num_fds(), process.num_threads()
    round_of(UPLOADS)
    after = process.memory_info().rss, process.num_fds(), process.num_threads()
    assert after[0] - before[0] < 30 << 20 and after[1] <= before[1] + 5 and after[2] <= before[2] + 5, (before, after)
    assert os.listdir(gateway.data / "artifacts") == []
    assert gateway.client.get("/artifacts").json()["files"] == []
