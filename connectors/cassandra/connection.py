"""A session of the driver, as one user of it has it."""

from __future__ import annotations

import weakref
from typing import Any

from . import sessions
from .cluster import Reach
from .failures import address_of, is_away, translated


class Connection:
    """A session, which finds the cluster's nodes again by itself when they come back.

    Connections of a process that are made by equal `CassandraSettings` share a session.

    Args:
        reach: How the cluster is reached.

    Raises:
        ConnectionError: No node answers.
        ValidationError: The credentials are refused, or there is no such keyspace; waiting does not help.
    """

    def __init__(self, reach: Reach) -> None:
        shared = sessions.take(reach)
        self._release = weakref.finalize(self, sessions.release, shared)
        self._release.atexit = False  # the driver ends its sessions then
        self._shared = shared
        self.cluster, self.session = shared.cluster, shared.session
        self.address = address_of(shared.cluster)

    def prepare(self, query: str) -> Any:
        """A prepared statement.

        Raises:
            ConnectionError: No node answers.
            ValidationError: The statement is wrong, or what it names is not there.
        """
        try:
            return self.session.prepare(query, keyspace=self._shared.keyspace)
        except Exception as error:
            raise self.translated(error, query) from error

    def execute(self, statement: Any, values: Any = None) -> list[Any]:
        """The rows that a statement returns.

        Raises:
            ConnectionError: No node answers.
            ValidationError: The statement is refused.
        """
        try:
            return list(self.session.execute(statement, values))
        except Exception as error:
            raise self.translated(error, str(getattr(statement, "query_string", statement))) from error

    def columns(self, keyspace: str, table: str) -> list[Any]:
        """Of each column of a table ``column_name``, ``kind`` (such as ``clustering``), ``position`` and ``type``."""
        return self.execute(
            "SELECT column_name, kind, position, type FROM system_schema.columns "
            "WHERE keyspace_name = %s AND table_name = %s",
            (keyspace, table),
        )

    def translated(self, error: Exception, query: str | None = None) -> Exception:
        """What to raise for an error of the driver."""
        if is_away(error):
            self._shared.broken = True  # a new session may reach the cluster sooner
        return translated(error, self.address, query)

    def close(self) -> None:
        """End it."""
        self._release()
