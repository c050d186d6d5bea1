"""Types of arrays."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.type_information import TypeInformation

_PRIMITIVES = frozenset(
    {
        BasicType.BOOLEAN,
        BasicType.BYTE,
        BasicType.SHORT,
        BasicType.INT,
        BasicType.LONG,
        BasicType.FLOAT,
        BasicType.DOUBLE,
        BasicType.CHAR,
    }
)


def _check_element(element_type: TypeInformation, allowed: frozenset[BasicType], array: str) -> None:
    if isinstance(element_type, BasicTypeInfo) and element_type.basic_type in allowed:
        return
    names = ", ".join(sorted(basic.name for basic in allowed))
    raise TypeError(f"Invalid element type {element_type!r} for a {array} array: expected one of {names}.")


@dataclass(frozen=True, repr=False)
class PrimitiveArrayTypeInfo(TypeInformation):
    """Array of numbers, booleans or characters without None.

    Raises:
        TypeError: The element type is not a primitive one.
    """

    element_type: TypeInformation

    def __post_init__(self) -> None:
        _check_element(self.element_type, _PRIMITIVES, "primitive")

    def __repr__(self) -> str:
        return f"PrimitiveArrayTypeInfo<{self.element_type}>"


@dataclass(frozen=True, repr=False)
class BasicArrayTypeInfo(TypeInformation):
    """Array of numbers, booleans, characters or strings that may be None.

    Raises:
        TypeError: The element type is not a basic one.
    """

    element_type: TypeInformation

    def __post_init__(self) -> None:
        _check_element(self.element_type, _PRIMITIVES | {BasicType.STRING}, "basic")

    def __repr__(self) -> str:
        return f"BasicArrayTypeInfo<{self.element_type}>"


@dataclass(frozen=True, repr=False)
class ObjectArrayTypeInfo(TypeInformation):
    """Array of values of any type."""

    element_type: TypeInformation

    def __repr__(self) -> str:
        return f"ObjectArrayTypeInfo<{self.element_type}>"
