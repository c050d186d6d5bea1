"""Errors of the gateway's client.

DataStreamError
├── SettingsError           the URL or the token is not usable; names where it is from
└── GatewayError            the gateway refused a request, or failed
    ├── NotAllowed          it wants a token, or one with another scope
    ├── NotFound            it has no such job or artifact
    ├── AmbiguousName       several jobs or artifacts fit
    ├── GatewayAway         no answer (also a ConnectionError)
    ├── SavepointFailed     the job could not write its state
    └── GatewayTimeout      what was waited for did not happen in time (also a TimeoutError)
"""

from __future__ import annotations

from datastream.errors import DataStreamError


class SettingsError(DataStreamError):
    """The gateway's URL or token is missing or malformed; the message names the flag, variable or file."""


class GatewayError(DataStreamError):
    """The gateway refused a request, or failed.

    Attributes:
        status: HTTP's status code, or None if there was no answer.
        errors: The gateway's own messages.
    """

    def __init__(self, message: str, status: int | None = None, errors: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.errors = errors


class NotAllowed(GatewayError):
    """The gateway wants a token (401), or one with another scope (403)."""


class NotFound(GatewayError):
    """The gateway has no such job or artifact."""


class AmbiguousName(GatewayError):
    """Several jobs or artifacts have this name or begin with this id."""


class GatewayAway(GatewayError, ConnectionError):
    """There is no answer at the gateway's URL."""


class SavepointFailed(GatewayError):
    """The job could not write its state; it goes on as it was."""


class GatewayTimeout(GatewayError, TimeoutError):
    """What was waited for did not happen in time; it may still happen."""
