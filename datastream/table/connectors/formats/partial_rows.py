"""Rows of which only some fields are read."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.types.logical_types import DataType, is_nullable
from datastream.table.types.row_type import RowField, RowType


class PartialRowType(RowType):
    """A row some of whose fields are None whatever they hold, as nothing reads them.

    Args:
        fields: All fields.
        nullable: Whether the row may be NULL.
        read: Names of those that are read.
    """

    def __init__(self, fields: Sequence[RowField], nullable: bool, read: Sequence[str]) -> None:
        super().__init__(fields, nullable)
        self.read = frozenset(read)


def read_part(kind: DataType, paths: Sequence[tuple[str, ...]]) -> DataType:
    """The type of a value of which parts are read.

    Args:
        kind: The type of the value as a whole.
        paths: The names of fields that lead to each part; empty: the whole value is read.
    """
    if not isinstance(kind, RowType) or not all(paths):
        return kind
    inner: dict[str, list[tuple[str, ...]]] = {}
    for path in paths:
        inner.setdefault(path[0], []).append(path[1:])
    fields = [
        RowField(field.name, read_part(field.data_type, inner[field.name])) if field.name in inner else field
        for field in kind
    ]
    return PartialRowType(fields, is_nullable(kind), list(inner)) if inner else kind


def read_fields(kind: RowType) -> list[tuple[str, DataType | None]]:
    """Names and types of a row's fields; None: it is not read."""
    read = kind.read if isinstance(kind, PartialRowType) else kind.names
    return [(field.name, field.data_type if field.name in read else None) for field in kind]
