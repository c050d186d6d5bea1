"""OVER windows in batch mode: all rows of a key in order, at the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from datastream.graph.operators import OverAggregate
from datastream.graph.state_forms import stored_uid
from datastream.runtime.appended import FIRST_BUCKET, AppendedState, Frame, by_key
from datastream.runtime.hosts.host import Host, Out, Setting, Times, chunks
from datastream.runtime.key_groups import stable_hash
from datastream.runtime.pages import Store

from .failing import noting
from .over_frames import Frames, Row
from .positions import positions_of
from .sort_limit import order_of

#: Bytes of rows that are read as a whole, so that keys come in order, as in Flink.
_SMALL = 64 * 1024 * 1024


class OverSortedHost(Host):
    """Keeps rows in logs, a log for each key group, until the input ends."""

    def __init__(self, op: OverAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._frames = Frames(op)
        self._sorted = order_of(op.order)
        self._columns = [index for index, _, _ in op.order]

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._logs = AppendedState(store, stored_uid(self.op.state_uid, OverAggregate.ROWS))
        self._groups = groups

    def pages(self) -> list[AppendedState]:
        return [self._logs]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        frames: dict[int, Frame] = {}
        for key, record in zip(keys, records, strict=True):
            group = stable_hash(key) % self.setting.max_parallelism
            if group not in frames:
                frames[group] = [], []
            frames[group][0].append(key)
            frames[group][1].append(record)
        for group, frame in frames.items():
            self._logs.add((group, FIRST_BUCKET), frame)
        return self.untimed([])

    def flush(self) -> int | None:
        self._logs.flush()
        return None

    def end(self) -> Iterator[Out]:
        self._logs.flush()
        whole = sum(map(self._logs.size, self._logs.buckets(self._groups))) <= _SMALL
        for groups in [list(self._groups)] if whole else ([group] for group in self._groups):
            logs = self._logs.buckets(groups)
            found = by_key(frame for some in self._logs.read(logs).values() for frame in some)
            keys = list(found)
            with suppress(TypeError):  # keys that have no order
                keys.sort(key=_place_of_key)
            for key in keys:
                with noting(self):
                    out = self._results(self._sorted(found[key]))
                yield from map(self.untimed, chunks([out]))

    def _results(self, rows: list[Row]) -> list[Row]:
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


def _place_of_key(key: Any) -> Any:
    """NULL is before all."""
    parts = key if type(key) is tuple else (key,)
    return tuple((part is not None, 0 if part is None else part) for part in parts)
