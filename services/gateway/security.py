"""Who may do what: bearer tokens, or on loopback nobody need say who they are."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from .answers import Refused
from .audit import note
from .limits import Rate
from .tokens import READ, SCOPES, WRITE, Token, Tokens

#: Whoever gets tokens wrong has to wait: so many a second, and at once.
_WRONG_PER_S, _WRONG_BURST = 0.2, 20
_BEARER = HTTPBearer(auto_error=False, description="A token of `datastream-gateway token create`.")
_ANYBODY = Token("", "anybody", SCOPES)
_LOCAL_NAMES = ("localhost", "ip6-localhost")


class Guard:
    """Lets requests through.

    Args:
        tokens: Those that count; None: everybody may do everything, if they come from this machine's own pages.
        writes: How often each client may write.
    """

    def __init__(self, tokens: Tokens | None, writes: Rate) -> None:
        self._tokens, self._writes = tokens, writes
        self._wrong = Rate(_WRONG_PER_S, _WRONG_BURST)

    def check(self, request: Request, bearer: HTTPAuthorizationCredentials | None, scope: str) -> Token:
        """Who asks.

        Raises:
            Refused: They may not.
        """
        address = request.client.host if request.client else ""
        if self._tokens is None:
            _check_local(request)
            token = _ANYBODY
        else:
            token = self._known(self._tokens, bearer, address)
        note(who=token.name, changes=scope == WRITE)
        if not token.may(scope, request.scope["path"]):
            raise Refused(403, f"the token {token.name!r} may {' and '.join(token.scopes)}, but this needs {scope}")
        if scope == WRITE:
            self._slow_down(self._writes, token.id or address)
        return token

    def _known(self, tokens: Tokens, bearer: HTTPAuthorizationCredentials | None, address: str) -> Token:
        challenge = {"WWW-Authenticate": "Bearer"}
        if bearer is None:
            raise Refused(401, "a token is needed: Authorization: Bearer TOKEN", challenge)
        token = tokens.find(bearer.credentials)
        if token is None:
            self._slow_down(self._wrong, address)
            raise Refused(401, "the token does not count: it is wrong, has expired or was revoked", challenge)
        return token

    @staticmethod
    def _slow_down(rate: Rate, client: str) -> None:
        wait_s = rate.wait_s(client)
        if wait_s:
            raise Refused(429, "too many requests; try again later", {"Retry-After": str(int(wait_s) + 1)})


def is_loopback(host: str) -> bool:
    """Whether an address or name can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() in _LOCAL_NAMES


def _check_local(request: Request) -> None:
    """Keep pages of other sites, which a browser on this machine may have open, from asking in its user's name."""
    host = request.url.hostname or ""
    if not is_loopback(host):
        raise Refused(403, f"a gateway without authentication answers on loopback only, not as {host[:200]!r}")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers.get('host', '')}":
        raise Refused(403, "a page of another site asks; a gateway without authentication does not answer it")


def _needs(scope: str) -> Callable[..., Token]:
    def check(
        request: Request, bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)] = None
    ) -> Token:
        guard: Guard = request.app.state.guard
        return guard.check(request, bearer, scope)

    return check


Reader = Annotated[Token, Depends(_needs(READ))]
Writer = Annotated[Token, Depends(_needs(WRITE))]
