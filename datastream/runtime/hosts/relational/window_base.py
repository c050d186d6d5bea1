"""What hosts of window aggregates share: what keys keep, late rows, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.runtime.hosts.host import CHUNK, KeyedHost, Out, Setting, Times
from datastream.runtime.pages import Store
from datastream.time import TimeDomain
from datastream.time.zones import ZoneClock

from .failing import check_times, note_record
from .fold_code import source_text, write

#: Where the content of a key keeps its windows.
SLOT = 20

#: µs in a ms: watermarks and timers are in ms, rows in µs.
MS = 1000

#: Before all times, in µs.
NEVER = -(2**63) * MS


class WindowAggregateBase(KeyedHost):
    """Aggregates by key and window, given when the watermark, or the machine's clock, passes the window's end.

    Times of windows are in µs of the clock of `WindowAggregate.zone`; timers are points of time.

    Attributes:
        late_dropped: How many late rows were dropped in this epoch.
        late_by: How far the latest of them was behind the watermark, in ms.
    """

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self.late_dropped = self.late_by = 0
        self._opened: dict[Any, Any] = {}
        self._zone = ZoneClock(op.zone) if op.zone else None
        timers = self.states.timers
        self._domain = TimeDomain.PROCESSING_TIME if op.processing else TimeDomain.EVENT_TIME
        self._set_timer = timers.register_processing_time_timer if op.processing else timers.register_event_time_timer
        self._passed: tuple[int, int] | None = None
        # A row of the last ms of a window comes before the watermark of that ms, but may come behind its clock's tick.
        self._early = 0 if op.processing else 1
        self._result = self._results()
        self._merge = self._merging()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self.late_dropped = self.late_by = 0
        self._opened.clear()

    def _nothing(self) -> Any:
        """What a key without windows has."""
        raise NotImplementedError

    def _run(self, keys: list[Any], records: list[Any]) -> None:
        """Take rows in."""
        raise NotImplementedError

    def _fire_key(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        """Give what is due of the key in hand, and set its next timer; whether it has windows left.

        Args:
            key: The key.
            timer: The time of the timer that fires, in ms.
            give: Takes results.
        """
        raise NotImplementedError

    @property
    def _ended(self) -> int:
        """Windows that end here or before have ended, in µs."""
        if self._op.processing:
            return NEVER
        instant = (self.watermark + 1) * MS
        if self._zone is None:
            return instant
        if self._passed is None or self._passed[0] != instant:
            self._passed = instant, self._zone.passed(instant)
        return self._passed[1]

    def _timer(self, end: int) -> int:
        """When a window that ends there fires, in ms."""
        return (end if self._zone is None else self._zone.deadline(end)) // MS - self._early

    def _now(self) -> int:
        """What the clock shows, in µs."""
        now = self.setting.clock() * MS
        return now if self._zone is None else self._zone.local(now)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        opened = self._opened
        new = set(keys).difference(opened)
        if new:
            self.states.load(new)
            for key in new:
                self._open(key)
        try:
            self._run(keys, records)
        except BaseException as error:
            note_record(self, error)
            if not self._op.parts and not self._op.processing:
                check_times(self, error, records, self._op.time + self._op.changes)
            raise
        self.states.cell.leave()
        return [], [] if self.setting.timed else None

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is not self._domain:
            return
        out: list[Any] = []
        for timestamp, key in self.states.fire(domain, time):
            if key not in self._opened:
                self._open(key)
            if not self._fired(key, timestamp, out.append):
                self.states.cell.content.pop(SLOT, None)
                del self._opened[key]
            if len(out) >= CHUNK:
                yield self._out(out)
                out = []
        if out:
            yield self._out(out)

    def _fired(self, key: Any, timer: int, give: Callable[[Any], None]) -> bool:
        try:
            return self._fire_key(key, timer, give)
        except BaseException as error:
            note_record(self, error)
            raise

    def _open(self, key: Any) -> None:
        found = self.states.values[key].get(SLOT)
        self._opened[key] = self._nothing() if found is None else found

    def _keep(self, key: Any, timer: int) -> None:
        """Store what a key has, with a timer in ms."""
        cell = self.states.cell
        cell.key, cell.content = key, self.states.values[key]
        cell.content[SLOT] = self._opened[key]
        self._set_timer(timer)

    def _late(self, time: int) -> None:
        self.late_dropped += 1
        self.late_by = max(self.late_by, self.watermark - self._instant(time) // MS)

    def _instant(self, time: int) -> int:
        """The point of time of a row."""
        return time if self._zone is None else self._zone.deadline(time)

    def _out(self, rows: list[Any]) -> Out:
        return rows, [None] * len(rows) if self.setting.timed else None

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
            write(code, fold.add)
            return
        with code.block("if r[0] & 1"):
            write(code, fold.retract or ("pass",))
        with code.block("else"):
            write(code, fold.add or ("pass",))

    def _results(self) -> Callable[..., Any]:
        """(key, accumulator, start, end) -> a row, or None where there is nothing in the window."""
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        given = self._given(code)
        with code.function("def result(key, acc, start, end)"):
            if fold.count is not None:
                with code.block(f"if acc[{fold.count}] <= 0"):
                    code.line("return None")
            code.line(f"return ({op.key} {fold.value[1:-1]} {''.join(f'{given[name]}, ' for name in op.given)})")
        return code.compiled("result", f"results of {op.name}")

    def _merging(self) -> Callable[[list[Any]], Any]:
        """Accumulators -> one of all, a new one."""
        fold = self._op.fold
        code = source_text(fold)
        with code.function("def merged(parts)"):
            code.line(f"acc = {fold.first}")
            with code.block("for other in parts"):
                write(code, fold.merge or ("pass",))
            code.line("return acc")
        return code.compiled("merged", f"slices of {self._op.name}")
