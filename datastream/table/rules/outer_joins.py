"""An outer join whose rows without partners are refused by a condition, `LEFT JOIN b ... WHERE b.n > 1`, is none."""

from __future__ import annotations

from collections.abc import Container, Sequence

from datastream.table.plan.expressions import Call, Cast, Expression, Field, Literal
from datastream.table.plan.relations import Join
from datastream.table.plan.temporal_relations import LookupJoin, TemporalJoin

#: Kind of a join -> the kinds that remain without rows whose right side, and whose left side, is NULL.
_WITHOUT = {"left": ("inner", "left"), "right": ("right", "inner"), "full": ("right", "left")}
#: Functions that are NULL where an argument is, as Flink's planner knows it; of others, such as UPPER, it does not.
_STRONG = frozenset(
    ("equals", "notEquals", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual", "not")
    + ("LIKE", "notLike", "similar", "notSimilar", "plus", "minus", "minusPrefix", "times", "divide", "mod")
    + ("trim", "ltrim", "rtrim", "floor", "ceil", "extract", "timestampDiff", "timestampAdd", "greatest", "least")
)


def needed_kind(join: Join | TemporalJoin | LookupJoin, conditions: Sequence[Expression]) -> str:
    """The kind of join that gives the same rows once the conditions are tested."""
    kind, count = join.kind, len(join.left.columns)
    sides = range(count, len(join.columns)), range(count)
    for place, side in enumerate(sides):
        if kind in _WITHOUT and any(_refuses_nulls(each, side) for each in conditions):
            kind = _WITHOUT[kind][place]
    return kind


def _refuses_nulls(condition: Expression, side: Container[int]) -> bool:
    """Whether a condition is not TRUE where all columns of a side are NULL."""
    if isinstance(condition, Call):
        match condition.function:
            case "isNotNull" | "isTrue" | "isFalse":
                return _is_null(condition.args[0], side)
            case "and":
                return any(_refuses_nulls(each, side) for each in condition.args)
            case "or":
                return all(_refuses_nulls(each, side) for each in condition.args)
            case "isNotDistinctFrom":
                constant = any(isinstance(each, Literal) and each.value is not None for each in condition.args)
                return constant and any(_is_null(each, side) for each in condition.args)
            case "case" | "ifThenElse" | "$ifThenElse" if len(condition.args) == 3:
                tested, then, other = condition.args
                never = isinstance(other, Literal) and other.value is not True
                return never and isinstance(then, Literal) and _refuses_nulls(tested, side)
    return _is_null(condition, side)


def _is_null(expression: Expression, side: Container[int]) -> bool:
    """Whether an expression is NULL where all columns of a side are."""
    match expression:
        case Field(index=index):
            return index in side
        case Cast(arg=arg):
            return _is_null(arg, side)
        case Call(function=name, args=args):
            return name in _STRONG and any(_is_null(each, side) for each in args)
    return False
