"""Tables of rows that are given in the program."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from datastream.errors import TypeMismatch, ValidationError, cut
from datastream.table.logical_types import DataType
from datastream.table.plan.relations import Column, Values
from datastream.table.row_type import RowField, RowType
from datastream.table.type_inference import schema_of
from datastream.table.values import Origin, row_to_inside


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
    columns = tuple(Column(field.name, field.data_type) for field in schema)
    return Values(tuple(made), columns=columns)
