"""Tumbling, hopping and cumulating windows: rows go into slices, and a window is a row of whole slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.graph.slices import Slicing, slice_text
from datastream.runtime.hosts.host import Setting

from .generated_code import source_text
from .keyed_windows import KeyedWindowBase
from .window_ends import MS


class WindowAggregateHost(KeyedWindowBase):
    """Each key keeps accumulators by the ends of slices."""

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        self._size, self._offset, self._kind = op.size, op.offset, op.window
        self._slicing = Slicing.of(op.window, op.size, op.slide, op.offset)
        self._step, self._slice = self._slicing.step, self._slicing.length
        super().__init__(op, setting)
        self._fold = self._folding()

    def _nothing(self) -> dict[int, Any]:
        return {}

    def _run(self, keys: list[Any], records: list[Any]) -> None:
        self._fold(keys, records, self._opened, self._ended)

    # -- rows ------------------------------------------------------------------------------------------

    def _opening(self, key: Any, slice_end: int) -> None:
        """Set the timer of a new slice's first window that has not ended."""
        end = self._slicing.first(slice_end)
        while end <= self._ended:
            end += self._step
        self._keep(key, self._timer(end))

    def _in_time(self, slice_end: int, time: int) -> bool:
        """Whether a slice whose first window has ended is in one that has not."""
        if self._slicing.last(slice_end) > self._ended:
            return True
        self._late(time)
        return False

    def _fire_key(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        instant = (timer + self._early) * MS
        if self._zone is None:
            following = self._fire_window(key, instant, give)
        else:
            first, last = self._zone.passing(instant)
            first += (self._offset + self._size - first) % self._step
            following = 0
            for end in range(first, last + 1, self._step):
                following = self._fire_window(key, end, give)
        if following:
            self._set_timer(self._timer(following))
        return bool(self._opened[key])

    def _fire_window(self, key: Any, end: int, give: Callable[[Any], None]) -> int:
        """Give the result of a window; the end of the one that needs a timer next, or 0."""
        slices = self._opened[key]
        if self._kind == "tumble":
            acc = slices.pop(end, None)
            if acc is not None:
                row = self._result(key, acc, end - self._size, end)
                if row is not None:
                    give(row)
            return 0
        start = self._slicing.start(end)
        parts = [slices[at] for at in sorted(slices) if start < at <= end]
        if parts:
            row = self._result(key, self._merge(parts), start, end)
            if row is not None:
                give(row)
        gone = [at for at in slices if self._slicing.last(at) <= end]
        for at in gone:
            del slices[at]
        if not slices:
            return 0
        if self._kind == "cumulate":
            return min(at if at > end else end + self._step for at in slices)
        return max(end + self._step, self._slicing.first(min(slices)))

    def _folding(self) -> Callable[..., None]:
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        code.bound.update(opening=self._opening, in_time=self._in_time)
        with code.function("def fold(keys, records, opened, ended)"), code.block("for key, r in zip(keys, records)"):
            if op.parts:
                code.line("end, other = r[-2], r[-1]")
            else:
                code.line(f"t = {self._time(code)}")
                code.line(f"end = {slice_text(self._slice, self._offset)}")
            time = f"end - {self._slice}" if op.parts else "t"
            with code.block(f"if end <= ended and not in_time(end, {time})"):
                code.line("continue")
            code.line("slices = opened[key]")
            code.line("acc = slices.get(end)")
            with code.block("if acc is None"):
                code.line(f"slices[end] = acc = {'other' if op.parts else fold.first}")
                code.line("opening(key, end)")
                if op.parts:
                    code.line("continue")
            if op.parts:
                code.indented(fold.merge or ("pass",))
            else:
                self._adding(code)
        return code.compiled("fold", f"windows of {op.name}")
