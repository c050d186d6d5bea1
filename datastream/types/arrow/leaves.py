"""How the columns of single values are written: their Arrow types, and what each value must be."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal, InvalidOperation
from operator import attrgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from datastream.time.instant import Instant
from datastream.types.arrays import PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo, DecimalTypeInfo
from datastream.types.pickled import PickledBytesTypeInfo
from datastream.types.pickles import dumps
from datastream.types.sql_time import DateTypeInfo, LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.type_information import TypeInformation

Values = list[Any]


class Misfit(Exception):
    """A value does not fit its type; the text is a hint."""


@dataclass(frozen=True)
class Leaf:
    """How values of a type become a column.

    Attributes:
        arrow: The type of the column.
        exact: The class that `build` takes as it is.
        normal: Returns any legal value in the form that `build` takes, or raises Misfit.
        build: Makes the column; None is null. Raises Misfit, or what pyarrow raises.
        expected: What a value should be, for messages.
    """

    arrow: pa.DataType
    exact: type
    normal: Callable[[Any], Any]
    build: Callable[[Values], pa.Array]
    expected: str

    @property
    def takes_none(self) -> bool:
        """Whether None is a value, and not the lack of one."""
        return self.exact in (type(None), object)


def leaf_of(kind: TypeInformation) -> Leaf | None:
    """How values of a type become a column; None when the type has types inside."""
    if isinstance(kind, DecimalTypeInfo):
        return _decimals(kind)
    if isinstance(kind, BasicTypeInfo):
        return _BASIC[kind.basic_type]
    if isinstance(kind, PrimitiveArrayTypeInfo):
        return _BYTES if kind.element_type == _BYTE else None
    if isinstance(kind, LocalTimeTypeInfo):
        return _LOCAL[kind.kind]
    return _OTHERS.get(type(kind))


def _leaf(arrow: pa.DataType, exact: type, normal: Callable[[Any], Any], expected: str) -> Leaf:
    return Leaf(arrow, exact, normal, lambda values: pa.array(values, arrow), expected)


def _is(value: Any, wanted: type, but: type | tuple[type, ...] = ()) -> Any:
    if not isinstance(value, wanted) or isinstance(value, but):
        raise Misfit
    return value


def _text(value: Any) -> str:
    try:
        _is(value, str).encode()
    except UnicodeEncodeError:
        raise Misfit("a lone surrogate has no UTF-8 form") from None
    return str(value)


def _char(value: Any) -> str:
    if len(_is(value, str)) != 1:
        raise Misfit
    return _text(value)


def _chars(values: Values) -> pa.Array:
    if not set(map(len, filter(None, values))) <= {1} or "" in values:
        raise Misfit
    return pa.array(values, pa.string())


def _whole(bits: int, arrow: pa.DataType, name: str) -> Leaf:
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1

    def normal(value: Any) -> int:
        if not low <= _is(value, int, bool) <= high:
            raise Misfit
        return int(value)

    return _leaf(arrow, int, normal, f"{name}, an int from {low} to {high}")


def _double(value: Any) -> float:
    if isinstance(value, float):
        return float(value)
    try:
        number = float(_is(value, int, bool))
    except OverflowError:
        raise Misfit("a float does not hold this int") from None
    if number != value:
        raise Misfit("a float does not hold this int exactly")
    return number


def _single(value: Any) -> float:
    number = _double(value)
    try:
        narrow = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        raise Misfit("32 bits do not hold it; declare DOUBLE") from None
    if isinstance(value, int) and narrow != value:
        raise Misfit("32 bits do not hold this int exactly; declare DOUBLE")
    return number


def _singles(values: Values) -> pa.Array:
    """Floats rounded to 32 bits, which is what FLOAT means; but none becomes infinite."""
    wide = pa.array(values, pa.float64())
    narrow = wide.cast(pa.float32())
    if pc.sum(pc.is_inf(narrow)).as_py() != pc.sum(pc.is_inf(wide)).as_py():
        raise Misfit
    return narrow


def _big_int(value: Any) -> int:
    if abs(_is(value, int, bool)) >= 10**38:
        raise Misfit("Arrow's decimals hold 38 digits; write it as a STRING")
    return int(value)


_DIGITS = Context(prec=38, rounding=ROUND_DOWN, Emax=99, Emin=-99)
_STEP = Decimal("1E-18")


def _decimal(value: Any) -> Decimal:
    if not _is(value, Decimal).is_finite():
        raise Misfit("it must be finite")
    try:
        scaled: Decimal = value.quantize(_STEP, context=_DIGITS)
    except InvalidOperation:
        raise Misfit("there are too many digits before the point") from None
    if scaled != value:
        raise Misfit("there are too many digits after the point; round it before")
    return scaled


def _decimals(kind: DecimalTypeInfo) -> Leaf:
    arrow = pa.decimal128(kind.precision, kind.scale)

    def normal(value: Any) -> Decimal:
        try:
            return kind.fit(_is(value, Decimal))
        except ValueError as error:
            raise Misfit(str(error)) from None

    def build(values: Values) -> pa.Array:
        return pa.array([None if value is None else normal(value) for value in values], arrow)

    before = kind.precision - kind.scale
    return Leaf(arrow, Decimal, normal, build, f"a Decimal of {before} digits before and {kind.scale} after the point")


def _date(value: Any) -> dt.date:
    found: dt.date = _is(value, dt.date, dt.datetime)
    return dt.date(found.year, found.month, found.day)


def _time(value: Any) -> dt.time:
    if _is(value, dt.time).tzinfo is not None:
        raise Misfit("it must have no time zone")
    return dt.time(value.hour, value.minute, value.second, value.microsecond)


def _timestamp(value: Any) -> dt.datetime:
    if _is(value, dt.datetime).tzinfo is not None:
        raise Misfit("it must have no time zone: use .astimezone(timezone.utc).replace(tzinfo=None), or an Instant")
    if getattr(value, "nanosecond", 0):
        raise Misfit("a timestamp holds microseconds; use an Instant")
    return dt.datetime.combine(dt.date(value.year, value.month, value.day), value.time())


_zones = attrgetter("tzinfo")
_NO_ZONE = frozenset({None})


def _zoneless(arrow: pa.DataType) -> Callable[[Values], pa.Array]:
    def build(values: Values) -> pa.Array:
        if not _NO_ZONE.issuperset(map(_zones, filter(None, values))):
            raise Misfit
        return pa.array(values, arrow)

    return build


_NANOS = 1_000_000_000


def _instant(value: Any) -> Instant:
    found: Instant = _is(value, Instant)
    if not 0 <= found.nanos < _NANOS or not -(1 << 63) <= found.seconds * _NANOS + found.nanos < 1 << 63:
        raise Misfit("Arrow holds the years 1678 to 2261 to the nanosecond")
    return found


def _instants(values: Values) -> pa.Array:
    nanos = [None if v is None else v.seconds * _NANOS + v.nanos for v in values]
    return pa.array(nanos, pa.int64()).view(pa.timestamp("ns", "UTC"))


def _void(value: Any) -> None:
    raise Misfit


def _pickled(value: Any) -> Any:
    try:
        dumps(value)
    except Exception as error:  # whatever a record's own __reduce__ raises
        raise Misfit(f"pickle refused it: {error}") from None
    return value


def _pickles(values: Values) -> pa.Array:
    return pa.array([None if v is None else dumps(v) for v in values], pa.binary())


_BYTE = BasicTypeInfo(BasicType.BYTE)
_DATE = _leaf(pa.date32(), dt.date, _date, "a datetime.date")
_TIME = Leaf(pa.time64("us"), dt.time, _time, _zoneless(pa.time64("us")), "a datetime.time without a time zone")
_STAMP = Leaf(
    pa.timestamp("us"), dt.datetime, _timestamp, _zoneless(pa.timestamp("us")), "a datetime without a time zone"
)
_BYTES = _leaf(pa.binary(), bytes, lambda value: bytes(_is(value, bytes)), "bytes")
_PICKLED = Leaf(pa.binary(), object, _pickled, _pickles, "a value that can be pickled")

_BASIC = {
    BasicType.STRING: _leaf(pa.string(), str, _text, "String, a str"),
    BasicType.CHAR: Leaf(pa.string(), str, _char, _chars, "Char, a str of one character"),
    BasicType.BOOLEAN: _leaf(pa.bool_(), bool, lambda value: _is(value, bool), "Boolean, a bool"),
    BasicType.BYTE: _whole(8, pa.int8(), "Byte"),
    BasicType.SHORT: _whole(16, pa.int16(), "Short"),
    BasicType.INT: _whole(32, pa.int32(), "Integer"),
    BasicType.LONG: _whole(64, pa.int64(), "Long"),
    BasicType.FLOAT: Leaf(pa.float32(), float, _single, _singles, "Float, a float of 32 bits"),
    BasicType.DOUBLE: _leaf(pa.float64(), float, _double, "Double, a float"),
    BasicType.BIG_INT: _leaf(pa.decimal128(38, 0), int, _big_int, "BigInteger, an int of at most 38 digits"),
    BasicType.BIG_DEC: _leaf(
        pa.decimal128(38, 18), Decimal, _decimal, "BigDecimal, a Decimal of 20 digits before and 18 after the point"
    ),
    BasicType.INSTANT: Leaf(pa.timestamp("ns", "UTC"), Instant, _instant, _instants, "an Instant"),
    BasicType.VOID: _leaf(pa.null(), type(None), _void, "None"),
}
_LOCAL = {
    LocalTimeKind.LOCAL_DATE: _DATE,
    LocalTimeKind.LOCAL_TIME: _TIME,
    LocalTimeKind.LOCAL_DATE_TIME: _STAMP,
}
_OTHERS: dict[type[TypeInformation], Leaf] = {
    DateTypeInfo: _DATE,
    TimeTypeInfo: _TIME,
    TimestampTypeInfo: _STAMP,
    PickledBytesTypeInfo: _PICKLED,
}
