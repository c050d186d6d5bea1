"""Conditions of joins: which columns are equal, and what else has to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from datastream.table.functions.map_pairs import as_maps, as_pairs, holds, holds_maps
from datastream.table.functions.types import APPROXIMATE, NUMBER, STRING, WHOLE
from datastream.table.plan.expression_trees import replace_fields, shift_fields, walk
from datastream.table.plan.expressions import Call, Expression, Field
from datastream.table.plan.relations import Column, Join, Project, Relation, SetOperation
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType, DecimalType

_NULL_SAFE = "isNotDistinctFrom"


@dataclass(frozen=True)
class JoinKeys:
    """A condition, taken apart.

    Attributes:
        left: Expressions over the left side; each equals the one of the right side at its place.
        right: Expressions over the right side.
        rest: What else has to hold, over the columns of both.
        equals: In how many pairs, the last ones, NULL equals NULL.
    """

    left: tuple[Expression, ...]
    right: tuple[Expression, ...]
    rest: tuple[Expression, ...]
    equals: int = 0

    @property
    def nulls(self) -> int:
        """In how many pairs, the first ones, NULL equals nothing."""
        return len(self.left) - self.equals

    @property
    def plain(self) -> bool:
        """There is one pair, of whole numbers or of texts."""
        kinds = [[type_of(each) for each in side] for side in (self.left, self.right)]
        return len(self.left) == 1 and any(all(isinstance(of[0], each) for of in kinds) for each in (WHOLE, STRING))


def join_keys(conditions: Sequence[Expression], width: int) -> JoinKeys:
    """Take a join's condition apart.

    Args:
        conditions: All of which must hold, over the columns of both sides.
        width: How many columns the left side has.
    """
    pairs: dict[str, list[tuple[Expression, Expression]]] = {"equals": [], _NULL_SAFE: []}
    rest = []
    for part in conditions:
        pair = _pair(part, width)
        if pair is None:
            rest.append(part)
        elif isinstance(part, Call):
            pairs[part.function].append((pair[0], shift_fields(pair[1], -width)))
    both = [*pairs["equals"], *pairs[_NULL_SAFE]]
    left, right = (tuple(pair[side] for pair in both) for side in (0, 1))
    return JoinKeys(left, right, tuple(rest), len(pairs[_NULL_SAFE]))


def have_maps(columns: Sequence[Column]) -> bool:
    """Whether rows with these columns cannot be looked up."""
    return any(holds_maps(column.type) for column in columns)


def have_reals(columns: Sequence[Column]) -> bool:
    """Whether rows with these columns may have NaN in them."""
    return any(holds(column.type, APPROXIMATE) for column in columns)


def of_pairs(relation: Join | SetOperation) -> Relation:
    """The same of rows that have pairs in place of maps, which can be looked up."""
    left, right = _with_pairs(relation.left), _with_pairs(relation.right)
    columns = tuple(replace(column, type=type_of(_pairs(i, column))) for i, column in enumerate(relation.columns))
    made = replace(relation, left=left, right=right, columns=columns)
    if isinstance(made, Join) and made.condition is not None:
        sides = _with_maps((*relation.left.columns, *relation.right.columns), (*left.columns, *right.columns))
        made = replace(made, condition=replace_fields(made.condition, sides))
    return Project(made, _with_maps(relation.columns, columns), columns=relation.columns)


def _with_pairs(relation: Relation) -> Relation:
    made = tuple(_pairs(i, column) for i, column in enumerate(relation.columns))
    columns = tuple(replace(column, type=type_of(each)) for column, each in zip(relation.columns, made, strict=True))
    return Project(relation, made, columns=columns)


def _pairs(index: int, column: Column) -> Expression:
    field = Field(index, column.name, type=column.type)
    return as_pairs(field) if holds_maps(column.type) else field


def _with_maps(columns: Sequence[Column], pairs: Sequence[Column]) -> tuple[Expression, ...]:
    fields = [Field(i, each.name, type=each.type) for i, each in enumerate(pairs)]
    return tuple(
        as_maps(field, column.type) if holds_maps(column.type) else field
        for column, field in zip(columns, fields, strict=True)
    )


def _pair(part: Expression, width: int) -> tuple[Expression, Expression] | None:
    if not isinstance(part, Call) or part.function not in ("equals", _NULL_SAFE) or len(part.args) != 2:
        return None
    one, other = part.args
    if not _alike(type_of(one), type_of(other)) or holds_maps(type_of(one)):
        return None
    sides = [{field.index >= width for field in walk(arg) if isinstance(field, Field)} for arg in (one, other)]
    if sides == [{False}, {True}]:
        return one, other
    return (other, one) if sides == [{True}, {False}] else None


def _alike(one: DataType, other: DataType) -> bool:
    """Whether values are equal in SQL where they are equal in Python."""
    if one.nullable() == other.nullable():
        return True
    if any(isinstance(each, DecimalType) for each in (one, other)) and any(
        isinstance(each, APPROXIMATE) for each in (one, other)
    ):
        return False  # `=` compares them as DOUBLEs
    return any(isinstance(one, kinds) and isinstance(other, kinds) for kinds in (NUMBER, STRING))
