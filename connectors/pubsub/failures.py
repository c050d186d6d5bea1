"""What Google's clients report, as errors of ours: those that pass by waiting are ConnectionErrors."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut

from .service import Service


def failure(error: BaseException, service: Service, what: str) -> Exception:
    """The error to raise for one of Google's.

    Args:
        error: What the client raised.
        service: The service.
        what: What was used, such as ``the topic 'a'``.

    Returns:
        A ConnectionError if it may pass; a ValidationError if something has to be changed.
    """
    import grpc
    from google.api_core import exceptions
    from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError

    if isinstance(error, grpc.RpcError):
        known: Any = exceptions
        error = known.from_grpc_error(error)
    if isinstance(error, exceptions.RetryError) and error.cause is not None:
        error = error.cause
    if isinstance(error, GoogleAuthError):
        # The texts of these may hold parts of tokens.
        if isinstance(error, DefaultCredentialsError) or not error.retryable:
            return ValidationError(f"{service} refuses the credentials ({type(error).__name__}); check them")
        return ConnectionError(f"{service} is away for {what}: no token could be had ({type(error).__name__})")
    text = cut(getattr(error, "message", None) or str(error) or type(error).__name__)
    if isinstance(error, exceptions.NotFound):
        return ValidationError(f"{service}: {what} is not there: {text}; create it first")
    if isinstance(error, (exceptions.Forbidden, exceptions.Unauthorized)):
        return ValidationError(f"{service} refuses {what} to these credentials: {text}; check their roles")
    if isinstance(error, (exceptions.BadRequest, exceptions.MethodNotImplemented)):
        return ValidationError(f"{service}: {what}: {text}")
    return ConnectionError(f"{service} is away for {what}: {text}")
