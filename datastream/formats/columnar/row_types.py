"""The row type of a columnar file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.types import RowTypeInfo


def checked_row_type(row_type: Any, where: str) -> RowTypeInfo:
    """The type of a file's rows.

    Args:
        row_type: A row type, or anything with a `to_type_info` that returns one, as a row of the Table API's types.
        where: What is being built, for errors.

    Raises:
        ValidationError: it is something else, or has no fields.
    """
    to_type_info = getattr(row_type, "to_type_info", None)
    found = row_type if to_type_info is None else to_type_info()
    if not isinstance(found, RowTypeInfo):
        raise ValidationError(
            f"{where}: expected a row type such as Types.ROW_NAMED(names, types), got {cut(row_type)}"
        )
    if not found.field_types:
        raise ValidationError(f"{where}: a file needs at least one column, the row type has no fields")
    return found


def readable_row_type(row_type: Any, where: str) -> RowTypeInfo:
    """The type of the rows that are read of a file; see `checked_row_type`.

    Raises:
        ValidationError: as there.
        FormatError: a field cannot be read.
    """
    from datastream.types.arrow import row_reader

    found = checked_row_type(row_type, where)
    row_reader(found)
    return found


def picked_columns(row_type: RowTypeInfo, columns: Sequence[str], of: str) -> RowTypeInfo:
    """The type of rows of some columns, in their order.

    Args:
        row_type: Of all columns.
        columns: The columns.
        of: What has them, for errors.

    Raises:
        ValidationError: one is not there.
    """
    names = row_type.get_field_names()
    if unknown := [name for name in columns if name not in names]:
        raise ValidationError(f"{of} has no column {cut(unknown[0])}; it has {cut(names)}")
    return RowTypeInfo([row_type.field_types[names.index(name)] for name in columns], list(columns))
