"""Where a server comes from, what is said about it, and that none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from tests.support.processes import ROOT, heed_interrupts
from tests.support.servers.kafka import Broker
from tests.support.waiting import PATIENCE_S, wait_until

A_TEST = """
def test_it(kafka):
    assert kafka.read(kafka.topic()) == []

def test_passwords(kafka):
    assert kafka.secured.bootstrap
"""

# A signal in the moment before a call that waits is heeded when that call ends: so it waits for short times only.
LEFT = """
import select, sys
from tests.support.servers.processes import ServerProcess
server = ServerProcess("sleeper")
server.start(["sleep", "600"], lambda: True)
print(server.pid, server.folder, flush=True)
while not select.select([sys.stdin], [], [], 0.1)[0]:
    pass
"""


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DATASTREAM_")}
    return kept | {"PYTHONPATH": str(ROOT)} | dict(changes)


def run_pytest(folder: Path, **variables: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text("")
    (folder / "test_small.py").write_text(A_TEST)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.support.servers.plugin",
        "-rs",
    ]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), str(folder)],
        cwd=folder,
        env=environment(variables),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def without_servers(folder: Path) -> dict[str, str]:
    """Neither an engine nor a Java."""
    return {"DOCKER_HOST": f"unix://{folder}/none.sock", "JAVA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}


def test_an_address_is_used_and_told(kafka: Broker, tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, DATASTREAM_TEST_KAFKA=kafka.bootstrap)
    assert code == 0, output
    assert "servers: kafka: a server that runs already" in output and kafka.bootstrap in output
    # What such a server does not tell about itself cannot be tested.
    assert "1 passed, 1 skipped" in output and "unset DATASTREAM_TEST_KAFKA" in output


def test_without_servers_tests_skip_and_say_why(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, **without_servers(tmp_path))
    assert code == 0 and "2 skipped" in output, output
    assert "container: no Docker engine answers" in output and "process: JAVA_HOME" in output


def test_required_servers_fail_instead(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, DATASTREAM_REQUIRE_SERVERS="1", **without_servers(tmp_path))
    assert code == 1 and "2 errors" in output, output
    assert "no kafka to test against" in output


@pytest.mark.long
def test_one_way_can_be_forced(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, DATASTREAM_TEST_SERVERS="process", **without_servers(tmp_path))
    assert code == 0 and "Docker" not in output and "process: JAVA_HOME" in output, output
    code, output = run_pytest(tmp_path, DATASTREAM_TEST_SERVERS="vm", **without_servers(tmp_path))
    assert "expected container or process" in output, output


@pytest.mark.long
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_behind(end: signal.Signals) -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", LEFT],
        env=environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=heed_interrupts,
    )
    with run:
        assert run.stdout is not None
        pid, folder = run.stdout.readline().split()
        assert psutil.pid_exists(int(pid)) and Path(folder).is_dir()
        run.send_signal(end)
        run.wait(PATIENCE_S)
    wait_until(
        lambda: not psutil.pid_exists(int(pid)) and not Path(folder).exists(), "end of the server and its folder"
    )
