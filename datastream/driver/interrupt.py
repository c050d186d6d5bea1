"""Ctrl-C and SIGTERM: the first cancels the job cleanly, the second ends the process at once."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..prompt_signals import prompt_signals
from .failures import CANCELLED

SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def two_steps(log_format: str = "console") -> Iterator[None]:
    """Within the block, Ctrl-C or SIGTERM raises KeyboardInterrupt once; a second does not wait for anything.

    Java's process ends by itself when this one has gone.
    """
    interrupted = False
    signals = (signal.SIGINT, signal.SIGTERM)

    def announce(event: str) -> None:
        """Write at once; a signal may come in the middle of any other write."""
        line = json.dumps({"event": event, "level": "warning"}) if log_format == "json" else event
        os.write(2, line.encode() + b"\n")

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            if sys.stderr.isatty():
                os.write(2, SHOW_CURSOR.encode())
            announce("ended at once")
            os._exit(CANCELLED)
        interrupted = True
        if sys.stderr.isatty():
            os.write(2, b"\n")  # after the terminal's ^C
        announce("cancelling; Ctrl-C again ends at once")
        raise KeyboardInterrupt

    before = [(number, signal.signal(number, handle)) for number in signals]
    try:
        with prompt_signals():
            yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
