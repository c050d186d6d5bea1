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


class AtomicType(ABC):
    """Types whose values have no parts."""


class NumericType(AtomicType):
    """Types of numbers."""


class IntegralType(NumericType):
    """Types of whole numbers."""


class FractionalType(NumericType):
    """Types of other numbers."""


class ZonedTimestampType(AtomicType):
    """Timestamps each with a zone of its own: no type, in Flink as here."""


for _type in (TinyIntType, SmallIntType, IntType, BigIntType):
    IntegralType.register(_type)
for _type in (FloatType, DoubleType, DecimalType):
    FractionalType.register(_type)
for _type in (
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DayTimeIntervalType,
    LocalZonedTimestampType,
    NullType,
    TimeType,
    TimestampType,
    VarBinaryType,
    VarCharType,
    YearMonthIntervalType,
):
    AtomicType.register(_type)
