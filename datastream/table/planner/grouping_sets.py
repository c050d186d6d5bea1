"""GROUP BY and its sets: GROUPING SETS, ROLLUP and CUBE are a grouping for each set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from datastream.errors import ValidationError
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import children, rebuild
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Literal, Name, Star
from datastream.table.plan.relations import Relation
from datastream.table.plan.typed import type_of
from datastream.table.sql.syntax import Select
from datastream.table.types.logical_types import BigIntType, IntType, NullType

from . import building
from .resolver import Resolver, is_aggregate
from .scope import Scope


def plan_groups(node: Select, relation: Relation, scope: Scope, functions: FunctionLookup) -> Relation:
    """A SELECT with GROUP BY: the rows of all its sets.

    Args:
        node: The SELECT.
        relation: What it reads.
        scope: The columns of that.
        functions: Finds functions.
    """
    keys = [] if node.group is None else list(node.group.keys)
    if node.group is None or (sets := node.group.sets) is None:
        return _of_set(node, relation, scope, functions, keys)
    parts = [_of_set(node, relation, scope, functions, keys, one, len(sets) == 1) for one in sets]
    return reduce(lambda a, b: building.set_operation(a, b, "union", True), parts)


def _of_set(
    node: Select,
    relation: Relation,
    scope: Scope,
    functions: FunctionLookup,
    keys: list[Expression],
    chosen: tuple[int, ...] | None = None,
    alone: bool = True,
) -> Relation:
    """A SELECT with GROUP BY; of GROUPING SETS one set, `alone` or not, whose other keys are NULL."""
    resolver = Resolver(scope, functions)
    told = _Groupings(resolver, keys, range(len(keys)) if chosen is None else chosen)
    expressions, having = list(map(told.within, node.expressions)), node.having and told.within(node.having)
    if chosen is not None:
        absent = _Absent(resolver, [key for i, key in enumerate(keys) if i not in chosen])
        expressions = [
            Alias(found, each.parts[-1])
            if isinstance(each, Name) and (found := absent.instead(each)) is not None
            else _replaced(each, absent, functions)
            for each in expressions
        ]
        having = having and _replaced(having, absent, functions)
        keys = [keys[i] for i in chosen]
    if chosen == () and not alone:  # the rows are grouped by their set, so that no rows make none
        some = Call(">", (Call("COUNT", (Star(),)), Literal(0, type=IntType(False))))
        having = some if having is None else Call("AND", (having, some))
    return building.aggregate(
        relation,
        keys,
        expressions,
        functions,
        scope=scope,
        having=having,
        naming=building.sql_names,
        shared=True,
    )


class _Groupings:
    """Shows by GROUPING(a, b) and GROUPING_ID(a, b) which keys are in the set: a bit for each, 1 where it is not.

    Args:
        resolver: Of the input's columns.
        keys: All keys.
        chosen: The indexes of those that are in the set.
    """

    def __init__(self, resolver: Resolver, keys: Sequence[Expression], chosen: Sequence[int]) -> None:
        self._resolver, self._keys, self._chosen = resolver, keys, chosen

    def within(self, expression: Expression) -> Expression:
        """An expression with numbers in place of such calls."""
        if isinstance(expression, Call) and expression.function in ("GROUPING", "GROUPING_ID", "GROUP_ID"):
            found = Literal(self._number(expression), type=BigIntType(False), position=expression.position)
            return Cast(found, found.type or BigIntType(False), position=expression.position)
        parts = tuple(map(self.within, children(expression)))
        return rebuild(expression, parts) if parts else expression

    def _number(self, call: Call) -> int:
        number = 0
        keys = list(map(self._resolver.resolve, self._keys)) if call.args else []
        for arg in map(self._resolver.resolve, call.args):
            if arg not in keys:
                raise wrong(f"{call.function} is about keys of the group, and {arg} is none", call.position)
            number = 2 * number + (keys.index(arg) not in self._chosen)
        return number


class _Absent:
    """Keys that are not in a set, for which NULL stands, however they are written.

    Args:
        resolver: Of the input's columns.
        keys: As written.
    """

    def __init__(self, resolver: Resolver, keys: Sequence[Expression]) -> None:
        self._resolver = resolver
        self._keys = [(key, resolver.resolve(key)) for key in keys]

    def instead(self, expression: Expression) -> Expression | None:
        """What stands for an expression; None: it is no such key."""
        found = expression
        if isinstance(expression, Name):
            try:
                found = self._resolver.resolve(expression)
            except ValidationError:  # of an alias, or none at all, which is reported later
                return None
        for written, key in self._keys:
            if expression == written or found == key:
                return Cast(Literal(None, type=NullType()), type_of(key).nullable())
        return None


def _replaced(expression: Expression, absent: _Absent, functions: FunctionLookup) -> Expression:
    """An expression with NULL for keys that are not in the set, but for what aggregates take."""
    found = absent.instead(expression)
    if found is not None:
        return found
    if is_aggregate(expression, functions):
        return expression
    parts = tuple(_replaced(part, absent, functions) for part in children(expression))
    return rebuild(expression, parts) if parts else expression
