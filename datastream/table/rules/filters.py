"""Conditions are tested as early as they can be."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from datastream.table.functions.entry import Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expression_trees import conjuncts, fields_of, move_fields, replace_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import (
    Aggregate,
    Correlate,
    Filter,
    Join,
    OverAggregate,
    Predict,
    Project,
    Rank,
    Relation,
    SetOperation,
    WindowAggregate,
)
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin

from .outer_joins import needed_kind
from .rebuild import with_inputs

#: Parts of a condition, above which it does not grow on its way through a projection: each could double it.
_LARGEST = 100

#: Joins none of whose results has NULLs instead of a row of a side: conditions above may be tested on that side.
_LEFT_STAYS, _RIGHT_STAYS = ("inner", "left", "semi", "anti"), ("inner", "right")
#: Joins that give no row of a side without partners: so may what is ON.
_LEFT_NEEDED, _RIGHT_NEEDED = ("inner", "right", "semi"), ("inner", "left", "semi", "anti")


def filters_down(relation: Relation, functions: FunctionLookup) -> Relation:
    """The same with conditions in and below joins, below projections, sets and groups, where their meaning stays."""
    if isinstance(relation, Filter | Join):
        relation = _pushed(relation, [], functions)
    return with_inputs(relation, lambda each: filters_down(each, functions))


def _pushed(relation: Relation, conditions: list[Expression], functions: FunctionLookup) -> Relation:
    """A relation below whose surface the conditions are tested, as far as that is possible."""
    if isinstance(relation, Filter):
        return _pushed(relation.input, [*conjuncts(relation.condition), *conditions], functions)
    if isinstance(relation, Project):
        plain = [each for each in conditions if _is_plain(each, relation.expressions, functions)]
        made = [(each, replace_fields(each, relation.expressions)) for each in plain]
        through = {id(each): below for each, below in made if _size(below) <= max(_size(each), _LARGEST)}
        if through:
            relation = replace(relation, input=_pushed(relation.input, list(through.values()), functions))
            conditions = [each for each in conditions if id(each) not in through]
    elif isinstance(relation, SetOperation):
        # But for unions a row is compared with those of the other side, where a condition must come to the same.
        early = [each for each in conditions if relation.kind == "union" or _is_fixed(each, functions)]
        left, right = (_pushed(each, early, functions) for each in (relation.left, relation.right))
        relation = replace(relation, left=left, right=right)
        conditions = [each for each in conditions if each not in early]
    elif isinstance(relation, Join):
        relation, conditions = _into_join(relation, conditions, functions)
    elif isinstance(relation, Aggregate | WindowAggregate | OverAggregate | Rank | Correlate | Predict):
        columns = _columns_below(relation)
        early = [each for each in conditions if _reads_only(each, columns) and _is_fixed(each, functions)]
        if early:
            moved = [move_fields(each, columns) for each in early]
            relation = replace(relation, input=_pushed(relation.input, moved, functions))
            conditions = [each for each in conditions if each not in early]
    elif isinstance(relation, TemporalJoin | LookupJoin):
        relation = replace(relation, kind=needed_kind(relation, conditions))
        count = len(relation.left.columns)
        here = [each for each in conditions if _side_of(each, count) == 0]
        relation = replace(relation, left=_pushed(relation.left, here, functions)) if here else relation
        conditions = [each for each in conditions if each not in here]
    return _filtered(relation, conditions)


def _columns_below(
    relation: Aggregate | WindowAggregate | OverAggregate | Rank | Correlate | Predict,
) -> dict[int, int]:
    """Column -> that of the input, for those columns by which whole groups, or all that a row becomes, are left out."""
    match relation:
        case Aggregate(keys=keys) | WindowAggregate(keys=keys):
            return dict(enumerate(keys))
        case OverAggregate(partition=partition) | Rank(partition=partition):
            return {each: each for each in partition}
    return {each: each for each in range(len(relation.input.columns))}


def _reads_only(condition: Expression, columns: Container[int]) -> bool:
    read = fields_of(condition)
    return bool(read) and all(each in columns for each in read)


def _into_join(join: Join, above: Sequence[Expression], functions: FunctionLookup) -> tuple[Join, list[Expression]]:
    """A join that tests below it, and itself, what it can of its conditions and of those above; and what is left."""
    join = replace(join, kind=needed_kind(join, above))
    count = len(join.left.columns)
    back = {i: i - count for i in range(count, count + len(join.right.columns))}
    on = [] if join.condition is None else conjuncts(join.condition)
    left, right, beside, stay = [], [], [], []
    for condition in on:
        side = _side_of(condition, count) if fields_of(condition) and _is_fixed(condition, functions) else None
        if side == 0 and join.kind in _LEFT_NEEDED:
            left.append(condition)
        elif side == 1 and join.kind in _RIGHT_NEEDED:
            right.append(condition)
        else:
            beside.append(condition)
    for condition in above:
        side = _side_of(condition, count)
        if side == 0 and join.kind in _LEFT_STAYS:
            left.append(condition)
        elif side == 1 and join.kind in _RIGHT_STAYS:
            right.append(condition)
        elif side is None and join.kind == "inner" and _is_fixed(condition, functions):
            beside.append(condition)
        else:
            stay.append(condition)
    if left:
        join = replace(join, left=_pushed(join.left, left, functions))
    if right:
        join = replace(join, right=_pushed(join.right, [move_fields(each, back) for each in right], functions))
    return replace(join, condition=_all_of(beside) if beside else None), stay


def _side_of(condition: Expression, count: int) -> int | None:
    """The side of a join that a condition reads alone, the left one if it reads no column; None: it reads both."""
    read = fields_of(condition)
    if all(i < count for i in read):
        return 0
    return 1 if all(i >= count for i in read) else None


def _filtered(relation: Relation, conditions: Sequence[Expression]) -> Relation:
    return Filter(relation, _all_of(conditions), columns=relation.columns) if conditions else relation


def _all_of(conditions: Sequence[Expression]) -> Expression:
    first, *others = conditions
    return Call("and", (first, *others), type=first.type) if others else first


def _size(expression: Expression) -> int:
    return sum(1 for _ in walk(expression))


def _is_plain(condition: Expression, below: Sequence[Expression], functions: FunctionLookup) -> bool:
    """Whether a condition may be tested before a projection: what it reads is no user's function, and no chance."""
    read = [below[part.index] for part in walk(condition) if isinstance(part, Field)]
    return all(_is_fixed(each, functions) for each in (condition, *read))


def _is_fixed(expression: Expression, functions: FunctionLookup) -> bool:
    """Whether an expression calls no user's function, and none that gives another value each time."""
    called = (functions.find(part.function) for part in walk(expression) if isinstance(part, Call))
    return all(isinstance(found, Entry) and found.deterministic for found in called)
