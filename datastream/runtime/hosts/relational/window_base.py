"""What hosts of window aggregates share: times, late rows, results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.runtime.hosts.host import Setting

from .generated_code import source_text
from .late_rows import LateRows
from .window_ends import MS, WindowEnds

#: Before all times, in µs.
NEVER = -(2**63) * MS


class WindowAggregateBase(LateRows):
    """Aggregates by key and window, given when the watermark, or the machine's clock, passes the window's end.

    Times of windows are in µs of the clock of `WindowAggregate.zone`; timers are points in time.
    """

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._window_ends = WindowEnds(op.zone)
        self._zone = self._window_ends.zone
        # A row of the last ms of a window comes before the watermark of that ms, but may come after its clock's tick.
        self._early = 0 if op.processing else 1
        self._result = self._results()
        self._merge = self._merging()

    @property
    def _ended(self) -> int:
        """Windows that end here or before have ended, in µs."""
        return NEVER if self._op.processing else self._window_ends.passed(self.watermark)

    def _timer(self, end: int) -> int:
        """When a window that ends there fires, in ms."""
        return self._window_ends.instant(end) // MS - self._early

    def _now(self) -> int:
        """What the clock shows, in µs."""
        now = self.setting.clock() * MS
        return now if self._zone is None else self._zone.local(now)

    def _late(self, time: int) -> None:
        self.note_late(self._instant(time) // MS)

    def _instant(self, time: int) -> int:
        """The point in time of a row."""
        return self._window_ends.instant(time)

    # -- generated -----------------------------------------------------------------------------------

    def _given(self, code: Any) -> dict[str, str]:
        """What a result has of its window -> the expression of it."""
        given = {"start": "start", "end": "end", "rowtime": f"end - {MS}"}
        if self._zone is not None:
            code.bound["deadline"] = self._zone.deadline
            given["rowtime"] = f"deadline(end) - {MS}"
        if self._op.processing:
            code.bound["instant"] = lambda: self.setting.clock() * MS
            given["rowtime"] = given["proctime"] = "instant()"
        return given

    def _time(self, code: Any) -> str:
        """The expression of the time of a row ``r``."""
        if self._op.processing:
            code.bound["now"] = self._now
            return "now()"
        return f"r[{self._op.time + self._op.changes}]"

    def _adding(self, code: Any) -> None:
        """Lines that take ``r`` into ``acc``, or out of it where its kind says so."""
        fold = self._op.fold
        if not self._op.changes:
            code.indented(fold.add)
            return
        with code.block("if r[0] & 1"):
            code.indented(fold.retract or ("pass",))
        with code.block("else"):
            code.indented(fold.add or ("pass",))

    def _results(self) -> Callable[..., Any]:
        """(key, accumulator, start, end) -> a row, or None where there is nothing in the window."""
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        row = self._row(code)
        with code.function("def result(key, acc, start, end)"):
            if fold.count is not None:
                with code.block(f"if acc[{fold.count}] <= 0"):
                    code.line("return None")
            code.line(f"return {row}")
        return code.compiled("result", f"results of {op.name}")

    def _row(self, code: Any) -> str:
        """The expression of a result."""
        given = self._given(code)
        return f"({self._op.key} {self._op.fold.value[1:-1]} {''.join(f'{given[name]}, ' for name in self._op.given)})"

    def _merging(self) -> Callable[[list[Any]], Any]:
        """Accumulators -> one of all, a new one."""
        fold = self._op.fold
        code = source_text(fold)
        with code.function("def merged(parts)"):
            code.line(f"acc = {fold.first}")
            with code.block("for other in parts"):
                code.indented(fold.merge or ("pass",))
            code.line("return acc")
        return code.compiled("merged", f"slices of {self._op.name}")
