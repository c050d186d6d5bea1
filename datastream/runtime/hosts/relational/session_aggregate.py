"""Session windows: they end when nothing has come for a gap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.runtime.hosts.host import Setting

from .generated_code import source_text
from .keyed_windows import KeyedWindowBase
from .window_base import NEVER
from .window_ends import MS

# A session, a list: its start, its end, its accumulator.
_START, _END, _ACC = range(3)


class SessionAggregateHost(KeyedWindowBase):
    """Each key keeps its sessions in order of time. The timer of a session that grows is moved when it fires.

    Their times are points in time in every zone: a gap is as long as it is.
    """

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        self._gap = op.size
        super().__init__(op, setting)
        self._fold = self._folding()
        self._first = self._new()

    def _nothing(self) -> list[list[Any]]:
        return []

    def _run(self, keys: list[Any], records: list[Any]) -> None:
        self._fold(keys, records, self._opened)

    def _session(self, key: Any, time: int) -> list[Any] | None:
        """The session of a row, made or grown; None where the row is late."""
        sessions, end = self._opened[key], time + self._gap
        touched = [s for s in sessions if s[_START] <= end and time <= s[_END]]
        if not touched:
            if end <= self._ended:
                self._late(time)
                return None
            made = [time, end, self._first()]
            sessions.append(made)
            sessions.sort(key=lambda s: s[_START])
            self._keep(key, self._timer(end))
            return made
        session: list[Any] = touched[0]
        session[_START] = min(session[_START], time)
        session[_END] = max(end, *(s[_END] for s in touched), session[_END])
        if len(touched) > 1:
            session[_ACC] = self._merge([s[_ACC] for s in touched])
            gone = set(map(id, touched[1:]))
            sessions[:] = [s for s in sessions if id(s) not in gone]
        return session

    @property
    def _ended(self) -> int:
        return NEVER if self._op.processing else (self.watermark + 1) * MS

    def _timer(self, end: int) -> int:
        return (end - 1) // MS + 1 - self._early  # the end may have a part of a ms

    def _instant(self, time: int) -> int:
        return time

    def _now(self) -> int:
        return self.setting.clock() * MS

    def _given(self, code: Any) -> dict[str, str]:
        given = super()._given(code)
        if self._zone is not None:
            code.bound["local"] = self._zone.local
            given |= {"start": "local(start)", "end": "local(end)"}
            if not self._op.processing:
                given["rowtime"] = f"end - {MS}"
        return given

    def _fire_key(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        sessions = self._opened[key]
        left = []
        for session in sessions:
            start, end, acc = session
            if self._timer(end) > timer:
                left.append(session)
                self._set_timer(self._timer(end))
                continue
            row = self._result(key, acc, start, end)
            if row is not None:
                give(row)
        sessions[:] = left
        return bool(left)

    def _new(self) -> Callable[[], Any]:
        code = source_text(self._op.fold)
        with code.function("def first()"):
            code.line(f"return {self._op.fold.first}")
        first: Callable[[], Any] = code.compiled("first", f"sessions of {self._op.name}")
        return first

    def _folding(self) -> Callable[..., None]:
        op = self._op
        code = source_text(op.fold)
        code.bound["session_of"] = self._session
        with code.function("def fold(keys, records, opened)"), code.block("for key, r in zip(keys, records)"):
            code.line(f"t = {self._time(code)}")
            code.line("sessions = opened[key]")
            code.line("found = sessions[-1] if sessions else None")
            with code.block("if found is not None and found[0] <= t <= found[1]"):  # as nearly always
                code.line(f"found[1] = max(found[1], t + {self._gap})")
            with code.block("else"):
                code.line("found = session_of(key, t)")
                with code.block("if found is None"):
                    code.line("continue")
            code.line("acc = found[2]")
            self._adding(code)
        return code.compiled("fold", f"sessions of {op.name}")
