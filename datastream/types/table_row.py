"""Types of what flows between the operators of a table plan. Values of them are trusted: nothing tests them."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.types.type_information import TypeInformation


@dataclass(frozen=True)
class TableRow(TypeInformation):
    """A row inside a table plan: a bare tuple, any field of which may be None.

    Attributes:
        field_types: The types by position.
    """

    field_types: tuple[TypeInformation, ...]


@dataclass(frozen=True)
class TableArray(TypeInformation):
    """An array inside a table plan: a tuple of any length, any element of which may be None.

    Attributes:
        element_type: The type of the elements.
    """

    element_type: TypeInformation


@dataclass(frozen=True)
class TableValue(TypeInformation):
    """A single value inside a table plan, such as a key of one column; it may be None.

    Attributes:
        value_type: Its type.
    """

    value_type: TypeInformation
