"""What a test does with a node of Cassandra."""

from __future__ import annotations

import itertools
import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, NoHostAvailable, Session
from cassandra.connection import ConnectionException
from cassandra.policies import RoundRobinPolicy

#: The driver logs each try to reach a node that is not there yet.
_LOGGERS = ("cassandra.cluster", "cassandra.connection", "cassandra.pool")
_names = itertools.count()


class Node:
    """A node that runs, and that all tests of the run share: take keyspaces of your own.

    Args:
        host: Its address.
        port: That clients connect to.
        user: With a password of the same text; None: it lets everybody in.
    """

    def __init__(self, host: str, port: int, user: str | None = None) -> None:
        self.host, self.port, self.user = host, port, user

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{self.host}:{self.port}"

    @contextmanager
    def session(self, keyspace: str | None = None) -> Iterator[Session]:
        """A session of the driver."""
        login = PlainTextAuthProvider(self.user, self.user) if self.user else None
        cluster = Cluster(
            [self.host],
            port=self.port,
            auth_provider=login,
            execution_profiles={
                EXEC_PROFILE_DEFAULT: ExecutionProfile(load_balancing_policy=RoundRobinPolicy(), request_timeout=60)
            },
            connect_timeout=10,
            control_connection_timeout=10,
            protocol_version=5,
            schema_metadata_enabled=False,
        )
        try:
            yield cluster.connect(keyspace)
        finally:
            cluster.shutdown()

    def keyspace(self, *tables: str) -> str:
        """A new keyspace with a name of its own.

        Args:
            tables: Statements to run in it, such as ``CREATE TABLE``.
        """
        name = f"k{uuid.uuid4().hex[:8]}_{next(_names)}"
        with self.session() as session:
            session.execute(
                f"CREATE KEYSPACE {name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
            )
            session.execute(f"USE {name}")
            for table in tables:
                session.execute(table)
        return name

    def run(self, statement: str) -> list[Any]:
        """Run a statement, and give its rows."""
        with self.session() as session:
            return list(session.execute(statement))

    def is_ready(self) -> bool:
        """Whether it answers."""
        with _quiet():
            try:
                return bool(self.run("SELECT release_version FROM system.local"))
            except (NoHostAvailable, ConnectionException, OSError):
                return False

    def stop(self) -> None:
        """Leave it alone: somebody else started it."""

    def client(self) -> Node:
        """What other processes use it by."""
        return Node(self.host, self.port, self.user)


@contextmanager
def _quiet() -> Iterator[None]:
    before = {name: logging.getLogger(name).level for name in _LOGGERS}
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)
