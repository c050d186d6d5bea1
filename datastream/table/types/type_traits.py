"""What a type without parts is in files, messages, databases and printed tables: a class for each type.

Formats and connectors ask `traits_of`. Values with parts (ARRAY, MAP, MULTISET, ROW) they take apart themselves; for
numbers some have code of their own, which is written into their loops.
"""

from __future__ import annotations

import datetime as dt
from base64 import b64decode, b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from datastream import java_maps
from datastream.types import TypeInformation, Types
from datastream.types.java_text import boolean_text, double_text, float_text, narrowed

from . import time_texts as times
from .intervals import DayTimeIntervalType, YearMonthIntervalType
from .logical_types import (
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
    LocalZonedTimestampType,
    NullType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from .type_text import summary
from .values import EPOCH, EPOCH_UTC, to_python, unit_of

if TYPE_CHECKING:
    import pyarrow

Kind = TypeVar("Kind", bound=DataType)

_US = dt.timedelta(microseconds=1)
_BYTES = (bytes, bytearray, memoryview)


class Convert(Protocol):
    """A function: a value that is not NULL -> another one."""

    def __call__(self, value: Any, /) -> Any: ...


class Text(Protocol):
    """A function: a value that is not NULL -> its text."""

    def __call__(self, value: Any, /) -> str: ...


class Hash(Protocol):
    """A function: a value that is not NULL -> its hash."""

    def __call__(self, value: Any, /) -> int: ...


class Traits(Generic[Kind]):
    """Base: of a type that has no form anywhere but as values inside.

    Attributes:
        kind: The type.
        inside: The DataStream API's type of values inside.
        characters: The length of the longest text, where each value has one text; None: several values may share one.
        clock: What of the time of now is a value: ``date``, ``time`` or ``timestamp``; None: nothing.
        json_shape: What msgspec reads; None: there is no form in JSON.
        json_words: What the text in JSON holds, for errors; None: values are no texts there.
        java_text: As Flink prints it; None: as Python's str.
        java_hash: As Java's HashMap takes it; None: not known.
        csv_text: The text in CSV.
        from_database: A driver's value as Python's value of the type; None: databases have no such columns.
    """

    inside: ClassVar[TypeInformation] = Types.PICKLED_BYTE_ARRAY()
    characters: ClassVar[int | None] = None
    clock: ClassVar[str | None] = None
    json_shape: ClassVar[Any] = None
    json_words: ClassVar[str | None] = None
    java_text: ClassVar[Text | None] = None
    java_hash: ClassVar[Hash | None] = None
    csv_text: ClassVar[Text] = str
    from_database: ClassVar[Convert | None] = None

    _WIDTH: ClassVar[int | None] = None
    #: A function of pyarrow, and its argument.
    _ARROW: ClassVar[tuple[str, ...]] = ()
    _AVRO: ClassVar[Any] = None

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def width(self) -> int | None:
        """How wide a printed column is; None: texts may have any length."""
        return self._WIDTH

    def unit(self) -> int:
        """The µs of one in the last digit of a time's fraction; 1 where all digits are kept."""
        return 1

    def arrow(self) -> pyarrow.DataType | None:
        """The Arrow type of a column; None: there is none."""
        if not self._ARROW:
            return None
        import pyarrow

        name, *unit = self._ARROW
        made: pyarrow.DataType = getattr(pyarrow, name)(*unit)
        return made

    def avro(self, legacy: bool) -> Any:
        """The schema in Avro; None: there is none.

        Args:
            legacy: Whether TIMESTAMP is ``timestamp-millis``, and TIMESTAMP_LTZ has no form.

        Raises:
            ValueError: Of another precision, or unless `legacy`, there is one.
        """
        return self._AVRO

    def csv_reader(self) -> Convert | None:
        """A function: text -> value; None: there are no such values in CSV.

        It raises ValueError, LookupError or ArithmeticError.
        """
        return None

    def json_reader(self, standard: str) -> Convert | None:
        """A function: what `json_shape` reads -> value; None: it is the value.

        Args:
            standard: Of timestamps: ``sql`` or ``iso-8601``.
        """
        return None

    def json_writer(self, standard: str) -> Convert | None:
        """A function: value -> what msgspec writes; None: the value itself."""
        return None

    def shown(self, zone: dt.tzinfo) -> Text:
        """A function: value -> its text in a printed table.

        Args:
            zone: In which points in time are shown.
        """
        return str

    def literal(self, value: Any) -> str | None:
        """A value as a constant of SQL; None: as its class in Python has it."""
        return None


_TRAITS: dict[type[DataType], type[Traits[Any]]] = {}


def _of(*kinds: type[DataType]) -> Callable[[type[Traits[Any]]], type[Traits[Any]]]:
    """A class of traits is that of these types."""

    def register(traits: type[Traits[Any]]) -> type[Traits[Any]]:
        _TRAITS.update(dict.fromkeys(kinds, traits))
        return traits

    return register


def traits_of(kind: DataType) -> Traits[Any]:
    """The traits of a type."""
    return _TRAITS.get(type(kind), Traits)(kind)


# -- NULL, truth, texts, bytes -----------------------------------------------------------------------


@_of(NullType)
class _Null(Traits[NullType]):
    inside = Types.VOID()


_TRUTH = {"true": True, "false": False}
#: A database without the type holds a text or a number; PostgreSQL's BIT is a text, MySQL's is bytes.
_DATABASE_TRUTH = {**_TRUTH, "1": True, "0": False}


def _boolean_of_database(value: Any) -> bool:
    if isinstance(value, str):
        if value.strip().lower() not in _DATABASE_TRUTH:
            raise ValueError("it is neither true nor false")
        return _DATABASE_TRUTH[value.strip().lower()]
    if isinstance(value, _BYTES):
        return any(bytes(value))
    if not isinstance(value, int | float | Decimal):
        raise TypeError("it is no truth value")
    return bool(value)


@_of(BooleanType)
class _Boolean(Traits[BooleanType]):
    inside = Types.BOOLEAN()
    characters, _WIDTH = 20, 5
    json_shape = bool
    java_text = csv_text = staticmethod(boolean_text)
    java_hash = staticmethod(java_maps.boolean_hash)
    from_database = staticmethod(_boolean_of_database)

    _ARROW = ("bool_",)
    _AVRO = "boolean"

    def csv_reader(self) -> Convert:
        return lambda text: _TRUTH[text.strip().lower()]

    def shown(self, zone: dt.tzinfo) -> Text:
        return lambda value: str(value).upper()


def _text_of_database(value: Any) -> str:
    if isinstance(value, _BYTES):
        raise TypeError("it is no text")
    return str(value)


@_of(CharType, VarCharType)
class _Text(Traits[Any]):
    inside = Types.STRING()
    json_shape = str
    java_hash = staticmethod(java_maps.string_hash)
    from_database = staticmethod(_text_of_database)

    _ARROW = ("string",)
    _AVRO = "string"

    def csv_reader(self) -> Convert:
        return str


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _bytes_text(value: bytes) -> str:
    return f"[{', '.join(str(byte - (byte & 128) * 2) for byte in value)}]"


@_of(BinaryType)
class _Binary(Traits[Any]):
    inside = Types.PRIMITIVE_ARRAY(Types.BYTE())
    json_shape = bytes
    java_text = staticmethod(_bytes_text)
    csv_text = staticmethod(_base64)

    _ARROW = ("binary",)
    _AVRO = "bytes"

    def csv_reader(self) -> Convert:
        return lambda text: b64decode(text, validate=True)

    def shown(self, zone: dt.tzinfo) -> Text:
        return lambda value: f"x'{value.hex()}'"

    def literal(self, value: bytes) -> str:
        return f"X'{value.hex()}'"


def _bytes_of_database(value: Any) -> bytes:
    if not isinstance(value, _BYTES):
        raise TypeError("it is no bytes")
    return bytes(value)


@_of(VarBinaryType)
class _VarBinary(_Binary):
    from_database = staticmethod(_bytes_of_database)


# -- numbers -----------------------------------------------------------------------------------------


def _whole_of_database(value: Any) -> int:
    made = int(value)
    if isinstance(value, float | Decimal) and made != value:
        raise ValueError("a part of it would be lost")
    return made


class _Whole(Traits[Any]):
    inside = Types.LONG()
    characters = 20
    json_shape = int
    java_hash = staticmethod(java_maps.integer_hash)
    from_database = staticmethod(_whole_of_database)

    _AVRO = "int"


@_of(TinyIntType)
class _TinyInt(_Whole):
    _WIDTH = 4
    _ARROW = ("int8",)


@_of(SmallIntType)
class _SmallInt(_Whole):
    _WIDTH = 6
    _ARROW = ("int16",)


@_of(IntType)
class _Int(_Whole):
    _WIDTH = 11
    _ARROW = ("int32",)


@_of(BigIntType)
class _BigInt(_Whole):
    _WIDTH = 20
    java_hash = staticmethod(java_maps.long_hash)
    _ARROW = ("int64",)

    _AVRO = "long"


def _double_text(number: float) -> str:
    return repr(number) if 0.001 <= number < 1e7 else double_text(number)


@_of(DoubleType)
class _Double(Traits[Any]):
    inside = Types.DOUBLE()
    characters = 40
    json_shape = float
    java_text = staticmethod(double_text)
    csv_text = staticmethod(_double_text)
    from_database = float

    _ARROW = ("float64",)
    _AVRO = "double"

    def shown(self, zone: dt.tzinfo) -> Text:
        return double_text


@_of(FloatType)
class _Float(_Double):
    java_text = csv_text = staticmethod(float_text)

    _ARROW = ("float32",)
    _AVRO = "float"

    def json_reader(self, standard: str) -> Convert:
        return narrowed

    def shown(self, zone: dt.tzinfo) -> Text:
        return float_text


def _decimal_of_database(value: Any) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(str(value))


@_of(DecimalType)
class _Decimal(Traits[DecimalType]):
    inside = Types.BIG_DEC()
    json_shape = Decimal
    from_database = staticmethod(_decimal_of_database)

    def width(self) -> int:
        return self.kind.precision + 2

    def arrow(self) -> pyarrow.DataType:
        import pyarrow

        return pyarrow.decimal128(self.kind.precision, self.kind.scale)

    def avro(self, legacy: bool) -> dict[str, Any]:
        kind = self.kind
        return {"type": "bytes", "logicalType": "decimal", "precision": kind.precision, "scale": kind.scale}

    def shown(self, zone: dt.tzinfo) -> Text:
        return lambda value: format(value, "f")

    def literal(self, value: Decimal) -> str:
        return format(value, "f")


# -- dates and times ---------------------------------------------------------------------------------


def _date_of_database(value: Any) -> dt.date:
    if isinstance(value, dt.datetime):
        return value.date()
    return value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value)[:10])


@_of(DateType)
class _Date(Traits[DateType]):
    inside = Types.LONG()
    characters, _WIDTH = 20, 10
    clock = "date"
    json_shape, json_words = str, "a DATE"
    java_text = csv_text = staticmethod(times.date_text)
    from_database = staticmethod(_date_of_database)

    _ARROW = ("date32",)
    _AVRO: ClassVar[Any] = {"type": "int", "logicalType": "date"}

    def csv_reader(self) -> Convert:
        return times.read_loose_date

    def json_reader(self, standard: str) -> Convert:
        return times.read_date

    def json_writer(self, standard: str) -> Convert:
        return times.date_text

    def shown(self, zone: dt.tzinfo) -> Text:
        date = to_python(self.kind)
        return lambda value: str(date(value))

    def literal(self, value: int) -> str:
        return f"DATE '{(EPOCH + dt.timedelta(days=value)).date()}'"


def _time_of_database(value: Any) -> dt.time:
    if isinstance(value, dt.timedelta):  # as MySQL's driver gives it
        if not dt.timedelta() <= value < dt.timedelta(days=1):
            raise ValueError("it is no time of a day")
        return (EPOCH + value).time()
    return value if isinstance(value, dt.time) else dt.time.fromisoformat(str(value))


@_of(TimeType)
class _Time(Traits[TimeType]):
    inside = Types.LONG()
    characters = 40
    clock = "time"
    json_shape, json_words = str, "a TIME"
    java_text = staticmethod(times.java_time_text)
    csv_text = staticmethod(times.short_time_text)
    from_database = staticmethod(_time_of_database)

    def width(self) -> int:
        return self.kind.precision + 9 if self.kind.precision else 8

    def unit(self) -> int:
        return unit_of(self.kind.precision)

    _ARROW = ("time64", "us")

    def avro(self, legacy: bool) -> dict[str, Any]:
        if self.kind.precision > 3:
            raise ValueError("Avro has only times of a precision up to 3")
        return {"type": "int", "logicalType": "time-millis"}

    def csv_reader(self) -> Convert:
        return times.time_reader(self.kind.precision, True)

    def json_reader(self, standard: str) -> Convert:
        return times.time_reader(self.kind.precision)

    def json_writer(self, standard: str) -> Convert:
        return times.short_time_text

    def shown(self, zone: dt.tzinfo) -> Text:
        precision = self.kind.precision
        return lambda value: times.time_text(value, precision)

    def literal(self, value: int) -> str:
        return f"TIME '{(EPOCH + value * _US).time()}'"


def _timestamp_of_database(value: Any) -> dt.datetime:
    return value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(str(value))


def _moment(moment: dt.datetime, us: int, precision: int) -> str:
    fraction = f".{us % 1_000_000:06}000"[: precision + 1] if precision else ""
    return moment.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0") + fraction


class _Moment(Traits[Any]):
    """Of timestamps, with and without a zone."""

    inside = Types.LONG()
    clock = "timestamp"
    json_shape = str
    from_database = staticmethod(_timestamp_of_database)

    #: In front of the logical type in Avro.
    _LOCAL: ClassVar[str] = ""

    def width(self) -> int:
        precision = self.kind.precision
        return 20 + (precision + 2) // 3 * 3 if precision else 19

    def unit(self) -> int:
        return unit_of(self.kind.precision)

    _ARROW = ("timestamp", "us")

    def avro(self, legacy: bool) -> dict[str, Any] | None:
        precision = self.kind.precision
        if legacy and precision <= 6 and (precision > 3 or not self._LOCAL):
            raise ValueError(f"{summary(self.kind)} has no form in Avro; set 'avro.timestamp_mapping.legacy' to false")
        if precision > 6:
            return None
        unit = "millis" if precision <= 3 else "micros"
        return {"type": "long", "logicalType": f"{'' if legacy else self._LOCAL}timestamp-{unit}"}


@_of(TimestampType)
class _Timestamp(_Moment):
    characters = 40
    json_words = "a TIMESTAMP"
    java_text = staticmethod(times.java_timestamp_text)
    csv_text = staticmethod(times.timestamp_text)
    _LOCAL = "local-"

    def csv_reader(self) -> Convert:
        return times.either_reader(times.timestamp_reader, self.kind.precision)

    def json_reader(self, standard: str) -> Convert:
        sql = standard == "sql"
        return times.timestamp_reader(" " if sql else "T", self.kind.precision, sql)

    def json_writer(self, standard: str) -> Convert:
        return times.timestamp_text if standard == "sql" else times.iso_text

    def shown(self, zone: dt.tzinfo) -> Text:
        timestamp, precision = to_python(self.kind), self.kind.precision
        return lambda value: _moment(timestamp(value), value, precision)

    def literal(self, value: int) -> str:
        return f"TIMESTAMP '{EPOCH + value * _US}'"


@_of(LocalZonedTimestampType)
class _Instant(_Moment):
    json_words = "a TIMESTAMP_LTZ"
    java_text = staticmethod(times.java_instant_text)
    csv_text = staticmethod(times.sql_instant_text)

    def csv_reader(self) -> Convert:
        return times.either_reader(times.instant_reader, self.kind.precision)

    def json_reader(self, standard: str) -> Convert:
        return times.instant_reader(" " if standard == "sql" else "T", self.kind.precision)

    def json_writer(self, standard: str) -> Convert:
        return times.sql_instant_text if standard == "sql" else times.iso_instant_text

    def shown(self, zone: dt.tzinfo) -> Text:
        precision = self.kind.precision
        return lambda value: _moment((EPOCH_UTC + value * _US).astimezone(zone), value, precision)

    def literal(self, value: int) -> str:
        return f"TO_TIMESTAMP_LTZ({value // 1000}, 3)"


# -- intervals ---------------------------------------------------------------------------------------


def _millis(micros: int) -> str:
    return str(micros // 1000)


@_of(DayTimeIntervalType)
class _DayTimeInterval(Traits[DayTimeIntervalType]):
    inside = Types.LONG()
    json_shape = int
    java_text = staticmethod(times.java_duration_text)
    csv_text = staticmethod(_millis)

    _ARROW = ("duration", "us")

    def shown(self, zone: dt.tzinfo) -> Text:
        return _day_time


@_of(YearMonthIntervalType)
class _YearMonthInterval(Traits[YearMonthIntervalType]):
    inside = Types.LONG()
    json_shape = int
    java_text = staticmethod(times.java_period_text)

    _ARROW = ("int32",)

    def shown(self, zone: dt.tzinfo) -> Text:
        return lambda value: f"{'-' if value < 0 else '+'}{abs(value) // 12}-{abs(value) % 12:02}"


def _day_time(us: int) -> str:
    sign, us = ("-" if us < 0 else "+"), abs(us)
    seconds, rest = divmod(us, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days} {hours:02}:{minutes:02}:{seconds:02}.{rest // 1000:03}"
