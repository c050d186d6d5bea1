"""OVER windows in the order of time: a row is given once, when the watermark is there, or at once by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.graph.operators import OverAggregate
from datastream.graph.slots import ROWS_OF_OVER
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import noting
from .late_rows import LateRows
from .over_frames import Frames, Row
from .window_ends import MS

#: What a key keeps, a list: (time in µs, row) of rows that wait; of those that later rows may be over; the accumulator;
#: the time in ms up to which rows were given; times in ms at which it may be forgotten, the last of which counts.
_WAITING, _FRAME, _ACC, _GIVEN, _ENDS = range(5)

_time_of = itemgetter(0)


class OverTimeHost(LateRows, KeyedHost):
    """Keeps rows until the watermark is there, and emits them in order of time, those of one time as they came.

    A frame that begins with the first row needs an accumulator alone. Others keep their rows; an aggregate that cannot
    take rows out is made anew for each row.
    """

    def __init__(self, op: OverAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._frames = Frames(op)
        self._time = op.order[0][0]
        self._bounded = op.start is not None
        timers = self.states.timers
        self._domain = TimeDomain.PROCESSING_TIME if op.processing else TimeDomain.EVENT_TIME
        self._set_timer = timers.register_processing_time_timer if op.processing else timers.register_event_time_timer

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(set(keys))
        with noting(self):
            if self._op.processing:
                out = self._at_once(keys, records)
            else:
                out = []
                for key, r in zip(keys, records, strict=True):
                    self._wait(key, r)
        self.states.cell.leave()
        return self.untimed(out)

    def _kept(self, key: Any) -> list[Any]:
        """What a key keeps."""
        cell = self.states.cell
        cell.key, cell.content = key, self.states.values[key]
        kept: list[Any] | None = cell.content.get(ROWS_OF_OVER)
        if kept is None:
            kept = cell.content[ROWS_OF_OVER] = [[], [], None, None, []]
        return kept

    # -- event time --------------------------------------------------------------------------------------

    def _wait(self, key: Any, r: Row) -> None:
        time = r[self._time]
        if time is None:
            raise ValidationError("the time of a row must not be NULL where it orders the rows of an OVER window")
        stamp = time // MS
        passed: int | None = self.watermark
        if self._bounded:  # as in Flink, it takes what is later than the last row that it gave
            content = self.states.values[key].get(ROWS_OF_OVER)
            passed = None if content is None else content[_GIVEN]
        if passed is not None and stamp <= passed:
            self.note_late(stamp)
            return
        kept = self._kept(key)
        waiting = kept[_WAITING]
        if not waiting or stamp < waiting[0][0] // MS:
            self._set_timer(max(stamp, self.watermark + 1))
            waiting.insert(0, (time, r))
        else:
            waiting.append((time, r))
        if self._bounded and not self._op.rows:
            self._keep_until(kept, stamp)

    def _keep_until(self, kept: list[Any], stamp: int) -> None:
        """Forget the key in hand half a frame after no row can be near one of a time in ms any more, as Flink does."""
        size, ends = self._op.start // MS, kept[_ENDS]
        if not ends or ends[-1] < stamp + size + 1:
            ends.append(stamp + size * 3 // 2 + 1)
            self._set_timer(max(ends[-1], self.watermark + 1))

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is self._domain:
            with noting(self):
                found = self._due(domain, time)
            found.sort(key=_time_of)
            yield from map(self.untimed, chunks([[row for _, row in found]]))

    def _due(self, domain: TimeDomain, now: int) -> list[tuple[int, Row]]:
        """What is due at a time in ms, with its own."""
        out: list[tuple[int, Row]] = []
        for _, key in self.states.fire(domain, now):
            kept = self._kept(key)
            waiting = kept[_WAITING]
            waiting.sort(key=_time_of)
            count = 0
            while count < len(waiting) and waiting[count][0] // MS <= now:
                count += 1
            if count:
                due, kept[_WAITING] = waiting[:count], waiting[count:]
                kept[_GIVEN] = due[-1][0] // MS
                for time, peers in groupby(due, key=_time_of):
                    results = self._results(kept, time, [row for _, row in peers])
                    out += [(time, row) for row in results]
            self._set_next(kept, now)
        return out

    def _set_next(self, kept: list[Any], now: int) -> None:
        """Set the timer for the next row of the key in hand, or forget it."""
        if kept[_WAITING]:
            self._set_timer(kept[_WAITING][0][0] // MS)
        passed = [end for end in kept[_ENDS] if end <= now]
        if not passed:
            return
        if len(passed) == len(kept[_ENDS]):
            del self.states.cell.content[ROWS_OF_OVER]
            return
        kept[_ENDS] = kept[_ENDS][len(passed) :]
        kept[_GIVEN] = max(passed[-1], kept[_GIVEN] or passed[-1])  # as in Flink, whose timer it is

    def _forget(self, kept: list[Any], now: int) -> None:
        """Take out what no row from a time in µs on is over."""
        oldest, frame = now - self._op.start, kept[_FRAME]
        count = 0
        while count < len(frame) and frame[count][0] < oldest:
            count += 1
        if count:
            if self._op.retracts:
                for _, row in frame[:count]:
                    self._frames.take_out(kept[_ACC], row)
            del frame[:count]

    # -- processing time ---------------------------------------------------------------------------------

    def _at_once(self, keys: list[Any], records: list[Any]) -> list[Row]:
        """The rows with their results: by the clock, rows of one block have one time."""
        now = self.setting.clock() * MS
        if self._op.rows or not self._bounded:
            return [result for key, r in zip(keys, records, strict=True) for result in self._one(key, now, r)]
        places: dict[Any, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        out: list[Any] = [None] * len(records)
        for key, some in places.items():
            kept = self._kept(key)
            for place, result in zip(some, self._results(kept, now, [records[i] for i in some]), strict=True):
                out[place] = result
            self._keep_until(kept, now // MS)
        return out

    def _one(self, key: Any, now: int, r: Row) -> list[Row]:
        """A row by itself; not even rows of one time are together, as in Flink."""
        return self._results(self._kept(key), now, [r])

    # -- results -----------------------------------------------------------------------------------------

    def _results(self, kept: list[Any], time: int, rows: list[Row]) -> list[Row]:
        """Rows of one time, with their results.

        Args:
            kept: What their key keeps.
            time: Theirs, in µs.
            rows: In the order in which they came.
        """
        frames, op = self._frames, self._op
        if kept[_ACC] is None:
            kept[_ACC] = frames.first()
        acc, add, value = kept[_ACC], frames.add, frames.value
        if not self._bounded:
            if op.rows:
                out = []
                for r in rows:
                    add(acc, r)
                    out.append(r + value(acc))
                return out
            for r in rows:
                add(acc, r)
            results = value(acc)
            return [r + results for r in rows]
        frame = kept[_FRAME]
        if not op.rows:
            self._forget(kept, time)
            frame += [(time, r) for r in rows]
            if op.retracts:
                for r in rows:
                    add(acc, r)
                results = value(acc)
            else:
                results = frames.value_of(row for _, row in frame)
            return [r + results for r in rows]
        out = []
        size = op.start + 1
        for r in rows:
            frame.append((time, r))
            if op.retracts:
                add(acc, r)
                if len(frame) > size:
                    frames.take_out(acc, frame.pop(0)[1])
                out.append(r + value(acc))
            else:
                del frame[:-size]
                out.append(r + frames.value_of(row for _, row in frame))
        return out
