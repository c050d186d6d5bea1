"""Types of constants and of what is resolved."""

from __future__ import annotations

from datastream.table.types.logical_types import BooleanType, CharType, DataType, is_nullable

from .expressions import Expression


def character(text: str) -> DataType:
    """The type of a text constant."""
    return CharType(len(text), False)


def type_of(expression: Expression) -> DataType:
    """The type of a resolved expression."""
    assert expression.type is not None, expression
    return expression.type


def may_be_null(expression: Expression) -> bool:
    """Whether a resolved expression may be NULL."""
    return is_nullable(type_of(expression))


def is_boolean(expression: Expression) -> bool:
    """Whether a resolved expression is a condition."""
    return isinstance(type_of(expression), BooleanType)
