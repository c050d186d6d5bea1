"""Aggregates by windows that rows are of already: those of earlier aggregates, joins, or window table functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.runtime.hosts.host import Setting

from .generated_code import source_text
from .keyed_windows import KeyedWindowBase

#: A window: its end and its start, in µs.
Span = tuple[int, int]


class GivenWindowHost(KeyedWindowBase):
    """Each key keeps an accumulator for each window, which ends when the watermark passes its end."""

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._fold = self._folding()

    def _nothing(self) -> dict[Span, Any]:
        return {}

    def _run(self, keys: list[Any], records: list[Any]) -> None:
        self._fold(keys, records, self._opened, self._ended)

    def _opening(self, key: Any, end: int) -> None:
        self._keep(key, self._timer(end))

    def _fire_key(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        windows = self._opened[key]
        for span in sorted(span for span in windows if self._timer(span[0]) <= timer):
            row = self._result(key, windows.pop(span), span[1], span[0])
            if row is not None:
                give(row)
        return bool(windows)

    def _folding(self) -> Callable[..., None]:
        op, fold = self._op, self._op.fold
        assert op.start is not None
        code = source_text(fold)
        code.bound.update(opening=self._opening, late=self._late)
        with code.function("def fold(keys, records, opened, ended)"), code.block("for key, r in zip(keys, records)"):
            code.line(f"end = {self._time(code)}")
            with code.block("if end <= ended"):
                code.line("late(end)")
                code.line("continue")
            code.line(f"span = end, r[{op.start + op.changes}]")
            code.line("windows = opened[key]")
            code.line("acc = windows.get(span)")
            with code.block("if acc is None"):
                code.line(f"windows[span] = acc = {fold.first}")
                code.line("opening(key, end)")
            self._adding(code)
        return code.compiled("fold", f"windows of {op.name}")
