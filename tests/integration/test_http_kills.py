"""A job reads items or events of a server, and sends their ids back; its processes are killed (-9): each once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import JOBS, Run, Runs
from tests.support.servers.web import EventLog, Reply, Request, WebServer

pytestmark = pytest.mark.long

_BLOCK = 300


def start(runs: Runs, folder: Path, web: WebServer, kind: str) -> Run:
    return runs.job(
        "--checkpoint-dir", folder / "checkpoint", "-D", "restart-strategy.type=none",
        "-D", "datastream.epoch.max-records=20", JOBS / "http_items.py", web.url, kind,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["items", "events"])
def test_each_item_once_whatever_is_killed(runs: Runs, tmp_path: Path, kind: str) -> None:
    there = 0
    log = EventLog(sends_all=True)

    def items(request: Request) -> Reply:
        first = int(request.query.get("after", -1)) + 1
        found = [{"id": number} for number in range(first, min(first + 50, there))]
        return Reply(200, {}, json.dumps(found).encode())

    def results() -> Counter[int]:
        return Counter(number for body in list(web.taken.get("/results", [])) for number in json.loads(body))

    def are_there(count: int) -> Callable[[], bool]:
        return lambda: len(results()) >= count

    with WebServer() as web:
        web.pages.update({"/items": items, "/events": log})
        for victim in ("worker", "driver", "java", "driver"):
            log.send(*(json.dumps({"id": number}) for number in range(there, there + _BLOCK)))
            there += _BLOCK
            run = start(runs, tmp_path, web, kind)
            run.until(are_there(there - _BLOCK // 2), "a part of the items")
            web.refuse(0, 2)
            run.kill(victim)
            run.wait()
            run.assert_gone()
        run = start(runs, tmp_path, web, kind)
        run.until(are_there(there), "all items")
        run.kill("driver")
        run.wait()
        assert results() == Counter(range(there))
