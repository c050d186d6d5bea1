"""`DataTypes`: where users get data types from."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType

from datastream.errors import UnsupportedOperation
from datastream.old_names import warn_of_old
from datastream.table.types.intervals import DayTimeIntervalType, Resolution, YearMonthIntervalType, interval_of
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    ListViewType,
    LocalZonedTimestampType,
    MapType,
    MapViewType,
    MultisetType,
    NullType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowField, RowType

_MOST = 2**31 - 1
_UNIT = Resolution.IntervalUnit


class DataTypes:
    """Gives every data type of the Table API. The schemas of CSV, Parquet and ORC files take them as well as `Types`.

    `nullable`, everywhere: whether the column may be NULL. Default: it may. Files do not check it.
    """

    @staticmethod
    def NULL() -> NullType:
        """NULL alone."""
        return NullType()

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> CharType:
        """A str of `length` characters; not tested."""
        return CharType(length, nullable)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> VarCharType:
        """A str of at most `length` characters; not tested."""
        return VarCharType(length, nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> VarCharType:
        """A str."""
        return VarCharType(_MOST, nullable)

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> BooleanType:
        """A bool."""
        return BooleanType(nullable)

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> BinaryType:
        """`length` bytes; not tested."""
        return BinaryType(length, nullable)

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> VarBinaryType:
        """At most `length` bytes; not tested."""
        return VarBinaryType(length, nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> VarBinaryType:
        """Bytes."""
        return VarBinaryType(_MOST, nullable)

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> DecimalType:
        """A Decimal of `precision` digits (1 to 38), `scale` of them after the point."""
        return DecimalType(precision, scale, nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> TinyIntType:
        """An int of 8 bits, signed."""
        return TinyIntType(nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> SmallIntType:
        """An int of 16 bits, signed."""
        return SmallIntType(nullable)

    @staticmethod
    def INT(nullable: bool = True) -> IntType:
        """An int of 32 bits, signed."""
        return IntType(nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> BigIntType:
        """An int of 64 bits, signed."""
        return BigIntType(nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> FloatType:
        """A float of 32 bits."""
        return FloatType(nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DoubleType:
        """A float of 64 bits."""
        return DoubleType(nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> DateType:
        """A `datetime.date`."""
        return DateType(nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> TimeType:
        """A `datetime.time` with `precision` digits (0 to 9) of the second's fraction."""
        return TimeType(precision, nullable)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> TimestampType:
        """A `datetime.datetime` without a zone, with `precision` digits (0 to 9) of the second's fraction."""
        return TimestampType(precision, nullable)

    @staticmethod
    def TIMESTAMP_WITH_LOCAL_TIME_ZONE(precision: int = 6, nullable: bool = True) -> LocalZonedTimestampType:
        """An `Instant`, with `precision` digits (0 to 9) of the second's fraction."""
        return LocalZonedTimestampType(precision, nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> LocalZonedTimestampType:
        """The short name of `TIMESTAMP_WITH_LOCAL_TIME_ZONE`."""
        return LocalZonedTimestampType(precision, nullable)

    @staticmethod
    def ARRAY(element_type: DataType, nullable: bool = True) -> ArrayType:
        """A list."""
        return ArrayType(element_type, nullable)

    @staticmethod
    def LIST_VIEW(element_type: DataType) -> ListViewType:
        """A list in an accumulator of the Table API."""
        return ListViewType(element_type)

    @staticmethod
    def MAP(key_type: DataType, value_type: DataType, nullable: bool = True) -> MapType:
        """A dict."""
        return MapType(key_type, value_type, nullable)

    @staticmethod
    def MAP_VIEW(key_type: DataType, value_type: DataType) -> MapViewType:
        """A map in an accumulator of the Table API."""
        return MapViewType(key_type, value_type)

    @staticmethod
    def MULTISET(element_type: DataType, nullable: bool = True) -> MultisetType:
        """A dict of value -> how often it is there."""
        return MultisetType(element_type, nullable)

    @staticmethod
    def ROW(row_fields: Sequence[RowField] = (), nullable: bool = True) -> RowType:
        """A `Row` of fields that `FIELD` returns."""
        if isinstance(row_fields, (DataType, FunctionType)):
            warn_of_old("DataTypes.ROW of a type", "DataTypes.ROW([DataTypes.FIELD('f0', type)])")
            row_fields = [RowField("f0", row_fields)]
        return RowType(row_fields, nullable)

    @staticmethod
    def ANY() -> DataType:
        """Any type: what the argument of a function could have before Flink 1.14.

        Raises:
            UnsupportedOperation: There is no column of any type.
        """
        raise UnsupportedOperation("DataTypes.ANY: only the input of a function may be of any type: leave it out")

    @staticmethod
    def FIELD(name: str, data_type: DataType, description: str | None = None) -> RowField:
        """A field of a row."""
        return RowField(name, data_type, description)

    @staticmethod
    def SECOND(precision: int = DayTimeIntervalType.DEFAULT_FRACTIONAL_PRECISION) -> Resolution:
        """A unit of an interval; `precision`: digits of the fraction, 0 to 9."""
        return Resolution(_UNIT.SECOND, precision)

    @staticmethod
    def MINUTE() -> Resolution:
        """A unit of an interval."""
        return Resolution(_UNIT.MINUTE)

    @staticmethod
    def HOUR() -> Resolution:
        """A unit of an interval."""
        return Resolution(_UNIT.HOUR)

    @staticmethod
    def DAY(precision: int = DayTimeIntervalType.DEFAULT_DAY_PRECISION) -> Resolution:
        """A unit of an interval; `precision`: digits of the days, 1 to 6."""
        return Resolution(_UNIT.DAY, precision)

    @staticmethod
    def MONTH() -> Resolution:
        """A unit of an interval."""
        return Resolution(_UNIT.MONTH)

    @staticmethod
    def YEAR(precision: int = YearMonthIntervalType.DEFAULT_PRECISION) -> Resolution:
        """A unit of an interval; `precision`: digits of the years, 1 to 4."""
        return Resolution(_UNIT.YEAR, precision)

    @staticmethod
    def INTERVAL(
        upper_resolution: Resolution, lower_resolution: Resolution | None = None
    ) -> DayTimeIntervalType | YearMonthIntervalType:
        """An interval from one unit down to another, such as ``INTERVAL(DAY(), SECOND(3))``."""
        return interval_of(upper_resolution, lower_resolution)
