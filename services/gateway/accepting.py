"""Takes connections from the listening socket, or turns them away before they cost anything."""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress

from .connections import Connections, Held

_LOGGER = logging.getLogger("datastream")

#: Clients that wait to be accepted, in the kernel; more that come at the same time ask again after 1 s.
BACKLOG = 4096
#: Connections that are looked at, and held, before others get their turn.
_AT_ONCE, _HELD_AT_ONCE = 128, 16
_SWEEP_S = 1.0
#: Until the next try when the system has no more sockets.
_PAUSE_S = 0.2
_TLS_ENDS_S = 5.0
_NO_MORE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
#: Files that are open besides connections: databases, logs, drivers' pipes and answers.
_OTHER_FILES = 256


class Acceptor:
    """Accepts connections.

    Args:
        listener: Where they come.
        connections: Those that are held.
        make_protocol: What speaks with a client.
        tls: For HTTPS.
    """

    def __init__(
        self,
        listener: socket.socket,
        connections: Connections,
        make_protocol: Callable[[Held], asyncio.Protocol],
        tls: ssl.SSLContext | None,
    ) -> None:
        self._listener, self._connections, self._make_protocol, self._tls = listener, connections, make_protocol, tls
        self._loop = asyncio.get_running_loop()
        self._greeted: set[asyncio.Task[None]] = set()
        self._sweeper = self._loop.create_task(self._sweep())
        listener.setblocking(False)
        self._open()

    def close(self) -> None:
        """Accept no more."""
        self._sweeper.cancel()
        self._loop.remove_reader(self._listener)
        self._listener.close()
        for task in self._greeted:
            task.cancel()

    def _open(self) -> None:
        if self._listener.fileno() >= 0:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        new = 0
        for _ in range(_AT_ONCE):
            try:
                client, where = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionError):
                return
            except OSError as error:
                if error.errno not in _NO_MORE:
                    raise
                self._wait(error)
                return
            held = self._connections.admit(where[0])
            if held is None:
                client.close()
                continue
            self._greet(client, held)
            new += 1
            if new == _HELD_AT_ONCE:
                return

    def _wait(self, error: OSError) -> None:
        """Let those that wait go on waiting, rather than try without end."""
        self._connections.make_room()
        _LOGGER.warning("no connection can be accepted: %s", error.strerror)
        self._loop.remove_reader(self._listener)
        self._loop.call_later(_PAUSE_S, self._open)

    def _greet(self, client: socket.socket, held: Held) -> None:
        client.setblocking(False)
        task = self._loop.create_task(self._connect(client, held))
        held.close = held.time_out = lambda: _cancel(task)
        self._greeted.add(task)
        task.add_done_callback(self._greeted.discard)

    async def _connect(self, client: socket.socket, held: Held) -> None:
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._make_protocol(held),
                client,
                ssl=self._tls,
                ssl_handshake_timeout=self._connections.limits.header_s if self._tls else None,
                ssl_shutdown_timeout=_TLS_ENDS_S if self._tls else None,
            )
        except (OSError, asyncio.CancelledError):  # it speaks no TLS, has gone, or was too slow
            self._connections.release(held)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            self._connections.sweep()


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()


def raise_file_limit(connections: int) -> int:
    """Let this process open as many files as it ever may; how many of the wanted connections that allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = max(soft, connections + _OTHER_FILES)
    if soft < hard:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
    possible = max(16, soft - _OTHER_FILES)
    if possible < connections:
        _LOGGER.warning("this process may open %d files, so it holds %d connections at most", soft, possible)
    return min(connections, possible)
