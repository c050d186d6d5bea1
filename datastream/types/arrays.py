"""Types of arrays."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import TypeMismatch
from datastream.types.basic import BasicType, BasicTypeInfo
from datastream.types.type_information import TypeInformation, as_type

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


def _set_element(array: PrimitiveArrayTypeInfo | BasicArrayTypeInfo, allowed: frozenset[BasicType], what: str) -> None:
    element = as_type(array.element_type)
    if not isinstance(element, BasicTypeInfo) or element.basic_type not in allowed:
        names = ", ".join(sorted(basic.name for basic in allowed))
        raise TypeMismatch("", f"one of {names} as the type of {what}", element, "use Types.LIST(...)")
    object.__setattr__(array, "element_type", element)


@dataclass(frozen=True, repr=False)
class PrimitiveArrayTypeInfo(TypeInformation):
    """Array of numbers, booleans or characters without None.

    Raises:
        TypeMismatch: The element type is not a primitive one.
    """

    element_type: TypeInformation

    def __post_init__(self) -> None:
        _set_element(self, _PRIMITIVES, "the elements of a primitive array")

    def __repr__(self) -> str:
        return f"PrimitiveArrayTypeInfo<{self.element_type}>"


@dataclass(frozen=True, repr=False)
class BasicArrayTypeInfo(TypeInformation):
    """Array of numbers, booleans, characters or strings that may be None.

    Raises:
        TypeMismatch: The element type is not a basic one.
    """

    element_type: TypeInformation

    def __post_init__(self) -> None:
        _set_element(self, _PRIMITIVES | {BasicType.STRING}, "the elements of a basic array")

    def __repr__(self) -> str:
        return f"BasicArrayTypeInfo<{self.element_type}>"


@dataclass(frozen=True, repr=False)
class ObjectArrayTypeInfo(TypeInformation):
    """Array of values of any type."""

    element_type: TypeInformation

    def __post_init__(self) -> None:
        object.__setattr__(self, "element_type", as_type(self.element_type))

    def __repr__(self) -> str:
        return f"ObjectArrayTypeInfo<{self.element_type}>"
