"""Joins whose ON has queries in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import refused
from datastream.table.plan.expression_trees import children, conjuncts, fields_of, rebuild, shift_fields
from datastream.table.plan.expressions import Call, Expression, Subquery
from datastream.table.plan.relations import Relation

from . import building
from .correlated import named_outside
from .resolver import Resolver
from .scope import Scope
from .subqueries import Subqueries, has_query

#: Plans the queries inside of expressions over a relation of these columns.
PlanSubqueries = Callable[[Relation, Scope], Subqueries]

#: A relation, and the names of its columns.
Source = tuple[Relation, Scope]


def join_with_subqueries(
    left: Source,
    right: Source,
    kind: str,
    condition: Expression,
    plan_subqueries: PlanSubqueries,
    functions: FunctionLookup,
) -> Source:
    """A join by a condition with queries.

    Of an inner join such conditions are tested after it. Of an outer join each query becomes columns of the side whose
    columns it names.

    Args:
        left: One side.
        right: The other one.
        kind: ``inner``, ``left``, ``right``, ``full``.
        condition: As written.
        plan_subqueries: Plans queries.
        functions: Finds functions.

    Raises:
        UnsupportedOperation: A query of an outer join names columns of both sides.
    """
    if kind != "inner":
        return _outer_join(left, right, kind, condition, plan_subqueries, functions)
    parts = conjuncts(condition)
    made, scope = _joined(left, right, kind, _all([each for each in parts if not has_query(each)]), functions)
    queries = plan_subqueries(made, scope)
    rest = queries.where(reduce(lambda a, b: Call("AND", (a, b)), [each for each in parts if has_query(each)]))
    if rest is None:
        return queries.relation, queries.scope
    return building.filter(queries.relation, rest, functions, scope=queries.scope, where="ON"), queries.scope


def _outer_join(
    left: Source,
    right: Source,
    kind: str,
    condition: Expression,
    plan_subqueries: PlanSubqueries,
    functions: FunctionLookup,
) -> Source:
    sides = plan_subqueries(*left), plan_subqueries(*right)
    both = plan_subqueries(left[0], left[1].beside(right[1]))
    free = 0 if kind == "right" else 1

    def instead(expression: Expression, side: int) -> Expression:
        """An expression with columns of a side in place of its queries."""
        if not isinstance(expression, Subquery):
            parts = tuple(instead(part, side) for part in children(expression))
            return rebuild(expression, parts) if parts else expression
        if _side_of(expression, both, len(left[0].columns), free, functions) != side:
            return expression
        return shift_fields(sides[side].value(expression), side * len(sides[0].relation.columns))

    condition = instead(instead(condition, 0), 1)
    one, other = ((each.relation, each.scope) for each in sides)
    return _joined(one, other, kind, condition, functions)


def _side_of(query: Subquery, both: Subqueries, width: int, free: int, functions: FunctionLookup) -> int:
    """The side whose columns a query names; `free` where it names none."""
    read = set(named_outside(both.planned(query)))
    resolver = Resolver(both.scope, functions)
    for arg in query.args:
        read |= set() if has_query(arg) else fields_of(resolver.resolve(arg))
    found = {int(each >= width) for each in read}
    if len(found) > 1:
        raise refused(
            "A query in ON of an outer join that names columns of both tables is not supported: compute what it needs "
            "in a query in parentheses on one side",
            query.position,
        )
    return found.pop() if found else free


def _joined(left: Source, right: Source, kind: str, condition: Expression | None, functions: FunctionLookup) -> Source:
    scope = left[1].beside(right[1])
    made = building.join(left[0], right[0], kind, condition, functions, scope=scope, unique=True)
    columns = tuple(replace(column, name=old.name) for column, old in zip(made.columns, scope.columns, strict=True))
    return made, replace(scope, columns=columns)


def _all(parts: list[Expression]) -> Expression | None:
    return reduce(lambda a, b: Call("AND", (a, b)), parts) if parts else None
