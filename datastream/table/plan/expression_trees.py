"""Walks over expressions, and expressions with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from .expressions import Alias, Call, Cast, Expression, Field, OfVariable, Order


def children(expression: Expression) -> tuple[Expression, ...]:
    """What an expression is made of."""
    match expression:
        case Call(args=args, filter=condition):
            return args if condition is None else (*args, condition)
        case Cast(arg=arg) | Alias(arg=arg) | Order(arg=arg) | OfVariable(arg=arg):
            return (arg,)
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of, outermost first."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def conjuncts(condition: Expression) -> list[Expression]:
    """The conditions, as written or resolved, that must all be TRUE."""
    if isinstance(condition, Call) and condition.function.upper() == "AND":
        return [part for arg in condition.args for part in conjuncts(arg)]
    return [condition]


def rebuild(expression: Expression, parts: tuple[Expression, ...]) -> Expression:
    """An expression with other children, as many as it has."""
    match expression:
        case Call(args=args, filter=condition):
            if condition is None:
                return replace(expression, args=parts)
            return replace(expression, args=parts[: len(args)], filter=parts[-1])
        case Cast() | Alias() | Order() | OfVariable():
            return replace(expression, arg=parts[0])
    return expression


def rewrite(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """An expression with each part of it changed, innermost first."""
    parts = tuple(rewrite(part, change) for part in children(expression))
    return change(rebuild(expression, parts) if parts else expression)


def replace_fields(expression: Expression, by: Sequence[Expression]) -> Expression:
    """An expression over what expressions give, as one over what they read: a field is the expression at its place."""
    return rewrite(expression, lambda each: by[each.index] if isinstance(each, Field) else each)


def move_fields(expression: Expression, places: Mapping[int, int]) -> Expression:
    """An expression whose columns stand elsewhere."""
    return rewrite(
        expression, lambda each: replace(each, index=places[each.index]) if isinstance(each, Field) else each
    )


def shift_fields(expression: Expression, by: int, start: int = 0) -> Expression:
    """An expression whose columns, from one on, are further to the right."""

    def shift(each: Expression) -> Expression:
        return replace(each, index=each.index + by) if isinstance(each, Field) and each.index >= start else each

    return rewrite(expression, shift)


def fields_of(expression: Expression) -> set[int]:
    """The columns that an expression reads."""
    return {part.index for part in walk(expression) if isinstance(part, Field)}
