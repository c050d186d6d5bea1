"""``WATERMARK FOR``: event time by a column."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from datastream.codegen import SourceText
from datastream.graph.operators import Timestamps
from datastream.graph.operators.relational import RowCode
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import Watermark
from datastream.time import Duration, WatermarkGenerator, WatermarkStrategy
from datastream.time.watermark_generator import WatermarksOfRows

from .context import Lowered
from .lowering import Lowering, lowers
from .scans import lower_scan
from .selectors import RowTime, TimeOfChange
from .upserts import read_by
from .versioned_scans import UpsertRows, on_top, upsert_rows, with_place


@lowers(Watermark)
def lower_watermark(lowering: Lowering, relation: Watermark, upserted: frozenset[int] | None) -> Lowered:
    """Rows with timestamps and watermarks, in streaming mode."""
    context = lowering.context
    if context.batch:
        return replace(lowering.lower(relation.input, upserted), columns=relation.columns)
    rows = upsert_rows(relation, context.upsert_key)
    if rows is None:
        return _assign(lowering, lowering.lower(relation.input, upserted), relation)
    for step in rows.steps:
        upserted = read_by(step, upserted, context.functions)
    below = lower_scan(lowering, rows.rows, upserted, lambda each: _assign_to_upserts(lowering, each, relation, rows))
    return replace(lowering.lower(on_top(rows, lowering.give(below))), columns=relation.columns)


def _assign_to_upserts(lowering: Lowering, below: Lowered, relation: Watermark, rows: UpsertRows) -> Lowered:
    """Rows that replace each other, with a watermark that is declared over what is made of them."""
    below, (place,) = lowering.add_columns(below, [rows.expressions[relation.column]])
    return _assign(lowering, below, with_place(relation, rows, lowering.give(below), place))


def _assign(lowering: Lowering, below: Lowered, relation: Watermark) -> Lowered:
    """Rows with a watermark."""
    options = lowering.options
    compiler = lowering.compiler(below)
    compiler.project([relation.expression])
    gap_ms = options.watermark_gap_ms
    if gap_ms is None:
        gap_ms = lowering.context.env.get_config().get_auto_watermark_interval()
    strategy = _strategy_of(relation, compiler.code(), options.idle_ms, gap_ms, below.updates)
    node = below.node.then(
        Timestamps, "Timestamps/Watermarks", strategy=strategy, uid=lowering.uids.here(), **below.node.types, fits=True
    )
    return Lowered(node, relation.columns, below.updates)


def _strategy_of(
    watermark: Watermark, code: RowCode, idle_ms: int, gap_ms: int, changes: bool = False
) -> WatermarkStrategy:
    """The strategy of a declaration.

    Args:
        watermark: It.
        code: Of its expression.
        idle_ms: After which time a source without records is idle, in ms; 0: never.
        gap_ms: By more than this a row moves the watermark at once.
        changes: Rows have their kind in front.
    """
    idle, gap = Duration.of_millis(idle_ms) if idle_ms else None, Duration.of_millis(gap_ms)
    name = watermark.columns[watermark.column].name
    assigner = TimeOfChange(watermark.column + 1, name) if changes else RowTime(watermark.column, name)
    delay = _delay_us(watermark.expression, watermark.column)
    if delay is None or delay < 0:
        supplier = _Supplier(code, watermark.column)
        return WatermarkStrategy(
            timestamp_assigner=assigner, idle_timeout=idle, generator_supplier=supplier, row_gap=gap
        )
    # In Flink's SQL the watermark is the expression itself; a bound leaves 1 ms more.
    bound = Duration.of_millis(-(-delay // 1000) - 1)
    return WatermarkStrategy(bound, assigner, idle, row_gap=gap)


def _delay_us(expression: Expression, column: int) -> int | None:
    """How far the watermark is behind the column, where that is all that the expression says."""
    match expression:
        case Field(index=index) if index == column:
            return 0
        case Call(function="minus", args=(Field(index=index), Literal(value=int() as delay))) if index == column:
            return delay
    return None


@dataclass
class _Supplier:
    """Makes generators. It travels, which generated code does not."""

    code: RowCode
    column: int
    _run: Any = field(default=None, repr=False, compare=False)

    def __call__(self) -> WatermarkGenerator:
        if self._run is None:
            text = SourceText(**self.code.bound)
            with text.function("def watermark(value)"):
                text.line(f"{self.code.record} = value")
                for line in self.code.lines:
                    text.depth = line.depth + 1
                    text.line(line.text)
                text.line(f"return {self.code.result}[0]")
            self._run = text.compiled("watermark", "watermark")
        return _ByExpression(self._run)

    def __getstate__(self) -> dict[str, Any]:
        return {"code": self.code, "column": self.column, "_run": None}


class _ByExpression(WatermarksOfRows):
    """Watermarks that an expression gives of each row; NULL is none."""

    def __init__(self, run: Any) -> None:
        self._run = run

    def of_row(self, row: Any) -> int | None:
        found = self._run(row)
        return None if found is None else found // 1000
