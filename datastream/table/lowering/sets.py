"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from datastream.graph.builder import Node
from datastream.graph.operators import Calc, Union
from datastream.table.codegen.inside_types import inside_row
from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import SetOperation
from datastream.table.planner.upsert_keys import unique_keys

from .aggregates import group
from .context import Lowered
from .join_keys import JoinKeys, have_maps
from .joins import join, lower_pairs
from .lowering import Lowering, in_place, lowers, types


@lowers(SetOperation)
def lower_set_operation(lowering: Lowering, relation: SetOperation, upserted: frozenset[int] | None) -> Lowered:
    """The rows of both sides, or those that both have, or only the left one."""
    left, right = lowering.lower_side(relation.left, "left"), lowering.lower_side(relation.right, "right")
    if relation.kind == "union":
        return _union(lowering, relation, left, right)
    if have_maps(left.columns):
        return lower_pairs(lowering, relation, left, right)
    return _common_rows(lowering, relation, left, right)


def _union(lowering: Lowering, relation: SetOperation, left: Lowered, right: Lowered) -> Lowered:
    updates = left.updates or right.updates
    if updates:
        left, right = _with_kind(lowering, left), _with_kind(lowering, right)
    row = inside_row(types(relation.columns), updates)
    subtasks = _subtasks(lowering, left.node, right.node, updates)
    node = left.node.builder.add(Union, "Union", [left.node, right.node], output_type=row, fits=True, **subtasks)
    below = Lowered(node, relation.columns, updates)
    if relation.all:
        return below
    return group(lowering, below, range(len(relation.columns)), (), relation, relation.columns)


def _subtasks(lowering: Lowering, left: Node, right: Node, updates: bool) -> dict[str, int | None]:
    """How many subtasks a union has: those of both sides, where they have equally many."""
    default = lowering.context.env.get_parallelism()
    if (left.operator.parallelism or default) == (right.operator.parallelism or default):
        return {"parallelism": left.operator.parallelism}
    return {"parallelism": 1} if updates else {}  # what one subtask deals out to several loses its order


def _common_rows(lowering: Lowering, relation: SetOperation, left: Lowered, right: Lowered) -> Lowered:
    """Rows, each once, that have equals on the other side, or have none."""
    once = left
    if not unique_keys(relation.left, lambda scan: ()):
        with lowering.uids.below("distinct"):
            once = group(lowering, left, range(len(left.columns)), (), relation, left.columns)
    fields = [tuple(Field(i, c.name, type=c.type) for i, c in enumerate(side.columns)) for side in (once, right)]
    keys = JoinKeys(fields[0], fields[1], (), equals=len(fields[0]))
    return join(lowering, once, right, "semi" if relation.kind == "intersect" else "anti", keys, relation.columns)


def _with_kind(lowering: Lowering, below: Lowered) -> Lowered:
    """The rows with their kind in front: +I where they have none."""
    if below.updates:
        return below
    code, row = lowering.compiler(below).insert_code(), inside_row(types(below.columns), True)
    return Lowered(in_place(below.node, Calc, "Calc(+I)", code=code, output_type=row), below.columns, True)
