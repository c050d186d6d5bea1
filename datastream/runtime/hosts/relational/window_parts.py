"""The second phase of windows: what a local phase emits by slice and key, kept slice by slice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.graph.slices import MOST_WINDOWS, Slicing
from datastream.graph.state_forms import stored_uid
from datastream.runtime.appended import AppendedState, Frame, Log
from datastream.runtime.hosts.host import Out, Setting, Times, chunks
from datastream.runtime.key_groups import KeyGroups
from datastream.runtime.pages import Store

from .generated_code import noting, source_text
from .window_base import NEVER, WindowAggregateBase

#: Logs that are read at a time, or those of a key group.
_READ = 16

#: Key -> accumulator.
_Parts = dict[Any, Any]


class WindowPartsHost(WindowAggregateBase):
    """Takes accumulators of slices; what is needed behind the epoch is added to a log of each key group and slice.

    A slice that begins within an epoch whose windows all end there never touches state. The others are read when a
    window ends that they are in. The number of a log is the end of its slice, in µs, and how many windows of it have
    been given: it is another one when there are more, so that no window is given twice.
    """

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._slicing = Slicing.of(op.window, op.size, op.slide, op.offset)
        self._key_groups = KeyGroups(setting.max_parallelism)
        #: Of this epoch, by the ends of slices.
        self._fresh: dict[int, _Parts] = {}
        self._fold = self._folding()
        self._put = self._putting()
        self._gather = self._gathering()
        self._rows = self._listing()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._logs = AppendedState(store, stored_uid(self.op.state_uid, WindowAggregate.WINDOWS), self._put_together)
        self._groups = groups
        self._fresh = {}
        self._stored: dict[int, list[Log]] | None = None
        # Windows that end here or before are given no more: of what comes; of what is stored, which also says how many.
        self._ended_before = self._ended
        self._given_until = NEVER

    def pages(self) -> list[AppendedState]:
        return [self._logs]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        with noting(self):
            self._fold(keys, records, self._fresh, self._ended)
        return self.untimed([])

    def advance(self, watermark: int) -> Iterator[Out]:
        self.watermark = watermark
        return map(self.untimed, chunks(self._due()))

    def drain_before(self, watermark: int) -> Iterator[Out]:
        return iter(())

    def drain(self) -> Iterator[Out]:
        with noting(self):
            self._store()
        return iter(())

    def flush(self) -> int | None:
        self._store()
        self.awaits_event_time = bool(self._slices())
        self._logs.forget()
        return None

    # -- windows ---------------------------------------------------------------------------------------

    def _slices(self) -> dict[int, list[Log]]:
        """What is stored, by the ends of slices."""
        if self._stored is None:
            self._stored = defaultdict(list)
            for log in self._logs.buckets(self._groups):
                self._stored[log[1] - _given(log)].append(log)
        return self._stored

    def _due(self) -> Iterator[list[Any]]:
        """Results of windows that have ended."""
        stored, slicing = self._slices(), self._slicing
        due = {end for at in self._fresh for end in self._ending(at, 0, self._ended_before)}
        for at, logs in stored.items():
            due.update(self._ending(at, min(map(_given, logs)), self._given_until))
        self._ended_before = self._given_until = max(self._ended_before, self._ended)
        if not due:
            return
        for end in sorted(due):
            with noting(self):
                yield from self._window(end)
        for at in [at for at in self._fresh if self._timer(slicing.last(at)) <= self.watermark]:
            del self._fresh[at]
        for at in [at for at in stored if self._timer(slicing.last(at)) <= self.watermark]:
            for log in stored.pop(at):
                self._logs.remove(log)

    def _ending(self, at: int, given: int, until: int) -> Iterator[int]:
        """The windows of a slice that have ended, and have not been given.

        Args:
            at: The slice's end.
            given: How many windows of it had been given when it was stored.
            until: Windows that end here or before do not count.
        """
        slicing = self._slicing
        first, step = slicing.first(at) + given * slicing.step, slicing.step
        if first <= until:
            first += -(-(until + 1 - first) // step) * step
        return takewhile(lambda end: self._timer(end) <= self.watermark, range(first, slicing.last(at) + 1, step))

    def _window(self, end: int) -> Iterator[list[Any]]:
        start, stored, slicing = self._slicing.start(end), self._slices(), self._slicing
        inside = slicing.inside(end)
        if len(inside) > len(stored) + len(self._fresh):
            known = sorted({*stored, *self._fresh})
            slices = [at for at in known if at in inside]
        else:
            slices = list(inside)
        fresh = self._gather([self._fresh[at] for at in slices if at in self._fresh])
        logs: defaultdict[int, list[Log]] = defaultdict(list)
        for at in slices:
            for log in stored.get(at, ()):
                if slicing.first(at) + _given(log) * slicing.step <= end:
                    logs[log[0]].append(log)
        seen: set[Any] = set()
        for some in _in_batches(logs):
            accs: _Parts = {}
            for frames in self._logs.read(some).values():
                for keys, parts in frames:
                    self._put(keys, parts, accs)
            both = fresh.keys() & accs.keys()
            self._put(both, [fresh[key] for key in both], accs)
            seen |= both
            yield self._rows(accs, start, end)
        yield self._rows({key: acc for key, acc in fresh.items() if key not in seen} if seen else fresh, start, end)

    def _store(self) -> None:
        """Store what windows need that have not ended."""
        for at, logs in self._slices().items():
            given = self._count(at, self._given_until)
            for log in logs:
                if _given(log) < given:
                    for frame in self._logs.read([log])[log]:
                        self._logs.add((log[0], at + given), frame)
                    self._logs.remove(log)
        group_of = self._key_groups
        for at, accs in self._fresh.items():
            given = self._count(at, self._ended_before)
            frames: defaultdict[int, Frame] = defaultdict(lambda: ([], []))
            for key, acc in accs.items():
                keys, parts = frames[group_of[key]]
                keys.append(key)
                parts.append(acc)
            for group, frame in frames.items():
                self._logs.add((group, at + given), frame)
        self._fresh = {}
        self._stored = None
        self._logs.flush()

    def _count(self, at: int, until: int) -> int:
        """How many windows of a slice end at a time or before it."""
        return max(0, (until - self._slicing.first(at)) // self._slicing.step + 1)

    def _put_together(self, frames: list[Frame], oldest: bool) -> Frame:
        accs: _Parts = {}
        for keys, parts in frames:
            self._put(keys, parts, accs)
        return list(accs), list(accs.values())

    # -- generated -----------------------------------------------------------------------------------

    def _folding(self) -> Callable[..., None]:
        """(keys, rows, fresh slices, what has ended): take rows in."""
        code = source_text(self._op.fold)
        code.bound.update(late=self._late, last=self._slicing.last)
        with code.function("def fold(keys, records, fresh, ended)"):
            code.line("before = None")
            with code.block("for key, r in zip(keys, records)"):
                code.line("end, other = r[-2], r[-1]")
                with code.block("if end != before"):
                    with code.block("if end <= ended and last(end) <= ended"):
                        code.line(f"late(end - {self._slicing.length})")
                        code.line("continue")
                    code.line("accs = fresh.get(end)")
                    with code.block("if accs is None"):
                        code.line("fresh[end] = accs = {}")
                    code.line("before = end")
                self._merging_into(code)
        return code.compiled("fold", f"windows of {self._op.name}")

    def _putting(self) -> Callable[..., None]:
        """(keys, accumulators, key -> accumulator): put the ones to the others."""
        code = source_text(self._op.fold)
        with code.function("def put(keys, parts, accs)"), code.block("for key, other in zip(keys, parts)"):
            self._merging_into(code)
        return code.compiled("put", f"windows of {self._op.name}")

    def _gathering(self) -> Callable[[list[_Parts]], _Parts]:
        """Slices in order -> key -> accumulator, without changing those of the slices."""
        code, fold = source_text(self._op.fold), self._op.fold
        code.bound["copied"] = self._merge
        with code.function("def gather(slices)"):
            with code.block("if len(slices) < 2"):
                code.line("return slices[0] if slices else {}")
            code.lines("found = dict(slices[0])", "own = set()")
            with code.block("for accs in slices[1:]"), code.block("for key, other in accs.items()"):
                code.line("acc = found.get(key)")
                with code.block("if acc is None"):
                    code.lines("found[key] = other", "continue")
                with code.block("if key not in own"):
                    code.lines("own.add(key)", "found[key] = acc = copied([acc])")
                code.indented(fold.merge or ("pass",))
            code.line("return found")
        return code.compiled("gather", f"windows of {self._op.name}")

    def _merging_into(self, code: Any) -> None:
        code.line("acc = accs.get(key)")
        with code.block("if acc is None"):
            code.line("accs[key] = other")
            code.line("continue")
        code.indented(self._op.fold.merge or ("pass",))

    def _listing(self) -> Callable[..., list[Any]]:
        """(key -> accumulator, start, end) -> rows."""
        fold = self._op.fold
        code = source_text(fold)
        some = "" if fold.count is None else f" if acc[{fold.count}] > 0"
        row = self._row(code)
        with code.function("def results(accs, start, end)"):
            code.line(f"return [{row} for key, acc in accs.items(){some}]")
        return code.compiled("results", f"results of {self._op.name}")


def _given(log: Log) -> int:
    """How many windows of a log's slice had been given when it was stored."""
    return log[1] % MOST_WINDOWS


def _in_batches(logs: dict[int, list[Log]]) -> Iterator[list[Log]]:
    """Logs of whole key groups, some at a time."""
    some: list[Log] = []
    for each in logs.values():
        some += each
        if len(some) >= _READ:
            yield some
            some = []
    if some:
        yield some
