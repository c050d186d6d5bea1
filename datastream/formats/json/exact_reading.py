"""From parsed JSON to values of a declared type: the slow and careful way, with errors that name the place.

What a type reads is defined here. `fast_reading` reads most messages; only what it refuses comes here.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import inf, isinf
from typing import Any

import msgspec

from datastream.errors import FormatError, TypeMismatch, cut
from datastream.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    LocalTimeKind,
    LocalTimeTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
    Row,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.checks import TYPES_CHECK, say_once
from datastream.types.conversion import BITS, FLOAT_EDGE, FLOAT_MAX, fit
from datastream.types.java_text import narrowed
from datastream.types.row import row_factory

from .converting import converted
from .iso_text import date_of, instant_of, local_timestamp_of, time_of, timestamp_of
from .map_keys import key_of_text
from .reasons import MOST_DIGITS, reason_of

_BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())
_LOCAL: dict[LocalTimeKind, Callable[[str], Any]] = {
    LocalTimeKind.LOCAL_DATE: date_of,
    LocalTimeKind.LOCAL_TIME: time_of,
    LocalTimeKind.LOCAL_DATE_TIME: local_timestamp_of,
}
#: What a value of JSON is, and a type that takes all such values.
_KINDS = {str: "text", bool: "a boolean", int: "a number", Decimal: "a number", dict: "an object", list: "an array"}
_TYPES = {
    str: "Types.STRING()",
    bool: "Types.BOOLEAN()",
    int: "Types.BIG_INT()",
    Decimal: "Types.DOUBLE()",
    dict: "Types.ROW_NAMED(...) or Types.MAP(...)",
    list: "Types.LIST(...)",
}
_PLACES = re.compile(r"\[[^\]]*\]")
_parse = msgspec.json.Decoder(float_hook=Decimal).decode


def parse(data: bytes, decode: Callable[[bytes], Any] = _parse) -> Any:
    """JSON as Python values; numbers with a point or an exponent are Decimals, so that no digit is lost.

    Args:
        data: The JSON.
        decode: A decoder of msgspec, for Decimals of another class.

    Raises:
        FormatError: the bytes are not JSON in UTF-8.
    """
    try:
        return decode(data)
    except RecursionError:
        raise FormatError("not JSON that can be read: it is nested too deeply") from None
    except InvalidOperation:
        raise FormatError("not JSON that can be read: a number's exponent is out of range") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(f"not JSON: {reason_of(error, data)}") from None


@dataclass(frozen=True)
class ExactReader:
    """Reads values of a type.

    Attributes:
        fail_on_missing: Whether a field that is missing in an object is an error; otherwise it is None.
        ignore_errors: Whether a value that cannot be read is None, where None is legal.
        converts: Whether values of another type are read as Flink reads them.
    """

    fail_on_missing: bool = False
    ignore_errors: bool = False
    converts: bool = False

    def read(self, value: Any, kind: TypeInformation, path: str = "") -> Any:
        """A value of a type, of what `parse` gave for it.

        Raises:
            TypeMismatch, FormatError: it is none.
        """
        if not isinstance(kind, BasicTypeInfo) or value is None:
            return self._read(value, kind, path)
        try:
            return self._read(value, kind, path)
        except TypeMismatch as error:
            try:
                found = converted(value, kind.basic_type)
                if found is not None:
                    found = fit(found, kind, path=path)
            except (TypeMismatch, ValueError, ArithmeticError, LookupError):
                raise _advised(error, "") from None
            if not self.converts:
                raise _advised(error, f"-D {TYPES_CHECK}=flink reads it as Flink does") from None
        say_once(f"JSON: field {_PLACES.sub('[]', path)}: {_KINDS[type(value)]} is read as {kind}, as in Flink")
        return found

    def _read(self, value: Any, kind: TypeInformation, path: str) -> Any:
        match kind:
            case BasicTypeInfo(basic) if basic is not BasicType.INSTANT:
                return _basic(value, kind, path)
            case PrimitiveArrayTypeInfo(element) if kind != _BYTES:
                return [self.read(v, element, f"{path}[{i}]") for i, v in enumerate(_array(value, kind, path))]
            case BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element) | ListTypeInfo(element):
                return [self._or_none(v, element, f"{path}[{i}]") for i, v in enumerate(_array(value, kind, path))]
            case MapTypeInfo():
                return self._map(value, kind, path)
            case TupleTypeInfo():
                return self._tuple(value, kind, path)
            case RowTypeInfo():
                return self._row(value, kind, path)
        return _of_text(value, kind, path)

    def _or_none(self, value: Any, kind: TypeInformation, path: str) -> Any:
        if value is None:
            return None
        try:
            return self.read(value, kind, path)
        except (FormatError, TypeMismatch):
            if self.ignore_errors:
                return None
            raise

    def _map(self, value: Any, kind: MapTypeInfo, path: str) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise TypeMismatch(path, str(kind), value, "it must be an object")
        key_of = key_of_text(kind.key_type)
        found: dict[Any, Any] = {}
        for text, content in value.items():
            place = f"{path}[{cut(text)}]"
            key = text if key_of is None else _made(key_of, text, kind.key_type, place)
            key = fit(key, kind.key_type, path=place)
            if key in found:
                raise FormatError(f"field {place}: another name of this object is the same key, {cut(key)}")
            found[key] = self._or_none(content, kind.value_type, place)
        return found

    def _tuple(self, value: Any, kind: TupleTypeInfo, path: str) -> tuple[Any, ...]:
        values = _array(value, kind, path)
        if len(values) != len(kind.field_types):
            raise TypeMismatch(path, str(kind), value, f"it has {len(values)} elements, not {len(kind.field_types)}")
        return tuple(self.read(v, t, f"{path}[{i}]") for i, (v, t) in enumerate(zip(values, kind.field_types)))  # noqa: B905

    def _row(self, value: Any, kind: RowTypeInfo, path: str) -> Row:
        if not isinstance(value, dict):
            raise TypeMismatch(path, str(kind), value, "it must be an object")
        start = f"{path}." if path else ""
        fields = []
        for name, field in zip(kind.get_field_names(), kind.field_types, strict=True):
            if name not in value and self.fail_on_missing:
                raise FormatError(f"field {start}{name} is missing; without fail_on_missing_field() it is read as None")
            fields.append(self._or_none(value.get(name), field, start + name))
        return row_factory(kind.field_names)(fields)


def _advised(error: TypeMismatch, setting: str) -> TypeMismatch:
    """The error with advice for a value that stands in a message."""
    found = type(error.value)
    hint = error.hint
    if found in _TYPES and (not hint or hint.startswith("use ")):
        hint = f"the message has {_KINDS[found]} there: declare the field as {_TYPES[found]}"
        hint += ", or read such fields as None with ignore_parse_errors()"
    return TypeMismatch(error.path, error.expected, error.value, "; ".join(filter(None, (hint, setting))))


def _basic(value: Any, kind: BasicTypeInfo, path: str) -> Any:
    basic = kind.basic_type
    if basic in BITS or basic is BasicType.BIG_INT:
        return fit(_whole(value, kind, path), kind, path=path)
    if basic in (BasicType.FLOAT, BasicType.DOUBLE):
        return _fraction(value, kind, path)
    if basic is BasicType.BIG_DEC and isinstance(value, str):
        return fit(_made(Decimal, value, kind, path), kind, path=path)
    return fit(value, kind, path=path)


def _whole(value: Any, kind: BasicTypeInfo, path: str) -> Any:
    """An int of a number such as 1.0 or 1e3, which says the same."""
    if isinstance(value, Decimal) and value == value.to_integral_value():
        if value.adjusted() >= MOST_DIGITS:
            raise TypeMismatch(path, str(kind), value, f"it has more than {MOST_DIGITS:,} digits: use Types.BIG_DEC()")
        return int(value)
    return value


def _fraction(value: Any, kind: BasicTypeInfo, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise TypeMismatch(path, str(kind), value, "it must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if isinf(number):
        raise TypeMismatch(path, str(kind), value, "it is out of range: use Types.BIG_DEC()")
    if kind.basic_type is BasicType.FLOAT and FLOAT_MAX < abs(number) <= FLOAT_EDGE:
        return FLOAT_MAX if number > 0 else -FLOAT_MAX
    found: float = fit(number, kind, path=path)
    return narrowed(found) if kind.basic_type is BasicType.FLOAT else found


def _of_text(value: Any, kind: TypeInformation, path: str) -> Any:
    if not isinstance(value, str):
        raise TypeMismatch(path, str(kind), value, "it must be text")
    match kind:
        case BasicTypeInfo():
            return _made(instant_of, value, kind, path)
        case DateTypeInfo():
            return _made(date_of, value, kind, path)
        case TimeTypeInfo():
            return _made(time_of, value, kind, path)
        case TimestampTypeInfo():
            return _made(timestamp_of, value, kind, path)
        case LocalTimeTypeInfo(which):
            return _made(_LOCAL[which], value, kind, path)
    return _made(_bytes_of, value, kind, path)


def _bytes_of(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise ValueError("write it in base64") from None


def _made(make: Callable[[str], Any], text: str, kind: TypeInformation, path: str) -> Any:
    try:
        return make(text)
    except InvalidOperation:
        raise TypeMismatch(path, str(kind), text, "write it as 1.50") from None
    except (ValueError, OverflowError) as error:
        raise TypeMismatch(path, str(kind), text, str(error)) from None


def _array(value: Any, kind: TypeInformation, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise TypeMismatch(path, str(kind), value, "it must be an array")
    return value
