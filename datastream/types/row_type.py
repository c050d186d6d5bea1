"""The type of a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from datastream.errors import ValidationError
from datastream.types.type_information import TypeInformation, as_type


@dataclass(frozen=True, init=False, repr=False)
class RowTypeInfo(TypeInformation):
    """Type of a `Row`: one type a field, with or without names.

    Two row types are equal when their field types are, whatever the names, as in PyFlink.

    Args:
        field_types: The types by position.
        field_names: The names by position; None leaves the fields unnamed.

    Raises:
        ValidationError: There are not as many names as types, a name comes twice or is no str.
        TypeMismatch: What stands for a type is none.
    """

    field_types: tuple[TypeInformation, ...]
    field_names: tuple[str, ...] | None = field(compare=False)

    def __init__(self, field_types: Iterable[TypeInformation], field_names: Iterable[str] | None = None) -> None:
        types = tuple(map(as_type, field_types))
        names = None if field_names is None else tuple(field_names)
        if isinstance(field_names, str) or not all(isinstance(name, str) for name in names or ()):
            raise ValidationError(f"The field names of a row type must be a list of str: got {field_names!r}.")
        if names is not None and len(names) != len(types):
            raise ValidationError(f"A row type needs one name a field: got {len(names)} names for {len(types)} types.")
        if names is not None and len(set(names)) != len(names):
            raise ValidationError(f"The field names of a row type must differ: got {list(names)}.")
        object.__setattr__(self, "field_types", types)
        object.__setattr__(self, "field_names", names)

    def get_field_names(self) -> list[str]:
        """Return the names by position; unnamed fields are f0, f1, ..."""
        if self.field_names is None:
            return [f"f{i}" for i in range(len(self.field_types))]
        return list(self.field_names)

    def get_field_types(self) -> list[TypeInformation]:
        """Return the types by position."""
        return list(self.field_types)

    def get_field_index(self, field_name: str) -> int:
        """Return the position of a field, or -1 when the fields have no names.

        Raises:
            ValidationError: No field has this name.
        """
        if self.field_names is None:
            return -1
        if field_name not in self.field_names:
            raise ValidationError(f"No field {field_name!r} in {self!r}.")
        return self.field_names.index(field_name)

    def __repr__(self) -> str:
        if self.field_names is None:
            return f"RowTypeInfo({', '.join(map(str, self.field_types))})"
        fields = zip(self.field_names, self.field_types, strict=True)
        return f"RowTypeInfo({', '.join(f'{name}: {kind}' for name, kind in fields)})"
