"""A MySQL of this test run: MariaDB, of Debian's packages."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymysql

from tests.support.servers.debian import unpacked
from tests.support.servers.processes import ServerProcess, free_ports
from tests.support.servers.unavailable import UnavailableError

USER, PASSWORD, DATABASE = "test", "s3cret", "test"
_PACKAGES = ("mariadb-server-core", "liburing2", "libaio1")
#: Options with which the server logs all changes of rows.
LOG = (
    "--log-bin=binlog",
    "--server-id=1",
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--binlog-row-metadata=FULL",
)
_TABLES = ("mysql_system_tables.sql", "mysql_system_tables_data.sql")
_LIMIT_S = 120


class OwnMySQL:
    """A server with an empty database, which a test may kill and start again.

    Args:
        options: Of the server, such as those of `LOG`.

    Attributes:
        port: On 127.0.0.1.
        url: Of JDBC, with user and password.
    """

    def __init__(self, *options: str) -> None:
        root = unpacked("mariadb-server", _PACKAGES)
        (self.port,) = free_ports(1)
        self.url = f"jdbc:mysql://127.0.0.1:{self.port}/{DATABASE}?user={USER}&password={PASSWORD}"
        self._process = ServerProcess("mysql")
        home = self._process.folder
        shared = root / "usr" / "share" / "mysql"
        libraries = ":".join(
            str(folder) for folder in (*root.glob("usr/lib/*-linux-gnu"), *root.glob("lib/*-linux-gnu"))
        )
        self._command = [
            "env",
            f"LD_LIBRARY_PATH={libraries}",
            str(root / "usr" / "sbin" / "mariadbd"),
            "--no-defaults",
            f"--datadir={home / 'data'}",
            f"--lc-messages-dir={shared}",
            "--character-set-server=utf8mb4",
            "--innodb-flush-log-at-trx-commit=2",  # the machine goes on when the server is killed
            *(["--user=root"] if os.getuid() == 0 else []),
            *options,
        ]
        try:
            self._make(shared)
            self.start()
        except BaseException:
            self.stop()
            raise

    def _make(self, shared: Path) -> None:
        """Make the server's own tables, a user and a database."""
        (self._process.folder / "data").mkdir()
        tables = [(shared / name).read_text() for name in _TABLES]
        own = [
            f"CREATE DATABASE {DATABASE};",
            "FLUSH PRIVILEGES;",
            f"CREATE USER {USER}@localhost IDENTIFIED BY '{PASSWORD}';",
            f"GRANT ALL ON *.* TO {USER}@localhost;",
        ]
        statements = "\n".join(["CREATE DATABASE mysql;", "USE mysql;", *tables, *own, ""])
        done = subprocess.run(
            [*self._command, "--bootstrap"],
            input=statements,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        if done.returncode:
            raise UnavailableError(f"MariaDB could not make its tables: {done.stderr[-2000:]}")

    def start(self) -> None:
        """Start it again after `kill`: same port, same data. Returns when it is ready."""
        socket = self._process.folder / "s"
        self._process.start(
            [*self._command, "--bind-address=127.0.0.1", f"--port={self.port}", f"--socket={socket}"], self._is_ready
        )

    def kill(self) -> None:
        """End it at once, as ``kill -9`` does; its data stays."""
        self._process.kill()

    def stop(self) -> None:
        """End it and delete what it wrote."""
        self._process.stop()

    def _is_ready(self) -> bool:
        try:
            pymysql.connect(host="127.0.0.1", port=self.port, user=USER, password=PASSWORD).close()
        except pymysql.MySQLError:
            return False
        return True


@contextmanager
def mysql(*options: str) -> Iterator[str]:
    """A server with an empty database: its URL of JDBC.

    Args:
        options: Of the server.
    """
    server = OwnMySQL(*options)
    try:
        yield server.url
    finally:
        server.stop()
