"""The way from workers to the driver."""

from __future__ import annotations

import subprocess
import sys

from datastream.logs.channel import LogChannel

WORKER = """
import logging, os, signal, sys
from datastream.logs import worker
worker.log_to(int(sys.argv[1]))
worker.begin()
logging.info("first")
logging.info("x" * 12000)
for n in range(500):
    logging.getLogger(str(n)).info("number %d", n)
    exec(compile(f"logging.info('generated')", f"file {n}", "exec"))
logging.warning("last words")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_logged_before_a_process_is_killed_comes(capfd) -> None:
    lines: list[bytes] = []
    channel = LogChannel(lines.append)
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(channel.descriptor)], pass_fds=[channel.descriptor])
        for _ in range(2)
    ]
    assert [worker.wait() for worker in workers] == [-9, -9]
    channel.close()
    assert len(lines) == 2 * 1003
    assert all(line.startswith(b'{"timestamp"') and line.endswith(b"}") for line in lines)
    assert sum(b"last words" in line for line in lines) == 2
    assert capfd.readouterr().err == ""


def test_without_a_driver_the_log_goes_to_standard_error() -> None:
    script = "import logging; from datastream.logs import worker; worker.begin(); logging.warning('hello')"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert '"event": "hello"' in ended.stderr
    assert ended.stdout == ""


def test_structlog_is_configured_once_it_is_imported() -> None:
    script = """
import sys
from datastream.logs import worker
worker.begin()
assert "structlog" not in sys.modules
import structlog
structlog.get_logger("mine").info("hello", value=1)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert '"logger": "mine", "event": "hello"' in ended.stderr
    assert ended.stdout == ""
