"""Conditions on ROW_NUMBER that keep the first rows of each partition: Top-N, and the first or last row of a key."""

from __future__ import annotations

from typing import Any

from datastream.table.catalogs.errors import TableException
from datastream.table.plan.expression_trees import conjuncts
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import Filter, OverAggregate, Rank, Relation

from .rebuild import with_inputs

#: A comparison of the number with a constant -> the same with the constant on the left.
_TURNED = {
    "lessThan": "greaterThan",
    "lessThanOrEqual": "greaterThanOrEqual",
    "greaterThan": "lessThan",
    "greaterThanOrEqual": "lessThanOrEqual",
    "equals": "equals",
}


def with_ranks(relation: Relation) -> Relation:
    """The same, in which such a condition over such a number is a `Rank`.

    Raises:
        TableException: The last number that a condition wants is below 1.
    """
    relation = with_inputs(relation, with_ranks)
    if not isinstance(relation, Filter) or not isinstance(relation.input, OverAggregate):
        return relation
    over = relation.input
    if not over.numbers:
        return relation
    number = len(over.columns) - 1
    first, last, others = 1, None, []
    for part in conjuncts(relation.condition):
        bounds = _bounds(part, number)
        if bounds is None:
            others.append(part)
            continue
        low, high = bounds
        first = first if low is None else max(first, low)
        last = high if last is None else last if high is None else min(last, high)
    if last is None:
        return relation
    if last < 1:
        raise TableException(f"Rank end should not less than zero, but now is {last}")
    made = Rank(over.input, over.partition, over.order, first, last, columns=over.columns)
    if not others:
        return made
    both = others[0] if len(others) == 1 else Call("and", tuple(others), type=relation.condition.type)
    return Filter(made, both, columns=made.columns)


def _bounds(condition: Expression, number: int) -> tuple[int | None, int | None] | None:
    """The least and the greatest number for which a condition is TRUE; None: it is another condition."""
    if not isinstance(condition, Call):
        return None
    args = condition.args
    if condition.function == "between" and _is(args[0], number):
        low, high = map(_whole, args[1:])
        return None if low is None or high is None else (low, high)
    if condition.function not in _TURNED or len(args) != 2:
        return None
    function, constant = condition.function, args[1]
    if _is(args[1], number):
        function, constant = _TURNED[function], args[0]
    elif not _is(args[0], number):
        return None
    value = _whole(constant)
    if value is None:
        return None
    match function:
        case "lessThan":
            return None, value - 1
        case "lessThanOrEqual":
            return None, value
        case "greaterThan":
            return value + 1, None
        case "greaterThanOrEqual":
            return value, None
    return value, value


def _is(expression: Expression, number: int) -> bool:
    return isinstance(expression, Field) and expression.index == number


def _whole(expression: Expression) -> int | None:
    value: Any = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
