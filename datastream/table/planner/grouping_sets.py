"""GROUPING SETS, ROLLUP and CUBE: what a SELECT is in one of its sets, whose other keys are NULL."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.errors import ValidationError
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import wrong
from datastream.table.plan.expression_trees import children, rebuild
from datastream.table.plan.expressions import Call, Cast, Expression, Literal, Name
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import BigIntType, NullType

from .resolver import Resolver, is_aggregate


class Groupings:
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


class Absent:
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


def without_absent(expression: Expression, absent: Absent, functions: FunctionLookup) -> Expression:
    """An expression with NULL for keys that are not in the set, but for what aggregates take."""
    found = absent.instead(expression)
    if found is not None:
        return found
    if is_aggregate(expression, functions):
        return expression
    parts = tuple(without_absent(part, absent, functions) for part in children(expression))
    return rebuild(expression, parts) if parts else expression
