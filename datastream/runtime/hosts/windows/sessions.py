"""Sessions of one gap that fire at their end: no object a window, no call of a trigger or of `merge_windows`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from datastream.graph.operators import Window
from datastream.graph.slots import SESSIONS
from datastream.runtime.hosts.host import CHUNK, Out, Setting, Times
from datastream.runtime.keyed_state import detached
from datastream.runtime.pages import Store
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, TimeDomain
from datastream.windows import TimeWindow

from .base import BEFORE_ALL, SlotHost
from .slots import user_states

# A session is a list.
_START, _END, _ACCUMULATOR = range(3)
_Session = list[Any]
_start_of = itemgetter(_START)


class SessionWindowHost(SlotHost):
    """Each key keeps its sessions in order of time.

    A session's timer is set when it begins. When that fires and the session has grown, the timer of its new end is
    set: so a record that makes a session longer, as nearly all do, sets none.
    """

    def __init__(self, op: Window, setting: Setting) -> None:
        super().__init__(op, setting, SESSIONS)
        assigner: Any = op.operation.assigner
        self._gap: int = assigner.session_gap
        self._reopened: set[Any] = set()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._reopened.clear()

    def _nothing(self) -> list[_Session]:
        return []

    def _find_reopened(self, key: Any, kept: list[_Session], timers: Sequence[int]) -> None:
        if not self._lateness:
            return
        for start, end, _ in kept:
            if end - 1 > self.watermark and not any(start <= time < end for time in timers):
                self._reopened.add(key)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self._open(keys)
        event = self._domain is TimeDomain.EVENT_TIME
        moments: list[Any]
        if not event:
            moments = [self.setting.clock()] * len(records)
        else:
            moments = [None] * len(records) if times is None else times
        opened, add, gap, reopened = self._opened, self._folding.add, self._gap, self._reopened
        ended = self.watermark + 1 if event else BEFORE_ALL
        out: list[Any] = []
        out_times: Times = []
        fired: set[Any] = set()
        record = None
        try:  # not shared with other windows: what is inline here would be a call for each record
            for key, record, time in zip(keys, records, moments):  # noqa: B905 - a block's halves have one length
                sessions = opened[key]
                # Nearly always the record is in the key's last session, or makes it longer.
                if (
                    sessions
                    and (last := sessions[-1])[0] <= time <= last[1]
                    and last[1] > ended
                    and not (reopened and key in reopened)
                ):
                    last[2] = add(last[2], record)
                    if time + gap > last[1]:
                        last[1] = time + gap
                else:
                    self._sort_in(key, record, time, out, out_times, fired)
        except BaseException as error:
            if event and isinstance(error, TypeError):
                self._refuse_without_time(records, moments)
            self.note_failure(record, self._folding.adding)
            raise
        self.states.cell.leave()
        out = detached(out, [self.states.values[key] for key in fired])
        return out, out_times if self.setting.timed else None

    def _sort_in(self, key: Any, record: Any, time: int, out: list[Any], out_times: Times, fired: set[Any]) -> None:
        """A record that opens a session, joins some, or is late."""
        event = self._domain is TimeDomain.EVENT_TIME
        if event and (time is None or time <= MIN_WATERMARK):
            self._refuse_without_time([record], [time])
        sessions = self._opened[key]
        end = time + self._gap
        behind = first = bisect_right(sessions, end, key=_start_of)
        while first and sessions[first - 1][_END] >= time:
            first -= 1
        joined = sessions[first:behind]  # they are in order, and none touches the next
        if joined:
            session = joined[0]
            for other in joined[1:]:
                try:
                    session[_ACCUMULATOR] = self._folding.join(session[_ACCUMULATOR], other[_ACCUMULATOR])
                except BaseException:
                    self.note_failure(record, self._folding.joining)
                    raise
            del sessions[first + 1 : behind]
            session[_ACCUMULATOR] = self._folding.add(session[_ACCUMULATOR], record)
            session[_START] = min(time, session[_START])
            session[_END] = max(end, session[_END], *(other[_END] for other in joined))
            self._point(key)
        else:
            if event and min(end - 1 + self._lateness, MAX_WATERMARK) <= self.watermark:
                self._late(record, time, out, out_times)
                return
            session = [time, end, self._folding.first(record)]
            sessions.insert(first, session)
            self._point(key)[SESSIONS] = sessions
        if event and session[_END] - 1 <= self.watermark:
            self._give(session, record, out, out_times)
            fired.add(key)
        self._register_end(session[_END] - 1)

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is not self._domain:
            return
        out: list[Any] = []
        times: Times = []
        contents = []
        opened, cell, lateness = self._opened, self.states.cell, self._lateness
        for timestamp, key in self.states.fire(domain, time):
            sessions = self._kept(key)
            at = 0
            while at < len(sessions):
                session = sessions[at]
                last = session[_END] - 1
                if last > timestamp:
                    if session[_START] <= timestamp:  # its timer: it has grown since
                        self._register(last)
                    break
                if last == timestamp:
                    self._give(session, key, out, times)
                    if lateness and last + lateness < MAX_WATERMARK:
                        self._register(last + lateness)
                if last + lateness <= timestamp < MAX_WATERMARK:
                    if self._calling.clears:
                        self._calling.clear(TimeWindow(session[_START], session[_END]), None)
                    del sessions[at]
                else:
                    at += 1
            if not sessions:
                cell.content.pop(SESSIONS, None)
                opened.pop(key, None)
            contents.append(cell.content if lateness else user_states(cell.content))
            if len(out) >= CHUNK:
                yield detached(out, contents), times if self.setting.timed else None
                out, times, contents = [], [], []
        if out:
            yield detached(out, contents), times if self.setting.timed else None

    def _give(self, session: _Session, record: Any, out: list[Any], times: Times) -> None:
        """The result of a session of the key in hand."""
        start, end, accumulator = session
        try:
            elements = self._folding.elements(accumulator)
        except BaseException:
            self.note_failure(record, self._folding.giving)
            raise
        if elements and not self._calling.plain:
            if self._folding.gathers and self._lateness:
                elements = elements.copy()
            elements = self._calling.results(TimeWindow(start, end), None, elements, record)
        out += elements
        times += [end - 1] * len(elements)
