"""JOIN ... USING and NATURAL JOIN: columns that both sides have stand once in the result, in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import Relation, distinct_names
from datastream.table.sql.syntax import JoinRef

from .projections import projection
from .resolver import Resolver
from .scope import Scope

#: Indexes of a column on the left and on the right, the latter over the columns of both sides.
Pair = tuple[int, int]


def shared_columns(node: JoinRef, left: Scope, right: Scope) -> list[Pair] | None:
    """The columns of USING, or of NATURAL those that both sides have; None: the join has ON, or nothing.

    Raises:
        ValidationError: A side has no such column, or several.
    """
    if not node.natural and not node.using:
        return None
    names: Sequence[str] = node.using
    if node.natural:
        there = {right.columns[i].name for i in right.shown}
        names = [each for each in dict.fromkeys(left.columns[i].name for i in left.shown) if each in there]
    width = len(left.columns)
    return [(_only(name, left, "left", node), width + _only(name, right, "right", node)) for name in names]


def equal_columns(pairs: Sequence[Pair], scope: Scope) -> Expression | None:
    """The condition that the columns of each pair are equal; None without any."""
    parts: list[Expression] = [Call("=", (scope.field(a), scope.field(b))) for a, b in pairs]
    return reduce(lambda a, b: Call("AND", (a, b)), parts) if parts else None


def with_shared(
    joined: Relation, scope: Scope, pairs: Sequence[Pair], kind: str, functions: FunctionLookup
) -> tuple[Relation, Scope]:
    """The columns of USING, then those of the join, of which the pairs are hidden.

    Args:
        joined: The join.
        scope: Of its columns.
        pairs: The columns of USING.
        kind: Of the join: ``right`` has the right side's value, ``full`` the one that is not NULL.
        functions: Finds functions.
    """
    fields = [Field(i, each.name, type=each.type) for i, each in enumerate(joined.columns)]
    resolver, once = Resolver(scope, functions), list[Expression]()
    for a, b in pairs:
        if kind == "full":
            once.append(resolver.resolve(Call("COALESCE", (fields[a], fields[b]))))
        else:
            once.append(fields[b] if kind == "right" else fields[a])
    shared = [scope.columns[a].name for a, _ in pairs]
    wanted = [*shared, *(each.name for each in scope.columns)]
    made = projection(joined, [*once, *fields], distinct_names(wanted))
    columns = tuple(replace(each, name=name) for each, name in zip(made.columns, wanted, strict=True))
    count = len(pairs)
    hidden = frozenset(count + i for pair in pairs for i in pair) | {count + i for i in scope.hidden}
    return made, Scope(columns, ((),) * count + scope.tables, hidden)


def _only(name: str, side: Scope, which: str, node: JoinRef) -> int:
    found = [i for i in side.shown if side.columns[i].name == name]
    if not found:
        known = [side.columns[i].name for i in side.shown]
        raise unknown(f"column on the {which} side of the join", name, known, node.position)
    if len(found) > 1:
        raise wrong(f"USING: column '{name}' is there {len(found)} times on the {which} side", node.position)
    return found[0]
