"""Ctrl-C: the first cancels the job cleanly, the second ends the process at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from .failures import CANCELLED

SHOW_CURSOR = "\x1b[?25h"


@contextmanager
def two_steps() -> Iterator[None]:
    """Within the block, Ctrl-C raises KeyboardInterrupt once; a second one does not wait for anything.

    Java's process ends by itself when this one has gone.
    """
    interrupted = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            os.write(2, (SHOW_CURSOR if sys.stderr.isatty() else "").encode() + b"ended at once\n")
            os._exit(CANCELLED)
        interrupted = True
        os.write(2, b"\ncancelling; Ctrl-C again ends at once\n")
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
