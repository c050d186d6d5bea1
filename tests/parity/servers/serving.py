"""Runs scripts one after another, and keeps the lines of each apart; imports the standard library alone.

What a script prints reaches the file named by ``PARITY_CAPTURE``, from Python and from Java alike: both inherit it as
file descriptor 1. Requests come on stdin and answers leave on the stdout that the process began with, a line of JSON
each.
"""

from __future__ import annotations

import ctypes
import json
import os
import runpy
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def serve(run: Callable[[list[str]], str | None]) -> None:
    """Answer requests until stdin ends.

    Args:
        run: Runs a script, given as its path and arguments; returns None, or how it failed in one line.
    """
    if sys.platform == "linux":  # a script may have no end, and who asked for it may be killed
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    capture = os.open(os.environ["PARITY_CAPTURE"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(capture, 1)
    sys.stdout.reconfigure(line_buffering=True)
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        os.ftruncate(capture, 0)
        os.chdir(request["folder"])
        error = run(request["script"])
        sys.stdout.flush()
        answers.write(json.dumps({"error": error}) + "\n")


def run_script(script: list[str]) -> None:
    """Run a script, its path and arguments, as ``python`` would."""
    sys.argv = script
    folder = os.path.dirname(script[0])
    sys.path.insert(0, folder)
    try:
        runpy.run_path(script[0], run_name="__main__")
    finally:
        sys.path.remove(folder)


def one_line(kind: str, error: str) -> str:
    """How a script failed: the kind, and the first line of the error's text."""
    return f"{kind}: {(error.strip().splitlines() or [''])[0]}"


def ran(error: BaseException) -> bool:
    """Whether the job was started, or was about to be, when the error was raised."""
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_name in ("execute", "execute_async", "execute_and_collect", "__next__", "result"):
            return True
        frame = frame.tb_next
    return False


def named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
