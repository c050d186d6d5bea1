"""How often a client may ask, and how large a request may be."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import refusal

#: Clients that are remembered.
_CLIENTS = 10_000


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


class BodyLimit:
    """Refuses requests with too large a body: by what they say of it, or else as soon as too much has come.

    Args:
        app: What answers the others.
        small: Bytes that a request may have.
        large: Bytes that an upload may have.
        is_upload: Whether a path takes uploads.
    """

    def __init__(self, app: ASGIApp, small: int, large: int, is_upload: Callable[[str], bool]) -> None:
        self._app, self._small, self._large, self._is_upload = app, small, large, is_upload

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

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > limit:
                raise TooLarge(_text(limit))
            return message

        await self._app(scope, counted, send)


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


class TooLarge(Exception):
    """A request's body has more bytes than it may have; raised where the body is read."""


def _text(limit: int) -> str:
    return f"the request is too large: {limit:,} bytes are allowed"
