"""ORDER BY, OFFSET and LIMIT in one subtask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datastream.graph.operators import SortLimit
from datastream.runtime.hosts.host import CHUNK, Host, Out, Setting, Times
from datastream.runtime.pages import PagedState, Store

#: How many rows an entry of the state has, and how many wanted rows are kept in order.
_ROWS = 4096
#: Where it is kept how much there is: the number of entries, and of rows that have passed a limit without an order.
_COUNTS = -1


class SortLimitHost(Host):
    """Keeps rows until the input ends, and emits them in order. Without an order rows pass until the limit.

    Rows lie in entries of 4,096, which are written once. A small limit with an order keeps one entry: the best so far.
    """

    def __init__(self, op: SortLimit, setting: Setting) -> None:
        super().__init__(op, setting)
        self._order = order_of(op.order)
        self._offset, self._limit = op.offset, op.limit
        self._wanted = None if op.limit is None else op.offset + op.limit
        self._few = bool(op.order) and self._wanted is not None and self._wanted <= _ROWS
        self._sorts = bool(op.order)

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._state = PagedState(store, self.op.state_uid, self.setting.max_parallelism)
        self._groups = groups
        self._state.load([_COUNTS])
        self._entries, self._passed = self._state.values.get(_COUNTS, (0, 0))
        self._rows: list[Any] = []

    def pages(self) -> list[PagedState]:
        return [self._state]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        if not self._sorts:
            start = max(0, self._offset - self._passed)
            stop = len(records) if self._wanted is None else max(0, self._wanted - self._passed)
            self._passed += len(records)
            return self.untimed(records[start:stop])
        self._rows += records
        if self._few and len(self._rows) > 4 * _ROWS:
            self._cut()
        return self.untimed([])

    def end(self) -> Iterator[Out]:
        if not self._sorts:
            return
        self._keep()
        self._state.flush()
        rows = [row for key, kept in self._state.items(self._groups) if key != _COUNTS for row in kept]
        rows = self._order(rows)[self._offset : self._wanted]
        for i in range(0, len(rows), CHUNK):
            yield self.untimed(rows[i : i + CHUNK])

    def flush(self) -> int | None:
        self._keep()
        self._state.flush()
        return None

    def _cut(self) -> None:
        self._rows = self._order(self._rows)[: self._wanted]

    def _keep(self) -> None:
        """Put the rows into entries."""
        rows, self._rows = self._rows, []
        values = self._state.values
        self._state.load([_COUNTS])
        if self._few and rows:
            self._state.load([0])
            values = self._state.values
            values[0] = self._order([*values.get(0, ()), *rows])[: self._wanted]
            self._entries = 1
        elif rows:
            pieces = [rows[i : i + _ROWS] for i in range(0, len(rows), _ROWS)]
            new = range(self._entries, self._entries + len(pieces))
            self._state.load(new)
            values = self._state.values
            values.update(zip(new, pieces, strict=True))
            self._entries = new.stop
        values[_COUNTS] = (self._entries, self._passed)


def order_of(order: tuple[tuple[int, bool, bool], ...]) -> Callable[[list[Any]], list[Any]]:
    """A function: rows -> the same in order. For each key: index, whether it ascends, whether NULL comes first."""

    def sort(rows: list[Any]) -> list[Any]:
        rows = list(rows)
        for index, ascending, nulls_first in reversed(order):
            nulls = [row for row in rows if row[index] is None]
            others = [row for row in rows if row[index] is not None] if nulls else rows
            if nans := [row for row in others if row[index] != row[index]]:  # the greatest ones
                others = [row for row in others if row[index] == row[index]]
            others.sort(key=lambda row: row[index], reverse=not ascending)
            others = others + nans if ascending else nans + others
            rows = nulls + others if nulls_first else others + nulls
        return rows

    return sort
