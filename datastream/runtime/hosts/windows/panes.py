"""Sliding windows that share what they have in common.

A **pane** is as long as the greatest common divisor of size and slide, so each window is a row of whole panes. While
a key's records come pane by pane, each goes into its pane only, and a window that fires joins its panes in order: what
it gives is what one accumulator would, as the functions are associative.

A record after the newest pane would come out of its turn that way, and functions need not commute. Before such a
record, the windows that share panes get accumulators of their own, and those that begin later share panes anew. So a
key whose records are out of order costs as much as without panes, and nothing else changes.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import gcd
from typing import Any

from datastream.functions import AggregateFunction
from datastream.graph.operators import Window
from datastream.graph.slots import PANES
from datastream.runtime.hosts.host import CHUNK, Out, Setting, Times
from datastream.runtime.keyed_state import all_fixed, apart, detached
from datastream.time import MAX_WATERMARK, MIN_WATERMARK, TimeDomain
from datastream.types.pickles import dumps, loads
from datastream.windows import TimeWindow

from .base import BEFORE_ALL
from .time_windows import RegularWindowHost

# What a key keeps, a list: the newest pane if only panes are in use, else None; accumulators by pane, in order of time;
# accumulators by start of a window; the latest start of a window that shares no panes.
_NEWEST, _PANES, _WINDOWS, _BORDER = range(4)


def joins(incremental: Any) -> bool:
    """Whether accumulators can be joined: a reduce function, or an aggregate function whose `merge` returns something.

    Tumbling and sliding windows never need `merge`, so many functions have one that does nothing or raises.
    """
    if not isinstance(incremental, AggregateFunction):
        return True
    code = getattr(incremental.merge, "__code__", None)
    if code is None:
        return True
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_VALUE" and not (
            before is not None and before.opname == "LOAD_CONST" and before.argval is None
        ):
            return True
        if instruction.opname == "RETURN_CONST" and instruction.argval is not None:
            return True
        before = instruction
    return False


class PaneWindowHost(RegularWindowHost):
    """Sliding windows that overlap, with a function whose accumulators can be joined."""

    _shares = True

    def __init__(self, op: Window, setting: Setting) -> None:
        super().__init__(op, setting, PANES)
        self._pane = gcd(self._size, self._slide)

    def _nothing(self) -> list[Any]:
        return [None, {}, {}, BEFORE_ALL]

    def _find_reopened(self, key: Any, kept: list[Any], timers: Sequence[int]) -> None:
        if kept[_NEWEST] is not None:
            first = _after(max(self._ended(), kept[_NEWEST] - self._size), self._slide, self._offset)
            if first + self._size - 1 not in timers:
                kept[_NEWEST] = None  # the next record sets the timer

    # -- records -----------------------------------------------------------------------------------------

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self._open(keys)
        moments = self._moments(records, times)
        pane, offset, ended = self._pane, self._offset, self._ended() + self._size - self._pane
        opened, add = self._opened, self._folding.add
        out: list[Any] = []
        out_times: Times = []
        fired: set[Any] = set()
        record = None
        try:  # not shared with other windows: what is inline here would be a call for each record
            for key, record, time in zip(keys, records, moments):  # noqa: B905 - a block's halves have one length
                kept = opened[key]
                start = time - (time - offset) % pane
                if start == kept[0] and start > ended:
                    panes = kept[1]
                    panes[start] = add(panes[start], record)
                else:
                    self._sort_in(key, record, time, start, out, out_times, fired)
        except BaseException as error:
            if isinstance(error, TypeError):
                self._refuse_without_time(records, moments)
            self.note_failure(record, self._folding.adding)
            raise
        self.states.cell.leave()
        out = detached(out, [self.states.values[key] for key in fired])
        return out, out_times if self.setting.timed else None

    def _sort_in(
        self, key: Any, record: Any, time: int, pane: int, out: list[Any], out_times: Times, fired: set[Any]
    ) -> None:
        """A record that opens a pane, is behind one, or in a window that has ended."""
        if time <= MIN_WATERMARK:
            self._refuse_without_time([record], [time])
        kept = self._opened[key]
        last = pane - (pane - self._offset) % self._slide
        ended = self._ended()
        gone = ended - self._lateness
        if last <= gone:
            self._late(record, time, out, out_times)
            return
        self._point(key)[self._slot] = kept
        panes, border = kept[_PANES], kept[_BORDER]
        if last > border:
            if panes and pane < next(reversed(panes)):
                border = self._unshare(kept, gone)
            else:
                self._fold(panes, pane, record)
        open_starts = range(last, max(gone, pane - self._size), -self._slide)
        for start in open_starts:
            if start <= border:
                self._fold(kept[_WINDOWS], start, apart(record) if self._folding.adds_to_records else record)
        kept[_NEWEST] = pane if pane in panes and not kept[_WINDOWS] else None
        for start in open_starts:
            if start <= ended:
                self._give(start, record, out, out_times)
                fired.add(key)
                self._set_to_drop(start)
        first = _after(max(ended, pane - self._size), self._slide, self._offset)
        if first <= last:
            self._register(first + self._size - 1)

    def _fold(self, accumulators: dict[int, Any], at: int, record: Any) -> None:
        if at in accumulators:
            accumulators[at] = self._folding.add(accumulators[at], record)
        else:
            accumulators[at] = self._folding.first(record)

    def _unshare(self, kept: list[Any], gone: int) -> int:
        """Give accumulators of their own to all windows with panes; the new border."""
        panes = kept[_PANES]
        border: int = next(reversed(panes))
        for start in self._sharing(kept, gone):
            kept[_WINDOWS][start] = self._joined(panes, start)
        panes.clear()
        kept[_BORDER] = border
        return border

    def _sharing(self, kept: list[Any], behind: int) -> list[int]:
        """The starts after a time of the windows that share panes, in order."""
        starts: list[int] = []
        for pane in kept[_PANES]:
            low = max(behind, kept[_BORDER], pane - self._size, starts[-1] if starts else BEFORE_ALL)
            starts += range(_after(low, self._slide, self._offset), pane + 1, self._slide)
        return starts

    # -- results -----------------------------------------------------------------------------------------

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is not self._domain:
            return
        out: list[Any] = []
        times: Times = []
        contents = []
        opened, cell, lateness = self._opened, self.states.cell, self._lateness
        for timestamp, key in self.states.fire(domain, time):
            kept = self._kept(key)
            start = timestamp - self._size + 1
            if (start - self._offset) % self._slide == 0 and self._give(start, key, out, times) and lateness:
                self._set_to_drop(start)
            self._drop(kept, start - lateness)
            if domain is TimeDomain.PROCESSING_TIME:  # a record of this very ms would open the window anew
                kept[_BORDER] = max(kept[_BORDER], start)
                kept[_NEWEST] = None
            following = self._next(kept, start)
            if following is not None:
                self._register(following + self._size - 1)
            contents.append(cell.content)
            if not kept[_PANES] and not kept[_WINDOWS]:
                cell.content.pop(self._slot, None)
                del opened[key]
            if len(out) >= CHUNK:
                yield detached(out, contents), times if self.setting.timed else None
                out, times, contents = [], [], []
        if out:
            yield detached(out, contents), times if self.setting.timed else None

    def _give(self, start: int, record: Any, out: list[Any], times: Times) -> bool:
        """The result of a window of the key in hand, if anything is in it; whether there is."""
        kept = self._opened[self.states.cell.key]
        what = self._folding.giving
        try:
            if start in kept[_WINDOWS]:
                accumulator = kept[_WINDOWS][start]
            elif start > kept[_BORDER] and any(start <= pane < start + self._size for pane in kept[_PANES]):
                what = self._folding.joining
                accumulator = self._joined(kept[_PANES], start)
                what = self._folding.giving
            else:
                return False
            elements = self._folding.elements(accumulator)
        except BaseException:
            self.note_failure(record, what)
            raise
        if elements and not self._calling.plain:
            elements = self._calling.results(TimeWindow(start, start + self._size), start, elements, record)
        out += elements
        times += [start + self._size - 1] * len(elements)
        return True

    def _joined(self, panes: dict[int, Any], start: int) -> Any:
        """The accumulator of a window's panes."""
        end = start + self._size
        parts = [panes[pane] for pane in takewhile(end.__gt__, panes) if pane >= start]  # they are in order
        if not all_fixed(parts):
            parts = loads(dumps(parts))  # joining may use them up, and other windows need them
        joined = parts[0]
        join = self._folding.join
        try:
            for part in parts[1:]:
                joined = join(joined, part)
        except BaseException:
            self.note_failure(self.states.cell.key, self._folding.joining)
            raise
        return joined

    def _drop(self, kept: list[Any], until: int) -> None:
        """Let windows go that start here or before."""
        panes, windows = kept[_PANES], kept[_WINDOWS]
        if self._calling.clears:
            shared = [s for s in self._sharing(kept, BEFORE_ALL) if s <= until]
            for start in sorted({*shared, *(s for s in windows if s <= until)}):
                self._calling.clear(TimeWindow(start, start + self._size), start)
        for start in [s for s in windows if s <= until]:
            del windows[start]
        for pane in list(takewhile(_after(until, self._slide, self._offset).__gt__, panes)):
            del panes[pane]
        if panes and not windows:
            kept[_NEWEST] = next(reversed(panes))
        elif not panes:
            kept[_NEWEST] = None

    def _next(self, kept: list[Any], start: int) -> int | None:
        """The first window after this start that has something in it."""
        windows = min((s for s in kept[_WINDOWS] if s > start), default=None)
        for pane in kept[_PANES]:
            shared = _after(max(start, kept[_BORDER], pane - self._size), self._slide, self._offset)
            if shared <= pane:
                return shared if windows is None else min(windows, shared)
        return windows

    def _set_to_drop(self, start: int) -> None:
        time = start + self._size - 1 + self._lateness
        if time < MAX_WATERMARK:
            self._register(time)


def _after(time: int, slide: int, offset: int) -> int:
    """The first start of a window after a time."""
    return time + slide - (time - offset) % slide
