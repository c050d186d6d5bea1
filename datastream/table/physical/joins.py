"""Conditions of joins: which columns are equal, and what else has to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from datastream.errors import UnsupportedOperation
from datastream.table.functions.types import NUMBER, STRING
from datastream.table.logical_types import DataType, MapType, MultisetType
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import Column
from datastream.table.plan.resolver import children, rebuilt, walk
from datastream.table.plan.typed import type_of


@dataclass(frozen=True)
class JoinKeys:
    """A condition, taken apart.

    Attributes:
        left: Expressions over the left side; each equals the one of the right side at its place.
        right: Expressions over the right side.
        rest: What else has to hold, over the columns of both.
    """

    left: tuple[Expression, ...]
    right: tuple[Expression, ...]
    rest: tuple[Expression, ...]


def join_keys(conditions: Sequence[Expression], width: int) -> JoinKeys:
    """Take a join's condition apart.

    Args:
        conditions: All of which must hold, over the columns of both sides.
        width: How many columns the left side has.
    """
    left, right, rest = [], [], []
    for part in conditions:
        pair = _pair(part, width)
        if pair is None:
            rest.append(part)
        else:
            left.append(pair[0])
            right.append(_shifted(pair[1], width))
    return JoinKeys(tuple(left), tuple(right), tuple(rest))


def check_columns(columns: Sequence[Column]) -> None:
    """Test that rows with these columns can be found again.

    Raises:
        UnsupportedOperation: They cannot.
    """
    for column in columns:
        if isinstance(column.type, MapType | MultisetType):
            raise UnsupportedOperation(
                f"a join of rows with a map or multiset, column '{column.name}', is not there yet in streaming mode"
            )


def _pair(part: Expression, width: int) -> tuple[Expression, Expression] | None:
    if not isinstance(part, Call) or part.function != "equals" or len(part.args) != 2:
        return None
    one, other = part.args
    if not _alike(type_of(one), type_of(other)):
        return None
    sides = [{field.index >= width for field in walk(arg) if isinstance(field, Field)} for arg in (one, other)]
    if sides == [{False}, {True}]:
        return one, other
    return (other, one) if sides == [{True}, {False}] else None


def _alike(one: DataType, other: DataType) -> bool:
    """Whether values are equal in SQL where they are equal in Python."""
    if one.nullable() == other.nullable():
        return True
    return any(isinstance(one, kinds) and isinstance(other, kinds) for kinds in (NUMBER, STRING))


def _shifted(expression: Expression, width: int) -> Expression:
    if isinstance(expression, Field):
        return replace(expression, index=expression.index - width)
    parts = tuple(_shifted(part, width) for part in children(expression))
    return rebuilt(expression, parts) if parts else expression
