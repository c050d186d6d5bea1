"""Aggregates before the exchange: one accumulator for many rows travels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from datastream.graph.operators import LocalAggregate
from datastream.graph.slices import slice_text
from datastream.runtime.hosts.host import CHUNK, Host, Out, Setting, Times
from datastream.runtime.pages import Store
from datastream.time import MAX_WATERMARK
from datastream.time.zones import ZoneClock

from .generated_code import check_times, note_record, source_text
from .window_ends import MS

#: Accumulators that are held at most, so that memory does not grow with the number of keys.
MOST = 100_000

#: The slice of all rows where there are no slices.
ALL = 0


class LocalAggregateHost(Host):
    """Keeps accumulators by slice of time and key, until the slice or the epoch ends."""

    def __init__(self, op: LocalAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._slices: dict[int, dict[Any, Any]] = {}
        self._zone = ZoneClock(op.zone) if op.zone else None
        self._fold = self._folding()
        self._rows = self._results()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._slices = {}

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        try:
            self._fold(records, self._slices)
        except BaseException as error:
            note_record(self, error)
            if self._op.time is not None:
                check_times(self, error, records, self._op.time)
            raise
        full = sum(map(len, self._slices.values())) > MOST
        return self.untimed([row for end in list(self._slices) for row in self._taken(end)] if full else [])

    def drain(self) -> Iterator[Out]:
        return self._given(list(self._slices))

    def drain_before(self, watermark: int) -> Iterator[Out]:
        """Give the slices that have ended then; others end behind the watermark, so that none of their rows is late."""
        if watermark == MAX_WATERMARK:
            return self.drain()
        if self._op.time is None:
            return iter(())
        ended = (watermark + 1) * MS
        if self._zone is not None:
            ended = self._zone.passed(ended)
        return self._given([end for end in self._slices if end <= ended])

    def advance(self, watermark: int) -> Iterator[Out]:
        self.watermark = watermark
        return self.drain_before(watermark)

    def _given(self, ends: Iterable[int]) -> Iterator[Out]:
        for end in ends:
            rows = iter(self._taken(end))
            while part := list(islice(rows, CHUNK)):
                yield self.untimed(part)

    def _taken(self, end: int) -> list[Any]:
        return self._rows(end, self._slices.pop(end))

    # -- generated -----------------------------------------------------------------------------------

    def _folding(self) -> Callable[..., None]:
        op, fold = self._op, self._op.fold
        parts = [f"r[{index}]" for index in op.keys]
        code = source_text(fold)
        with code.function("def fold(records, slices)"):
            if op.time is None:
                code.line(f"accs = slices.setdefault({ALL}, {{}})")
            else:
                code.line("before = None")
            with code.block("for r in records"):
                if op.time is not None:
                    code.line(f"t = r[{op.time}]")
                    code.line(f"end = {slice_text(op.slice, op.offset)}")
                    with code.block("if end != before"):
                        code.line("accs = slices.get(end)")
                        with code.block("if accs is None"):
                            code.line("slices[end] = accs = {}")
                        code.line("before = end")
                code.line(f"key = {parts[0] if len(parts) == 1 else '(' + ', '.join(parts) + ')'}")
                code.line("acc = accs.get(key)")
                with code.block("if acc is None"):
                    code.line(f"accs[key] = acc = {fold.first}")
                code.indented(fold.add)
        return code.compiled("fold", f"aggregates of {op.name}")

    def _results(self) -> Callable[[int, dict[Any, Any]], list[Any]]:
        """(end of a slice, its accumulators by key) -> rows."""
        op = self._op
        key = "key, " if len(op.keys) == 1 else "*key, "
        end = "" if op.time is None else "end, "
        code = source_text(op.fold)
        with code.function("def rows(end, accs)"):
            code.line(f"return [({key}{end}acc,) for key, acc in accs.items()]")
        return code.compiled("rows", f"results of {op.name}")
