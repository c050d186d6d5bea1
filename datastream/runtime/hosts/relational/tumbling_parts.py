"""The second phase of tumbling windows: what a local phase emits by window and key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from datastream.graph.operators import WindowAggregate
from datastream.graph.state_forms import stored_uid
from datastream.runtime.appended import AppendedState, Frame, Log
from datastream.runtime.hosts.host import Out, Setting, Times, chunks
from datastream.runtime.key_groups import KeyGroups
from datastream.runtime.pages import Store

from .generated_code import noting, source_text
from .window_base import WindowAggregateBase

#: Logs that are read at a time.
_READ = 16


class TumblingPartsHost(WindowAggregateBase):
    """Takes accumulators; of windows that have not ended with the epoch, adds them to a log of each key group.

    A window that begins and ends within an epoch never touches state, and one that is longer is read when it ends.
    """

    def __init__(self, op: WindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._key_groups = KeyGroups(setting.max_parallelism)
        #: Of this epoch: end of a window -> key -> accumulator.
        self._fresh: dict[int, dict[Any, Any]] = {}
        self._fold = self._folding()
        self._put = self._putting()
        self._rows = self._listing()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._logs = AppendedState(store, stored_uid(self.op.state_uid, WindowAggregate.WINDOWS), self._put_together)
        self._groups = groups
        self._fresh = {}
        self._stored: dict[int, list[Log]] | None = None

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
            self._add()
        return iter(())

    def flush(self) -> int | None:
        self._add()
        self.awaits_event_time = bool(self._ends())
        self._logs.forget()
        return None

    # -- windows ---------------------------------------------------------------------------------------

    def _ends(self) -> dict[int, list[Log]]:
        """What is stored, by the ends of windows."""
        if self._stored is None:
            self._stored = defaultdict(list)
            for log in self._logs.buckets(self._groups):
                self._stored[log[1]].append(log)
        return self._stored

    def _due(self) -> Iterator[list[Any]]:
        """Results of windows that have ended."""
        for end in sorted(end for end in {*self._fresh, *self._ends()} if self._timer(end) <= self.watermark):
            with noting(self):
                yield from self._window(end, self._fresh.pop(end, {}), self._ends().pop(end, []))

    def _window(self, end: int, fresh: dict[Any, Any], logs: list[Log]) -> Iterator[list[Any]]:
        start = end - self._op.size
        for at in range(0, len(logs), _READ):
            accs: dict[Any, Any] = {}
            for frames in self._logs.read(logs[at : at + _READ]).values():
                for keys, parts in frames:
                    self._put(keys, parts, accs)
            both = fresh.keys() & accs.keys()
            self._put(both, [fresh.pop(key) for key in both], accs)
            yield self._rows(accs, start, end)
        for log in logs:
            self._logs.remove(log)
        yield self._rows(fresh, start, end)

    def _add(self) -> None:
        """Store what is fresh."""
        group_of = self._key_groups
        for end, accs in self._fresh.items():
            frames: defaultdict[int, Frame] = defaultdict(lambda: ([], []))
            for key, acc in accs.items():
                keys, parts = frames[group_of[key]]
                keys.append(key)
                parts.append(acc)
            for group, frame in frames.items():
                self._logs.add((group, end), frame)
        self._fresh = {}
        self._stored = None
        self._logs.flush()

    def _put_together(self, frames: list[Frame], oldest: bool) -> Frame:
        accs: dict[Any, Any] = {}
        for keys, parts in frames:
            self._put(keys, parts, accs)
        return list(accs), list(accs.values())

    # -- generated -----------------------------------------------------------------------------------

    def _folding(self) -> Callable[..., None]:
        """(keys, rows, fresh windows, what has ended): take rows in."""
        code = source_text(self._op.fold)
        code.bound["late"] = self._late
        with code.function("def fold(keys, records, fresh, ended)"):
            code.line("before = None")
            with code.block("for key, r in zip(keys, records)"):
                code.line("end, other = r[-2], r[-1]")
                with code.block("if end != before"):
                    with code.block("if end <= ended"):
                        code.line(f"late(end - {self._op.size})")
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
