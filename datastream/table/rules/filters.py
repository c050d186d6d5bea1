"""Conditions are tested as early as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.table.functions.entry import Entry
from datastream.table.plan.expression_trees import conjuncts, fields_of, move_fields, replace_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.lookup import FunctionLookup
from datastream.table.plan.relations import Filter, Join, Project, Relation, SetOperation
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin

from .outer_joins import needed_kind
from .rebuild import with_inputs

#: Parts of a condition, above which it does not grow on its way through a projection: each could double it.
_LARGEST = 100

#: Joins none of whose results has NULLs instead of a row of the right side.
_RIGHT_STAYS = ("inner", "right")


def filters_down(relation: Relation, functions: FunctionLookup) -> Relation:
    """The same with conditions below projections, unions and joins, where their meaning stays."""
    if isinstance(relation, Filter):
        below = _pushed(relation.input, list(conjuncts(relation.condition)), functions)
        return with_inputs(below, lambda each: filters_down(each, functions))
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
    elif isinstance(relation, SetOperation) and relation.kind == "union":
        left, right = (_pushed(each, conditions, functions) for each in (relation.left, relation.right))
        return replace(relation, left=left, right=right)
    elif isinstance(relation, Join):
        relation = replace(relation, kind=needed_kind(relation, conditions))
        if relation.kind == "full":
            return _filtered(relation, conditions)
        count = len(relation.left.columns)
        here = [each for each in conditions if all(i < count for i in fields_of(each))]
        there = [each for each in conditions if fields_of(each) and all(i >= count for i in fields_of(each))]
        # Where a side has rows without partners, whether they stay is known only behind the join.
        here, there = here if relation.kind != "right" else [], there if relation.kind in _RIGHT_STAYS else []
        back = {i: i - count for i in range(count, len(relation.columns))}
        left, right = relation.left, relation.right
        if here:
            left = _pushed(left, here, functions)
        if there:
            right = _pushed(right, [move_fields(each, back) for each in there], functions)
        relation = replace(relation, left=left, right=right)
        conditions = [each for each in conditions if each not in here and each not in there]
    elif isinstance(relation, TemporalJoin | LookupJoin):
        relation = replace(relation, kind=needed_kind(relation, conditions))
        count = len(relation.left.columns)
        here = [each for each in conditions if all(i < count for i in fields_of(each))]
        relation = replace(relation, left=_pushed(relation.left, here, functions)) if here else relation
        conditions = [each for each in conditions if each not in here]
    return _filtered(relation, conditions)


def _filtered(relation: Relation, conditions: Sequence[Expression]) -> Relation:
    if not conditions:
        return relation
    first, *others = conditions
    both = Call("and", (first, *others), type=first.type) if others else first
    return Filter(relation, both, columns=relation.columns)


def _size(expression: Expression) -> int:
    return sum(1 for _ in walk(expression))


def _is_plain(condition: Expression, below: Sequence[Expression], functions: FunctionLookup) -> bool:
    """Whether a condition may be tested before a projection: what it reads is no user's function, and no chance."""
    read = [below[part.index] for part in walk(condition) if isinstance(part, Field)]
    for part in (deep for each in [condition, *read] for deep in walk(each)):
        if isinstance(part, Call):
            found = functions.find(part.function)
            if not isinstance(found, Entry) or not found.deterministic:
                return False
    return True
