"""Values of tables: from Python's objects to the form that they have inside a plan, and back.

Inside, a DATE is days, a TIME microseconds of the day, a TIMESTAMP microseconds since 1970, an interval microseconds or
months, an ARRAY and a ROW a tuple; all else is as in Python.
"""

from __future__ import annotations

import array
import datetime as dt
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from enum import Enum
from numbers import Real
from typing import Any

from datastream.errors import TypeMismatch, ValidationError
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
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
    LocalZonedTimestampType,
    MapType,
    MultisetType,
    NullType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
    is_nullable,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary
from datastream.table.types.user_defined_type import UserDefinedType, stored
from datastream.time import Instant
from datastream.types import Row
from datastream.types.java_text import narrowed, shortest
from datastream.types.row import row_factory

Convert = Callable[[Any], Any]

EPOCH = dt.datetime(1970, 1, 1)
EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_EPOCH_DAY = EPOCH.toordinal()
_US = dt.timedelta(microseconds=1)
_DAY_US = 86_400_000_000
#: Of Python and of NumPy.
_NUMBERS: Any = (Real, Decimal)
_BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}
_DIGITS = Context(prec=80)


class Origin(Enum):
    """Where a value comes from, since PyFlink takes more or less of it."""

    READ = "a file, a message, a DataFrame or a constant"
    STREAM = "a record of a stream: rows may have more fields than their type, which are left out"
    GIVEN = "a row of from_elements: texts and bytes have the length of their type, moments any zone"
    RETURNED = "a function's result: other numbers are converted, digits too many are cut off"


def to_inside(kind: DataType, zone: dt.tzinfo = dt.UTC, path: str = "", origin: Origin = Origin.READ) -> Convert:
    """A function: a value of Python's -> the value inside.

    Args:
        kind: The type.
        zone: Of datetimes without a zone where a TIMESTAMP_LTZ is wanted.
        path: Of the value, for errors, such as ``name`` or ``items[0]``.
        origin: Where values come from.

    Returns:
        The function. It raises TypeMismatch where a value does not fit the type.
    """
    expected = summary(kind)
    convert = _inside(kind, zone, path, origin)
    optional = is_nullable(kind)

    def checked(value: Any) -> Any:
        if value is None:
            if optional:
                return None
            raise TypeMismatch(path, expected, value)
        try:
            return convert(value)
        except TypeMismatch:
            raise
        except (TypeError, ValueError, AttributeError, OverflowError, InvalidOperation):
            raise TypeMismatch(path, expected, value) from None

    return checked


def to_python(kind: DataType, collected: bool = False) -> Convert:
    """A function: the value inside -> the value of Python's that a user sees.

    Args:
        kind: The value's type.
        collected: Whether it is what `TableResult.collect` returns: rows have no names, a FLOAT is the shortest decimal
            that gives it, and bytes are a bytearray, as in PyFlink.
    """
    convert = _python(kind, collected)
    if convert is None:
        return lambda value: value
    return lambda value: None if value is None else convert(value)


def timestamp_us(value: dt.datetime) -> int:
    """A datetime without a zone as µs since 1970."""
    return (value.replace(tzinfo=None) - EPOCH) // _US


def instant_us(value: Any, zone: dt.tzinfo) -> int:
    """An Instant, or a datetime, as µs since 1970 UTC; `zone` is that of datetimes without one."""
    if isinstance(value, Instant):
        return value.seconds * 1_000_000 + value.nanos // 1000
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    return int((value - EPOCH_UTC) // _US)


def decimal_of(value: Any, precision: int, scale: int, rounding: str = ROUND_HALF_UP) -> Decimal:
    """A number as a Decimal of a scale.

    Raises:
        ValueError: it is no such number, or has more digits than that.
    """
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise ValueError("not a whole number or a Decimal")
    if isinstance(value, Decimal) and not value.is_finite():
        raise ValueError("not a finite number")
    found = Decimal(value).quantize(Decimal(1).scaleb(-scale), rounding, _DIGITS)
    if len(found.as_tuple().digits) > precision and found.adjusted() >= precision - scale:
        raise ValueError("too many digits")
    return found


def _inside(kind: DataType, zone: dt.tzinfo, path: str, origin: Origin) -> Convert:
    given, returned = origin is Origin.GIVEN, origin is Origin.RETURNED
    bits = _BITS.get(type(kind))
    if bits is not None:
        return _whole(bits, returned)
    match kind:
        case BooleanType():
            return _truth_of_number if returned else _truth
        case FloatType():
            number = _returned_number if returned else _number
            return lambda value: narrowed(number(value))
        case DoubleType():
            return _returned_number if returned else _number
        case DecimalType(precision=precision, scale=scale):
            rounding = ROUND_HALF_EVEN if returned else ROUND_HALF_UP
            return lambda value: decimal_of(value, precision, scale, rounding)
        case CharType(length=length) | VarCharType(length=length):
            return _of_length(_exactly(str), length, isinstance(kind, CharType)) if given else _exactly(str)
        case BinaryType(length=length) | VarBinaryType(length=length):
            return _of_length(_bytes, length, isinstance(kind, BinaryType)) if given else _bytes
        case DateType():
            return _days if origin in (Origin.READ, Origin.STREAM) else _days_of_any
        case TimeType(precision=precision):
            return _cut(_given_time_us if given else _time_us, precision)
        case LocalZonedTimestampType(precision=precision):
            return _cut(lambda value: instant_us(value, zone), precision)
        case TimestampType(precision=precision):
            moment = _local_us if given else timestamp_us
            return _cut(lambda value: moment(_exactly(dt.datetime)(value)), precision)
        case DayTimeIntervalType():
            return lambda value: value // _US
        case YearMonthIntervalType():
            return _inside(IntType(), zone, path, origin)
        case ArrayType(element_type=element):
            return _elements(to_inside(element, zone, f"{path}[]", origin))
        case MultisetType(element_type=element):
            return _counted(to_inside(element, zone, f"{path}[]", origin))
        case MapType(key_type=key, value_type=value):
            of_key = to_inside(key, zone, f"{path} key", origin)
            return _pairs(of_key, to_inside(value, zone, f"{path}[]", origin))
        case RowType():
            return row_to_inside(kind, zone, path, origin)
        case NullType():
            return _nothing
        case UserDefinedType():
            inside = to_inside(stored(kind), zone, path, origin)
            return lambda value: inside(kind.serialize(value))
    raise ValidationError(f"values of {summary(kind)} cannot be in a table")


def row_to_inside(kind: RowType, zone: dt.tzinfo = dt.UTC, path: str = "", origin: Origin = Origin.READ) -> Convert:
    """A function: a Row, tuple, list, dict, object, or the value of an only field -> the tuple inside."""
    prefix = f"{path}." if path else ""
    names = kind.names
    converters = [to_inside(field.data_type, zone, prefix + field.name, origin) for field in kind.fields]
    expected = summary(kind)
    only = kind.fields[0].data_type if len(names) == 1 else None
    of_array, of_map = isinstance(only, ArrayType), isinstance(only, (MapType, MultisetType))

    def convert(value: Any) -> tuple[Any, ...]:
        if isinstance(value, Row):
            named = value._fields is not None and set(value._fields) == set(names)
            values = value.get_fields_by_names(names) if named else list(value)
        elif isinstance(value, tuple) or (isinstance(value, list) and not of_array):
            values = list(value)
        elif isinstance(value, Mapping) and not of_map:
            values = [value.get(name) for name in names]
        elif hasattr(value, "__dict__"):
            values = [value.__dict__.get(name) for name in names]
        elif len(names) == 1:
            values = [value]
        else:
            raise TypeMismatch(path, expected, value)
        if origin is Origin.STREAM and len(values) > len(names):
            values = values[: len(names)]
        if len(values) != len(names):
            raise TypeMismatch(path, expected, value, f"the row has {len(values)} fields, not {len(names)}")
        return tuple([convert(each) for convert, each in zip(converters, values, strict=True)])

    return convert


def row_to_python(kind: RowType, collected: bool = False) -> Callable[[tuple[Any, ...]], Row]:
    """A function: a tuple inside -> a Row; see `to_python`."""
    return _row_to_python(kind, collected, to_python)


def _row_to_python(kind: RowType, collected: bool, field_to_python: Callable[[DataType, bool], Convert]) -> Convert:
    make: Callable[[list[Any]], Row] = (lambda values: Row(*values)) if collected else row_factory(kind.names)
    converters = [field_to_python(field.data_type, collected) for field in kind.fields]
    return lambda value: make([convert(each) for convert, each in zip(converters, value, strict=True)])


def _key_to_python(kind: DataType, collected: bool) -> Convert:
    """As a key of a dict: arrays are tuples, as in PyFlink."""
    match kind:
        case ArrayType(element_type=element):
            each = _key_to_python(element, collected)
            return lambda values: None if values is None else tuple([each(value) for value in values])
        case RowType():
            row = _row_to_python(kind, collected, _key_to_python)
            return lambda value: None if value is None else row(value)
    # A bytearray is no key.
    return to_python(kind, collected and not isinstance(kind, (BinaryType, VarBinaryType)))


def _python(kind: DataType, collected: bool) -> Convert | None:
    match kind:
        case FloatType() if collected:
            return shortest
        case BinaryType() | VarBinaryType() if collected:
            return bytearray
        case DateType():
            return _date
        case TimeType():
            return lambda us: (EPOCH + us * _US).time()
        case LocalZonedTimestampType():
            return _instant
        case TimestampType():
            return _timestamp
        case DayTimeIntervalType():
            return lambda us: us * _US
        case ArrayType(element_type=element):
            each = to_python(element, collected)
            return lambda values: [each(value) for value in values]
        case MultisetType(element_type=element):
            each = _key_to_python(element, collected and not isinstance(element, FloatType))
            return lambda values: {each(value): count for value, count in values.items()}
        case MapType(key_type=key, value_type=value):
            of_key, of_value = _key_to_python(key, collected), to_python(value, collected)
            return lambda values: {of_key(key): of_value(value) for key, value in values.items()}
        case RowType():
            return row_to_python(kind, collected)
    return None


def _date(days: int) -> dt.date:
    try:
        return dt.date.fromordinal(days + _EPOCH_DAY)
    except (ValueError, OverflowError):
        raise out_of_years("DATE", days, "days") from None


def _timestamp(us: int) -> dt.datetime:
    try:
        return EPOCH + us * _US
    except OverflowError:
        raise out_of_years("TIMESTAMP", us, "µs") from None


def out_of_years(kind: str, value: int, unit: str) -> TypeMismatch:
    """The error of a date that Python cannot hold.

    Args:
        kind: The data type.
        value: Since 1970.
        unit: Of the value.
    """
    return TypeMismatch("", f"{kind} of the years 1 to 9999", value, f"these are {unit} since 1970")


def _instant(us: int) -> Instant:
    seconds, rest = divmod(us, 1_000_000)
    return Instant(seconds, rest * 1000)


def unit_of(precision: int) -> int:
    """The µs of one in the last digit of a time's fraction; 1 where it has all digits that are kept."""
    return int(10 ** max(6 - precision, 0))


def _cut(convert: Convert, precision: int) -> Convert:
    """The conversion, and then no more digits of a second than the precision."""
    unit = unit_of(precision)
    return convert if unit == 1 else lambda value: convert(value) // unit * unit


def _exactly(expected: type) -> Convert:
    def checked(value: Any) -> Any:
        if not isinstance(value, expected):
            raise ValueError(f"not of type {expected.__name__}")
        return value

    return checked


def _whole(bits: int, returned: bool) -> Convert:
    """Of whole numbers; of a function's other numbers the digits after the point are cut off, as in PyFlink."""
    least, beyond = -(1 << bits - 1), 1 << bits - 1

    def whole(value: Any) -> int:
        if type(value) is not int:  # as it is mostly
            if not (isinstance(value, _NUMBERS) if returned else _is_whole(value)):
                raise ValueError("not a whole number")
            value = int(value)
        number: int = value
        if not least <= number < beyond:
            raise ValueError("not a whole number of these bits")
        return number

    return whole


def _is_whole(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _of_length(convert: Convert, length: int, exactly: bool) -> Convert:
    def checked(value: Any) -> Any:
        found = convert(value)
        if len(found) > length or (exactly and len(found) < length):
            raise ValueError("of another length")
        return found

    return checked


def _bytes(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise ValueError("not bytes")
    return bytes(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise ValueError("not a bool")
    return bool(value)


def _truth_of_number(value: Any) -> bool:
    return int(value) != 0 if isinstance(value, _NUMBERS) else _truth(value)


def _returned_number(value: Any) -> float:
    return float(value) if isinstance(value, bool) else _number(value)


def _number(value: Any) -> float:
    if isinstance(value, (bool, str, bytes)):
        raise ValueError("not a number")
    return float(value)


def _days(value: Any) -> int:
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date):
        raise ValueError("not a date")
    return value.toordinal() - _EPOCH_DAY


def _days_of_any(value: Any) -> int:
    return _days(value.date() if isinstance(value, dt.datetime) else value)


def _given_time_us(value: Any) -> int:
    offset = _exactly(dt.time)(value).utcoffset() or dt.timedelta()
    return (_time_us(value) - offset // _US) % _DAY_US


def _local_us(value: dt.datetime) -> int:
    """A datetime as µs since 1970; one with a zone as the clock of this machine shows it then."""
    return timestamp_us(value if value.tzinfo is None else value.astimezone())


def _time_us(value: Any) -> int:
    return int(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)


def _elements(each: Convert) -> Convert:
    def convert(values: Any) -> tuple[Any, ...]:
        if not isinstance(values, (list, tuple, array.array)) and not hasattr(values, "tolist"):
            raise ValueError("not a list")
        return tuple([each(value) for value in values])

    return convert


def _pairs(of_key: Convert, of_value: Convert) -> Convert:
    return lambda values: {of_key(key): of_value(value) for key, value in values.items()}


def _counted(each: Convert) -> Convert:
    def convert(values: Any) -> dict[Any, int]:
        if isinstance(values, (str, bytes, bytearray)):
            raise ValueError("not a collection")
        if isinstance(values, Mapping):
            return {each(value): int(count) for value, count in values.items()}
        found: dict[Any, int] = {}
        for value in map(each, values):
            found[value] = found.get(value, 0) + 1
        return found

    return convert


def _nothing(value: Any) -> None:
    raise ValueError("not NULL")
