"""Asks each request for its token before anything is done for it, its body read least of all."""

from __future__ import annotations

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from .answers import Refused, database_away, refusal
from .connections import Connections, Held
from .limits import TOKEN
from .protocol import CONNECTION
from .security import Guard
from .tokens import READ, WRITE

#: Paths that need no token, and those whose pages need none.
_OPEN = ("/", "/dashboard", "/docs", "/healthz", "/readyz", "/openapi.json")
_OPEN_BELOW = ("/dashboard/", "/docs/", "/static-offline-docs/")
#: Health is reported however often it is asked for: who does not hear of it ends the gateway.
_ALWAYS = ("/healthz", "/readyz")
_READS = ("GET", "HEAD", "OPTIONS")


class Admission:
    """Refuses requests without a token that counts and reaches.

    Args:
        app: What answers the others.
        guard: Knows the tokens.
        connections: Those that are held; a request with a token keeps its own; None: they are not known.
    """

    def __init__(self, app: ASGIApp, guard: Guard, connections: Connections | None) -> None:
        self._app, self._guard, self._connections = app, guard, connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refused = await self._why_not(scope)
            if refused is not None:
                await refusal(refused.status, refused.text, refused.headers)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _why_not(self, scope: Scope) -> Refused | None:
        """Why a request is not let through; None: it is."""
        request = HTTPConnection(scope)
        held: Held | None = scope.get(CONNECTION)
        try:
            if is_open(scope["path"]):
                if scope["path"] not in _ALWAYS:
                    self._guard.admit_stranger(request)
                return None
            scope[TOKEN] = await self._guard.admit(request, READ if scope["method"] in _READS else WRITE)
        except Refused as error:
            if held is not None and error.status != 403:
                held.refusals += 1
            return error
        except SQLAlchemyError as error:
            return database_away(error)
        if held is not None and self._connections is not None:
            self._connections.recognise(held)
        return None


def is_open(path: str) -> bool:
    """Whether a path needs no token."""
    return path in _OPEN or path.startswith(_OPEN_BELOW)
