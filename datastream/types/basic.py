"""Types of single values: strings, numbers, booleans, instants."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from datastream.types.type_information import TypeInformation


class BasicType(Enum):
    """The basic types, valued with the names they are printed as."""

    STRING = "String"
    BYTE = "Byte"
    BOOLEAN = "Boolean"
    SHORT = "Short"
    INT = "Integer"
    LONG = "Long"
    FLOAT = "Float"
    DOUBLE = "Double"
    CHAR = "Char"
    BIG_INT = "BigInteger"
    BIG_DEC = "BigDecimal"
    INSTANT = "Instant"
    VOID = "Void"


@dataclass(frozen=True, repr=False)
class BasicTypeInfo(TypeInformation):
    """Type of an indivisible value."""

    basic_type: BasicType

    def __repr__(self) -> str:
        return self.basic_type.value
