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
        rest: list[bytes] = []  # of a line that has not ended: a long one is put together once, not with each piece
        end = b""
        while chunk := os.read(self._end, 1 << 16):
            rest.append(chunk)
            end += chunk
            if b"\n" in chunk or self._mark in end:
                data = b"".join(rest)
                while self._mark in data:
                    before, _, data = data.partition(self._mark)
                    _show(before)
                    self._waiting.popleft().set()
                lines, newline, data = data.rpartition(b"\n")
                _show(lines + newline)
                rest, end = [data], data
            end = end[1 - len(self._mark) :]
        _show(b"".join(rest))
        os.close(self._end)


def _show(data: bytes) -> None:
    if data:
        # If our own output is closed the pipe is emptied all the same: else the workers would wait for ever.
        with suppress(OSError, ValueError):
            sys.stdout.write(data.decode("utf-8", "replace"))
            sys.stdout.flush()
