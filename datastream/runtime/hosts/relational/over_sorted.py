"""OVER windows in batch mode: all rows of a key in order, at the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import OverAggregate
from datastream.runtime.hosts.host import Setting

from .over_frames import Frames, Row
from .positions import positions_of
from .sorted_rows import SortedRowsHost


class OverSortedHost(SortedRowsHost):
    """Emits each row with its results once all rows of its key are there."""

    def __init__(self, op: OverAggregate, setting: Setting) -> None:
        super().__init__(op, setting, OverAggregate.ROWS, op.order)
        self._op = op
        self._frames = Frames(op)
        self._columns = [index for index, _, _ in op.order]

    def results(self, rows: list[Row]) -> list[Row]:
        """The rows of a key, in order, with their results."""
        peers = self._peers(rows)
        columns = [positions_of(each, rows, peers) for each in self._op.positions]
        aggregates = self._aggregates(rows, peers) if self._op.fold.value != "()" else [()] * len(rows)
        more = zip(*columns, strict=True) if columns else [()] * len(rows)
        return [row + made + last for row, made, last in zip(rows, aggregates, more, strict=True)]

    def _peers(self, rows: list[Row]) -> list[tuple[int, int]]:
        """Of each row: where those begin and end that have the same place in the order."""
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(rows):
            here = [rows[start][i] for i in self._columns]
            end = start + 1
            while end < len(rows) and [rows[end][i] for i in self._columns] == here:
                end += 1
            found += [(start, end)] * (end - start)
            start = end
        return found

    def _aggregates(self, rows: list[Row], peers: list[tuple[int, int]]) -> list[Row]:
        frames, results = self._frames, []
        acc, first, last = frames.first(), 0, 0  # of the rows from first up to last
        value, is_new = frames.value(acc), False
        for begin, end in self._bounds(rows, peers):
            if begin < first or end < last or (begin > first and not self._op.retracts) or begin >= end:
                acc, first, last = frames.first(), begin, begin
                is_new = True
            while last < end:
                frames.add(acc, rows[last])
                last, is_new = last + 1, True
            while first < begin:
                frames.take_out(acc, rows[first])
                first, is_new = first + 1, True
            if is_new:
                value, is_new = frames.value(acc), False
            results.append(value)
        return results

    def _bounds(self, rows: list[Row], peers: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Of each row: where its frame begins and ends."""
        start, end, count = self._op.start, self._op.end, len(rows)
        if self._op.rows:
            for i in range(count):
                yield (
                    0 if start is None else min(max(0, i - start), count),
                    count if end is None else min(max(0, i + end + 1), count),
                )
            return
        near = self._distances(rows) if start or end else None
        for i, (first, last) in enumerate(peers):
            begin = 0 if start is None else first if not start or near is None else near(i, start, True)
            stop = count if end is None else last if not end or near is None else near(i, end, False)
            yield begin, max(begin, stop)

    def _distances(self, rows: list[Row]) -> Any:
        """A function: row, distance, whether before it -> where the rows within begin, or end."""
        index, ascending, _ = self._op.order[0]
        sign = 1 if ascending else -1
        known = [i for i, row in enumerate(rows) if row[index] is not None]
        low = known[0] if known else 0
        values = [sign * rows[i][index] for i in known]

        def near(i: int, distance: Any, before: bool) -> int:
            value = rows[i][index]
            if value is None and before and distance < 0:  # as in Flink, nothing is behind it
                return len(rows)
            if value is None:  # it is near to others like it
                nulls = [j for j, row in enumerate(rows) if row[index] is None]
                return nulls[0] if before else nulls[-1] + 1
            if before:
                return low + bisect_left(values, sign * value - distance)
            return low + bisect_right(values, sign * value + distance)

        return near
