"""The type of a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from datastream.errors import ValidationError
from datastream.types.type_information import TypeInformation, as_type


@dataclass(frozen=True, init=False, repr=False)
class RowTypeInfo(TypeInformation):
    """Type of a `Row`: one type a field. Fields that are given no names are called f0, f1 and so on.

    Two row types are equal when their field types are, whatever the names, as in PyFlink.

    Args:
        field_types: The types by position.
        field_names: The names by position. Default: f0, f1 and so on.

    Raises:
        ValidationError: There are not as many names as types, a name comes twice or is no str.
        TypeMismatch: What is passed as a type is none.
    """

    field_types: tuple[TypeInformation, ...]
    field_names: tuple[str, ...] = field(compare=False)
    named: bool = field(compare=False)

    def __init__(self, field_types: Iterable[TypeInformation], field_names: Iterable[str] | None = None) -> None:
        types = tuple(map(as_type, field_types))
        names = tuple(f"f{i}" for i in range(len(types))) if field_names is None else tuple(field_names)
        if isinstance(field_names, str) or not all(isinstance(name, str) for name in names):
            raise ValidationError(f"The field names of a row type must be a list of str: got {field_names!r}.")
        if len(names) != len(types):
            raise ValidationError(f"A row type needs one name a field: got {len(names)} names for {len(types)} types.")
        if len(set(names)) != len(names):
            raise ValidationError(f"The field names of a row type must differ: got {list(names)}.")
        object.__setattr__(self, "field_types", types)
        object.__setattr__(self, "field_names", names)
        object.__setattr__(self, "named", field_names is not None)

    def get_field_names(self) -> list[str]:
        """Return the names by position."""
        return list(self.field_names)

    def get_field_types(self) -> list[TypeInformation]:
        """Return the types by position."""
        return list(self.field_types)

    def get_field_index(self, field_name: str) -> int:
        """Return the position of a field, or -1 when the fields were given no names.

        Raises:
            ValidationError: No field has this name.
        """
        if not self.named:
            return -1
        if field_name not in self.field_names:
            raise ValidationError(f"No field {field_name!r} in {self!r}.")
        return self.field_names.index(field_name)

    def __repr__(self) -> str:
        if not self.named:
            return f"RowTypeInfo({', '.join(map(str, self.field_types))})"
        fields = zip(self.field_names, self.field_types, strict=True)
        return f"RowTypeInfo({', '.join(f'{name}: {kind}' for name, kind in fields)})"
