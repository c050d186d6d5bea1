"""What the driver's errors mean."""

from __future__ import annotations

from typing import Any

from datastream.errors import DataStreamError, ValidationError

from .library import cassandra


def translated(error: Exception, address: str, query: str | None = None) -> Exception:
    """What to raise for an error of the driver: a ConnectionError if it may pass, else a ValidationError."""
    if isinstance(error, DataStreamError):
        return error
    said = described(error)
    if is_away(error) or has_no_room(error):
        return ConnectionError(f"Cassandra at {address}: {said}")
    about = "" if query is None else f"; the statement is {query!r}"
    return ValidationError(f"Cassandra at {address}: {said}{_remedy(said)}{about}")


def is_away(error: Exception) -> bool:
    """Whether no node could be reached. It may pass."""
    driver = cassandra()
    if isinstance(error, driver.cluster.NoHostAvailable):
        hosts = _of_hosts(error)
        refused = any(isinstance(one, driver.AuthenticationFailed) for one in hosts)
        return not refused and not has_no_room(error)
    return isinstance(error, (driver.connection.ConnectionException, driver.UnresolvableContactPoints, OSError))


def has_no_room(error: Exception) -> bool:
    """Whether a node has answered, or not in time, that it cannot do it now. The request may have taken effect."""
    driver = cassandra()
    protocol = driver.protocol
    if isinstance(error, driver.cluster.NoHostAvailable):  # the driver has tried one after the other
        hosts = _of_hosts(error)
        return bool(hosts) and all(map(has_no_room, hosts))
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


def address_of(cluster: Any) -> str:
    """Host and port of the nodes that a cluster is found by."""
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
    if "protocol version" in low:
        return "; set CassandraSettings.protocol_version, to 4 for Cassandra 3"
    return ""
