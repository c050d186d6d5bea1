"""The type of a tuple."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from datastream.types.type_information import TypeInformation, as_type


@dataclass(frozen=True, init=False, repr=False)
class TupleTypeInfo(TypeInformation):
    """Type of a tuple: one type a position."""

    field_types: tuple[TypeInformation, ...]

    def __init__(self, field_types: Iterable[TypeInformation]) -> None:
        object.__setattr__(self, "field_types", tuple(map(as_type, field_types)))

    def get_field_types(self) -> list[TypeInformation]:
        """Return the types by position."""
        return list(self.field_types)

    def __repr__(self) -> str:
        return f"TupleTypeInfo({', '.join(map(str, self.field_types))})"
