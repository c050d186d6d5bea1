"""The audit log: who changed what, from where, with which outcome, and who was refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import Rate

EVENT = "audit"

#: Refusals that are logged: of each address, and in all. Who has no token shall not fill the disk.
_REFUSALS_PER_S, _REFUSALS_BURST = 0.2, 20
_ALL_PER_S, _ALL_BURST = 5.0, 500
_READS = ("GET", "HEAD", "OPTIONS")
_REFUSED = (401, 403, 429)
_LONGEST = 300


@dataclass
class _Entry:
    """What is known of a request while it is answered."""

    fields: dict[str, Any] = field(default_factory=dict)


_current: ContextVar[_Entry | None] = ContextVar("audit", default=None)


def note(**fields: Any) -> None:
    """Add fields to the entry of the request that is being answered, such as who it is or a job's id.

    A field ``changes`` marks a request as one that changes something, whatever its method.
    """
    entry = _current.get()
    if entry is not None:
        entry.fields.update(fields)


class Audit:
    """Logs requests that change something, and those that are refused.

    Neither queries nor bodies are logged: arguments of jobs may hold secrets.

    Args:
        app: What answers.
        clock: Never goes back; in s.
    """

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._by_address = Rate(_REFUSALS_PER_S, _REFUSALS_BURST, clock)
        self._all = Rate(_ALL_PER_S, _ALL_BURST, clock)
        self._left_out = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        entry = _Entry()
        status: int | None = None

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        before = _current.set(entry)
        try:
            await self._app(scope, receive, watched)
        except Exception:
            status = status or 500
            raise
        finally:
            _current.reset(before)
            self._log(scope, entry, status)

    def _log(self, scope: Scope, entry: _Entry, status: int | None) -> None:
        changes = entry.fields.pop("changes", False) or scope["method"] not in _READS
        address = scope["client"][0] if scope.get("client") else ""
        if status in _REFUSED:
            if self._by_address.wait_s(address) or self._all.wait_s(""):
                self._left_out += 1
                return
        elif not changes:
            return
        more: dict[str, Any] = {}
        if self._left_out:
            more["left_out"], self._left_out = self._left_out, 0
        structlog.get_logger("datastream.audit").info(
            EVENT,
            who=entry.fields.pop("who", None),
            address=address,
            method=scope["method"],
            path=scope["path"][:_LONGEST],
            status=status,
            outcome=_outcome(status),
            **entry.fields,
            **more,
        )


def _outcome(status: int | None) -> str:
    if status is None:
        return "cut off"
    if status in _REFUSED:
        return "refused"
    return "done" if status < 400 else "failed"
