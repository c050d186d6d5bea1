"""Jobs on Spark that read a subscription and are killed (-9) between storing, acknowledging and emitting messages."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.processes import ROOT, visible_lines
from tests.support.servers.pubsub import PubSubServer
from tests.support.waiting import wait_until

MESSAGES = 600


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", "-D", "datastream.epoch.max-records=60"]
    command += ["-D", "restart-strategy.type=fixed-delay", "-D", "restart-strategy.fixed-delay.attempts=10"]
    command += ["-D", "restart-strategy.fixed-delay.delay=100 ms", "--checkpoint-dir", f"{folder}/checkpoint"]
    with (folder / "log").open("a") as log:
        return subprocess.Popen(
            [*command, "tests/connectors/pubsub/killed_job.py", str(folder), *arguments],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("victim", ["driver", "worker"])
@pytest.mark.parametrize("point", ["stored", "acknowledged"])
def test_each_message_is_there_once(tmp_path: Path, pubsub: PubSubServer, point: str, victim: str) -> None:
    topic, subscription = pubsub.topic(deadline_s=2)
    pubsub.publish(topic, [f"n{n}".encode() for n in range(MESSAGES)])
    given = (point, victim, pubsub.address, subscription)
    job = start(tmp_path, *given)
    out = tmp_path / "out"

    def lines() -> list[str]:
        return list(visible_lines(out)) if out.exists() else []

    def all_there() -> bool:
        nonlocal job
        if job.poll() is not None and victim == "driver":
            assert (tmp_path / "died").exists(), (tmp_path / "log").read_text()
            job = start(tmp_path, *given)
        assert job.poll() is None, (tmp_path / "log").read_text()
        return len(lines()) >= MESSAGES

    try:
        wait_until(all_there, f"{MESSAGES} lines", 150, 0.2, lambda: (len(lines()), (tmp_path / "log").read_text()))
        assert (tmp_path / "died").exists()
        # What was delivered again must not come again either.
        wait_until(lambda: not pubsub.take(subscription, 10), "nothing left", 60, 0.5)
    finally:
        job.send_signal(signal.SIGTERM)
        job.wait(60)
    assert Counter(lines()) == Counter(f"N{n}" for n in range(MESSAGES))
