"""Joins of rows whose times are near each other: what can have no partner any more is forgotten."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.graph.operators import IntervalJoin
from datastream.graph.slots import ROWS_BY_TIME
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import noting
from .join_base import JoinBase
from .window_ends import MS

#: A row that is kept, a list: its time in µs, it, and whether it has had a partner.
_TIME, _ROW, _JOINED = range(3)
#: What a key keeps, a list: both sides in order of time, and the time of its next timer in ms, or None.
_NEXT = 2

_time_of = itemgetter(_TIME)


class IntervalJoinHost(JoinBase, KeyedHost):
    """Emits pairs as soon as both rows are there, and a row without a partner when the watermark says that none comes.

    A row that comes late finds those partners that are still kept, as in Flink.
    """

    def __init__(self, op: IntervalJoin, setting: Setting) -> None:
        super().__init__(op, setting)
        self._times, self._lower, self._upper = op.times, op.lower, op.upper
        self._processing = op.processing
        #: Of each side: how long after a row's time partners may come, in µs.
        self._waits = op.upper, -op.lower
        #: Of each side: the first and last time of partners of a row, from its own.
        self._near = (op.lower, op.upper), (-op.upper, -op.lower)
        self._domain = TimeDomain.PROCESSING_TIME if op.processing else TimeDomain.EVENT_TIME
        timers = self.states.timers
        self._set_timer = timers.register_processing_time_timer if op.processing else timers.register_event_time_timer

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(set(keys))
        out: list[Any] = []
        with noting(self):
            for key, r in zip(keys, records, strict=True):
                self._take(side, key, r, out)
        self.states.cell.leave()
        return self.untimed(out)

    def _take(self, side: int, key: Any, r: tuple[Any, ...], out: list[Any]) -> None:
        row = r[: self._op.widths[side]]
        if self._is_null(key):
            if self._outer[side]:
                out.append(self._alone(side, row))
            return
        time = self._now() * MS if self._processing else r[self._times[side]]
        if time is None:
            raise ValidationError("the time of a row must not be NULL where it is joined by time")
        content = self.states.values[key]
        kept = content.get(ROWS_BY_TIME)
        joined = kept is not None and self._pairs(side, time, row, kept[1 - side], out)
        due = (time + self._waits[side]) // MS
        if due <= self._passed():
            if self._outer[side] and not joined:
                out.append(self._alone(side, row))
            return
        if kept is None:
            kept = content[ROWS_BY_TIME] = [[], [], None]
        insort(kept[side], [time, row, joined], key=_time_of)
        if kept[_NEXT] is None or due < kept[_NEXT]:
            self.states.cell.key, self.states.cell.content = key, content
            kept[_NEXT] = due
            self._set_timer(due)

    def _pairs(self, side: int, time: int, row: tuple[Any, ...], others: list[list[Any]], out: list[Any]) -> bool:
        """Give a row with its partners; whether it has any."""
        matches, before = self._matches, len(out)
        first, last = self._near[side]
        low = bisect_left(others, time + first, key=_time_of)
        for other in others[low : bisect_right(others, time + last, low, key=_time_of)]:
            both = other[_ROW] + row if side else row + other[_ROW]
            if matches is None or matches(both):
                other[_JOINED] = True
                out.append(both)
        return len(out) > before

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is self._domain:
            yield from map(self.untimed, chunks(self._due(time)))

    def _due(self, time: int) -> Iterator[list[Any]]:
        """Rows that have had no partner and get none at a time, in ms, or later."""
        for _, _ in self.states.fire(self._domain, time):
            content = self.states.cell.content
            kept = content.get(ROWS_BY_TIME)
            if kept is None:
                continue
            out: list[Any] = []
            following = []
            for side in (0, 1):
                rows, wait = kept[side], self._waits[side]
                gone = bisect_left(rows, (time + 1) * MS - wait, key=_time_of)
                if self._outer[side]:
                    out += [self._alone(side, row) for _, row, joined in rows[:gone] if not joined]
                del rows[:gone]
                following += [(rows[0][_TIME] + wait) // MS] if rows else []
            kept[_NEXT] = min(following, default=None)
            if kept[_NEXT] is None:
                del content[ROWS_BY_TIME]
            else:
                self._set_timer(kept[_NEXT])
            yield out

    def _now(self) -> int:
        return self.setting.clock()

    def _passed(self) -> int:
        """Nothing comes any more whose time, in ms, is this or before."""
        return self._now() if self._processing else self.watermark
