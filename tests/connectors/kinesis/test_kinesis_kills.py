"""Jobs on Spark that read a stream and are killed (-9) between reading, noting and emitting records."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.processes import ROOT, visible_lines
from tests.support.servers.kinesis import KinesisServer

RECORDS = 600


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", "-D", "datastream.epoch.max-records=100"]
    command += ["-D", "restart-strategy.type=fixed-delay", "-D", "restart-strategy.fixed-delay.attempts=10"]
    command += ["-D", "restart-strategy.fixed-delay.delay=100 ms", "--checkpoint-dir", f"{folder}/checkpoint"]
    command += ["tests/connectors/kinesis/killed_job.py", str(folder), *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("victim", ["driver", "worker"])
@pytest.mark.parametrize("point", ["read", "noted", "emitted"])
def test_each_record_is_there_once(tmp_path: Path, kinesis: KinesisServer, point: str, victim: str) -> None:
    stream = kinesis.stream(2)
    kinesis.put(stream, [(f"k{n}", f"n{n}".encode()) for n in range(RECORDS // 2)])
    kinesis.split(stream)
    kinesis.put(stream, [(f"k{n}", f"n{n}".encode()) for n in range(RECORDS // 2, RECORDS)])
    given = (point, victim, kinesis.endpoint, stream)
    code, log = run(tmp_path, *given)
    assert (tmp_path / "died").exists(), log
    if victim == "driver":
        assert code == -signal.SIGKILL, log
        code, log = run(tmp_path, *given)
    assert code == 0, log
    assert Counter(visible_lines(tmp_path / "out")) == Counter(f"N{n}" for n in range(RECORDS))
