"""Projections, conditions and table functions of single rows: those that follow each other are one operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.errors import ValidationError
from datastream.graph.builder import Node
from datastream.graph.operators import Timestamps
from datastream.table.codegen.calc import RowCompiler
from datastream.table.functions.temporal import CURRENT_WATERMARK
from datastream.table.plan.relations import Correlate, Filter, Project, Relation, WindowTable

from .block_calls import apart
from .context import Lowered
from .lowering import Lowering, listed, lowers
from .upserts import read_by
from .window_tables import check_window, window_columns, zone_of

_ROWS = (Project, Filter, Correlate, WindowTable)


@lowers(Project, Filter, Correlate)
def lower_calc(lowering: Lowering, relation: Relation, upserted: frozenset[int] | None) -> Lowered:
    """The relation and those below it that are of single rows, too, in one loop."""
    functions = lowering.context.functions
    steps: list[Relation] = []
    base = apart(relation, functions)
    while isinstance(base, _ROWS) and not (isinstance(base, WindowTable) and base.window.kind == "session"):
        steps.append(base)
        upserted = read_by(base, upserted, functions)
        base = apart(base.input, functions)
    below = lowering.lower(base, upserted)
    compiler = lowering.compiler(below)
    for step in reversed(steps):
        _compile(lowering, compiler, step)
    if compiler.names.reads_watermark:
        _tell_watermarks(lowering, below.node)
    return lowering.calculate(below, compiler, relation.columns, _name(steps))


def _compile(lowering: Lowering, compiler: RowCompiler, step: Relation) -> None:
    match step:
        case Project(expressions=expressions):
            compiler.project(expressions)
        case Filter(condition=condition):
            compiler.filter(condition)
        case Correlate(input=input, call=call, kind=kind, condition=condition):
            compiler.correlate(call, len(step.columns) - len(input.columns), kind == "left", condition)
        case WindowTable(input=input, window=window):
            check_window(lowering, window, input.columns)
            window_columns(compiler, window, input.columns, zone_of(lowering, window, input.columns))


def _tell_watermarks(lowering: Lowering, node: Node) -> None:
    """Let whoever makes a stream's watermarks tell each of them, for those who read it."""
    if lowering.context.batch:
        raise ValidationError(
            f"{CURRENT_WATERMARK} is there in streaming mode only: in batch mode no column is a rowtime attribute"
        )
    builder = node.builder
    for id in builder.before(node.id):
        operator = builder.operators[id]
        if isinstance(operator, Timestamps) and operator.strategy.row_gap is not None:
            builder.change(id, strategy=replace(operator.strategy, row_by_row=True))


def _name(steps: Sequence[Relation]) -> str:
    kinds = {type(step) for step in steps}
    name = "Correlate" if Correlate in kinds else "WindowTableFunction" if WindowTable in kinds else "Calc"
    return f"{name}({listed(steps[0].columns)})"
