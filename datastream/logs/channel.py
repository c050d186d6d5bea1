"""The driver's end of the way by which the workers of this machine log.

It is a socket of datagrams: a message arrives whole or not at all, from any number of processes, and what was sent
stays when its sender is killed. A pipe would mix long messages, and a file would grow.
"""

from __future__ import annotations

import secrets
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

_LARGEST = 1 << 20


class LogChannel:
    """Passes on what workers log.

    Args:
        show: Takes each line.

    Attributes:
        descriptor: The end for writers.
    """

    def __init__(self, show: Callable[[bytes], None]) -> None:
        self._show = show
        self._end, self._writers = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        for end in (self._end, self._writers):
            with suppress(OSError):  # some systems take 2 kB by default; Linux takes as much as it allows
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LARGEST)
                end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _LARGEST)
        self.descriptor = self._writers.fileno()
        self._mark = b"\0" + secrets.token_hex(8).encode()
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._closed = False
        threading.Thread(target=self._relay, name="log-channel", daemon=True).start()

    def drain(self, within_s: float = 10.0) -> None:
        """Wait until all that was logged before is passed on."""
        seen = threading.Event()
        with self._lock:
            self._waiting.append(seen)
            self._writers.send(self._mark)
        seen.wait(within_s)

    def close(self) -> None:
        """Pass on the rest. What workers log that have not quite ended is dropped."""
        self._closed = True
        self.drain()
        self._writers.close()

    def _relay(self) -> None:
        while line := self._end.recv(_LARGEST):
            if line != self._mark:
                self._show(line)
                continue
            self._waiting.popleft().set()
            if self._closed and not self._waiting:
                break
        self._end.close()
