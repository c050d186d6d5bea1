"""Joins with tables as of a time: with the versions of a table, and with a table that is looked up in."""

from __future__ import annotations

from datastream.graph.operators import Async
from datastream.graph.operators import TemporalJoin as TemporalJoinOperator
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.expression_trees import conjuncts
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin

from .context import Lowered
from .join_keys import join_keys
from .joins import compile_condition
from .layouts import join_layout
from .lookup_calls import lookup_calls
from .lowering import Lowering, in_place, listed, lowers, types
from .orders import column_of
from .upserts import needs_replaced


@lowers(TemporalJoin)
def lower_temporal_join(lowering: Lowering, relation: TemporalJoin, upserted: frozenset[int] | None) -> Lowered:
    """A join with the versions of a table."""
    if lowering.context.batch:
        raise TableException(
            "FOR SYSTEM_TIME AS OF an event time is there in streaming mode only: in batch mode no column is one"
        )
    left = lowering.lower_side(relation.left, "left")
    keys = join_keys(conjuncts(relation.condition), len(left.columns))
    by = [column_of(each) for each in keys.right]
    right = lowering.lower_side(relation.right, "right", frozenset(place for place in by if place is not None))
    return lowering.two_inputs(
        TemporalJoinOperator,
        f"TemporalJoin({relation.kind}, {listed(relation.columns)})",
        left,
        right,
        (keys.left, keys.right),
        relation.columns,
        left.updates,
        join=relation.kind,
        nulls=0,
        equals=len(keys.left),
        condition=compile_condition(lowering, keys.rest, (*left.columns, *right.columns)),
        layout=join_layout(relation.kind, keys.left, left.columns, right.columns, False, "temporal "),
        ttl_ms=lowering.ttl_ms(),
        times=(relation.time, relation.versioned_at),
        changes=(left.updates, right.updates),
        ends=needs_replaced(relation.right, lowering.context.functions, by),
    )


@lowers(LookupJoin)
def lower_lookup_join(lowering: Lowering, relation: LookupJoin, upserted: frozenset[int] | None) -> Lowered:
    """A join with a table that is looked up in."""
    below = lowering.lower(relation.left)
    descriptor = lookup_calls(relation, below, lowering.context, lowering.options.zone)
    name = f"LookupJoin({relation.kind}, {listed(relation.columns)})"
    row = inside_row(types(relation.columns), below.updates)
    node = in_place(below.node, Async, name, descriptor=descriptor, output_type=row)
    return Lowered(node, relation.columns, below.updates)
