"""What ORDER BY takes: places and names of columns, values that are no columns, and queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Alias, Expression, Field, Literal, Name, Order
from datastream.table.plan.relations import Relation
from datastream.table.types.logical_types import IntType

from .projections import projection
from .subqueries import Subqueries, has_query


def replace_queries(order: tuple[Order, ...], queries: Subqueries) -> tuple[Order, ...]:
    """ORDER BY with what takes the place of queries in it."""
    return tuple(replace(each, arg=queries.value(each.arg)) if has_query(each.arg) else each for each in order)


def hide_columns(order: tuple[Order, ...], names: Sequence[str] = ()) -> tuple[list[Expression], tuple[Order, ...]]:
    """Columns for what ORDER BY takes that is no place of a column, nor one of its names, and the order by them."""
    hidden: list[Expression] = []
    made = []
    for i, each in enumerate(order):
        if isinstance(each.arg, Name) and len(each.arg.parts) == 1 and list(names).count(each.arg.parts[0]) == 1:
            each = replace(each, arg=Literal(list(names).index(each.arg.parts[0]) + 1, type=IntType(False)))
        if not isinstance(each.arg, Literal):
            hidden.append(Alias(each.arg, f"$order{i}"))
            each = replace(each, arg=Name((f"$order{i}",)))
        made.append(each)
    return hidden, tuple(made)


def drop_hidden(ordered: Relation, wanted: Relation) -> Relation:
    fields = [Field(i, column.name, type=column.type) for i, column in enumerate(wanted.columns)]
    return projection(ordered, fields, wanted.names)


def resolve_place(expression: Expression, relation: Relation) -> Expression:
    """ORDER BY 2: the second column. A number below 0 is a constant."""
    number = isinstance(expression, Literal) and isinstance(expression.value, int)
    if isinstance(expression, Literal) and number and not isinstance(expression.value, bool) and expression.value >= 0:
        if not 1 <= expression.value <= len(relation.columns):
            raise wrong(f"ORDER BY {expression.value}: there are {len(relation.columns)} columns", expression.position)
        column = relation.columns[expression.value - 1]
        return Field(expression.value - 1, column.name, type=column.type, position=expression.position)
    return expression
