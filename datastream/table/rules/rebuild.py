"""Relations with other inputs or expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from datastream.table.plan.expressions import Expression, Field
from datastream.table.plan.relations import Relation
from datastream.table.plan.resolver import children, rebuilt, walk


def with_inputs(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """A relation whose inputs are changed."""
    changes: dict[str, Any] = {}
    for name in ("input", "left", "right"):
        found = getattr(relation, name, None)
        if isinstance(found, Relation) and (made := change(found)) is not found:
            changes[name] = made
    return replace(relation, **changes) if changes else relation


def fields_of(expression: Expression) -> set[int]:
    """The columns that an expression reads."""
    return {part.index for part in walk(expression) if isinstance(part, Field)}


def moved(expression: Expression, places: Mapping[int, int]) -> Expression:
    """An expression whose columns stand elsewhere."""
    if isinstance(expression, Field):
        return replace(expression, index=places[expression.index])
    parts = tuple(moved(part, places) for part in children(expression))
    return rebuilt(expression, parts) if parts else expression


def substituted(expression: Expression, by: tuple[Expression, ...]) -> Expression:
    """An expression over what expressions give, as one over what they read."""
    if isinstance(expression, Field):
        return by[expression.index]
    parts = tuple(substituted(part, by) for part in children(expression))
    return rebuilt(expression, parts) if parts else expression
