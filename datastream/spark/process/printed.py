"""What user functions print in the workers of this machine reaches the standard output of the driver.

Spark sends its Python processes' output to Java's standard error. A pipe of our own, inherited by way of the zygote,
keeps it apart from Spark's words and in order with what the driver prints.
"""

from __future__ import annotations

import os
import secrets
import sys
import threading
from collections import deque
from contextlib import suppress


class Printed:
    """Passes on what comes through a pipe.

    Attributes:
        descriptor: The pipe's end for writers.
    """

    def __init__(self) -> None:
        self._end, self.descriptor = os.pipe()
        self._mark = b"\0" + secrets.token_hex(8).encode() + b"\0"
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        threading.Thread(target=self._relay, name="printed", daemon=True).start()

    def drain(self, within_s: float = 10.0) -> None:
        """Wait until all that was printed before is passed on."""
        seen = threading.Event()
        with self._lock:
            self._waiting.append(seen)
            os.write(self.descriptor, self._mark)
        seen.wait(within_s)

    def close(self) -> None:
        """Pass on the rest. Workers that have not quite ended may still hold the pipe open."""
        self.drain()
        os.close(self.descriptor)

    def _relay(self) -> None:
        rest = b""
        while chunk := os.read(self._end, 65536):
            rest += chunk
            while self._mark in rest:
                before, _, rest = rest.partition(self._mark)
                _show(before)
                self._waiting.popleft().set()
            lines, newline, rest = rest.rpartition(b"\n")
            _show(lines + newline)
        _show(rest)
        os.close(self._end)


def _show(data: bytes) -> None:
    if data:
        # If our own output is closed the pipe is emptied all the same: else the workers would wait for ever.
        with suppress(OSError, ValueError):
            sys.stdout.write(data.decode("utf-8", "replace"))
            sys.stdout.flush()
