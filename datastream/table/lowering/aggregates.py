"""Aggregates by key: of all rows, and those that table aggregate functions make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.errors import UnsupportedOperation
from datastream.graph.operators import GroupAggregate
from datastream.graph.operators.relational import FoldCode
from datastream.table.codegen.aggregates import FoldCompiler
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.expressions import Call, Field, Literal
from datastream.table.plan.relations import Aggregate, Column, OverAggregate, Project, Relation, RowFunction
from datastream.table.plan.typed import type_of
from datastream.table.types.data_types import DataTypes

from .context import Lowered
from .layouts import aggregate_layout
from .local_phase import in_two_phases, local_phase
from .lowering import Lowering, listed, lowers, not_yet, types


@lowers(Aggregate)
def lower_aggregate(lowering: Lowering, relation: Aggregate, upserted: frozenset[int] | None) -> Lowered:
    """GROUP BY."""
    below = lowering.lower(relation.input)
    same = upserted is not None and upserted <= set(range(len(relation.keys)))
    calls, ttl_ms = relation.calls, relation.ttl_ms
    return group(lowering, below, relation.keys, calls, relation.input, relation.columns, not same, ttl_ms)


@lowers(RowFunction)
def lower_table_aggregate(lowering: Lowering, relation: RowFunction, upserted: frozenset[int] | None) -> Lowered:
    """The rows of a table aggregate function: a list for each group, whose changes are those of its rows."""
    if relation.kind != "flat_aggregate":
        raise not_yet(type(relation).__name__)
    below, places = lowering.add_columns(lowering.lower(relation.input), relation.call.args)
    fields = [Field(place, below.columns[place].name, type=below.columns[place].type) for place in places]
    call = replace(relation.call, args=tuple(fields))
    keys = tuple(below.columns[key] for key in relation.keys)
    columns = (*keys, Column("$rows", DataTypes.ARRAY(type_of(call))))
    lists = group(lowering, below, relation.keys, [call], relation.input, columns)
    compiler = lowering.compiler(lists)
    of_rows = Call("UNNEST", (Field(len(keys), "$rows", type=columns[-1].type),), type=type_of(call))
    width = len(relation.columns)
    compiler.correlate(of_rows, width - len(keys), False)
    wanted = [*range(len(keys)), *range(len(keys) + 1, width + 1)]
    compiler.project([Field(i, "", type=column.type) for i, column in zip(wanted, relation.columns, strict=True)])
    compiler.updates_apart = True
    return lowering.calculate(lists, compiler, relation.columns, f"TableAggregate({listed(relation.columns)})")


def group(
    lowering: Lowering,
    below: Lowered,
    keys: Sequence[int],
    calls: Sequence[Call],
    relation: Relation,
    columns: tuple[Column, ...],
    before: bool = True,
    ttl_ms: int | None = None,
) -> Lowered:
    """Aggregates by key over the rows of a relation; `before`: see `GroupAggregate`; `ttl_ms`: see `Aggregate`."""
    batch, mini_batch, updates = lowering.context.batch, lowering.options.mini_batch, below.updates
    layout = aggregate_layout([below.columns[key].type for key in keys], calls, updates, None)
    fold = compile_two_phases(lowering, below, keys, calls, relation) if batch or mini_batch else None
    parts = fold is not None
    if fold is None:
        fold = compile_fold(lowering, below, calls, relation, merges=False, ends=batch)
    else:
        below = local_phase(below, keys, fold, None, f"LocalGroupAggregate({listed(columns)})")
        keys = range(len(keys))
    kinds = not batch and (fold.value != "()" or updates)
    node = lowering.keyed(
        below,
        keys,
        GroupAggregate,
        f"GroupAggregate({listed(columns)})",
        fold=fold,
        layout=layout,
        ttl_ms=lowering.ttl_ms(ttl_ms),
        parts=parts,
        before=before,
        changes=updates,
        kinds=kinds,
        once_an_epoch=mini_batch,
        of_nothing=not keys,
        output_type=inside_row(types(columns), kinds),
    )
    return Lowered(node, columns, kinds)


def compile_fold(
    lowering: Lowering, below: Lowered, calls: Sequence[Call], relation: Relation, merges: bool, ends: bool = True
) -> FoldCode:
    """The code of aggregates; `ends`: their groups come to an end."""
    functions, zone = lowering.context.functions, lowering.options.zone
    return FoldCompiler(calls, below.updates, merges, functions, zone, constants(relation), ends).code


def compile_two_phases(
    lowering: Lowering, below: Lowered, keys: Sequence[int], calls: Sequence[Call], relation: Relation
) -> FoldCode | None:
    """The aggregates with code that puts accumulators together; None: there is one phase only."""
    if not in_two_phases(below, keys, calls, lowering.context.functions):
        return None
    try:
        return compile_fold(lowering, below, calls, relation, merges=True)
    except UnsupportedOperation:
        return None


def constants(relation: Relation) -> dict[int, Literal]:
    """The columns of a relation that are constants."""
    while isinstance(relation, OverAggregate):
        relation = relation.input
    if not isinstance(relation, Project):
        return {}
    return {i: each for i, each in enumerate(relation.expressions) if isinstance(each, Literal)}
