"""OVER windows in the order of a column that is no time: changes of the later rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
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
        self._rows, self._changes, self._start = op.rows, op.changes, op.start

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

    def _place(self, kept: list[Any]) -> tuple[bool, Any]:
        """What a kept row is ordered by: NULL is before all."""
        value = kept[_ROW][self._column]
        return (False, 0) if value is None else (True, value)

    def _insert(self, kept: list[list[Any]], row: Row, kind: int, out: list[Row]) -> None:
        new = [row, None]
        place = self._place(new)
        at = bisect_right(kept, place, key=self._place)
        first = at if self._rows else bisect_left(kept, place, key=self._place)
        kept.insert(at, new)
        self._give(kept, first, place, kind, out)

    def _remove(self, kept: list[list[Any]], row: Row, out: list[Row]) -> None:
        place = self._place([row, None])
        first = bisect_left(kept, place, key=self._place)
        at = find_row([each for each, _ in kept], row, first)
        if at is None:
            return
        out.append((DELETE, *row, *kept.pop(at)[_RESULTS]))
        self._give(kept, at if self._rows else first, place, AFTER, out)

    def _give(self, kept: list[list[Any]], start: int, changed: tuple[bool, Any], kind: int, out: list[Row]) -> None:
        """Give what has changed from a row on.

        Args:
            kept: All rows of the key.
            start: The first one whose frame has changed.
            changed: The place of the row that has come or gone.
            kind: That of a row that is new.
            out: Where changes go.
        """
        if self._start is not None:
            for first, end, begin in self._near(kept, start, changed):
                results = self._frames.value_of(row for row, _ in kept[begin:end])
                for each in kept[first:end]:
                    _give_result(each, results, kind, out)
            return
        acc, add, value = self._frames.first(), self._frames.add, self._frames.value
        for row, _ in kept[:start]:
            add(acc, row)
        place = start
        while place < len(kept):
            end = place + 1
            if not self._rows:
                end = bisect_right(kept, self._place(kept[place]), place, key=self._place)
            for row, _ in kept[place:end]:
                add(acc, row)
            results = value(acc)
            for each in kept[place:end]:
                _give_result(each, results, kind, out)
            place = end

    def _near(self, kept: list[list[Any]], start: int, changed: tuple[bool, Any]) -> Iterator[tuple[int, int, int]]:
        """Of rows with the same bounded frame, from one on: where they begin and end, and where their frame begins."""
        if self._rows:
            for at in range(start, min(len(kept), start + self._start + 1)):
                yield at, at + 1, max(0, at - self._start)
            return
        last = bisect_right(kept, self._away(changed, self._start), key=self._place)
        while start < last:
            here = self._place(kept[start])
            end = bisect_right(kept, here, start, key=self._place)
            yield start, end, bisect_left(kept, self._away(here, -self._start), key=self._place)
            start = end

    def _away(self, place: tuple[bool, Any], distance: Any) -> tuple[bool, Any]:
        """The place so far away; NULL is near to NULL alone."""
        known, value = place
        return (True, value + distance) if known else place


def _give_result(kept: list[Any], results: Row, kind: int, out: list[Row]) -> None:
    """Give a row its results if they are others than before."""
    row, before = kept
    if before is None:
        out.append((kind, *row, *results))
    elif before != results:
        out.append((BEFORE, *row, *before))
        out.append((AFTER, *row, *results))
    kept[_RESULTS] = results
