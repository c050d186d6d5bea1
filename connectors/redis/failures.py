"""What redis-py and the server report, as errors of ours: those that pass by waiting are ConnectionErrors."""

from __future__ import annotations

from datastream.errors import ValidationError, cut

from .connection import RedisConnection

#: First words of the server's answers that pass by waiting: it loads its data, a replica takes over, memory is freed.
_PASSING = ("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "READONLY", "TRYAGAIN")
_CLUSTER = ("ASK", "CROSSSLOT", "MOVED")


def failure(error: Exception, connection: RedisConnection, what: str) -> Exception:
    """The error to raise for one of redis-py's.

    Args:
        error: What the client raised.
        connection: The server.
        what: What was used, such as ``the stream 'a'``.

    Returns:
        A ConnectionError if it may pass; a ValidationError if something has to be changed.
    """
    from redis import exceptions

    if isinstance(error, ValidationError):
        return error
    user = connection.user_name or "default"
    text = cut(str(error)) if not str(error).isascii() or len(str(error)) > 200 else str(error)
    if isinstance(error, (exceptions.AuthenticationError, exceptions.AuthenticationWrongNumberOfArgsError)):
        return ValidationError(f"{connection} refuses the user {user!r}; check the user and the password")
    if isinstance(error, (exceptions.NoPermissionError, exceptions.AuthorizationError)):
        return ValidationError(f"{connection}: the user {user!r} may not do that for {what}: {text}; see ACL SETUSER")
    if isinstance(error, exceptions.WatchError):
        return ConnectionError(f"{connection}: another attempt writes the same epoch for {what}")
    if isinstance(error, (exceptions.MovedError, exceptions.AskError, exceptions.ClusterCrossSlotError)) or (
        isinstance(error, exceptions.ResponseError) and text.startswith(_CLUSTER)
    ):
        return ValidationError(
            f"{connection} is a node of a Redis Cluster, which is not supported: use a server, or Sentinel's primary, "
            "that has all keys"
        )
    if isinstance(
        error,
        (
            exceptions.BusyLoadingError,
            exceptions.ClusterDownError,
            exceptions.OutOfMemoryError,
            exceptions.ReadOnlyError,
            exceptions.TryAgainError,
        ),
    ) or (isinstance(error, exceptions.ResponseError) and text.startswith(_PASSING)):
        return ConnectionError(f"{connection} has no room or is away for {what}: {text}")
    if isinstance(error, exceptions.ExecAbortError) and isinstance(error.__cause__, Exception):
        return failure(error.__cause__, connection, what)
    if isinstance(error, (exceptions.ConnectionError, exceptions.TimeoutError, OSError)):
        return ConnectionError(f"{connection} is away for {what}: {text or type(error).__name__}")
    return ValidationError(f"{connection}: {what}: {type(error).__name__}: {text}")
