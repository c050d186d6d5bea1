"""The runner as a new process in place of its old one: the same process id, and so the same container."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from dataclasses import dataclass
from typing import NoReturn

_SIGNALS = {signal.SIGTERM, signal.SIGINT}


@dataclass(frozen=True)
class _Start:
    """How the process was started: a job may change its environment and its folder."""

    environment: dict[str, str]
    folder: str


_start: _Start | None = None


def remember_start() -> None:
    """Note how the process was started."""
    global _start
    _start = _Start(dict(os.environ), os.getcwd())


def heed_signals() -> None:
    """Take signals, those that came while the process was restarting too."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def restart() -> NoReturn:
    """Start the runner again, as it was started, once Java and all that it left has gone. Signals wait meanwhile."""
    assert _start is not None
    sys.stdout.flush()
    sys.stderr.flush()
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    atexit._run_exitfuncs()  # noqa: SLF001 - exec would skip them
    os.chdir(_start.folder)
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], _start.environment)
