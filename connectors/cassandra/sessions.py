"""The sessions of this process, which those who connect to the same cluster share."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .cluster import CassandraSettings, Reach
from .failures import address_of, translated

#: How long an unused session stays, in seconds: a task that runs again finds it.
IDLE_S = 10.0

#: From this version of the protocol on a keyspace is named with a statement; before, it is of the session.
PER_STATEMENT = 5


@dataclass
class Shared:
    """A session.

    Attributes:
        key: What it is known by.
        cluster: The driver's cluster.
        session: The driver's session.
        keyspace: Of tables that are named without one, to be named with each statement; None: the session knows.
        users: How many use it.
        broken: Whether the cluster was not reached by it: it is not used again.
    """

    key: tuple[int, Reach]
    cluster: Any
    session: Any
    keyspace: str | None
    users: int = 0
    broken: bool = False


_lock = threading.RLock()  # a release may come from the garbage collector, within a take
_sessions: dict[tuple[int, Reach], Shared] = {}


def _renew_lock() -> None:
    global _lock
    _lock = threading.RLock()  # another thread of the parent may have held it


os.register_at_fork(after_in_child=_renew_lock)


def take(reach: Reach) -> Shared:
    """A session, to be given back by `release`.

    Raises:
        ConnectionError: No node answers.
        ValidationError: The cluster refuses the credentials, or there is no such keyspace.
    """
    key = os.getpid(), reach  # the sessions of a parent are of no use after a fork
    with _lock:
        shared = _sessions.get(key)
        if shared is None or shared.broken:
            shared = _sessions[key] = _connect(key)
        shared.users += 1
        return shared


def release(shared: Shared) -> None:
    """Give a session back."""
    if shared.key[0] != os.getpid():
        return
    with _lock:
        shared.users -= 1
        if shared.users:
            return
        if shared.broken:
            _end(shared)
            return
    timer = threading.Timer(IDLE_S, _end_if_idle, (shared,))
    timer.daemon = True
    timer.start()


def _end_if_idle(shared: Shared) -> None:
    with _lock:
        if not shared.users:
            _end(shared)


def _end(shared: Shared) -> None:
    if _sessions.get(shared.key) is shared:
        del _sessions[shared.key]
    with suppress(Exception):  # it may be broken
        shared.cluster.shutdown()


def _connect(key: tuple[int, Reach]) -> Shared:
    _, reach = key
    cluster = reach.build_cluster()
    try:
        session = cluster.connect()
        keyspace = reach.keyspace if isinstance(reach, CassandraSettings) else None
        if keyspace is not None and session._protocol_version < PER_STATEMENT:  # noqa: SLF001 - the driver shows it nowhere
            session.set_keyspace(keyspace)
            keyspace = None
    except Exception as error:
        with suppress(Exception):
            cluster.shutdown()
        raise translated(error, address_of(cluster)) from error
    return Shared(key, cluster, session, keyspace)
