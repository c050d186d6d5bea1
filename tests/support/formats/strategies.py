"""What the property tests of types and formats draw from: types, their values, and damaged bytes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from datastream.time.instant import Instant
from datastream.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    Row,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.row import row_factory

NUMBERS = (Types.BYTE, Types.SHORT, Types.INT, Types.LONG, Types.FLOAT, Types.DOUBLE)
BIGS = (Types.BIG_INT, Types.BIG_DEC)
TEXTS = (Types.STRING, Types.CHAR)
TIMES = (Types.SQL_DATE, Types.SQL_TIME, Types.SQL_TIMESTAMP)
LOCALS = (Types.LOCAL_DATE, Types.LOCAL_TIME, Types.LOCAL_DATE_TIME)
PRIMITIVES = (Types.BOOLEAN, Types.CHAR, *NUMBERS)

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)


def leaf_types(
    *, bigs: bool = True, times: bool = True, local: bool = True, instants: bool = True, void: bool = True,
    pickled: bool = False, bytes_: bool = True,
) -> st.SearchStrategy[TypeInformation]:  # fmt: skip
    """Types without types inside, but for the array of bytes."""
    makers = [*TEXTS, Types.BOOLEAN, *NUMBERS]
    makers += BIGS if bigs else ()
    makers += TIMES if times else ()
    makers += LOCALS if local else ()
    makers += (Types.INSTANT,) if instants else ()
    makers += (Types.VOID,) if void else ()
    makers += (Types.PICKLED_BYTE_ARRAY,) if pickled else ()
    makers += (lambda: Types.PRIMITIVE_ARRAY(Types.BYTE()),) if bytes_ else ()
    return st.sampled_from([make() for make in makers])


def types(
    *, depth: int = 3, tuples: bool = True, rows: bool = True, unnamed: bool = True, maps: bool = True,
    any_keys: bool = True, arrays: bool = True, lists: bool = True, empty_rows: bool = False,
    names: st.SearchStrategy[str] = NAMES, fields: int = 3, **leaves: bool,
) -> st.SearchStrategy[TypeInformation]:  # fmt: skip
    """Any type.

    Args:
        depth: How many types may stand inside each other; 0 gives leaves only.
        tuples, rows, maps, arrays, lists: Whether these kinds of types are drawn.
        unnamed: Whether rows without names are drawn.
        any_keys: Whether keys of maps may be other than STRING.
        empty_rows: Whether rows and tuples may have no fields.
        names: The names of fields.
        fields: The most fields of a row or tuple.
        leaves: bigs, times, local (LOCAL_*), instants, void, bytes_: true unless said; pickled: false unless said.
    """
    leaf = leaf_types(**leaves)
    if depth == 0:
        return leaf
    inner = types(
        depth=depth - 1, tuples=tuples, rows=rows, unnamed=unnamed, maps=maps, any_keys=any_keys, arrays=arrays,
        lists=lists, empty_rows=empty_rows, names=names, fields=fields, **leaves,
    )  # fmt: skip
    some = st.lists(inner, min_size=0 if empty_rows else 1, max_size=fields)
    kinds = [leaf]
    if lists:
        kinds.append(inner.map(Types.LIST))
    if arrays:
        kinds.append(st.sampled_from([make() for make in PRIMITIVES]).map(Types.PRIMITIVE_ARRAY))
        kinds.append(st.sampled_from([make() for make in (Types.STRING, *PRIMITIVES)]).map(Types.BASIC_ARRAY))
        kinds.append(inner.map(Types.OBJECT_ARRAY))
    if maps:
        kinds.append(st.builds(Types.MAP, key_types(**leaves) if any_keys else st.just(Types.STRING()), inner))
    if tuples:
        kinds.append(some.map(Types.TUPLE))
    if rows:
        kinds.append(some.flatmap(lambda found: named_rows(found, names)))
        if unnamed:
            kinds.append(some.map(Types.ROW))
    return st.one_of(kinds)


def key_types(**leaves: bool) -> st.SearchStrategy[TypeInformation]:
    """Types whose values may be keys of a map."""
    return leaf_types(**{**leaves, "void": False, "pickled": False})


def named_rows(
    found: Sequence[TypeInformation], names: st.SearchStrategy[str] = NAMES
) -> st.SearchStrategy[RowTypeInfo]:
    """Row types of these field types, with names drawn."""
    sets = st.lists(names, min_size=len(found), max_size=len(found), unique=True)
    return sets.map(lambda drawn: Types.ROW_NAMED(drawn, found))


def row_types(
    *, depth: int = 2, fields: int = 3, names: st.SearchStrategy[str] = NAMES, **flags: Any
) -> st.SearchStrategy[RowTypeInfo]:
    """Types of named rows, for formats whose records are such; `flags` as of `types`."""
    some = st.lists(types(depth=depth, fields=fields, names=names, **flags), min_size=1, max_size=fields)
    return some.flatmap(lambda found: named_rows(found, names))


@dataclass(frozen=True)
class Limits:
    """What values are drawn.

    Attributes:
        size: The most elements of a list or map, and characters of a string.
        nulls: Whether None is drawn where it is legal.
        nan: Whether NaN is drawn.
        infinity: Whether infinities are drawn.
        surrogates: Whether strings may hold lone surrogates, which no format can write.
        alphabet: The characters of strings, instead of all.
        big_digits: The most digits of a BIG_INT.
        digits: The most digits of a BIG_DEC.
        scale: How many of them after the point.
        years: The first and last year of dates and timestamps.
        instants: The first and last second of an INSTANT; default: what 64 bits of nanoseconds hold.
        instant_step: The nanoseconds of an INSTANT are a multiple of this; 1000 for microseconds.
    """

    size: int = 4
    nulls: bool = True
    nan: bool = True
    infinity: bool = True
    surrogates: bool = False
    alphabet: st.SearchStrategy[str] | None = None
    big_digits: int = 38
    digits: int = 38
    scale: int = 18
    years: tuple[int, int] = (1, 9999)
    instants: tuple[int, int] = (-9_223_372_036, 9_223_372_035)
    instant_step: int = 1


def values(kind: TypeInformation, limits: Limits | None = None, **changes: Any) -> st.SearchStrategy[Any]:
    """Values that are legal for a type; `changes` are fields of `Limits`."""
    return _values(kind, limits or Limits(**changes))


def records(**flags: Any) -> st.SearchStrategy[tuple[TypeInformation, Any]]:
    """Pairs of a type and a value of it; `flags` as of `types`."""
    return types(**flags).flatmap(lambda kind: st.tuples(st.just(kind), values(kind)))


def _ints(bits: int) -> st.SearchStrategy[int]:
    edge = 1 << bits - 1
    return st.integers(-edge, edge - 1) | st.sampled_from([-edge, edge - 1, 0, -1])


def _leaf(kind: TypeInformation, lim: Limits) -> st.SearchStrategy[Any]:
    if isinstance(kind, PickledBytesTypeInfo):
        return st.integers() | st.text(max_size=3) | st.tuples(st.booleans(), st.floats(allow_nan=False)) | st.just({1})
    if isinstance(kind, DateTypeInfo) or kind == Types.LOCAL_DATE():
        return st.dates(dt.date(lim.years[0], 1, 1), dt.date(lim.years[1], 12, 31))
    if isinstance(kind, TimeTypeInfo) or kind == Types.LOCAL_TIME():
        return st.times()
    if isinstance(kind, TimestampTypeInfo) or kind == Types.LOCAL_DATE_TIME():
        return st.datetimes(dt.datetime(lim.years[0], 1, 1), dt.datetime(lim.years[1], 12, 31, 23, 59, 59, 999_999))
    assert isinstance(kind, BasicTypeInfo), kind
    return _basic(kind.basic_type, lim)


def _basic(kind: BasicType, lim: Limits) -> st.SearchStrategy[Any]:
    characters = (
        lim.alphabet if lim.alphabet is not None else st.characters(exclude_categories=[] if lim.surrogates else ["Cs"])
    )
    match kind:
        case BasicType.STRING:
            return st.text(characters, max_size=lim.size)
        case BasicType.CHAR:
            return st.text(characters, min_size=1, max_size=1)
        case BasicType.BOOLEAN:
            return st.booleans()
        case BasicType.BYTE | BasicType.SHORT | BasicType.INT | BasicType.LONG:
            return _ints({"BYTE": 8, "SHORT": 16, "INT": 32, "LONG": 64}[kind.name])
        case BasicType.FLOAT | BasicType.DOUBLE:
            width = 32 if kind is BasicType.FLOAT else 64
            return st.floats(width=width, allow_nan=lim.nan, allow_infinity=lim.infinity)
        case BasicType.BIG_INT:
            edge = 10**lim.big_digits - 1
            return st.integers(-edge, edge)
        case BasicType.BIG_DEC:
            return _decimals(lim)
        case BasicType.INSTANT:
            nanos = st.integers(0, 999_999_999 // lim.instant_step).map(lambda n: n * lim.instant_step)
            return st.builds(Instant, st.integers(*lim.instants), nanos)
        case BasicType.VOID:
            return st.none()


def _decimals(lim: Limits) -> st.SearchStrategy[Decimal]:
    edge = 10**lim.digits - 1
    # Built of text: Decimal's own arithmetic rounds to 28 digits.
    return st.builds(lambda n, s: Decimal(f"{n}E-{s}"), st.integers(-edge, edge), st.integers(0, lim.scale)).filter(
        lambda d: d.adjusted() < lim.digits - lim.scale
    ) | st.builds(lambda n: Decimal(f"{n}E-{lim.scale}"), st.integers(-edge, edge))


def _values(kind: TypeInformation, lim: Limits) -> st.SearchStrategy[Any]:
    match kind:
        case PrimitiveArrayTypeInfo(element):
            if element == Types.BYTE():
                return st.binary(max_size=lim.size)
            return st.lists(_values(element, lim), max_size=lim.size)
        case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
            return st.lists(_or_none(element, lim), max_size=lim.size)
        case MapTypeInfo(key, value):
            # NaN is not equal to itself, so that a map with such a key cannot be compared.
            keys = _values(key, lim).filter(lambda k: k == k)
            return st.dictionaries(keys, _or_none(value, lim), max_size=lim.size)
        case TupleTypeInfo(fields):
            return st.tuples(*(_values(field, lim) for field in fields))
        case RowTypeInfo(fields):
            make = row_factory(kind.field_names)
            return st.tuples(*(_or_none(field, lim) for field in fields)).map(lambda found: make(list(found)))
        case _:
            return _leaf(kind, lim)


def _or_none(kind: TypeInformation, lim: Limits) -> st.SearchStrategy[Any]:
    return _values(kind, lim) | st.none() if lim.nulls else _values(kind, lim)


def equal(left: Any, right: Any) -> bool:
    """Whether two values are the same, of the same classes all through; NaN is equal to NaN, and -0.0 to 0.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    if isinstance(left, Row):
        same = left._fields == right._fields and left.get_row_kind() is right.get_row_kind()
        return same and equal(left._values, right._values)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(value, right[key]) for key, value in left.items())
    return bool(left == right)


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes with some flipped, cut away, repeated or put in."""
    spoilt = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(spoilt)))
        end = draw(st.integers(start, min(len(spoilt), start + 16)))
        match draw(st.sampled_from(["flip", "cut", "repeat", "insert", "end"])):
            case "flip" if start < len(spoilt):
                spoilt[start] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del spoilt[start:end]
            case "repeat":
                spoilt[end:end] = spoilt[start:end] * draw(st.integers(1, 3))
            case "insert":
                spoilt[start:start] = draw(st.binary(max_size=8))
            case "end":
                del spoilt[start:]
    return bytes(spoilt)


__all__ = [
    "Limits",
    "damaged",
    "equal",
    "key_types",
    "leaf_types",
    "named_rows",
    "records",
    "row_types",
    "types",
    "values",
]
