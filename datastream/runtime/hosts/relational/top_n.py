"""ORDER BY with LIMIT of a table without end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from datastream.graph.operators import TopN
from datastream.runtime.hosts.host import Host, Out, Setting, Times
from datastream.runtime.pages import PagedState, Store

from .generated_code import AFTER, BEFORE, DELETE, INSERT
from .nan_rows import find_row
from .places import place_of

_KEY = ()


class TopNHost(Host):
    """Keeps rows in order: as many as are wanted, or all where rows are also taken out.

    As in Flink, rows after an OFFSET have places, and a row that comes or goes changes each place from its own on.
    """

    def __init__(self, op: TopN, setting: Setting) -> None:
        super().__init__(op, setting)
        self._place, self._changes = place_of(op.order), op.changes
        self._offset, self._wanted = op.offset, op.offset + op.limit

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._state = PagedState(store, self.op.state_uid, self.setting.max_parallelism)
        self._state.load([_KEY])
        self._rows: list[Any] = self._state.values.get(_KEY, [])
        self._places = [self._place(row) for row in self._rows]

    def pages(self) -> list[PagedState]:
        return [self._state]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        out: list[Any] = []
        for record in records:
            self.record = record
            if not self._changes:
                self._insert(record, out)
            elif record[0] & 1:
                self._remove(record[1:], out)
            else:
                self._insert(record[1:], out)
        return self.untimed(out)

    def flush(self) -> int | None:
        if self._rows or _KEY in self._state.values:
            self._state.values[_KEY] = self._rows
        self._state.flush()
        return None

    def _insert(self, row: Any, out: list[Any]) -> None:
        rows, offset, wanted = self._rows, self._offset, self._wanted
        place = self._place(row)
        at = bisect_right(self._places, place)
        if at >= wanted and not self._changes:
            return
        if offset:
            rows.insert(at, row)
            self._places.insert(at, place)
            for rank in range(max(at, offset), min(len(rows), wanted)):
                last = rank == len(rows) - 1
                out += [(INSERT, *rows[rank])] if last else [(BEFORE, *rows[rank + 1]), (AFTER, *rows[rank])]
            if not self._changes:
                del rows[wanted:], self._places[wanted:]
            return
        leaves = at < wanted <= len(rows)
        if leaves and wanted == 1 and not self._changes:
            out += (BEFORE, *rows[0]), (AFTER, *row)
            rows[0], self._places[0] = row, place
            return
        if leaves:
            out.append((DELETE, *rows[wanted - 1]))
        rows.insert(at, row)
        self._places.insert(at, place)
        if at < wanted:
            out.append((INSERT, *row))
        if not self._changes:
            del rows[wanted:], self._places[wanted:]

    def _remove(self, row: Any, out: list[Any]) -> None:
        rows, offset, wanted = self._rows, self._offset, self._wanted
        at = find_row(rows, row, bisect_left(self._places, self._place(row)))
        if at is None:
            return
        if offset:
            for rank in range(max(at, offset), min(len(rows), wanted)):
                last = rank == len(rows) - 1
                out += [(DELETE, *rows[rank])] if last else [(BEFORE, *rows[rank]), (AFTER, *rows[rank + 1])]
        elif at < wanted:
            out.append((DELETE, *row))
            if len(rows) > wanted:
                out.append((INSERT, *rows[wanted]))
        del rows[at], self._places[at]
