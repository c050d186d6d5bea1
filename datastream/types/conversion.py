"""From a value to one that fits a declared type: the slow and careful way, with errors that name the place.

`checking` generates the fast tests; only what fails them comes here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from math import isinf, isnan
from numbers import Real
from operator import index, is_
from typing import Any

from datastream.errors import TypeMismatch, cut
from datastream.time import Instant
from datastream.types.arrays import BasicArrayTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo
from datastream.types.basic import BasicType, BasicTypeInfo, DecimalTypeInfo
from datastream.types.elements import Elements
from datastream.types.java_text import narrowed
from datastream.types.list_and_map import ListTypeInfo, MapTypeInfo
from datastream.types.pickled import PickledBytesTypeInfo
from datastream.types.row import Row, row_factory, values_of
from datastream.types.row_type import RowTypeInfo
from datastream.types.sql_time import DateTypeInfo, LocalTimeKind, LocalTimeTypeInfo, TimestampTypeInfo, TimeTypeInfo
from datastream.types.tuple_type import TupleTypeInfo
from datastream.types.type_information import TypeInformation

#: The largest finite number of 32 bits.
FLOAT_MAX = 3.4028234663852886e38
#: Numbers up to here are nearest to it among those of 32 bits; Java prints it as 3.4028235E38.
FLOAT_EDGE = 3.4028235677973362e38
#: Bits of the whole numbers, sign included.
BITS = {BasicType.BYTE: 8, BasicType.SHORT: 16, BasicType.INT: 32, BasicType.LONG: 64}

#: Digits of a second that Python would cut.
_TOO_FINE = re.compile(r"[.,]\d{6}\d*[1-9]")
#: What pandas says for None.
_MISSING = ("NaTType", "NAType")
_NULL = "None is legal in row fields, in list and array elements and as a map value, not here"
_ZONED = "the type has no time zone: use value.astimezone(timezone.utc).replace(tzinfo=None), or Types.INSTANT()"


@dataclass(frozen=True)
class Rules:
    """What may be converted, besides the form of a value.

    The form never changes what a value says: a tuple becomes a row, an int the float that holds it exactly, an
    integer of NumPy an int.

    Attributes:
        numbers: Numbers of another class that say the same: a bool or a whole float as an int, 0 and 1 as bools, a
            Decimal as a float.
        coerce: Text is parsed, fractions are rounded and so on.
    """

    numbers: bool = False
    coerce: bool = False


FORM = Rules()
#: What PyFlink makes of the results of functions.
RESULTS = Rules(numbers=True)
COERCE = Rules(numbers=True, coerce=True)


def fit(value: Any, kind: TypeInformation, rules: Rules = FORM, path: str = "") -> Any:
    """A value that fits a type: the same one, or its equal in the type's own form.

    Args:
        value: Any object.
        kind: The declared type.
        rules: What else may be converted.
        path: Where the value is in its record, for errors.

    Raises:
        TypeMismatch: it does not fit, or cannot be converted.
    """
    if isinstance(kind, PickledBytesTypeInfo):
        return value
    if value is None and kind != BasicTypeInfo(BasicType.VOID):
        raise TypeMismatch(path, str(kind), value, _NULL)
    if type(value).__name__ in _MISSING:
        raise TypeMismatch(path, str(kind), value, "use None")
    converter = _CONVERTERS.get(type(kind))
    if converter is None:  # a type of the user's own says nothing about its values
        return value
    return converter(value, kind, rules, path)


def _nullable(value: Any, kind: TypeInformation, rules: Rules, path: str) -> Any:
    if value is None or (rules.coerce and type(value).__name__ in _MISSING):
        return None
    return fit(value, kind, rules, path)


# -- single values ----------------------------------------------------------------------------------


def _basic(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> Any:
    basic = kind.basic_type
    if basic in BITS or basic is BasicType.BIG_INT:
        return _whole(value, kind, rules, path)
    return _BASICS[basic](value, kind, rules, path)


def _whole(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> int:
    if isinstance(value, bool) and not (rules.numbers and kind.basic_type in BITS or rules.coerce):
        raise TypeMismatch(path, str(kind), value, "use int(value)")
    try:
        number = index(value)
    except TypeError:
        number = _parsed_whole(value, kind, rules, path)
    bits = BITS.get(kind.basic_type)
    if bits is not None and not -(1 << bits - 1) <= number < 1 << bits - 1:
        wider = "Types.LONG()" if bits < 64 else "Types.BIG_INT()"
        raise TypeMismatch(path, f"{kind} ({bits} bits)", value, f"it is out of range: use {wider}")
    return number


def _parsed_whole(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> int:
    big = kind.basic_type is BasicType.BIG_INT
    try:
        if rules.coerce and isinstance(value, str) and _plain(value):
            return int(value)
        if (rules.coerce or (rules.numbers and not big)) and isinstance(value, (Real, Decimal)):
            number = int(value)  # type: ignore[arg-type]
            if number == value:
                return number
    except (ValueError, OverflowError):
        pass
    hint = "" if rules.coerce or not isinstance(value, (Real, Decimal)) else "use int(value) or round(value)"
    raise TypeMismatch(path, str(kind), value, hint)


def _plain(text: str) -> bool:
    """Python also reads 1_000 and the digits of other scripts."""
    return text.isascii() and "_" not in text


def _fraction(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> float:
    number: float | None = None
    truth: bool = isinstance(value, bool)
    if isinstance(value, Real) and (rules.numbers or not truth):
        try:
            number = float(value)
        except OverflowError:
            raise TypeMismatch(path, str(kind), value, "it is out of range: use Types.BIG_INT()") from None
        if not rules.coerce and number != value and not isnan(number):
            raise TypeMismatch(path, str(kind), value, "a float cannot hold it exactly: use float(value)")
    elif (rules.numbers and isinstance(value, Decimal)) or (rules.coerce and isinstance(value, str) and _plain(value)):
        try:
            number = float(value)
        except ValueError:
            number = None
        if number is not None and isinf(number) and "inf" not in str(value).lower():
            raise TypeMismatch(path, str(kind), value, "it is out of range")
    if number is None:
        raise TypeMismatch(path, str(kind), value, "use float(value)" if isinstance(value, (bool, Decimal)) else "")
    if kind.basic_type is BasicType.FLOAT and abs(number) > FLOAT_MAX and not isinf(number):
        raise TypeMismatch(path, f"{kind} (32 bits)", value, "it is out of range: use Types.DOUBLE()")
    return number


def _text(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> str:
    text: str | None = None
    if isinstance(value, str):
        text = str.__str__(value)
    elif rules.coerce:
        try:
            text = bytes(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else str(value)
        except UnicodeDecodeError:
            raise TypeMismatch(path, str(kind), value, "the bytes are not UTF-8: decode them yourself") from None
    if text is None:
        binary = isinstance(value, (bytes, bytearray))
        raise TypeMismatch(path, str(kind), value, "use value.decode()" if binary else "use str(value)")
    if kind.basic_type is BasicType.CHAR and len(text) != 1:
        raise TypeMismatch(path, "Char (one character)", value, "use Types.STRING()")
    return text


_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def _truth(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> bool:
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool_", "bool") and type(value).__module__ == "numpy":
        return bool(value)
    if rules.numbers and isinstance(value, Real) and value in (0, 1):
        return bool(value)
    if rules.coerce and isinstance(value, str) and (found := _TRUTHS.get(value.strip().lower())) is not None:
        return found
    hint = "use value == 'true'" if isinstance(value, str) else "use bool(value)"
    raise TypeMismatch(path, str(kind), value, hint)


def _decimal(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> Decimal:
    found: Decimal | None = None
    if isinstance(value, Decimal):
        found = Decimal(value) if type(value) is not Decimal else value
    elif hasattr(value, "__index__") and not isinstance(value, bool):
        found = Decimal(index(value))
    elif rules.coerce and (isinstance(value, float) or (isinstance(value, str) and _plain(value))):
        try:
            found = Decimal(value if isinstance(value, str) else repr(float(value)))
        except InvalidOperation:
            found = None
    if found is None or not found.is_finite():
        raise TypeMismatch(path, str(kind), value, "use decimal.Decimal(str(value)) of a finite number")
    return found or found.copy_abs()


def _instant(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> Instant:
    if isinstance(value, Instant):
        if not 0 <= value.nanos < 1_000_000_000:
            raise TypeMismatch(path, str(kind), value, "nanos must be from 0 to 999,999,999")
        return value
    moment = _parsed(value, datetime) if rules.coerce or isinstance(value, datetime) else None
    if moment is None or moment.tzinfo is None:
        hint = "use a datetime with a time zone, or Instant.of_epoch_milli(ms)"
        raise TypeMismatch(path, str(kind), value, hint)
    return _instant_of(moment)


def _instant_of(moment: datetime) -> Instant:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    nanos = getattr(moment, "nanosecond", 0)  # pandas
    return Instant(since.days * 86400 + since.seconds, since.microseconds * 1000 + nanos)


def _nothing(value: Any, kind: BasicTypeInfo, rules: Rules, path: str) -> None:
    if value is not None:
        raise TypeMismatch(path, str(kind), value)


_BASICS: dict[BasicType, Callable[..., Any]] = {
    BasicType.FLOAT: _fraction,
    BasicType.DOUBLE: _fraction,
    BasicType.STRING: _text,
    BasicType.CHAR: _text,
    BasicType.BOOLEAN: _truth,
    BasicType.BIG_DEC: _decimal,
    BasicType.INSTANT: _instant,
    BasicType.VOID: _nothing,
}


# -- dates and times --------------------------------------------------------------------------------


def _parsed(value: Any, kind: Any) -> Any:
    """A date, time or datetime as it is, or read from ISO 8601; None where it is neither."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str) and not _TOO_FINE.search(value):
        try:
            return kind.fromisoformat(value.strip())
        except ValueError:
            return None
    return None


def _date(value: Any, kind: TypeInformation, rules: Rules, path: str) -> date:
    if isinstance(value, datetime):
        if rules.coerce:
            return value.date()
        raise TypeMismatch(path, str(kind), value, "use value.date()")
    found = _parsed(value, date) if rules.coerce or isinstance(value, date) else None
    if found is None:
        raise TypeMismatch(path, str(kind), value, "use datetime.date")
    return found  # type: ignore[no-any-return]


def _time(value: Any, kind: TypeInformation, rules: Rules, path: str) -> time:
    found = _parsed(value, time) if rules.coerce or isinstance(value, time) else None
    if found is None:
        raise TypeMismatch(path, str(kind), value, "use datetime.time")
    if found.tzinfo is not None:
        raise TypeMismatch(path, str(kind), value, "the type has no time zone: use value.replace(tzinfo=None)")
    return found.replace(fold=0)  # type: ignore[no-any-return]  # a fold says something in a time zone only


def _timestamp(value: Any, kind: TypeInformation, rules: Rules, path: str) -> datetime:
    found = _parsed(value, datetime) if rules.coerce or isinstance(value, datetime) else None
    if found is None:
        raise TypeMismatch(path, str(kind), value, "use datetime.datetime")
    if getattr(found, "nanosecond", 0) and not rules.coerce:
        raise TypeMismatch(path, str(kind), value, "it has nanoseconds: use value.to_pydatetime()")
    if found.tzinfo is not None:
        if not rules.coerce:
            raise TypeMismatch(path, str(kind), value, _ZONED)
        try:
            found = found.astimezone(UTC).replace(tzinfo=None)
        except OverflowError:
            raise TypeMismatch(path, str(kind), value, "in UTC it is out of range") from None
    to_pydatetime = getattr(found, "to_pydatetime", None)  # pandas
    plain = found if to_pydatetime is None else to_pydatetime(warn=False)
    return plain.replace(fold=0)  # type: ignore[no-any-return]


def _local(value: Any, kind: LocalTimeTypeInfo, rules: Rules, path: str) -> Any:
    converter = {
        LocalTimeKind.LOCAL_DATE: _date,
        LocalTimeKind.LOCAL_TIME: _time,
        LocalTimeKind.LOCAL_DATE_TIME: _timestamp,
    }[kind.kind]
    return converter(value, kind, rules, path)


# -- values made of values --------------------------------------------------------------------------


def _sequence(value: Any, expected: TypeInformation, rules: Rules, path: str) -> Iterable[Any]:
    if isinstance(value, (list, tuple, Elements)):
        return value
    if rules.coerce and isinstance(value, Iterable) and not isinstance(value, (str, bytes, bytearray, Mapping)):
        return value
    tolist = getattr(value, "tolist", None)  # NumPy arrays and array.array
    found = tolist() if callable(tolist) else None
    if not isinstance(found, list):
        raise TypeMismatch(path, str(expected), value, "use list(value)")
    return found


def _list(value: Any, kind: Any, rules: Rules, path: str) -> list[Any]:
    element = kind.elem_type if isinstance(kind, ListTypeInfo) else kind.element_type
    values = _sequence(value, kind, rules, path)
    return _kept(value, [_nullable(v, element, rules, f"{path}[{i}]") for i, v in enumerate(values)])


def _kept(value: Any, found: list[Any]) -> list[Any]:
    """The list itself, if nothing in it was changed."""
    return value if type(value) is list and all(map(is_, value, found)) else found


def _primitive_array(value: Any, kind: PrimitiveArrayTypeInfo, rules: Rules, path: str) -> Any:
    if kind.element_type == BasicTypeInfo(BasicType.BYTE):
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        if rules.coerce and isinstance(value, str):
            return value.encode("utf-8", "surrogatepass")
        if rules.coerce and isinstance(value, (list, tuple)):
            return bytes(fit(v, kind.element_type, COERCE, f"{path}[{i}]") & 255 for i, v in enumerate(value))
        raise TypeMismatch(path, "bytes", value, "use bytes(value)")
    values = _sequence(value, kind, rules, path)
    return _kept(value, [fit(v, kind.element_type, rules, f"{path}[{i}]") for i, v in enumerate(values)])


def narrowed_keys(value: Iterable[float]) -> set[float]:
    """The keys of a map as FLOATs."""
    return set(map(narrowed, value))


def _map(value: Any, kind: MapTypeInfo, rules: Rules, path: str) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise TypeMismatch(path, str(kind), value, "use a dict")
    found = {}
    for key, content in value.items():
        place = f"{path}[{cut(key)}]"
        found[fit(key, kind.key_type, rules, f"{place} (its key)")] = _nullable(content, kind.value_type, rules, place)
    different = narrowed_keys(found) if kind.key_type == BasicTypeInfo(BasicType.FLOAT) else found
    if len(different) != len(value):
        raise TypeMismatch(path, str(kind), value, "two of its keys become one")
    return found


def _tuple(value: Any, kind: TupleTypeInfo, rules: Rules, path: str) -> tuple[Any, ...]:
    if isinstance(value, Row):
        value = list(value)
    if not isinstance(value, (tuple, list)):
        raise TypeMismatch(path, str(kind), value, "use a tuple")
    types = kind.get_field_types()
    if len(value) != len(types):
        raise TypeMismatch(path, f"a tuple of {len(types)}", value, f"it has {len(value)}")
    return tuple(fit(v, t, rules, f"{path}[{i}]") for i, (v, t) in enumerate(zip(value, types, strict=True)))


def _row(value: Any, kind: RowTypeInfo, rules: Rules, path: str) -> Row:
    values = _row_values(value, kind, rules, path)
    names, types = kind.field_names, kind.field_types
    if len(values) != len(types):
        raise TypeMismatch(path, f"a row of {len(types)} ({', '.join(names)})", value, f"it has {len(values)}")
    start = f"{path}." if path else ""
    fields = [_nullable(v, t, rules, start + n) for v, t, n in zip(values, types, names, strict=True)]
    row = row_factory(value._fields if isinstance(value, Row) and _by_place(value, kind) else names)(fields)
    if isinstance(value, Row):
        row.set_row_kind(value.get_row_kind())
    return row


def _by_place(value: Row, kind: RowTypeInfo) -> bool:
    """Whether a row keeps names of its own: the type has none, and they are not f0, f1 and so on in another order."""
    return not kind.named and {*(value._fields or ())} != {*kind.field_names}


def _row_values(value: Any, kind: RowTypeInfo, rules: Rules, path: str) -> list[Any]:
    """The values of a row, tuple, list, dict or object in the order of the type's fields."""
    names = kind.field_names
    if isinstance(value, Row):
        if value._fields is None or value._fields == names or _by_place(value, kind):
            return values_of(value)
        if len(set(value._fields)) != len(value):
            raise TypeMismatch(path, str(kind), value, f"its names are {list(value._fields)}")
        value = value.as_dict()
    elif isinstance(value, (tuple, list)):
        own = getattr(value, "_fields", None)  # a named tuple
        if own is None or not kind.named or tuple(own) == names:
            return list(value)
        value = dict(zip(own, value, strict=True))
    elif rules.coerce and not isinstance(value, Mapping) and all(hasattr(value, name) for name in names):
        return [getattr(value, name) for name in names]
    if not isinstance(value, Mapping):
        raise TypeMismatch(path, str(kind), value, "use a Row, a tuple or a dict")
    unknown = [key for key in value if key not in names]
    missing = [name for name in names if name not in value]
    if unknown:
        raise TypeMismatch(path, str(kind), value, f"the type has no fields {unknown}")
    if missing and not rules.coerce:
        raise TypeMismatch(path, str(kind), value, f"the fields {missing} are missing")
    return [value.get(name) for name in names]


_CONVERTERS: dict[type, Callable[..., Any]] = {
    BasicTypeInfo: _basic,
    DecimalTypeInfo: _basic,
    DateTypeInfo: _date,
    TimeTypeInfo: _time,
    TimestampTypeInfo: _timestamp,
    LocalTimeTypeInfo: _local,
    ListTypeInfo: _list,
    BasicArrayTypeInfo: _list,
    ObjectArrayTypeInfo: _list,
    PrimitiveArrayTypeInfo: _primitive_array,
    MapTypeInfo: _map,
    TupleTypeInfo: _tuple,
    RowTypeInfo: _row,
}
