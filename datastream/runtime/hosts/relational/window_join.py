"""Joins of the rows of windows: the results come when the window has ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import WindowJoin
from datastream.graph.slots import ROWS_OF_WINDOWS
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import noting
from .join_base import JoinBase
from .late_rows import LateRows
from .window_ends import MS, WindowEnds

#: A window: its end and its start, in µs.
Span = tuple[int, int]

#: The rows of both sides.
Sides = tuple[list[Any], list[Any]]


class WindowJoinHost(JoinBase, LateRows, KeyedHost):
    """Keeps the rows of each window of each key until the watermark passes its end. Late rows are dropped."""

    def __init__(self, op: WindowJoin, setting: Setting) -> None:
        super().__init__(op, setting)
        self._spans = op.spans
        self._ends = WindowEnds(op.zone)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        states, cell = self.states, self.states.cell
        states.load(set(keys))
        width, (start, end) = self._op.widths[side], self._spans[side]
        ended = self._ends.passed(self.watermark)
        for key, record in zip(keys, records, strict=True):
            span = record[end], record[start]
            if span[0] <= ended:
                self._late(span[0])
                continue
            windows: dict[Span, Sides] = states.values[key].setdefault(ROWS_OF_WINDOWS, {})
            rows = windows.get(span)
            if rows is None:
                rows = windows[span] = [], []
                cell.key, cell.content = key, states.values[key]
                states.timers.register_event_time_timer(self._timer(span[0]))
            rows[side].append(record[:width])
        cell.leave()
        return self.untimed([])

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is TimeDomain.EVENT_TIME:
            yield from map(self.untimed, chunks(self._due(time)))

    def _due(self, time: int) -> Iterator[list[Any]]:
        """The results of windows that have ended at a time, in ms."""
        with noting(self):
            for timer, key in self.states.fire(TimeDomain.EVENT_TIME, time):
                content = self.states.cell.content
                windows: dict[Span, Sides] = content.get(ROWS_OF_WINDOWS, {})
                out: list[Any] = []
                for span in sorted(span for span in windows if self._timer(span[0]) <= timer):
                    self._give(key, windows.pop(span), out)
                if not windows:
                    content.pop(ROWS_OF_WINDOWS, None)
                yield out

    def _give(self, key: Any, sides: Sides, out: list[Any]) -> None:
        left, right = sides
        if self._is_null(key):
            self._results_of(left, [], out)
            if self._outer[1]:
                out += [self._alone(1, row) for row in right]
            return
        self._results_of(left, right, out)

    def _timer(self, end: int) -> int:
        """When a window that ends there has ended, in ms."""
        return self._ends.instant(end) // MS - 1

    def _late(self, end: int) -> None:
        self.note_late(self._ends.instant(end) // MS)
