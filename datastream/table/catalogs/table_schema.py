"""`TableSchema`: names and types of columns."""

from __future__ import annotations

from datastream.errors import ValidationError, cut
from datastream.table.types.logical_types import DataType, checked_data_type
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_text import summary


class TableSchema:
    """Names and types of columns; the older form of `ResolvedSchema`.

    Args:
        field_names: Of the columns.
        data_types: Of the columns.
        lines: What a text of the schema shows. Default: names and types.
    """

    class Builder:
        """Makes a schema, column by column."""

        def __init__(self) -> None:
            self._fields: list[tuple[str, DataType]] = []

        def field(self, name: str, data_type: DataType) -> TableSchema.Builder:
            """Add a column."""
            self._fields.append((name, data_type))
            return self

        def build(self) -> TableSchema:
            """The schema."""
            return TableSchema([name for name, _ in self._fields], [kind for _, kind in self._fields])

    def __init__(
        self,
        field_names: list[str] | None = None,
        data_types: list[DataType] | None = None,
        lines: tuple[str, ...] | None = None,
    ) -> None:
        self._names, self._types = list(field_names or ()), list(data_types or ())
        if len(self._names) != len(self._types):
            raise ValidationError(f"TableSchema: {len(self._names)} names for {len(self._types)} types")
        for name, kind in zip(self._names, self._types, strict=True):
            checked_data_type(kind, f"TableSchema, column {name!r}")
        twice = next((name for i, name in enumerate(self._names) if name in self._names[:i]), None)
        if twice is not None:
            raise ValidationError(f"Field names must be unique. Duplicate field: '{twice}'")
        pairs = zip(self._names, self._types, strict=True)
        self._lines = tuple(f"{name}: {summary(kind)}" for name, kind in pairs) if lines is None else lines

    def copy(self) -> TableSchema:
        """The same schema as another object."""
        return TableSchema(self._names, self._types, self._lines)

    def get_field_data_types(self) -> list[DataType]:
        """The types of the columns."""
        return list(self._types)

    def get_field_data_type(self, field: int | str) -> DataType | None:
        """The type of a column, by its index from 0 or its name; None: there is no such column."""
        if isinstance(field, str):
            return self._types[self._names.index(field)] if field in self._names else None
        if isinstance(field, bool) or not isinstance(field, int):
            raise TypeError(f"Expected field index or field name, got {cut(field)}")
        return self._types[field] if 0 <= field < len(self._types) else None

    def get_field_count(self) -> int:
        """How many columns there are."""
        return len(self._names)

    def get_field_names(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def get_field_name(self, field_index: int) -> str | None:
        """The name of a column by its index from 0; None: there is no such column."""
        return self._names[field_index] if 0 <= field_index < len(self._names) else None

    def to_row_data_type(self) -> RowType:
        """The type of a row of all columns."""
        return RowType([RowField(name, kind) for name, kind in zip(self._names, self._types, strict=True)], False)

    @classmethod
    def builder(cls) -> TableSchema.Builder:
        """A builder of a schema."""
        return TableSchema.Builder()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableSchema) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((tuple(self._names), tuple(self._types)))

    def __repr__(self) -> str:
        return "\n".join(["root", *(f" |-- {line}" for line in self._lines)]) + "\n"
