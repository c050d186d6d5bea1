"""OVER windows in the order of a column that is no time, from the first row on: changes of the later rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from datastream.graph.operators import OverAggregate
from datastream.runtime.hosts.host import Out, Setting, Times

from .generated_code import AFTER, BEFORE, DELETE, INSERT, noting
from .nan_rows import find_row
from .over_frames import Frames, Row
from .paged_host import PagedHost

#: A row that is kept, a list: it, and its results as they were given.
_ROW, _RESULTS = range(2)


class OverChangesHost(PagedHost):
    """Keeps the rows of each key in order. Each row that comes or goes emits its changes at once, as in Flink."""

    def __init__(self, op: OverAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._frames = Frames(op)
        self._column = op.order[0][0]
        self._rows, self._changes = op.rows, op.changes

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._load(keys)
        out: list[Row] = []
        with noting(self):
            for key, r in zip(keys, records, strict=True):
                kind, row = (r[0], r[1:]) if self._changes else (INSERT, r)
                kept = values.get(key)
                if kept is None:
                    kept = values[key] = []
                if kind & 1:
                    self._remove(kept, row, out)
                else:
                    self._insert(kept, row, kind, out)
                if not kept:
                    values[key] = None
        return self.untimed(out)

    def _place(self, row: Row) -> tuple[bool, Any]:
        """What rows are ordered by: NULL is before all."""
        value = row[self._column]
        return (False, 0) if value is None else (True, value)

    def _insert(self, kept: list[list[Any]], row: Row, kind: int, out: list[Row]) -> None:
        places = [self._place(each[_ROW]) for each in kept]
        place = self._place(row)
        at = bisect_right(places, place)
        kept.insert(at, [row, None])
        self._give(kept, at if self._rows else bisect_left(places, place), kind, out)

    def _remove(self, kept: list[list[Any]], row: Row, out: list[Row]) -> None:
        places = [self._place(each[_ROW]) for each in kept]
        place = self._place(row)
        first = bisect_left(places, place)
        at = find_row([each for each, _ in kept], row, first)
        if at is None:
            return
        out.append((DELETE, *row, *kept.pop(at)[_RESULTS]))
        self._give(kept, at if self._rows else first, AFTER, out)

    def _give(self, kept: list[list[Any]], start: int, kind: int, out: list[Row]) -> None:
        """Give what has changed from a row on; `kind` is that of a row that is new."""
        acc, add, value = self._frames.first(), self._frames.add, self._frames.value
        for row, _ in kept[:start]:
            add(acc, row)
        place = start
        while place < len(kept):
            end = place + 1
            if not self._rows:
                here = self._place(kept[place][_ROW])
                while end < len(kept) and self._place(kept[end][_ROW]) == here:
                    end += 1
            for row, _ in kept[place:end]:
                add(acc, row)
            results = value(acc)
            for each in kept[place:end]:
                row, before = each
                if before is None:
                    out.append((kind, *row, *results))
                elif before != results:
                    out.append((BEFORE, *row, *before))
                    out.append((AFTER, *row, *results))
                each[_RESULTS] = results
            place = end
