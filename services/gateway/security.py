"""Who may do what: bearer tokens, or on loopback no identification."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from collections.abc import Callable
from typing import Annotated

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import HTTPConnection

from .answers import Refused
from .audit import note
from .limits import TOKEN, Rate
from .tokens import READ, SCOPES, WRITE, Token, Tokens

#: Whoever gets tokens wrong has to wait: tries a second, and at once.
_WRONG_PER_S, _WRONG_BURST = 0.2, 20
#: Requests that need no token, from each address: pages of the dashboard, questions after health.
_OPEN_PER_S, _OPEN_BURST = 100.0, 1500
#: Tokens that are looked up in the database at once, and those that are known to have counted.
_LOOKUPS, _COUNTED = 4, 10_000
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
        self._open = Rate(_OPEN_PER_S, _OPEN_BURST)
        #: Hashes of tokens that counted, so that wrong guesses from the same address do not keep them out.
        self._counted: OrderedDict[int, None] = OrderedDict()
        self._lookups: CapacityLimiter | None = None

    async def admit(self, request: HTTPConnection, scope: str) -> Token:
        """Who asks, before anything else is known of the request.

        Raises:
            Refused: They may not.
        """
        if self._tokens is None:
            _check_local(request)
            token = _ANYBODY
        else:
            token = await self._known(self._tokens, request)
        note(who=token.name)
        _check_scope(token, scope, request.scope["path"])
        return token

    def admit_stranger(self, request: HTTPConnection) -> None:
        """Let a request through that needs no token.

        Raises:
            Refused: There were too many from its address.
        """
        self._slow_down(self._open, address_of(request))

    def check(self, request: Request, scope: str) -> Token:
        """Who asks, where it is known what for.

        Raises:
            Refused: They may not.
        """
        token: Token = request.scope[TOKEN]
        note(changes=scope == WRITE)
        _check_scope(token, scope, request.scope["path"])
        if scope == WRITE:
            self._slow_down(self._writes, token.id or address_of(request))
        return token

    async def _known(self, tokens: Tokens, request: HTTPConnection) -> Token:
        challenge = {"WWW-Authenticate": "Bearer"}
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not text:
            raise Refused(401, "a token is needed: Authorization: Bearer TOKEN", challenge)
        address = address_of(request)
        if tokens.remembers(text):
            token = tokens.find(text)
            if token is None:
                self._slow_down(self._wrong, address)
        else:
            counted = hash(text) in self._counted
            if not counted:  # it counts as wrong before the database has any work with it
                self._slow_down(self._wrong, address)
            self._lookups = self._lookups or CapacityLimiter(_LOOKUPS)
            token = await to_thread.run_sync(tokens.find, text, limiter=self._lookups)
            if token is not None and not counted:
                self._wrong.give_back(address)
        if token is None:
            self._counted.pop(hash(text), None)
            raise Refused(401, "the token does not count: it is wrong, has expired or was revoked", challenge)
        self._counted[hash(text)] = None
        while len(self._counted) > _COUNTED:
            self._counted.popitem(last=False)
        return token

    @staticmethod
    def _slow_down(rate: Rate, client: str) -> None:
        wait_s = rate.wait_s(client)
        if wait_s:
            raise Refused(429, "too many requests; try again later", {"Retry-After": str(int(wait_s) + 1)})


def address_of(request: HTTPConnection) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def is_loopback(host: str) -> bool:
    """Whether an address or name can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() in _LOCAL_NAMES


def _check_scope(token: Token, scope: str, path: str) -> None:
    if not token.may(scope, path):
        raise Refused(403, f"the token {token.name!r} may {' and '.join(token.scopes)}, but this needs {scope}")


def _check_local(request: HTTPConnection) -> None:
    """Keep pages of other sites, which a browser on this machine may have open, from asking in its user's name."""
    host = request.url.hostname or ""
    if not is_loopback(host):
        raise Refused(403, f"a gateway without authentication answers on loopback only, not as {host[:200]!r}")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers.get('host', '')}":
        raise Refused(403, "a page of another site asks; a gateway without authentication does not answer it")


def _needs(scope: str) -> Callable[..., Token]:
    def check(
        request: Request,
        bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)] = None,  # for the description only
    ) -> Token:
        guard: Guard = request.app.state.guard
        return guard.check(request, scope)

    return check


Reader = Annotated[Token, Depends(_needs(READ))]
Writer = Annotated[Token, Depends(_needs(WRITE))]
