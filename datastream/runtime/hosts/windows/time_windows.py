"""Tumbling and sliding windows that fire at their end: no object a window, no call of a trigger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from datastream.graph.operators import Window
from datastream.graph.slots import STARTS
from datastream.runtime.hosts.host import CHUNK, Out, Setting, Times
from datastream.runtime.keyed_state import detached
from datastream.runtime.pages import Store
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, TimeDomain
from datastream.windows import TimeWindow

from .base import BEFORE_ALL, BEHIND_ALL, SlotHost
from .slots import user_states


class RegularWindowHost(SlotHost):
    """What hosts of tumbling and sliding windows share: where windows are, and what is late."""

    def __init__(self, op: Window, setting: Setting, slot: int) -> None:
        assigner: Any = op.operation.assigner
        self._size: int = assigner.size
        self._slide: int = getattr(assigner, "slide", assigner.size)
        self._offset: int = assigner.offset
        super().__init__(op, setting, (slot, self._size, self._slide, self._offset))

    def _ended(self) -> int:
        """Windows that start here or before have ended."""
        if self._domain is TimeDomain.PROCESSING_TIME:
            return BEFORE_ALL
        return BEHIND_ALL if self.watermark >= MAX_WATERMARK else self.watermark - self._size + 1

    def _moments(self, records: list[Any], times: Times | None) -> list[Any]:
        """The times that decide, of as many records."""
        if self._domain is TimeDomain.PROCESSING_TIME:
            return [self.setting.clock()] * len(records)
        return [None] * len(records) if times is None else times


class TimeWindowHost(RegularWindowHost):
    """Each key keeps what is in its windows by their starts."""

    def __init__(self, op: Window, setting: Setting) -> None:
        super().__init__(op, setting, STARTS)
        # A window's contents go with it, unless it may fire again or its records are in other windows too.
        self._keeps = self._lateness > 0 or (self._slide < self._size and self._folding.gathers)
        self._reopened: set[tuple[Any, int]] = set()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._reopened.clear()

    def _nothing(self) -> dict[int, Any]:
        return {}

    def _find_reopened(self, key: Any, kept: dict[int, Any], timers: Sequence[int]) -> None:
        if self._lateness:
            ended, last = self._ended(), self._size - 1
            self._reopened.update((key, start) for start in kept if start > ended and start + last not in timers)

    def _fold(self, keys: list[Any], records: list[Any], starts: list[int]) -> None:
        """Add each record to the window of its key that begins there."""
        if self._reopened:
            for key, start in zip(keys, starts, strict=True):
                if (key, start) in self._reopened:
                    self._reopened.remove((key, start))
                    self._point(key)
                    self._register(start + self._size - 1)
        self._folding.fold(self._opened, keys, records, starts, self._opening)

    def _last_starts(self, records: list[Any], moments: list[Any]) -> tuple[list[int], int]:
        """The latest start at or before each time, and the least of them."""
        slide, offset = self._slide, self._offset
        try:
            starts = [time - (time - offset) % slide for time in moments]
        except TypeError:
            self._refuse_without_time(records, moments)
            raise
        least = min(starts, default=0)
        if least <= MIN_WATERMARK and self._domain is TimeDomain.EVENT_TIME:
            self._refuse_without_time(records, moments)
        return starts, least

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self._open(keys)
        moments = self._moments(records, times)
        starts, least = self._last_starts(records, moments)
        out: list[Any] = []
        out_times: Times = []
        if self._slide == self._size and least > self._ended():
            self._fold(keys, records, starts)
        else:
            fired = self._sort_out(keys, records, moments, starts, out, out_times)
            out = detached(out, [self.states.values[key] for key in fired])
        self.states.cell.leave()
        return out, out_times if self.setting.timed else None

    def _sort_out(
        self,
        keys: list[Any],
        records: list[Any],
        moments: list[int],
        starts: list[int],
        out: list[Any],
        out_times: Times,
    ) -> set[Any]:
        """Records of several windows, of none, and late ones. The keys whose windows gave results."""
        size, slide, lateness = self._size, self._slide, self._lateness
        ended = self._ended()
        gone = ended - lateness
        fired = set()
        in_time: tuple[list[Any], list[Any], list[int]] = [], [], []
        more_keys, more_records, more_starts = (part.append for part in in_time)
        for key, record, time, last in zip(keys, records, moments, starts, strict=True):
            taken = False
            for start in range(last, time - size, -slide):
                if start > ended:
                    more_keys(key)
                    more_records(record)
                    more_starts(start)
                elif start > gone:
                    self._folding.fold(self._opened, [key], [record], [start], self._opening)
                    self._point(key)
                    self._give(start, record, out, out_times)
                    fired.add(key)
                else:
                    continue
                taken = True
            if not taken and time + lateness <= self.watermark and self._domain is TimeDomain.EVENT_TIME:
                self._late(record, time, out, out_times)
        self._fold(*in_time)
        return fired

    def _opening(self, key: Any, start: int) -> None:
        """Set the timer of a new window."""
        self._point(key)[self._slot] = self._opened[key]
        self._register_end(start + self._size - 1)

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is not self._domain:
            return
        out: list[Any] = []
        times: Times = []
        contents = []
        opened, cell, lateness, plain = self._opened, self.states.cell, self._lateness, self._calling.plain
        for timestamp, key in self.states.fire(domain, time):
            windows = self._kept(key)
            start = timestamp - self._size + 1
            if start in windows:
                self._give(start, key, out, times)
                if not lateness:
                    self._drop(windows, start)
                elif timestamp + lateness < MAX_WATERMARK:
                    self._register(timestamp + lateness)
            if lateness and start - lateness in windows:
                self._drop(windows, start - lateness)
            if not windows:
                cell.content.pop(self._slot, None)
                del opened[key]
            if self._keeps:
                contents.append(cell.content)
            elif not plain:
                contents.append(user_states(cell.content))
            if len(out) >= CHUNK:
                yield detached(out, contents), times if self.setting.timed else None
                out, times, contents = [], [], []
        if out:
            yield detached(out, contents), times if self.setting.timed else None

    def _drop(self, windows: dict[int, Any], start: int) -> None:
        del windows[start]
        if self._calling.clears:
            self._calling.clear(TimeWindow(start, start + self._size), start)

    def _give(self, start: int, record: Any, out: list[Any], times: Times) -> None:
        """The result of a window of the key in hand."""
        accumulator = self._opened[self.states.cell.key][start]
        try:
            elements = self._folding.elements(accumulator)
        except BaseException:
            self.note_failure(record, self._folding.giving)
            raise
        if elements and not self._calling.plain:
            if self._keeps and self._folding.gathers:
                elements = elements.copy()
            elements = self._calling.results(TimeWindow(start, start + self._size), start, elements, record)
        out += elements
        times += [start + self._size - 1] * len(elements)
