"""The aggregates of the rows of a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from datastream.graph.operators import OverAggregate

from .generated_code import source_text

Row = tuple[Any, ...]


class Frames:
    """Generated functions of the accumulators of an operator.

    Attributes:
        first: Returns a new accumulator.
        add: (accumulator, row): takes the row in.
        take_out: The same, taken out again; only where `OverAggregate.retracts`.
        value: Accumulator -> a tuple of the results.
    """

    def __init__(self, op: OverAggregate) -> None:
        fold = op.fold
        code = source_text(fold)
        with code.function("def new_accumulator()"):
            code.line(f"return {fold.first}")
        self.first: Callable[[], Any] = code.compiled("new_accumulator", f"aggregates of {op.name}")
        code = source_text(fold)
        with code.function("def take_row_in(acc, r)"):
            code.indented(fold.add or ("pass",))
        self.add: Callable[[Any, Row], None] = code.compiled("take_row_in", f"aggregates of {op.name}")
        code = source_text(fold)
        with code.function("def take_row_out(acc, r)"):
            code.indented(fold.retract or ("pass",))
        self.take_out: Callable[[Any, Row], None] = code.compiled("take_row_out", f"aggregates of {op.name}")
        code = source_text(fold)
        with code.function("def results_of_rows(acc)"):
            code.line(f"return {fold.value}")
        self.value: Callable[[Any], Row] = code.compiled("results_of_rows", f"results of {op.name}")

    def value_of(self, rows: Iterable[Row]) -> Row:
        """The results of some rows."""
        acc, add = self.first(), self.add
        for row in rows:
            add(acc, row)
        return self.value(acc)
