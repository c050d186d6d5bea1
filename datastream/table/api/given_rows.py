"""Tables of rows that are given in the program."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from datastream.errors import TypeMismatch, ValidationError, cut
from datastream.table.dsl.base import BaseExpression, functions_of
from datastream.table.plan import expressions as plan
from datastream.table.plan.relations import Column, Relation, Values
from datastream.table.planner import building
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_inference import schema_of
from datastream.table.types.user_defined_type import stored
from datastream.table.types.values import Origin, row_to_inside

if TYPE_CHECKING:
    from datastream.table.execution.session import Session


def expressions_relation(
    elements: Sequence[BaseExpression], schema: DataType | Sequence[str] | None, session: Session
) -> Relation:
    """A table of rows that are expressions: ``row(...)``, or single values of a table of one column.

    Raises:
        ValidationError: The values have no type in common, or none that fits the schema.
    """
    session.functions.adopt(functions_of(elements))
    found = session.values(tuple(map(_values, elements)))
    names, types = [f"f{i}" for i in range(len(found.columns))], [column.type for column in found.columns]
    if isinstance(schema, DataType):
        fields = list(schema) if isinstance(schema, RowType) else [RowField("f0", schema)]
        if len(fields) != len(names):
            raise ValidationError(f"from_elements: the rows have {len(names)} values, the schema {len(fields)} columns")
        names, types = [field.name for field in fields], [field.data_type for field in fields]
    elif schema is not None:
        names = [*schema, *names[len(schema) :]]
    made: list[plan.Expression] = []
    for column, kind in zip(found.columns, types, strict=True):
        name = plan.Name((column.name,))
        made.append(name if column.type.nullable() == kind.nullable() else plan.Cast(name, kind))
    relation = building.project(found, made, session.functions)
    columns = tuple(replace(column, type=kind) for column, kind in zip(relation.columns, types, strict=True))
    return building.rename(replace(relation, columns=columns), names)


def _values(row: BaseExpression) -> tuple[plan.Expression, ...]:
    node = row.node
    return node.args if isinstance(node, plan.Call) and node.function == "$row" else (node,)


def rows_relation(elements: Iterable[Any], schema: DataType | Sequence[str] | None, zone: dt.tzinfo) -> Values:
    """A table of rows.

    Args:
        elements: Rows, or single values where the schema is the type of one column.
        schema: A ROW type, the type of one column, or names. Default: what the rows say.
        zone: Of datetimes without a zone in columns of TIMESTAMP_LTZ.

    Raises:
        ValidationError: no schema follows from the rows.
        TypeMismatch: a row does not fit the schema.
    """
    if isinstance(elements, (str, bytes)) or not isinstance(elements, Iterable):
        raise ValidationError(f"from_elements needs rows, got {cut(elements)}")
    rows = list(elements)
    if isinstance(schema, DataType) and not isinstance(schema, RowType):
        rows = [(value,) for value in rows]
        schema = RowType([RowField("f0", schema)])
    if schema is None or not isinstance(schema, RowType):
        if isinstance(schema, str) or not isinstance(schema, (list, tuple, type(None))):
            raise TypeError(f"schema should be RowType, list, tuple or None, but got: {cut(schema)}")
        schema = schema_of(rows, schema)
    twice = next((name for i, name in enumerate(schema.names) if name in schema.names[:i]), None)
    if twice is not None:
        raise ValidationError(f"from_elements: column '{twice}' is there twice")
    convert = row_to_inside(schema, zone, origin=Origin.GIVEN)
    made = []
    for number, row in enumerate(rows):
        try:
            made.append(convert(row))
        except TypeMismatch as error:
            hint = error.hint or f"it is in row {number} of from_elements, which is {cut(row)}"
            raise TypeMismatch(error.path, error.expected, error.value, hint) from None
    columns = tuple(Column(field.name, stored(field.data_type)) for field in schema)
    return Values(tuple(made), columns=columns)
