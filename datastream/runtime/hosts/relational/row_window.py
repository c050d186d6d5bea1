"""Windows of a number of rows of each key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import RowWindowAggregate
from datastream.runtime.hosts.host import Out, Setting, Times

from .generated_code import noting, result_text, source_text
from .paged_host import PagedHost


class RowWindowHost(PagedHost):
    """Emits the aggregates of each window when it is full, as Flink does: one that never is gives nothing.

    Keeps of each key a list: how many rows it had, and the accumulators of its open windows, the oldest first.
    """

    def __init__(self, op: RowWindowAggregate, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._fold = self._folding()

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._load(keys)
        out: list[Any] = []
        with noting(self):
            self._fold(keys, records, values, out.append)
        return self.untimed(out)

    def _folding(self) -> Callable[..., None]:
        """Rows in, results out."""
        op, fold = self._op, self._op.fold
        code = source_text(fold)
        with code.function("def fold(keys, records, values, give)"):
            code.line("get = values.get")
            with code.block("for key, r in zip(keys, records)"):
                code.line("kept = get(key)")
                with code.block("if kept is None"):
                    code.line("values[key] = kept = [0]")
                with code.block(f"if not kept[0] % {op.slide}"):
                    code.line(f"kept.append({fold.first})")
                code.line("kept[0] += 1")
                with code.block("for acc in kept[1:]"):
                    if op.changes:
                        with code.block("if r[0] & 1"):
                            code.indented([*fold.retract, "continue"])
                    code.indented([*fold.add, "pass"])
                with code.block(f"if kept[0] >= {op.size} and not (kept[0] - {op.size}) % {op.slide}"):
                    code.line("acc = kept.pop(1)")
                    code.line(f"give({result_text(op.key, fold.value[1:-1])})")
        return code.compiled("fold", f"aggregates of {op.name}")
