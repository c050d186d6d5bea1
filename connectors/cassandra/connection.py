"""A session of the driver, and what its errors mean."""

from __future__ import annotations

from typing import Any

from datastream.errors import DataStreamError, ValidationError

from .cluster import CassandraSettings, Reach
from .library import cassandra


class Connection:
    """A session, which finds the cluster's nodes again by itself when they come back.

    Args:
        reach: How the cluster is reached.

    Raises:
        ConnectionError: No node answers.
        ValidationError: It lets nobody in, or there is no such keyspace; waiting does not help.
    """

    def __init__(self, reach: Reach) -> None:
        self.cluster = reach.build_cluster()
        self.address = _address(self.cluster)
        try:
            self.session = self.cluster.connect()
            if isinstance(reach, CassandraSettings) and reach.keyspace is not None:
                self.session.set_keyspace(reach.keyspace)
        except Exception as error:
            self.close()
            raise self.translated(error) from error

    def prepare(self, query: str) -> Any:
        """A prepared statement.

        Raises:
            ConnectionError: No node answers.
            ValidationError: The statement is wrong, or what it names is not there.
        """
        try:
            return self.session.prepare(query)
        except Exception as error:
            raise self.translated(error, query) from error

    def execute(self, statement: Any, values: Any = None) -> list[Any]:
        """The rows that a statement gives.

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
        if isinstance(error, DataStreamError):
            return error
        if is_away(error) or has_no_room(error):
            return ConnectionError(f"Cassandra at {self.address}: {described(error)}")
        said = described(error)
        about = "" if query is None else f"; the statement is {query!r}"
        return ValidationError(f"Cassandra at {self.address}: {said}{_remedy(said)}{about}")

    def close(self) -> None:
        """End it."""
        self.cluster.shutdown()


def is_away(error: Exception) -> bool:
    """Whether no node could be reached. It may pass."""
    driver = cassandra()
    if isinstance(error, driver.cluster.NoHostAvailable):
        return not any(isinstance(one, driver.AuthenticationFailed) for one in _of_hosts(error))
    return isinstance(error, (driver.connection.ConnectionException, driver.UnresolvableContactPoints, OSError))


def has_no_room(error: Exception) -> bool:
    """Whether a node has answered, or not in time, that it cannot do it now. The request may have been carried out."""
    driver = cassandra()
    protocol = driver.protocol
    return isinstance(
        error,
        (
            driver.Unavailable,
            driver.Timeout,
            driver.CoordinationFailure,
            driver.OperationTimedOut,
            protocol.OverloadedErrorMessage,
            protocol.IsBootstrappingErrorMessage,
            protocol.ServerError,
            protocol.TruncateError,
            TimeoutError,
        ),
    )


def described(error: Exception) -> str:
    """What the driver says, without its decoration."""
    driver = cassandra()
    if isinstance(error, driver.cluster.NoHostAvailable):
        hosts = error.errors
        if isinstance(hosts, dict) and hosts:
            return "; ".join(f"{host}: {described(one)}" for host, one in hosts.items())
    if isinstance(error, driver.UnresolvableContactPoints):
        return "none of the hosts' names is known"
    said = str(getattr(error, "message", None) or error) or type(error).__name__
    if '] message="' in said:
        said = said.partition('] message="')[2].rpartition('"')[0]
    return " ".join(said.split())


def _of_hosts(error: Any) -> list[Exception]:
    return list(error.errors.values()) if isinstance(error.errors, dict) else []


def _address(cluster: Any) -> str:
    points = [point if isinstance(point, str) else str(point) for point in cluster.contact_points or ()]
    return ",".join(f"{point}:{cluster.port}" for point in points) or "the cluster"


def _remedy(said: str) -> str:
    low = said.lower()
    if "keyspace" in low and "does not exist" in low:
        return "; create it with CREATE KEYSPACE"
    if "does not exist" in low or "unconfigured table" in low:
        return "; create the table with CREATE TABLE before the job starts"
    if "no keyspace has been specified" in low:
        return "; write keyspace.table, or set CassandraSettings.keyspace"
    if "authenticat" in low or "credentials" in low or "password" in low:
        return "; check user and password in CassandraSettings or the ClusterBuilder"
    return ""
