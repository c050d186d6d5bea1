"""The data type of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from datastream.errors import ValidationError, cut
from datastream.table.types.logical_types import DataType, checked_data_type
from datastream.types import Row, RowKind, RowTypeInfo, Types


class RowField:
    """A field of a row.

    Args:
        name: Its name.
        data_type: The type of its values.
        description: For people.
    """

    def __init__(self, name: str, data_type: DataType, description: str | None = None) -> None:
        if not isinstance(name, str):
            raise ValidationError(f"DataTypes.FIELD: expected a name of type str, got {cut(name)}")
        self.name = name
        self.data_type = checked_data_type(data_type, f"DataTypes.FIELD({name!r})")
        self.description = "..." if description is None else description

    def need_conversion(self) -> bool:
        """Return whether `to_sql_type` changes values."""
        return self.data_type.need_conversion()

    def to_sql_type(self, obj: Any) -> Any:
        """Return a value as PyFlink hands it to Java."""
        return self.data_type.to_sql_type(obj)

    def from_sql_type(self, obj: Any) -> Any:
        """Return the value of Python's from the form of `to_sql_type`."""
        return self.data_type.from_sql_type(obj)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowField) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.name, self.data_type, self.description))

    def __repr__(self) -> str:
        return f"RowField({self.name}, {self.data_type!r}, {self.description})"

    def __str__(self) -> str:
        return f"RowField({self.name}, {self.data_type})"


class RowType(DataType):
    """A row of named fields. Iterating gives the fields.

    Args:
        fields: From left to right.
        nullable: Whether the row may be NULL.

    Attributes:
        fields: The fields.
        names: Their names.

    Raises:
        ValidationError: something else than fields is given.
    """

    def __init__(self, fields: Sequence[RowField] | None = None, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.fields: list[RowField] = []
        self.names: list[str] = []
        for field in fields or ():
            self.add(field)

    def add(self, field: RowField | str, data_type: DataType | None = None) -> RowType:
        """Append a field, or one of this name and type. Returns the row type itself."""
        if isinstance(field, str):
            field = RowField(field, checked_data_type(data_type, f"RowType.add({field!r})"))
        if not isinstance(field, RowField):
            raise ValidationError(
                f'DataTypes.ROW: expected fields such as DataTypes.FIELD("a", DataTypes.INT()), got {cut(field)}'
            )
        self.fields.append(field)
        self.names.append(field.name)
        return self

    def field_names(self) -> list[str]:
        """Return the names of the fields."""
        return self.names

    def field_types(self) -> list[DataType]:
        """Return the types of the fields."""
        return [field.data_type for field in self.fields]

    def to_type_info(self) -> RowTypeInfo:
        return Types.ROW_NAMED(self.names, [field.data_type.to_type_info() for field in self.fields])

    def _arguments(self) -> tuple[Any, ...]:
        return tuple(self.fields)

    def _converts(self) -> bool:
        return True

    def _to_sql(self, value: Any) -> Any:
        """The number of the row's kind, and its values.

        Raises:
            ValueError: The value is no row.
        """
        change = RowKind.INSERT
        if isinstance(value, Mapping):
            values = [value.get(name) for name in self.names]
        elif isinstance(value, Row):
            change = value.get_row_kind()
            values = [value[name] for name in self.names] if value._fields is not None else list(value)
        elif isinstance(value, (tuple, list)):
            values = list(value)
        elif hasattr(value, "__dict__"):
            values = [value.__dict__.get(name) for name in self.names]
        else:
            raise ValueError(f"Unexpected tuple {value!r} with RowType")
        kinds = [*self.field_types(), *([None] * (len(values) - len(self)))]
        made = [each if kind is None else kind.to_sql_type(each) for kind, each in zip(kinds, values, strict=False)]
        return (change.value, *made)

    def _from_sql(self, value: Any) -> Any:
        if isinstance(value, Row):
            return value
        values = [field.data_type.from_sql_type(each) for field, each in zip(self.fields, value, strict=False)]
        return Row(**dict(zip(self.names, values, strict=False)))

    def __iter__(self) -> Iterator[RowField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @overload
    def __getitem__(self, key: str | int) -> RowField: ...
    @overload
    def __getitem__(self, key: slice) -> RowType: ...

    def __getitem__(self, key: str | int | slice) -> RowField | RowType:
        if isinstance(key, slice):
            return RowType(self.fields[key])
        if isinstance(key, int):
            return self.fields[key]
        if not isinstance(key, str):
            raise TypeError(f"a field of a row type is found by its name or place, not by {key!r}")
        for field in self.fields:
            if field.name == key:
                return field
        raise KeyError(f"no field {key!r} in {self!r}")

    def __repr__(self) -> str:
        return f"RowType({','.join(map(repr, self.fields))})"
