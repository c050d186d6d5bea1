"""What pika and the server report, as errors of ours: those that pass by waiting are ConnectionErrors."""

from __future__ import annotations

from datastream.errors import ValidationError, cut

from .connection_config import RMQConnectionConfig

_REFUSED, _NOT_FOUND, _LOCKED, _PRECONDITION, _FORCED = 403, 404, 405, 406, 320
_NOT_ALLOWED, _NOT_IMPLEMENTED = 530, 540


def failure(error: BaseException, config: RMQConnectionConfig, queue: str | None) -> Exception:
    """The error to raise for one of pika's.

    Args:
        error: What pika gave.
        config: The server.
        queue: The queue that was used, for messages.

    Returns:
        A ConnectionError if it may pass; a ValidationError if something has to be changed.
    """
    from pika import exceptions

    found = _root(error)
    server, where = f"RabbitMQ at {config.address}", f" for the queue {queue!r}" if queue is not None else ""
    code, text = getattr(found, "reply_code", None), str(getattr(found, "reply_text", "") or found)
    if isinstance(found, exceptions.ChannelClosedByBroker):
        if code == _NOT_FOUND and "no exchange" in text:
            return ValidationError(f"{server}: {text}; create the exchange first")
        if code == _NOT_FOUND and "is down or inaccessible" not in text:
            return ValidationError(
                f"{server}{where}: {text}; create it first, or leave out passive=True, which then creates the queue"
            )
        if code == _PRECONDITION and "inequivalent" in text:
            return ValidationError(
                f"{server}{where}: {text}; it is there with other settings than durable=True and the given "
                "queue_arguments: use passive=True to take it as it is"
            )
        if code == _REFUSED:
            return ValidationError(f"{server}{where}: the user {config.user!r} may not do that: {text}")
        if code in (_LOCKED, _NOT_IMPLEMENTED):
            return ValidationError(f"{server}{where}: {text}")
    if isinstance(found, (exceptions.ProbableAuthenticationError, exceptions.AuthenticationError)) or (
        isinstance(found, exceptions.ConnectionClosedByBroker) and code == _REFUSED
    ):
        return ValidationError(
            f"{server} refuses the user {config.user!r}: {_words(found)}; check the user and the password"
        )
    if isinstance(found, exceptions.ProbableAccessDeniedError) or (
        isinstance(found, exceptions.ConnectionClosedByBroker) and code == _NOT_ALLOWED
    ):
        return ValidationError(
            f"{server} refuses the user {config.user!r} its virtual host: {_words(found)}; check that it is there and "
            "that the user may use it"
        )
    if isinstance(found, exceptions.ConnectionClosedByBroker) and code == _NOT_IMPLEMENTED:
        return ValidationError(f"{server}{where}: {text}")
    return ConnectionError(f"{server} is away{where}: {_words(found)}")


def _root(error: BaseException) -> BaseException:
    """The error that says most: of the last attempt to connect, if it is about these."""
    attempts = getattr(error, "exceptions", None)
    if isinstance(attempts, (list, tuple)) and attempts:
        return _root(attempts[-1])
    inner = getattr(error, "exception", None)
    return _root(inner) if isinstance(inner, BaseException) else error


def _words(error: BaseException) -> str:
    words = str(error) or repr(error)
    return words if len(words) <= 200 else cut(words)
