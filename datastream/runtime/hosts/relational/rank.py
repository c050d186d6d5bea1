"""The first rows of each key: Top-N, and the first or last row of a key, as Flink emits them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from datastream.errors import ValidationError
from datastream.graph.operators import Rank
from datastream.graph.slots import ROWS_OF_RANK
from datastream.runtime.hosts.host import Host, KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import AFTER, BEFORE, DELETE, INSERT, noting
from .late_rows import LateRows
from .nan_rows import find_row
from .paged_host import PagedHost
from .places import place_of
from .window_ends import MS, WindowEnds

Row = tuple[Any, ...]


def rank_host(op: Rank, setting: Setting) -> Host:
    """The host for an operator."""
    return WaitingRankHost(op, setting) if op.waits else RankHost(op, setting)


class RankHost(PagedHost):
    """Emits the changes of the first rows at once. Keeps them, or all rows where rows also go."""

    def __init__(self, op: Rank, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._place = place_of(op.order)
        self._places_matter = op.first > 1 or (op.numbered and op.last > 1)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values, op = self._load(keys), self._op
        out: list[Row] = []
        with noting(self):
            for key, r in zip(keys, records, strict=True):
                kind, row = (r[0], r[1:]) if op.changes else (INSERT, r)
                rows = values.get(key)
                if rows is None:
                    rows = values[key] = []
                if op.arrivals:
                    self._append(rows, row, out)
                elif op.newest:
                    self._renew(rows, row, out)
                elif op.upsert is not None and kind != DELETE:
                    if kind != BEFORE:
                        self._upsert(rows, row, out)
                elif kind & 1:
                    self._remove(rows, row, out)
                else:
                    self._insert(rows, row, out)
                if not rows:
                    values[key] = None
        return self.untimed(out)

    def _row(self, kind: int, row: Row, place: int) -> Row:
        """A result."""
        return (kind, *row, place + 1) if self._op.numbered else (kind, *row)

    def _append(self, rows: list[Row], row: Row, out: list[Row]) -> None:
        """Rows that are in the order in which they come."""
        op = self._op
        if len(rows) < op.last:
            rows.append(row)
            if len(rows) >= op.first:
                out.append((*row, len(rows)) if op.numbered else row)

    def _renew(self, rows: list[Row], row: Row, out: list[Row]) -> None:
        """The last row of the key."""
        if not rows:
            rows.append(row)
            out.append(self._row(INSERT, row, 0))
        elif not self._place(rows[0]) < self._place(row):
            out += self._row(BEFORE, rows[0], 0), self._row(AFTER, row, 0)
            rows[0] = row

    def _insert(self, rows: list[Row], row: Row, out: list[Row]) -> None:
        op, last, place = self._op, self._op.last, self._place(row)
        if len(rows) >= last and not op.changes and not place < self._place(rows[-1]):
            return
        at = bisect_right(rows, place, key=self._place)
        if at < last:
            if self._places_matter:
                self._shift(rows, row, at, min(len(rows), last), out)
                if len(rows) < last and len(rows) >= op.first - 1:
                    moved = rows[-1] if at < len(rows) else row
                    out.append(self._row(INSERT, moved, len(rows)))
            elif len(rows) < last:
                out.append(self._row(INSERT, row, at))
            elif last == 1 and not op.changes:
                out += self._row(BEFORE, rows[0], 0), self._row(AFTER, row, 0)
            else:
                out += self._row(DELETE, rows[last - 1], last - 1), self._row(INSERT, row, at)
        rows.insert(at, row)
        if not op.changes:
            del rows[last:]

    def _shift(self, rows: list[Row], row: Row, start: int, end: int, out: list[Row]) -> None:
        """A row takes a place, and those after it move by one, up to an end."""
        new = row
        for place in range(start, end):
            old = rows[place]
            if place >= self._op.first - 1 and old != new:
                out += self._row(BEFORE, old, place), self._row(AFTER, new, place)
            new = old

    def _remove(self, rows: list[Row], row: Row, out: list[Row]) -> None:
        at = find_row(rows, row, bisect_left(rows, self._place(row), key=self._place))
        if at is None:
            return
        first, last = self._op.first - 1, self._op.last
        if at < last:
            if self._places_matter:
                for place in range(at, min(len(rows) - 1, last)):
                    if place >= first and rows[place] != rows[place + 1]:
                        out += self._row(BEFORE, rows[place], place), self._row(AFTER, rows[place + 1], place)
                if first < len(rows) <= last:
                    out.append(self._row(DELETE, rows[-1], len(rows) - 1))
            else:
                out.append(self._row(DELETE, row, at))
                if len(rows) > last:
                    out.append(self._row(INSERT, rows[last], last - 1))
        del rows[at]

    def _upsert(self, rows: list[Row], row: Row, out: list[Row]) -> None:
        """A row that replaces the one with its key, which is not before it."""
        columns = self._op.upsert or ()
        key = [row[i] for i in columns]
        old = next((i for i, each in enumerate(rows) if [each[j] for j in columns] == key), None)
        if old is None:
            self._insert(rows, row, out)
            return
        before = rows[old]
        others = [*rows[:old], *rows[old + 1 :]]
        at = bisect_right(others, self._place(row), key=self._place)
        if at > old:
            at = old  # as in Flink, which takes it for granted that it moves to the front
        first, last = self._op.first - 1, self._op.last
        if self._places_matter:
            self._shift(rows, row, at, min(old + 1, last), out)
        elif old < last:
            out += self._row(BEFORE, before, old), self._row(AFTER, row, at)
        elif at < last:
            out += self._row(DELETE, rows[last - 1], last - 1), self._row(INSERT, row, at)
        assert first >= 0
        del rows[old]
        rows.insert(at, row)


class WaitingRankHost(LateRows, KeyedHost):
    """Emits rows once: those of a window when it ends, the first row of a key when nothing can be before it."""

    def __init__(self, op: Rank, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._place = place_of(op.order)
        self._ends = WindowEnds(op.zone)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(set(keys))
        with noting(self):
            for key, r in zip(keys, records, strict=True):
                self._take(key, r)
        self.states.cell.leave()
        return self.untimed([])

    def _take(self, key: Any, r: Row) -> None:
        op, time = self._op, r[self._op.time]
        if time is None:
            raise ValidationError("the time of a row must not be NULL where it orders the rows")
        due = self._ends.instant(time) // MS - 1 if op.windows else time // MS
        if due < self.watermark or (op.windows and due == self.watermark):
            self.note_late(due)
            return
        cell = self.states.cell
        cell.key, cell.content = key, self.states.values[key]
        rows = cell.content.get(ROWS_OF_RANK)
        if rows is None:
            rows = cell.content[ROWS_OF_RANK] = []
        elif not rows:
            return  # the first row of the key was given
        if op.newest and rows:
            if not self._place(rows[0]) < self._place(r):
                rows[0] = r
            return
        at = bisect_right(rows, self._place(r), key=self._place)
        if at < op.last:
            rows.insert(at, r)
            del rows[op.last :]
            if len(rows) == 1 or not op.windows:
                self.states.timers.register_event_time_timer(due)

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is TimeDomain.EVENT_TIME:
            yield from map(self.untimed, chunks(self._due(time)))

    def _due(self, now: int) -> Iterator[list[Row]]:
        op = self._op
        for _, _ in self.states.fire(TimeDomain.EVENT_TIME, now):
            content = self.states.cell.content
            rows = content.get(ROWS_OF_RANK)
            if not rows:
                continue
            if not op.windows and rows[0][op.time] // MS > now:
                continue
            given = enumerate(rows[op.first - 1 :], op.first)
            yield [(*row, number) if op.numbered else row for number, row in given]
            if op.windows:
                del content[ROWS_OF_RANK]
            else:
                content[ROWS_OF_RANK] = []
