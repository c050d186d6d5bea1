"""How often a client may ask, and how large a request may be."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from weakref import WeakValueDictionary

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import refusal
from .tokens import Token

#: Clients that are remembered.
_CLIENTS = 10_000
#: Bytes a second of the slowest line that uploads may come by.
_SLOWEST_BYTES_S = 8 << 10
_PIECE = 32 << 10
#: Where a request's scope has its token, and its place among those that are worked on.
TOKEN, PLACE = "datastream.token", "datastream.place"
#: Paths that never wait.
_ALWAYS = ("/healthz", "/readyz")


class Rate:
    """Lets each client ask so often.

    Args:
        per_s: Requests a second in the long run.
        burst: Requests at once.
        clock: Never goes back; in s.
    """

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s, self._burst, self._clock = per_s, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, client: str) -> float:
        """0 if the client may ask now, which counts; else how long it should wait, in s."""
        now = self._clock()
        with self._lock:
            left, when = self._left.pop(client, (float(self._burst), now))
            left = min(self._burst, left + (now - when) * self._per_s)
            waits = max(0.0, (1.0 - left) / self._per_s)
            self._left[client] = (left if waits else left - 1.0), now
            while len(self._left) > _CLIENTS:
                self._left.popitem(last=False)
        return waits

    def give_back(self, client: str) -> None:
        """What was counted last should not have been."""
        with self._lock:
            left, when = self._left.get(client, (float(self._burst), 0.0))
            self._left[client] = min(self._burst, left + 1.0), when


class BodyLimit:
    """Refuses requests whose body is too large, by what they say of it or as soon as too much has come, or too slow.

    Args:
        app: What answers the others.
        small: Bytes that a request may have.
        large: Bytes that an upload may have.
        is_upload: Whether a path takes uploads.
        patience_s: How long a body may take, besides the time that the slowest line needs for it.
    """

    def __init__(
        self,
        app: ASGIApp,
        small: int,
        large: int,
        is_upload: Callable[[str], bool],
        patience_s: float = 30.0,
    ) -> None:
        self._app, self._small, self._large, self._is_upload = app, small, large, is_upload
        self._patience_s = patience_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._large if self._is_upload(scope["path"]) else self._small
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if not said.isdigit() or int(said) > limit:
            await refusal(413, _text(limit), {"Connection": "close"})(scope, receive, send)
            return
        came = 0
        more = True
        began = time.monotonic()

        async def counted() -> Message:
            nonlocal came, more
            if not more:  # it is waited for the client's end
                return await receive()
            left_s = began + self._patience_s + came / _SLOWEST_BYTES_S - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), max(0.01, left_s))
            except TimeoutError:
                raise TooSlow from None
            more = message.get("more_body", False)
            came += len(message.get("body", b""))
            if came > limit:
                raise TooLarge(_text(limit))
            return message

        await self._app(scope, counted, send)


class InProgress:
    """Lets a number of requests be worked on at once, and a number of each token: the others wait in line.

    A request is worked on until its client has read the answer. Answers of drivers, which may be large, are
    made two at a time.

    Args:
        app: What answers.
        total: Requests in all.
        per_token: Of each token, and of those who have none.
        made: Large answers that are made at once.
        patience_s: How long one waits in line.
    """

    def __init__(
        self, app: ASGIApp, total: int = 36, per_token: int = 12, made: int = 2, patience_s: float = 120.0
    ) -> None:
        self._app, self._patience_s = app, patience_s
        self._made = asyncio.Semaphore(made)
        self._total, self._per_token = asyncio.Semaphore(total), per_token
        self._of_token: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _ALWAYS:
            await self._app(scope, receive, send)
            return
        token: Token | None = scope.get(TOKEN)
        of_token = self._of_token.setdefault("" if token is None else token.id, asyncio.Semaphore(self._per_token))
        path = scope["path"]
        large = scope["method"] == "GET" and path.startswith("/jobs/") and path != "/jobs/overview"
        place = scope[PLACE] = Place((of_token, self._total, *((self._made,) if large else ())))
        try:
            try:
                await asyncio.wait_for(place.take(), self._patience_s)
            except TimeoutError:
                text = "too many requests are worked on; try again later"
                await refusal(429, text, {"Retry-After": "10"})(scope, receive, send)
                return
            await self._app(scope, receive, _in_pieces(send, place if large else None))
        finally:
            place.leave()


class Place:
    """A place among the requests that are worked on.

    Args:
        semaphores: Their places, in the order in which they are taken.
    """

    def __init__(self, semaphores: tuple[asyncio.Semaphore, ...]) -> None:
        self._semaphores = semaphores
        self._held: list[asyncio.Semaphore] = []

    async def take(self) -> None:
        """Wait for it."""
        for each in self._semaphores:
            await each.acquire()
            self._held.append(each)

    def has_made(self) -> None:
        """The answer is there, and needs to be sent only."""
        if len(self._held) == len(self._semaphores):
            self._held.pop().release()

    def leave(self) -> None:
        """Let the next one have it."""
        while self._held:
            self._held.pop().release()


def _in_pieces(send: Send, place: Place | None) -> Send:
    """Send no more at once than the connection's buffer takes, so that what is sent has been read up to that.

    Args:
        send: Sends.
        place: That of a large answer, which is made when its sending begins.
    """

    async def send_pieces(message: Message) -> None:
        if place is not None:
            place.has_made()
        body = message.get("body", b"")
        if len(body) <= _PIECE:
            await send(message)
            return
        more = message.get("more_body", False)
        for begin in range(0, len(body), _PIECE):
            last = begin + _PIECE >= len(body)
            await send({**message, "body": body[begin : begin + _PIECE], "more_body": more or not last})

    return send_pieces


class JsonBodies:
    """Takes bodies for JSON, as Flink does, whatever their type says: curl calls each a form.

    Args:
        app: What answers.
        is_upload: Whether a path takes uploads.
    """

    def __init__(self, app: ASGIApp, is_upload: Callable[[str], bool]) -> None:
        self._app, self._is_upload = app, is_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and not self._is_upload(scope["path"]):
            headers = [pair for pair in scope["headers"] if pair[0] != b"content-type"]
            scope = {**scope, "headers": [*headers, (b"content-type", b"application/json")]}
        await self._app(scope, receive, send)


class TooSlow(Exception):
    """A request's body has not come in time; raised where the body is read."""


class TooLarge(Exception):
    """A request's body has more bytes than it may have; raised where the body is read."""


def _text(limit: int) -> str:
    return f"the request is too large: {limit:,} bytes are allowed"
