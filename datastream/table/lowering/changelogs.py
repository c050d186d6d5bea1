"""Which kinds of changes a relation has, by the operators that were made of it."""

from __future__ import annotations

from datastream.graph.operators import (
    Calc,
    ChangelogNormalize,
    GroupAggregate,
    OverAggregate,
    Rank,
    SortLimit,
    TableJoin,
    TopN,
)
from datastream.graph.operators.operator import Operator
from datastream.table.plan.relations import FromChangelog, Relation, ToChangelog

from .context import Lowered
from .lowering import Lowering

#: Kinds of rows: 0 +I, 1 -U, 2 +U, 3 -D.
Kinds = frozenset[int]

INSERT, BEFORE, AFTER, DELETE = range(4)
ONLY_NEW: Kinds = frozenset({INSERT})
ALL: Kinds = frozenset(range(4))

_MADE_BY = (ChangelogNormalize, GroupAggregate, OverAggregate, Rank, SortLimit, TopN)


def emitter(lowering: Lowering, made: Lowered) -> Operator:
    """The operator that makes rows: what comes after it, one row at a time, is left out."""
    operators, id = lowering.context.builder.operators, made.node.id
    while isinstance(operators[id], Calc):
        before = [source for source, target, *_ in lowering.context.builder.edges if target == id]
        if len(before) != 1:
            break
        (id,) = before
    return operators[id]


def kinds(lowering: Lowering, relation: Relation) -> Kinds:
    """The kinds of rows that a relation has.

    Args:
        lowering: What has made its operators.
        relation: It.
    """
    made = lowering.made(relation)
    if (made is not None and not made.updates) or isinstance(relation, ToChangelog):
        return ONLY_NEW
    if isinstance(relation, FromChangelog):
        return frozenset(kind for _, kind in relation.kinds)
    of_inputs = [kinds(lowering, each) for each in relation.inputs]
    if made is not None:
        operator = emitter(lowering, made)
        if isinstance(operator, TableJoin) and len(of_inputs) == 2:
            return _of_join(operator, of_inputs)
        if isinstance(operator, _MADE_BY):
            return _of(operator)
    return frozenset().union(*of_inputs) if of_inputs else (ALL if made is not None else ONLY_NEW)


def _of(operator: Operator) -> Kinds:
    match operator:
        case ChangelogNormalize(before=before):
            return ALL if before else ALL - {BEFORE}
        case GroupAggregate(before=before, changes=changes):
            return ALL - (frozenset() if before else {BEFORE}) - (frozenset() if changes else {DELETE})
        case OverAggregate(changes=changes):
            return ALL if changes else ALL - {DELETE}
        case Rank(newest=True):
            return ALL - {DELETE}
        case Rank(upsert=upsert) if upsert is not None:
            return ALL
        case Rank(changes=changes, first=first, last=last, numbered=numbered):
            return _of_first_rows(changes, places=first > 1 or (numbered and last > 1), one=last == 1)
        case TopN(changes=changes, offset=offset, limit=limit):
            return _of_first_rows(changes, places=offset > 0, one=limit == 1)
    return ALL


def _of_first_rows(changes: bool, places: bool, one: bool) -> Kinds:
    """Of the first rows.

    Args:
        changes: The input has them.
        places: It counts at which place a row is.
        one: It is one row.
    """
    if places:
        return ALL if changes else ALL - {DELETE}
    return ALL - {DELETE} if one and not changes else frozenset({INSERT, DELETE})


def _of_join(operator: TableJoin, sides: list[Kinds]) -> Kinds:
    left, right = sides
    match operator.join:
        case "inner":
            return left | right
        case "semi" | "anti":
            grows, shrinks = (INSERT, DELETE) if operator.join == "semi" else (DELETE, INSERT)
            of_right = frozenset({grows}) | ({shrinks} if right - {INSERT, AFTER} else frozenset())
            return left | of_right
    other = {"left": right, "right": left}.get(operator.join, frozenset())
    return frozenset({INSERT, DELETE}) | (other & {BEFORE})


def mode(found: Kinds) -> str:
    """Kinds as plans show them: ``I,UB,UA,D``."""
    return ",".join(name for kind, name in enumerate(("I", "UB", "UA", "D")) if kind in found)
