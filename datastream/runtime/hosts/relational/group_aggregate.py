"""GROUP BY: accumulators by key, and the changes of their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datastream.graph.operators import GroupAggregate
from datastream.runtime.hosts.host import CHUNK, Out, Setting, Times
from datastream.runtime.pages import Store

from .generated_code import AFTER, BEFORE, DELETE, INSERT, noting, result_text, source_text
from .paged_host import PagedHost


class GroupAggregateHost(PagedHost):
    """Emits changes row by row, as Flink does: nothing where nothing changed.

    With `GroupAggregate.once_an_epoch` it emits one change for each key at the end of the epoch; in batch mode only the
    last results.
    """

    def __init__(self, op: GroupAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._later = op.once_an_epoch or setting.batch
        self._fold = self._folding() if self._later else self._changing()
        self._changes = self._changed()
        self._rows = self._results()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._touched: dict[Any, Any] = {}

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._load(keys)
        out: list[Any] = []
        with noting(self):
            self._fold(keys, records, values, self._touched, out.append)
        return self.untimed(out)

    def drain(self) -> Iterator[Out]:
        if self.setting.batch or not self._touched:
            return
        touched, self._touched = self._touched, {}
        out: list[Any] = []
        self._changes(touched, self._state.values, out.append)
        for i in range(0, len(out), CHUNK):
            yield self.untimed(out[i : i + CHUNK])

    def end(self) -> Iterator[Out]:
        """In batch mode, the results of every key."""
        if not self.setting.batch:
            return
        found = False
        for part in self._kept():
            found = True
            yield self._results_of(part)
        if self._op.of_nothing and not found:
            yield self._results_of([((), None)])

    def _results_of(self, entries: list[Any]) -> Out:
        with noting(self):
            return self.untimed(self._rows(entries))

    # -- generated -----------------------------------------------------------------------------------

    def _row(self, kind: int, results: str) -> str:
        """The expression of a result; `results` are those of the aggregates, separated by commas."""
        return result_text(f"{kind}, {self._op.key}" if self._op.kinds else self._op.key, results)

    def _changing(self) -> Callable[..., None]:
        """Rows in, changes out."""
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        with code.function("def fold(keys, records, values, touched, give)"):
            code.line("get = values.get")
            with code.block("for key, r in zip(keys, records)"):
                code.line("acc = get(key)")
                if op.changes:
                    with code.block("if r[0] & 1"):
                        self._retract(code)
                        code.line("continue")
                with code.block("if acc is None"):
                    code.line(f"values[key] = acc = {fold.first}")
                    code.indented(fold.add)
                    code.line(f"give({self._row(INSERT, fold.value[1:-1])})")
                with code.block("else"):
                    if fold.value == "()":
                        code.indented([*fold.add, "pass"])
                    else:
                        code.line(f"before = {fold.value}")
                        code.indented(fold.add)
                        self._give_update(code)
        return code.compiled("fold", f"aggregates of {op.name}")

    def _retract(self, code: Any) -> None:
        fold = self._op.fold
        with code.block("if acc is not None"):
            code.line(f"before = {fold.value}")
            code.indented(fold.retract)
            with code.block(f"if acc[{fold.count}] <= 0"):
                code.line("values[key] = None")
                code.line(f"give({self._row(DELETE, '*before')})")
            with code.block("else"):
                self._give_update(code)

    def _give_update(self, code: Any) -> None:
        code.line(f"after = {self._op.fold.value}")
        with code.block("if after != before"):
            self._give_pair(code)

    def _give_pair(self, code: Any) -> None:
        if self._op.before:
            code.line(f"give({self._row(BEFORE, '*before')})")
        code.line(f"give({self._row(AFTER, '*after')})")

    def _folding(self) -> Callable[..., None]:
        """Rows in; what the results were before is noted for each key that is touched first."""
        op, fold = self._op, self._op.fold
        notes = not self.setting.batch
        code = source_text(fold)
        with code.function("def fold(keys, records, values, touched, give)"):
            code.line("get = values.get")
            with code.block("for key, r in zip(keys, records)"):
                code.line("acc = get(key)")
                with code.block("if acc is None"):
                    if op.changes:
                        with code.block("if r[0] & 1"):
                            code.line("continue")
                    code.line(f"values[key] = acc = {'r[-1]' if op.parts else fold.first}")
                    if notes:
                        with code.block("if key not in touched"):
                            code.line("touched[key] = None")
                    if op.parts:
                        code.line("continue")
                if notes:
                    with code.block("elif key not in touched"):
                        code.line(f"touched[key] = {fold.value}")
                if op.changes:
                    with code.block("if r[0] & 1"):
                        code.indented(fold.retract)
                        with code.block(f"if acc[{fold.count}] <= 0"):
                            code.line("values[key] = None")
                        code.line("continue")
                if op.parts:
                    code.line("other = r[-1]")
                code.indented(fold.merge if op.parts else fold.add)
        return code.compiled("fold", f"aggregates of {op.name}")

    def _changed(self) -> Callable[..., None]:
        """(key -> results before or None, values) -> changes."""
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        with code.function("def changes(touched, values, give)"), code.block("for key, before in touched.items()"):
            code.line("acc = values[key]")
            with code.block("if acc is None"):
                with code.block("if before is not None"):
                    code.line(f"give({self._row(DELETE, '*before')})")
                code.line("continue")
            code.line(f"after = {fold.value}")
            with code.block("if before is None"):
                code.line(f"give({self._row(INSERT, '*after')})")
            with code.block("elif after != before"):
                self._give_pair(code)
        return code.compiled("changes", f"changes of {op.name}")

    def _results(self) -> Callable[[list[Any]], list[Any]]:
        """(key, accumulator or None) pairs -> rows."""
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        with code.function("def rows(entries)"):
            code.line("out = []")
            with code.block("for key, acc in entries"):
                with code.block("if acc is None"):
                    code.line(f"acc = {fold.first}")
                code.line(f"out.append({self._row(INSERT, fold.value[1:-1])})")
            code.line("return out")
        return code.compiled("rows", f"results of {op.name}")
