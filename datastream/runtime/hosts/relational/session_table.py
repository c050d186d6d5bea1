"""The rows of sessions, when a session has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .session_aggregate import SessionAggregateHost


class SessionTableHost(SessionAggregateHost):
    """Keeps the rows of each session, as `SessionAggregateHost` keeps accumulators: one is the list of the rows."""

    def _row(self, code: Any) -> str:
        given = self._given(code)
        return f"[(*r, {''.join(f'{given[name]}, ' for name in self._op.given)}) for r in acc]"

    def _fire_key(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        def give_each(rows: list[Any]) -> None:
            for row in rows:
                give(row)

        return super()._fire_key(key, timer, give_each)
