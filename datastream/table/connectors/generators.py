"""Generated columns of the connector ``datagen``: which options each type has, and how its values are made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from datastream.errors import ValidationError
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    MapType,
    MultisetType,
    SmallIntType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of
from datastream.types.java_text import narrowed

from .options import Option, Settings

BITS: dict[type[DataType], int] = {TinyIntType: 8, SmallIntType: 16, IntType: 32, BigIntType: 64}
_UNBOUNDED = 2**31 - 1
_TEXT_LENGTH, _COLLECTION_LENGTH = 100, 3
_MS, _DAY_US = 1000, 86_400_000_000
_FLOAT_MAX, _DOUBLE_MAX = 3.4028234663852886e38, 1.7976931348623157e308
_MOST_MONTHS, _MOST_DAYS = 120_000, 10_000


@dataclass(frozen=True)
class Place:
    """Which values are wanted.

    Attributes:
        random: Gives the same numbers whenever the same rows are made.
        start: Number of the first row, from 0.
        count: How many.
        now: µs since 1970.
    """

    random: Random
    start: int
    count: int
    now: int


class Generator(ABC):
    """Makes the values of a column."""

    #: How many rows it can make; None: any number.
    rows: int | None = None

    @abstractmethod
    def values(self, place: Place) -> list[Any]:
        """`Place.count` values."""


def field_options(path: str, kind: DataType) -> Iterator[Option]:
    """The options of a field.

    Args:
        path: ``fields.a``.
        kind: Its type.
    """
    yield Option(f"{path}.kind", default="random", choices=("random", "sequence"), doc="How values are made.")
    yield Option(f"{path}.null-rate", "double", 0.0, doc="Share of NULLs, 0 to 1.")
    number = _number_kind(kind)
    if number is not None:
        yield Option(f"{path}.min", number, doc="The least random value.")
        yield Option(f"{path}.max", number, doc="The largest random value.")
    if _has_sequence(kind):
        yield Option(f"{path}.start", "integer", doc="The first value of a sequence.")
        yield Option(f"{path}.end", "integer", doc="The last value of a sequence.")
    if traits_of(kind).clock == "timestamp":
        yield Option(f"{path}.max-past", "duration", 0, doc="How far before now a time may lie.")
    if isinstance(kind, CharType | VarCharType | BinaryType | VarBinaryType | ArrayType | MapType | MultisetType):
        yield Option(f"{path}.length", "integer", doc="Of texts, bytes and collections.")
    if isinstance(kind, VarCharType | VarBinaryType):
        yield Option(f"{path}.var-len", "boolean", False, doc="Whether lengths vary from 1 to the length.")
    for name, inner in _parts(kind):
        yield from field_options(f"{path}.{name}", inner)


def generator(path: str, kind: DataType, settings: Settings) -> Generator:
    """What makes a field's values.

    Raises:
        ValidationError: an option is wrong, or there are no such values.
    """
    make = _sequence if settings[f"{path}.kind"] == "sequence" else _random
    made = make(path, kind, settings)
    rate = settings[f"{path}.null-rate"]
    if not 0 <= rate <= 1:
        raise ValidationError(f"option '{path}.null-rate': expected a number from 0 to 1, got {rate}")
    return _WithNulls(made, rate) if rate else made


def _parts(kind: DataType) -> list[tuple[str, DataType]]:
    match kind:
        case ArrayType() | MultisetType():
            return [("element", kind.element_type)]
        case MapType():
            return [("key", kind.key_type), ("value", kind.value_type)]
        case RowType():
            return [(field.name, field.data_type) for field in kind]
    return []


def _number_kind(kind: DataType) -> str | None:
    if type(kind) in BITS or isinstance(kind, DayTimeIntervalType | YearMonthIntervalType):
        return "integer"
    return "double" if isinstance(kind, FloatType | DoubleType | DecimalType) else None


def _has_sequence(kind: DataType) -> bool:
    return type(kind) in BITS or isinstance(kind, FloatType | DoubleType | DecimalType | CharType | VarCharType)


# -- sequences ------------------------------------------------------------------------------------


def _sequence(path: str, kind: DataType, settings: Settings) -> Generator:
    if not _has_sequence(kind):
        raise ValidationError(f"option '{path}.kind': there is no sequence of {kind}")
    start, end = settings[f"{path}.start"], settings[f"{path}.end"]
    if start is None or end is None:
        raise ValidationError(f"a sequence needs '{path}.start' and '{path}.end'")
    if start > end:
        raise ValidationError(f"'{path}.start' is {start}, which is above '{path}.end', {end}")
    bits = BITS.get(type(kind))
    if bits is not None and not -(1 << bits - 1) <= start <= end < 1 << bits - 1:
        raise ValidationError(f"a sequence from {start} to {end} does not fit {kind}")
    return _Sequence(kind, start, end - start + 1)


@dataclass(frozen=True)
class _Sequence(Generator):
    kind: DataType
    start: int
    rows: int

    def values(self, place: Place) -> list[Any]:
        first = self.start + place.start
        numbers = range(first, first + place.count)
        match self.kind:
            case CharType() | VarCharType():
                return list(map(str, numbers))
            case FloatType() | DoubleType():
                return list(map(float, numbers))
            case DecimalType():
                unit = Decimal(1).scaleb(-self.kind.scale)
                return [Decimal(number).quantize(unit) for number in numbers]
        return list(numbers)


# -- random values --------------------------------------------------------------------------------


def _random(path: str, kind: DataType, settings: Settings) -> Generator:
    match kind:
        case BooleanType():
            return _Booleans()
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            half = 1 << BITS[type(kind)] - 1
            return _Integers(*_bounds(path, settings, -half, half - 1))
        case YearMonthIntervalType():
            return _Integers(*_bounds(path, settings, 0, _MOST_MONTHS))
        case DayTimeIntervalType():
            low, high = _bounds(path, settings, 0, _MOST_DAYS * _DAY_US // _MS)
            return _Integers(low, high, _MS)
        case FloatType():
            return _Doubles(*_bounds(path, settings, -_FLOAT_MAX, _FLOAT_MAX), True)
        case DoubleType():
            return _Doubles(*_bounds(path, settings, -_DOUBLE_MAX, _DOUBLE_MAX), False)
        case DecimalType():
            most = 10**kind.precision - 1
            low, high = _bounds(path, settings, *(sign * most / 10**kind.scale for sign in (-1, 1)))
            scale = 10**kind.scale
            return _Decimals(max(round(low * scale), -most), min(round(high * scale), most), kind.scale)
        case CharType() | VarCharType():
            return _Texts(*_length(path, kind, settings))
        case BinaryType() | VarBinaryType():
            return _Bytes(*_length(path, kind, settings))
        case ArrayType() | MapType() | MultisetType() | RowType():
            return _collection(path, kind, settings)
    clock = traits_of(kind).clock
    if clock is None:
        raise ValidationError(f"'{path}': there are no generated values of {kind}")
    return _Now(clock, settings[f"{path}.max-past"] if clock == "timestamp" else 0)


def _bounds(path: str, settings: Settings, least: Any, most: Any) -> tuple[Any, Any]:
    low, high = settings[f"{path}.min"], settings[f"{path}.max"]
    low, high = least if low is None else low, most if high is None else high
    if not least <= low <= high <= most:
        raise ValidationError(f"'{path}.min' and '{path}.max' must be from {least} to {most}, in order: {low}, {high}")
    return low, high


def _length(path: str, kind: Any, settings: Settings) -> tuple[int, bool]:
    length = settings[f"{path}.length"]
    if length is None:
        return (kind.length if kind.length != _UNBOUNDED else _TEXT_LENGTH), _varies(path, kind, settings)
    fixed = isinstance(kind, CharType | BinaryType)
    if length < 1 or length > kind.length or (fixed and length != kind.length):
        raise ValidationError(f"option '{path}.length': {length} does not fit {kind} of length {kind.length}")
    return length, _varies(path, kind, settings)


def _varies(path: str, kind: DataType, settings: Settings) -> bool:
    return isinstance(kind, VarCharType | VarBinaryType) and settings[f"{path}.var-len"]


def _collection(path: str, kind: DataType, settings: Settings) -> Generator:
    parts = tuple(generator(f"{path}.{name}", inner, settings) for name, inner in _parts(kind))
    if isinstance(kind, RowType):
        return _Rows(parts)
    length = settings[f"{path}.length"]
    length = _COLLECTION_LENGTH if length is None else length
    if length < 0:
        raise ValidationError(f"option '{path}.length': expected 0 or more, got {length}")
    return _Collections(parts, length, type(kind).__name__)


@dataclass(frozen=True)
class _WithNulls(Generator):
    made: Generator
    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", self.made.rows)

    def values(self, place: Place) -> list[Any]:
        found, number = self.made.values(place), place.random.random
        return [None if number() < self.rate else value for value in found]


class _Booleans(Generator):
    def values(self, place: Place) -> list[Any]:
        number = place.random.random
        return [number() < 0.5 for _ in range(place.count)]


@dataclass(frozen=True)
class _Integers(Generator):
    low: int
    high: int
    unit: int = 1

    def values(self, place: Place) -> list[Any]:
        low, span, unit = self.low, self.high - self.low + 1, self.unit
        if span < 1 << 52:
            number = place.random.random
            return [(low + int(number() * span)) * unit for _ in range(place.count)]
        below = place.random.randrange
        return [(low + below(span)) * unit for _ in range(place.count)]


@dataclass(frozen=True)
class _Doubles(Generator):
    low: float
    high: float
    short: bool

    def values(self, place: Place) -> list[Any]:
        number, low, high = place.random.random, self.low, self.high
        found = [low + share * high - share * low for share in (number() for _ in range(place.count))]
        return list(map(narrowed, found)) if self.short else found


@dataclass(frozen=True)
class _Decimals(Generator):
    low: int
    high: int
    scale: int

    def values(self, place: Place) -> list[Any]:
        below, scale = place.random.randrange, -self.scale
        span = self.high - self.low + 1
        return [Decimal(self.low + below(span)).scaleb(scale) for _ in range(place.count)]


@dataclass(frozen=True)
class _Now(Generator):
    kind: str
    past_ms: int

    def values(self, place: Place) -> list[Any]:
        if self.kind == "date":
            return [place.now // _DAY_US] * place.count
        if self.kind == "time":
            return [place.now % _DAY_US] * place.count
        now = place.now // _MS
        number, span = place.random.random, self.past_ms + 1
        return [(now - int(number() * span)) * _MS for _ in range(place.count)]


@dataclass(frozen=True)
class _Texts(Generator):
    length: int
    varies: bool

    def values(self, place: Place) -> list[Any]:
        bits, length = place.random.getrandbits, self.length
        if self.varies:
            lengths = [place.random.randint(1, length) for _ in range(place.count)]
            return [f"{bits(4 * some):0{some}x}" for some in lengths]
        return [f"{bits(4 * length):0{length}x}" for _ in range(place.count)]


@dataclass(frozen=True)
class _Bytes(Generator):
    length: int
    varies: bool

    def values(self, place: Place) -> list[Any]:
        made, length = place.random.randbytes, self.length
        if self.varies:
            return [made(place.random.randint(1, length)) for _ in range(place.count)]
        return [made(length) for _ in range(place.count)]


@dataclass(frozen=True)
class _Rows(Generator):
    parts: tuple[Generator, ...]

    def __post_init__(self) -> None:
        limits = [part.rows for part in self.parts if part.rows is not None]
        object.__setattr__(self, "rows", min(limits, default=None))

    def values(self, place: Place) -> list[Any]:
        columns = [part.values(place) for part in self.parts]
        return list(zip(*columns, strict=True)) if columns else [()] * place.count


@dataclass(frozen=True)
class _Collections(Generator):
    parts: tuple[Generator, ...]
    length: int
    kind: str

    def values(self, place: Place) -> list[Any]:
        length = self.length
        inner = Place(place.random, place.start * length, place.count * length, place.now)
        first, *more = [part.values(inner) for part in self.parts]
        bounds = [(i * length, (i + 1) * length) for i in range(place.count)]
        if self.kind == "ArrayType":
            return [tuple(first[low:high]) for low, high in bounds]
        second = more[0] if more else [1] * len(first)
        return [dict(zip(first[low:high], second[low:high], strict=True)) for low, high in bounds]
