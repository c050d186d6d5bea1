"""Types of single values: strings, numbers, booleans, instants."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
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

    @staticmethod
    def STRING_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.STRING)

    @staticmethod
    def BOOLEAN_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.BOOLEAN)

    @staticmethod
    def BYTE_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.BYTE)

    @staticmethod
    def SHORT_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.SHORT)

    @staticmethod
    def INT_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.INT)

    @staticmethod
    def LONG_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.LONG)

    @staticmethod
    def FLOAT_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.FLOAT)

    @staticmethod
    def DOUBLE_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.DOUBLE)

    @staticmethod
    def CHAR_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.CHAR)

    @staticmethod
    def BIG_INT_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.BIG_INT)

    @staticmethod
    def BIG_DEC_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.BIG_DEC)

    @staticmethod
    def INSTANT_TYPE_INFO() -> BasicTypeInfo:
        return BasicTypeInfo(BasicType.INSTANT)

    def __repr__(self) -> str:
        return self.basic_type.value


@dataclass(frozen=True, init=False, repr=False)
class DecimalTypeInfo(BasicTypeInfo):
    """Type of a `decimal.Decimal` with a fixed number of digits: BIG_DEC in records, decimal(p, s) in columns.

    Args:
        precision: Digits in all, 1 to 38.
        scale: Digits after the point, 0 to `precision`.
    """

    precision: int
    scale: int

    def __init__(self, precision: int, scale: int) -> None:
        super().__init__(BasicType.BIG_DEC)
        object.__setattr__(self, "precision", precision)
        object.__setattr__(self, "scale", scale)

    def fit(self, value: Decimal) -> Decimal:
        """Return the number with as many digits after the point as the type has, rounded half up as in Flink.

        Raises:
            ValueError: it has too many digits before the point, or is not finite.
        """
        context = Context(prec=self.precision, rounding=ROUND_HALF_UP, Emax=99, Emin=-99)
        if not value.is_finite():
            raise ValueError("it must be finite")
        try:
            return value.quantize(Decimal(1).scaleb(-self.scale), context=context)
        except InvalidOperation:
            raise ValueError("there are too many digits before the point") from None

    def __repr__(self) -> str:
        return f"BigDecimal({self.precision}, {self.scale})"
