"""X's stream is read by a job whose processes are killed (-9): each post once."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.processes import JOBS, ROOT, Run, Runs
from tests.support.servers.twitter import TOKEN, TwitterServer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.long


@contextmanager
def posting(twitter: TwitterServer) -> Iterator[list[int]]:
    """Someone posts numbers all the time; those so far."""
    posted: list[int] = []
    stop = threading.Event()

    def post() -> None:
        while not stop.wait(0.05):
            begin = len(posted)
            posted.extend(range(begin, begin + 5))
            twitter.post(*map(str, posted[begin:]))

    thread = threading.Thread(target=post, daemon=True)
    thread.start()
    try:
        yield posted
    finally:
        stop.set()
        thread.join()


def start(runs: Runs, folder: Path, twitter: TwitterServer) -> Run:
    return runs.job(
        "--checkpoint-dir", folder / "checkpoint", "-D", "restart-strategy.type=none",
        JOBS / "posts.py", twitter.url, folder / "found.db",
        environment={"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def found(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "found.db", timeout=60)) as database:
        return [text for (text,) in database.execute("SELECT text FROM found")]


def test_each_post_once_whatever_is_killed(runs: Runs, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "found.db")) as database:
        database.execute("CREATE TABLE found (text TEXT)")
    shown = []
    with TwitterServer(keep_alive_s=0.5, most_connections=1) as twitter:
        with posting(twitter) as posted:
            for victim in ("worker", "driver", "java", "driver"):
                run = start(runs, tmp_path, twitter)
                wanted = len(found(tmp_path)) + 200
                run.until(lambda wanted=wanted: len(found(tmp_path)) >= wanted, f"{wanted} posts")
                twitter.disconnect()
                run.kill(victim)
                run.wait()
                run.assert_gone()
                shown += [run.out, run.err]
                wait_until(lambda: not twitter.connections, "end of the connection")
        run = start(runs, tmp_path, twitter)
        run.until(lambda: len(found(tmp_path)) >= len(posted), "all posts")
        run.kill("driver")
        run.wait()
    assert Counter(found(tmp_path)) == Counter(map(str, posted))
    assert all(TOKEN not in text for text in shown)
