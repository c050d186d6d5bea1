"""A SELECT with GROUP BY that has queries in it, as one without around one with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from datastream.errors import ValidationError
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import children, conjuncts, rebuild, walk
from datastream.table.plan.expressions import Alias, Call, Expression, Field, Literal, Name, Order, Over, Star, Subquery
from datastream.table.plan.relations import Relation
from datastream.table.sql.syntax import Select
from datastream.table.types.logical_types import IntType

from .scope import Scope
from .subqueries import has_query


@dataclass(frozen=True)
class Split:
    """The two parts of such a SELECT.

    Attributes:
        groups: Gives what the columns are made of.
        columns: Over that.
        condition: Of HAVING, over that; None: there is none.
        order: ORDER BY, over that where it has queries.
        keys: The columns of `groups` after those that `columns` name: keys that are columns of the input.
    """

    groups: Select
    columns: tuple[Expression, ...]
    condition: Expression | None
    order: tuple[Order, ...]
    keys: tuple[Name, ...]

    def scope(self, relation: Relation, below: Scope) -> Scope:
        """The columns that `groups` has given.

        Args:
            relation: What it has given.
            below: The columns of its input.
        """
        tables = [()] * (len(relation.columns) - len(self.keys)) + [_table(key, below) for key in self.keys]
        hidden = frozenset(range(len(relation.columns) - len(self.keys)))
        names = [*relation.names[: len(hidden)], *(key.parts[-1] for key in self.keys)]
        columns = tuple(replace(column, name=name) for column, name in zip(relation.columns, names, strict=True))
        return Scope(columns, tuple(tables), outer=below.outer)


def split(node: Select) -> Split:
    """Take a SELECT apart whose columns, HAVING or ORDER BY have queries outside of aggregates."""
    parts: dict[Expression, str] = {}
    columns = tuple(Alias(_above(each, parts), _name(each, i)) for i, each in enumerate(node.expressions))
    having = [] if node.having is None else conjuncts(node.having)
    asking = [_above(each, parts) for each in having if has_query(each)]
    order = tuple(
        replace(each, arg=_above(each.arg, parts)) if has_query(each.arg) else each
        for each in place_selected(node.order, node.expressions)
    )
    keys = tuple(key for key in (node.group.keys if node.group is not None else ()) if isinstance(key, Name))
    given = (*(Alias(each, name) for each, name in parts.items()), *keys)
    groups = replace(
        node,
        expressions=given,
        having=_all([each for each in having if not has_query(each)]),
        distinct=False,
        order=(),
        offset=0,
        limit=None,
    )
    return Split(groups, columns, _all(asking), order, keys)


def place_selected(order: tuple[Order, ...], expressions: Sequence[Expression]) -> tuple[Order, ...]:
    """ORDER BY with the places of columns for what is written as a column is."""
    if any(isinstance(each, Star) for each in expressions):
        return order
    written = [_unnamed(each) for each in expressions]
    return tuple(
        replace(each, arg=Literal(written.index(each.arg) + 1, type=IntType(False))) if each.arg in written else each
        for each in order
    )


def _unnamed(expression: Expression) -> Expression:
    return _unnamed(expression.arg) if isinstance(expression, Alias) else expression


def above_windows(
    condition: Expression, selected: Sequence[Expression], is_aggregate: Callable[[Call], bool]
) -> tuple[Expression, list[Expression]]:
    """What QUALIFY says, over columns of its own.

    Args:
        condition: As written; it may name columns of the table, and those that are selected.
        selected: The columns of the SELECT.
        is_aggregate: Whether a call is one of an aggregate.

    Returns:
        The condition, and the columns to select for it.

    Raises:
        ValidationError: It is not about a window.
    """
    aliases = {each.name: each.arg for each in selected if isinstance(each, Alias)}
    parts: dict[Expression, str] = {}

    def spelled(expression: Expression) -> Expression:
        if isinstance(expression, Name) and len(expression.parts) == 1 and expression.parts[0] in aliases:
            return aliases[expression.parts[0]]
        if isinstance(expression, Over):
            order = tuple(replace(each, arg=spelled(each.arg)) for each in expression.order)
            inner = tuple(map(spelled, (expression.call, *expression.partition)))
            assert isinstance(inner[0], Call)
            return replace(expression, call=inner[0], partition=inner[1:], order=order)
        inner = tuple(map(spelled, children(expression)))
        return rebuild(expression, inner) if inner else expression

    def above(expression: Expression) -> Expression:
        if isinstance(expression, Over | Name) or (isinstance(expression, Call) and is_aggregate(expression)):
            return Name((parts.setdefault(expression, f"$qualify{len(parts)}"),), position=expression.position)
        inner = tuple(map(above, children(expression)))
        return rebuild(expression, inner) if inner else expression

    condition = spelled(condition)
    if not any(isinstance(part, Over) for part in walk(condition)):
        raise wrong("QUALIFY is a condition on a window: f(...) OVER (...)", condition.position)
    made = above(condition)
    return made, [Alias(each, name) for each, name in parts.items()]


def below_aggregates(
    expression: Expression, is_aggregate: Callable[[Call], bool], change: Callable[[Expression], Expression]
) -> Expression:
    """An expression with other aggregates."""
    if isinstance(expression, Call) and is_aggregate(expression):
        return change(expression) if has_query(expression) else expression
    parts = tuple(below_aggregates(part, is_aggregate, change) for part in children(expression))
    return rebuild(expression, parts) if parts else expression


def _above(expression: Expression, parts: dict[Expression, str]) -> Expression:
    """An expression with names of `parts` for what has no query in it."""
    if isinstance(expression, Subquery):
        return replace(expression, args=tuple(_above(arg, parts) for arg in expression.args))
    if isinstance(expression, Alias):
        return _above(expression.arg, parts)
    if isinstance(expression, Literal):
        return expression
    if not has_query(expression):
        return Name((parts.setdefault(expression, f"$part{len(parts)}"),), position=expression.position)
    return rebuild(expression, tuple(_above(part, parts) for part in children(expression)))


def _name(expression: Expression, place: int) -> str:
    match expression:
        case Alias(name=name):
            return name
        case Name(parts=parts):
            return parts[-1]
    return f"EXPR${place}"


def _table(key: Name, scope: Scope) -> tuple[str, ...]:
    try:
        found = scope.resolve(key)
    except ValidationError:
        return ()
    return scope.tables[found.index] if isinstance(found, Field) else ()


def _all(parts: list[Expression]) -> Expression | None:
    return reduce(lambda a, b: Call("AND", (a, b)), parts) if parts else None
