"""Joins by event time with the versions of a table: what no row can ask for any more is forgotten."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.graph.operators import TemporalJoin
from datastream.graph.slots import VERSIONS
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import BEFORE, DELETE, noting
from .join_base import JoinBase
from .window_ends import MS

#: What a key keeps, a list: rows that wait, as (time in µs, row), in the order in which they came; versions by time, as
#: (time in µs, row or None where it was deleted); the time of its next timer in ms, or None; when it is forgotten.
_ROWS, _VERSIONS, _NEXT, _FORGET = range(4)

_time_of = itemgetter(0)


class TemporalJoinHost(JoinBase, KeyedHost):
    """Emits each row with its version when the watermark passes its time.

    A row that comes late waits for the next watermark, and finds the versions that are still kept, as in Flink: the
    last one that the watermark has passed, and those after it.
    """

    def __init__(self, op: TemporalJoin, setting: Setting) -> None:
        super().__init__(op, setting)
        self._times, self._changes, self._ends = op.times, op.changes, op.ends
        self._ttl = op.ttl_ms

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(set(keys))
        take = self._take_version if side else self._take_row
        with noting(self):
            for key, r in zip(keys, records, strict=True):
                self.states.cell.key, self.states.cell.content = key, self.states.values[key]
                take(r)
        self.states.cell.leave()
        return self.untimed([])

    def _take_row(self, r: tuple[Any, ...]) -> None:
        shift = self._changes[0]
        row = r[: self._left + shift]
        time = self._time(row[self._times[0] + shift])
        kept = self._kept()
        kept[_ROWS].append((time, row))
        self._wait(kept, time // MS)

    def _take_version(self, r: tuple[Any, ...]) -> None:
        row: tuple[Any, ...] | None
        if self._changes[1]:
            kind, row = r[0], r[1 : self._right + 1]
            if kind == BEFORE and not self._ends:
                return
        else:
            kind, row = 0, r[: self._right]
        time = self._time(row[self._times[1]])
        if kind in (BEFORE, DELETE):
            row = None
        kept = self._kept()
        versions = kept[_VERSIONS]
        place = bisect_left(versions, time, key=_time_of)
        if place < len(versions) and versions[place][0] == time:
            versions[place] = (time, row)
        else:
            versions.insert(place, (time, row))
        self._wait(kept, time // MS)

    def _time(self, time: int | None) -> int:
        if time is None:
            raise ValidationError("the time of a row must not be NULL where it is joined by time")
        return time

    def _kept(self) -> list[Any]:
        content = self.states.cell.content
        kept: list[Any] | None = content.get(VERSIONS)
        if kept is None:
            kept = content[VERSIONS] = [[], [], None, None]
        return kept

    def _wait(self, kept: list[Any], due: int) -> None:
        """Be called when the watermark passes a time, in ms; and where keys are forgotten, a while from now."""
        timers = self.states.timers
        if kept[_NEXT] is None or due < kept[_NEXT]:
            if kept[_NEXT] is not None:
                timers.delete_event_time_timer(kept[_NEXT])
            kept[_NEXT] = due
            timers.register_event_time_timer(due)
        if self._ttl:
            self._keep_on(kept)

    def _keep_on(self, kept: list[Any]) -> None:
        """Keep a key for the time to live at least, and for half of it more at most, as Flink does."""
        now, timers = self.setting.clock(), self.states.timers
        if kept[_FORGET] is None or now + self._ttl > kept[_FORGET]:
            if kept[_FORGET] is not None:
                timers.delete_processing_time_timer(kept[_FORGET])
            kept[_FORGET] = now + self._ttl * 3 // 2
            timers.register_processing_time_timer(kept[_FORGET])

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is TimeDomain.EVENT_TIME:
            yield from map(self.untimed, chunks(self._due(time)))
        elif self._ttl:
            for _, _ in self.states.fire(domain, time):
                self._forget()

    def _forget(self) -> None:
        kept = self.states.cell.content.pop(VERSIONS, None)
        if kept is not None and kept[_NEXT] is not None:
            self.states.timers.delete_event_time_timer(kept[_NEXT])

    def _due(self, watermark: int) -> Iterator[list[Any]]:
        """The results of rows whose time a watermark, in ms, has passed."""
        last = (watermark + 1) * MS - 1
        for _, _ in self.states.fire(TimeDomain.EVENT_TIME, watermark):
            kept = self.states.cell.content.get(VERSIONS)
            if kept is None:
                continue
            rows, versions = kept[_ROWS], kept[_VERSIONS]
            out: list[Any] = []
            for time, row in rows:
                if time <= last:
                    self._join(time, row, versions, out)
            kept[_ROWS] = rows = [each for each in rows if each[0] > last]
            del versions[: max(bisect_right(versions, last, key=_time_of) - 1, 0)]
            if versions and versions[0][1] is None and versions[0][0] <= last:
                del versions[0]  # before it there is nothing, so it says nothing
            self._go_on(kept, min((each[0] for each in rows), default=None))
            yield out

    def _go_on(self, kept: list[Any], first: int | None) -> None:
        """Wait for the next row that waits, if there is one; forget a key that has nothing."""
        kept[_NEXT] = None
        if first is not None:
            self._wait(kept, first // MS)
        elif not kept[_VERSIONS]:
            content = self.states.cell.content
            if kept[_FORGET] is not None:
                self.states.timers.delete_processing_time_timer(kept[_FORGET])
            del content[VERSIONS]
        elif self._ttl:
            self._keep_on(kept)

    def _join(self, time: int, row: tuple[Any, ...], versions: list[Any], out: list[Any]) -> None:
        place = bisect_right(versions, time, key=_time_of) - 1
        version = versions[place][1] if place >= 0 else None
        if version is not None:
            both = row + version
            if self._matches is None or self._matches(both[1:] if self._changes[0] else both):
                out.append(both)
                return
        if self._outer[0]:
            out.append(row + self._nothing[1])
