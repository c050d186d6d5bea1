"""Two relations whose columns get the types that they have in common."""

from __future__ import annotations

from dataclasses import replace

from datastream.table.functions.types import common_type
from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Cast, Expression, Field, Position
from datastream.table.plan.relations import Column, Project, Relation
from datastream.table.types.logical_types import DataType, is_nullable


def same_columns(
    left: Relation, right: Relation, kind: str, position: Position | None = None
) -> tuple[Relation, Relation, tuple[Column, ...]]:
    """Both, cast where that is needed, and the columns of what they make.

    Raises:
        ValidationError: They have not as many columns, or columns of types that no value has in common.
    """
    if len(left.columns) != len(right.columns):
        raise wrong(
            f"{kind.upper()}: the left side has {len(left.columns)} columns ({', '.join(left.names)}), "
            f"the right side {len(right.columns)} ({', '.join(right.names)})",
            position,
        )
    types = []
    for a, b in zip(left.columns, right.columns, strict=True):
        kind_of_both = common_type([a.type, b.type])
        if kind_of_both is None:
            raise wrong(
                f"{kind.upper()}: column '{a.name}' is {a.type} on the left, '{b.name}' {b.type} on the right: "
                "cast one",
                position,
            )
        types.append(kind_of_both)
    columns = tuple(
        Column(a.name, type, a.time if a.time == b.time else None)
        for a, b, type in zip(left.columns, right.columns, types, strict=True)
    )
    return cast_to(left, types), cast_to(right, types), columns


def cast_to(relation: Relation, types: list[DataType]) -> Relation:
    """A relation whose columns are of these types, but for whether they may be NULL."""
    made: list[Expression] = []
    columns = []
    for i, (column, wanted) in enumerate(zip(relation.columns, types, strict=True)):
        target = wanted.nullable() if is_nullable(column.type) else wanted.not_null()
        field = Field(i, column.name, type=column.type)
        same = column.type == target
        made.append(field if same else Cast(field, wanted, type=target))
        columns.append(column if same else replace(column, type=target, time=None))
    if all(isinstance(each, Field) for each in made):
        return relation
    return Project(relation, tuple(made), columns=tuple(columns))
