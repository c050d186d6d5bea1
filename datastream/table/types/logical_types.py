"""The data types of the Table API: what a column may hold, and whether it may be NULL."""

from __future__ import annotations

import datetime as dt
import time
from copy import copy
from types import FunctionType
from typing import Any, ClassVar, Self

from datastream.errors import ValidationError, cut
from datastream.types import DecimalTypeInfo, TypeInformation, Types
from datastream.without_effect import without_effect

_US = dt.timedelta(microseconds=1)
_SECOND = dt.timedelta(seconds=1)


class DataType:
    """Base of all data types. They compare by value.

    Args:
        nullable: Whether the column may be NULL. Default: it may.
    """

    def __init__(self, nullable: bool = True) -> None:
        self._nullable = nullable

    @without_effect("values are Python's own, whatever Java class represents them")
    def bridged_to(self, conversion_cls: str) -> Self:
        """Return the type itself: there are no classes of Java."""
        return self

    def not_null(self) -> Self:
        """Return the type of columns that may not be NULL."""
        return self._with(False)

    def nullable(self) -> Self:
        """Return the type of columns that may be NULL."""
        return self._with(True)

    @classmethod
    def type_name(cls) -> str:
        """Return the name of the type in upper case, such as ``BIGINT``."""
        return cls.__name__.removesuffix("Type").upper()

    def to_type_info(self) -> TypeInformation:
        """Return the DataStream API's type of the same values.

        Raises:
            ValidationError: no record can hold such values.
        """
        raise ValidationError(f"{self!r}: values of this type are allowed in no file and no record of a stream")

    def need_conversion(self) -> bool:
        """Return whether `to_sql_type` changes values."""
        return self._converts()

    def to_sql_type(self, obj: Any) -> Any:
        """Return a value as PyFlink hands it to Java, such as the days since 1970 for a date."""
        return obj if obj is None or not self._converts() else self._to_sql(obj)

    def from_sql_type(self, obj: Any) -> Any:
        """Return the value of Python's from the form of `to_sql_type`."""
        return obj if obj is None or not self._converts() else self._from_sql(obj)

    def _converts(self) -> bool:
        """Whether values have another form there."""
        return False

    def _to_sql(self, value: Any) -> Any:
        """A value that is not None in that form."""
        return value

    def _from_sql(self, value: Any) -> Any:
        return value

    def _arguments(self) -> tuple[Any, ...]:
        """What the type is made with, beside whether it may be NULL."""
        return ()

    def _with(self, nullable: bool) -> Self:
        other = copy(self)
        other._nullable = nullable  # noqa: SLF001 - a copy of its own
        return other

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DataType)
            and type(self) is type(other)
            and self._nullable == other._nullable
            and self._arguments() == other._arguments()
        )

    def __hash__(self) -> int:
        return hash((type(self), self._nullable, self._arguments()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(_text, (*self._arguments(), self._nullable)))})"

    def __str__(self) -> str:
        return self.type_name()


def is_nullable(data_type: DataType) -> bool:
    """Whether values of the type may be NULL."""
    return data_type._nullable  # noqa: SLF001 - PyFlink has no public name for it


def arguments_of(data_type: DataType) -> tuple[Any, ...]:
    """What a type is made with, beside whether it may be NULL: of DECIMAL(10, 2) these two numbers."""
    return data_type._arguments()  # noqa: SLF001 - PyFlink has no public name for it


class AtomicType(DataType):
    """Base of the types whose values have no parts."""

    #: The DataStream API's type; None: there is none.
    _INFO: ClassVar[TypeInformation | None] = None

    def to_type_info(self) -> TypeInformation:
        return super().to_type_info() if self._INFO is None else self._INFO


class NumericType(AtomicType):
    """Base of the types of numbers."""


class IntegralType(NumericType):
    """Base of the types of whole numbers."""


class FractionalType(NumericType):
    """Base of the types of other numbers."""


class NullType(AtomicType):
    """NULL alone."""

    _INFO = Types.VOID()

    def __init__(self) -> None:
        super().__init__(True)


class BooleanType(AtomicType):
    """A bool."""

    _INFO = Types.BOOLEAN()


class TinyIntType(IntegralType):
    """An int of 8 bits, signed."""

    _INFO = Types.BYTE()


class SmallIntType(IntegralType):
    """An int of 16 bits, signed."""

    _INFO = Types.SHORT()


class IntType(IntegralType):
    """An int of 32 bits, signed."""

    _INFO = Types.INT()


class BigIntType(IntegralType):
    """An int of 64 bits, signed."""

    _INFO = Types.LONG()


class FloatType(FractionalType):
    """A float of 32 bits."""

    _INFO = Types.FLOAT()


class DoubleType(FractionalType):
    """A float of 64 bits."""

    _INFO = Types.DOUBLE()


class DateType(AtomicType):
    """A `datetime.date`."""

    #: The number that Python gives the first day of 1970.
    EPOCH_ORDINAL: ClassVar[int] = 719163

    _INFO = Types.SQL_DATE()

    def _converts(self) -> bool:
        return True

    def _to_sql(self, value: Any) -> Any:
        return value.toordinal() - self.EPOCH_ORDINAL

    def _from_sql(self, value: Any) -> Any:
        return dt.date.fromordinal(value + self.EPOCH_ORDINAL)


class _OfLength(AtomicType):
    """A type with a length.

    Args:
        length: Of all values, or of the longest. Longer values are not cut.
        nullable: Whether the column may be NULL.
    """

    def __init__(self, length: int = 1, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.length = _within(type(self).__name__, "length", length, 0, 2**31 - 1)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.length,)


class CharType(_OfLength):
    """A str of this number of characters."""

    _INFO = Types.STRING()


class VarCharType(_OfLength):
    """A str of at most this number of characters."""

    _INFO = Types.STRING()


class BinaryType(_OfLength):
    """This number of bytes."""

    _INFO = Types.PRIMITIVE_ARRAY(Types.BYTE())


class VarBinaryType(_OfLength):
    """At most this number of bytes."""

    _INFO = Types.PRIMITIVE_ARRAY(Types.BYTE())


class DecimalType(FractionalType):
    """A `decimal.Decimal` of a fixed number of digits.

    Args:
        precision: Digits in all, 1 to 38.
        scale: Digits after the point, 0 to `precision`.
        nullable: Whether the column may be NULL.
    """

    def __init__(self, precision: int = 10, scale: int = 0, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.precision = _within("DecimalType", "precision", precision, 1, 38)
        self.scale = _within("DecimalType", "scale", scale, 0, precision)

    def to_type_info(self) -> TypeInformation:
        return DecimalTypeInfo(self.precision, self.scale)

    def _arguments(self) -> tuple[Any, ...]:
        return self.precision, self.scale


class _OfPrecision(AtomicType):
    """A type of times.

    Args:
        precision: Digits of the second's fraction, 0 to 9. Values hold microseconds whatever it is.
        nullable: Whether the column may be NULL.
    """

    def __init__(self, precision: int = 6, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.precision = _within(type(self).__name__, "precision", precision, 0, 9)

    def _arguments(self) -> tuple[Any, ...]:
        return (self.precision,)

    def _converts(self) -> bool:
        return True

    def _to_sql(self, value: Any) -> Any:
        seconds = time.mktime(value.timetuple()) if value.tzinfo is None else value.timestamp()
        return int(seconds) * 10**6 + value.microsecond

    def _from_sql(self, value: Any) -> Any:
        return dt.datetime.fromtimestamp(value // 10**6).replace(microsecond=value % 10**6)


class TimeType(_OfPrecision):
    """A `datetime.time`."""

    #: What midnight counts from.
    EPOCH_ORDINAL: ClassVar[int] = 0

    _INFO = Types.SQL_TIME()

    def __init__(self, precision: int = 0, nullable: bool = True) -> None:
        super().__init__(precision, nullable)

    def _to_sql(self, value: Any) -> Any:
        clock = dt.timedelta(
            hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
        )
        return (clock - (value.utcoffset() or dt.timedelta())) // _US

    def _from_sql(self, value: Any) -> Any:
        return (dt.datetime.min + value * _US).time()


class TimestampType(_OfPrecision):
    """A `datetime.datetime` without a time zone."""

    _INFO = Types.SQL_TIMESTAMP()


class LocalZonedTimestampType(_OfPrecision):
    """A point in time: an `Instant`."""

    #: What times count from.
    EPOCH_ORDINAL: ClassVar[int] = 0

    _INFO = Types.INSTANT()


class ZonedTimestampType(_OfPrecision):
    """Timestamps each with a zone of its own: no table has them, in Flink as here."""

    def _to_sql(self, value: Any) -> Any:
        offset = (value if value.tzinfo else value.astimezone()).utcoffset() // _SECOND
        return int(value.replace(microsecond=0).timestamp() + offset) * 10**6 + value.microsecond, offset

    def _from_sql(self, value: Any) -> Any:
        clock, offset = value
        return (dt.datetime(1970, 1, 1) + clock * _US).replace(tzinfo=dt.timezone(offset * _SECOND))


class ArrayType(DataType):
    """A list of values of one type."""

    def __init__(self, element_type: DataType, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.element_type = checked_data_type(element_type, "element_type")

    def to_type_info(self) -> TypeInformation:
        return Types.LIST(self.element_type.to_type_info())

    def _arguments(self) -> tuple[Any, ...]:
        return (self.element_type,)

    def _converts(self) -> bool:
        return self.element_type.need_conversion()

    def _to_sql(self, value: Any) -> Any:
        return value and [self.element_type.to_sql_type(each) for each in value]

    def _from_sql(self, value: Any) -> Any:
        return value and [self.element_type.from_sql_type(each) for each in value]


class MapType(DataType):
    """A dict."""

    def __init__(self, key_type: DataType, value_type: DataType, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.key_type = checked_data_type(key_type, "key_type")
        self.value_type = checked_data_type(value_type, "value_type")

    def to_type_info(self) -> TypeInformation:
        return Types.MAP(self.key_type.to_type_info(), self.value_type.to_type_info())

    def _arguments(self) -> tuple[Any, ...]:
        return self.key_type, self.value_type

    def _converts(self) -> bool:
        return self.key_type.need_conversion() or self.value_type.need_conversion()

    def _to_sql(self, value: Any) -> Any:
        key, of_value = self.key_type.to_sql_type, self.value_type.to_sql_type
        return value and {key(each): of_value(other) for each, other in value.items()}

    def _from_sql(self, value: Any) -> Any:
        key, of_value = self.key_type.from_sql_type, self.value_type.from_sql_type
        return value and {key(each): of_value(other) for each, other in value.items()}


class MultisetType(DataType):
    """Values with how often each is there: a dict of value -> int."""

    def __init__(self, element_type: DataType, nullable: bool = True) -> None:
        super().__init__(nullable)
        self.element_type = checked_data_type(element_type, "element_type")

    def to_type_info(self) -> TypeInformation:
        return Types.MAP(self.element_type.to_type_info(), Types.INT())

    def _arguments(self) -> tuple[Any, ...]:
        return (self.element_type,)

    def _converts(self) -> bool:
        return self.element_type.need_conversion()

    def _to_sql(self, value: Any) -> Any:
        return value and [self.element_type.to_sql_type(each) for each in value]

    def _from_sql(self, value: Any) -> Any:
        return value and [self.element_type.from_sql_type(each) for each in value]


class ListViewType(DataType):
    """A list in the accumulator of an aggregate function of the Table API."""

    def __init__(self, element_type: DataType) -> None:
        super().__init__(False)
        self.element_type = checked_data_type(element_type, "element_type")

    def _arguments(self) -> tuple[Any, ...]:
        return (self.element_type,)

    def __repr__(self) -> str:
        return f"ListViewType({self.element_type!r})"


class MapViewType(DataType):
    """A map in the accumulator of an aggregate function of the Table API."""

    def __init__(self, key_type: DataType, value_type: DataType) -> None:
        super().__init__(False)
        self.key_type = checked_data_type(key_type, "key_type")
        self.value_type = checked_data_type(value_type, "value_type")

    def _arguments(self) -> tuple[Any, ...]:
        return self.key_type, self.value_type

    def __repr__(self) -> str:
        return f"MapViewType({self.key_type!r}, {self.value_type!r})"


def checked_data_type(given: Any, name: str) -> DataType:
    """The data type itself; of a function of `DataTypes`, such as ``DataTypes.INT`` without a call, what it gives.

    Raises:
        ValidationError: it is none.
    """
    if isinstance(given, FunctionType) and given.__qualname__.startswith("DataTypes."):
        given = given()
    if not isinstance(given, DataType):
        raise ValidationError(f"{name}: expected a data type such as DataTypes.INT(), got {cut(given)}")
    return given


def _within(kind: str, name: str, value: int, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValidationError(f"{kind}: {name} must be an integer from {least} to {most}, got {cut(value)}")
    return value


def _text(argument: Any) -> str:
    return str(argument).lower() if isinstance(argument, bool) else repr(argument)
