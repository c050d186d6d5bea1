"""A Unix socket in a job's folder, and the thread that accepts connections to it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener

_CLOSED_S = 1.0


class SocketServer:
    """Hands each connection to a thread of its own, until it is closed.

    Args:
        address: Where the socket is made.
        serve: Called with each connection.
        name: Of the thread that accepts.
        authkey: Who connects must know it; None: `serve` sees to that.
    """

    def __init__(
        self, address: str, serve: Callable[[Connection], None], name: str, authkey: bytes | None = None
    ) -> None:
        self._address, self._serve = address, serve
        self._listener = Listener(address, "AF_UNIX", authkey=authkey)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._accept, daemon=True, name=name)
        self._thread.start()

    def close(self) -> None:
        """Accept no further connection."""
        self._closed.set()
        with suppress(OSError), socket.socket(socket.AF_UNIX) as knock:  # wakes the thread that waits in accept
            knock.connect(self._address)
        self._thread.join(_CLOSED_S)  # or else the process may end first, and prints that the socket's folder has gone
        with suppress(OSError):  # the thread may not have got as far on a busy machine
            self._listener.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection = self._listener.accept()
            except (OSError, EOFError, AuthenticationError):  # a stranger without the key, or our own knock
                continue
            if self._closed.is_set():  # no thread can be started at the end of the process
                connection.close()
                break
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
        with suppress(OSError):  # its folder has gone already
            self._listener.close()
