"""Families of data types, for ``isinstance``: what the classes of a type have in common in PyFlink."""

from __future__ import annotations

from abc import ABC

from datastream.table.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.logical_types import (
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    NullType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

__all__ = ["AtomicType", "FractionalType", "IntegralType", "NumericType", "ZonedTimestampType"]


class AtomicType(ABC):  # noqa: B024 - for isinstance alone
    """Types whose values have no parts."""


class NumericType(AtomicType):
    """Types of numbers."""


class IntegralType(NumericType):
    """Types of whole numbers."""


class FractionalType(NumericType):
    """Types of other numbers."""


class ZonedTimestampType(AtomicType):
    """Timestamps each with a zone of its own: no type, in Flink as here."""


IntegralType.register(TinyIntType)
IntegralType.register(SmallIntType)
IntegralType.register(IntType)
IntegralType.register(BigIntType)
FractionalType.register(FloatType)
FractionalType.register(DoubleType)
FractionalType.register(DecimalType)
AtomicType.register(BinaryType)
AtomicType.register(BooleanType)
AtomicType.register(CharType)
AtomicType.register(DateType)
AtomicType.register(DayTimeIntervalType)
AtomicType.register(LocalZonedTimestampType)
AtomicType.register(NullType)
AtomicType.register(TimeType)
AtomicType.register(TimestampType)
AtomicType.register(VarBinaryType)
AtomicType.register(VarCharType)
AtomicType.register(YearMonthIntervalType)
