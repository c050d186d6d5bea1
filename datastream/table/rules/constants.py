"""Expressions without columns are computed once, when the query is planned."""

from __future__ import annotations

from dataclasses import replace

from datastream.errors import ValidationError
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.types import NUMBER
from datastream.table.plan.expression_trees import children, rebuild
from datastream.table.plan.expressions import Call, Cast, Expression, Literal
from datastream.table.plan.relations import Filter, Match, PatternVariable, Project, Relation
from datastream.table.planner.constants import NotConstant, constant
from datastream.table.types.logical_types import DataType, DoubleType, FloatType, is_nullable
from datastream.types.java_text import shortest

from .rebuild import with_inputs

#: Calls whose arguments become one type.
_COMPUTE = frozenset(
    ("plus", "minus", "times", "divide", "equals", "notEquals", "lessThan", "lessThanOrEqual", "greaterThan")
) | {"greaterThanOrEqual", "case", "coalesce"}


def with_constants(relation: Relation, functions: FunctionLookup) -> Relation:
    """The same with constants in place of what can be computed now.

    What fails is left as it is: a branch that is never taken may hold it.
    """
    relation = with_inputs(relation, lambda each: with_constants(each, functions))
    if isinstance(relation, Project):
        return replace(relation, expressions=tuple(folded(each, functions) for each in relation.expressions))
    if isinstance(relation, Match):
        pattern = tuple(_with_constants(each, functions) for each in relation.pattern)
        return replace(relation, pattern=pattern, measures=tuple(folded(each, functions) for each in relation.measures))
    if isinstance(relation, Filter):
        condition = folded(relation.condition, functions)
        if isinstance(condition, Literal) and condition.value is True:
            return relation.input
        return replace(relation, condition=condition)
    return relation


def _with_constants(variable: PatternVariable, functions: FunctionLookup) -> PatternVariable:
    condition = variable.condition
    return variable if condition is None else replace(variable, condition=folded(condition, functions))


def folded(expression: Expression, functions: FunctionLookup) -> Expression:
    """An expression with constants in place of what can be computed now."""
    expression = _without_float(expression)
    parts = tuple(folded(part, functions) for part in children(expression))
    if parts:
        expression = rebuild(expression, _widened(expression, parts))
    if not isinstance(expression, Call | Cast) or not all(isinstance(part, Literal) for part in parts):
        return expression
    if isinstance(expression, Call) and not getattr(functions.find(expression.function), "folds", True):
        return expression
    try:
        value = constant(expression, functions)
        if isinstance(value, float):
            value += 0.0  # 0.0 has no sign, as in Flink's constants
        return Literal(value, type=expression.type, position=expression.position)
    except (NotConstant, ValidationError):
        return expression


def _without_float(expression: Expression) -> Expression:
    """``CAST(CAST(0.1 AS FLOAT) AS DOUBLE)`` of a constant is 0.1, as in Flink: a constant FLOAT has all its digits."""
    match expression:
        case Cast(arg=Cast(arg=Literal() as value, to=FloatType()), to=to) if _is_number(value.type) and _is_number(to):
            return replace(expression, arg=value)
    return expression


def _widened(expression: Expression, parts: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The arguments of a call: a constant FLOAT beside a DOUBLE is the DOUBLE with its digits, as in Flink."""
    if not isinstance(expression, Call) or expression.function not in _COMPUTE:
        return parts
    if not any(isinstance(part.type, DoubleType) for part in parts):
        return parts
    return tuple(
        replace(part, value=shortest(part.value), type=DoubleType(is_nullable(part.type)))
        if isinstance(part, Literal) and isinstance(part.type, FloatType) and part.value is not None
        else part
        for part in parts
    )


def _is_number(kind: DataType | None) -> bool:
    return isinstance(kind, NUMBER)
