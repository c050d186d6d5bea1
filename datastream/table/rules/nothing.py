"""Totals of what can have no rows, such as `SELECT COUNT(*) ... WHERE FALSE`: one row, in streaming mode too."""

from __future__ import annotations

from typing import Any

from datastream.table.plan.expressions import Call, Expression, Literal
from datastream.table.plan.relations import (
    Aggregate,
    Correlate,
    Filter,
    Join,
    Predict,
    Project,
    Relation,
    SetOperation,
    Sort,
    Values,
)

from .rebuild import with_inputs

#: Conditions that are NULL where one side is.
_COMPARISONS = ("equals", "notEquals", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual")

#: What an aggregate emits of no rows. Flink knows it of these alone when it plans.
_OF_NOTHING: dict[str, Any] = {"count": 0, "sum0": 0, "sum": None, "min": None, "max": None, "avg": None}


def with_totals_of_nothing(relation: Relation) -> Relation:
    """The same, with a constant row for totals of what has no rows, once constants have been computed."""
    relation = with_inputs(relation, with_totals_of_nothing)
    if isinstance(relation, Aggregate) and not relation.keys and _has_no_rows(relation.input):
        names = [call.function for call in relation.calls]
        if all(name in _OF_NOTHING for name in names):
            return Values((tuple(_OF_NOTHING[name] for name in names),), columns=relation.columns)
    return relation


def _has_no_rows(relation: Relation) -> bool:
    match relation:
        case Values(rows=rows):
            return not rows
        case Filter(input=below, condition=condition):
            return _never(condition) or _has_no_rows(below)
        case Project(input=below) | Sort(input=below) | Correlate(input=below) | Predict(input=below):
            return _has_no_rows(below)
        case Aggregate(input=below, keys=keys):
            return bool(keys) and _has_no_rows(below)
        case Join(left=left, right=right, kind=kind):
            gone = {"left": _has_no_rows(left), "right": _has_no_rows(right)}
            needed = {"left": ["left"], "anti": ["left"], "right": ["right"], "inner": ["left", "right"]}
            if kind == "full":
                return all(gone.values())
            return any(gone[side] for side in needed.get(kind, ["left", "right"]))
        case SetOperation(left=left, right=right, kind=kind):
            gone_sides = [_has_no_rows(left), _has_no_rows(right)]
            return {"union": all(gone_sides), "intersect": any(gone_sides)}.get(kind, gone_sides[0])
    return False


def _never(condition: Expression) -> bool:
    """Whether a condition is never TRUE, whatever the row."""
    match condition:
        case Literal(value=value):
            return value is not True
        case Call(function="and", args=parts):
            return any(_never(part) for part in parts)
        case Call(function="or", args=parts):
            return all(_never(part) for part in parts)
        case Call(function=name, args=parts) if name in _COMPARISONS:
            return any(isinstance(part, Literal) and part.value is None for part in parts)
    return False
