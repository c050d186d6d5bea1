"""Keys of a MAP: names in a JSON object are text, whatever the type of the keys."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from datastream.types import (
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    LocalTimeKind,
    LocalTimeTypeInfo,
    PrimitiveArrayTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.conversion import BITS

from .iso_text import date_of, instant_of, instant_text, local_timestamp_of, time_of, timestamp_of
from .reasons import MOST_DIGITS

_BYTES = Types.PRIMITIVE_ARRAY(Types.BYTE())
_WHOLE = re.compile(rf"-?\d{{1,{MOST_DIGITS}}}", re.ASCII)
_FRACTION = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)
_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_TRUTHS = {"true": True, "false": False}


def can_be_key(kind: TypeInformation) -> bool:
    """Whether keys of a type have a text."""
    if isinstance(kind, BasicTypeInfo):
        return kind.basic_type is not BasicType.VOID
    if isinstance(kind, PrimitiveArrayTypeInfo):
        return kind == _BYTES
    return isinstance(kind, (DateTypeInfo, TimeTypeInfo, TimestampTypeInfo, LocalTimeTypeInfo))


def key_of_text(kind: TypeInformation) -> Callable[[str], Any] | None:
    """A function: text -> key; None: keys are their text. It raises ValueError where the text is no such key."""
    if isinstance(kind, BasicTypeInfo):
        if kind.basic_type in BITS or kind.basic_type is BasicType.BIG_INT:
            return _whole
        return _BASIC[kind.basic_type]
    if isinstance(kind, LocalTimeTypeInfo):
        return _LOCAL[kind.kind]
    return _OTHERS[type(kind)]


def text_of_key(kind: TypeInformation) -> Callable[[Any], str] | None:
    """A function: key that fits the type -> text; None: keys are their text."""
    if isinstance(kind, BasicTypeInfo):
        return _TEXTS.get(kind.basic_type, str)
    if isinstance(kind, PrimitiveArrayTypeInfo):
        return lambda data: b64encode(data).decode()
    return lambda moment: moment.isoformat()


def _whole(text: str) -> int:
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"write it in digits, {MOST_DIGITS:,} at most")
    return int(text)


def _fraction(text: str) -> float:
    if text in _SPECIAL:
        return _SPECIAL[text]
    number = float(text) if _FRACTION.fullmatch(text) else float("inf")
    if number in (float("inf"), float("-inf")):
        raise ValueError("write it as 1.5, NaN, Infinity or -Infinity, within the range of a float")
    return number


def _decimal(text: str) -> Decimal:
    try:
        number = Decimal(text) if _FRACTION.fullmatch(text) else None
    except InvalidOperation:
        number = None
    if number is None:
        raise ValueError("write it as 1.50")
    return number


def _truth(text: str) -> bool:
    if text not in _TRUTHS:
        raise ValueError("write it as true or false")
    return _TRUTHS[text]


def _fraction_text(number: float) -> str:
    text = repr(number)
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text)


_BASIC: dict[BasicType, Callable[[str], Any] | None] = {
    BasicType.STRING: None,
    BasicType.CHAR: None,
    BasicType.BOOLEAN: _truth,
    BasicType.FLOAT: _fraction,
    BasicType.DOUBLE: _fraction,
    BasicType.BIG_DEC: _decimal,
    BasicType.INSTANT: instant_of,
}
_LOCAL: dict[LocalTimeKind, Callable[[str], Any]] = {
    LocalTimeKind.LOCAL_DATE: date_of,
    LocalTimeKind.LOCAL_TIME: time_of,
    LocalTimeKind.LOCAL_DATE_TIME: local_timestamp_of,
}
_OTHERS: dict[type, Callable[[str], Any]] = {
    DateTypeInfo: date_of,
    TimeTypeInfo: time_of,
    TimestampTypeInfo: timestamp_of,
    PrimitiveArrayTypeInfo: lambda text: b64decode(text, validate=True),
}
_TEXTS: dict[BasicType, Callable[[Any], str] | None] = {
    BasicType.STRING: None,
    BasicType.CHAR: None,
    BasicType.BOOLEAN: lambda truth: "true" if truth else "false",
    BasicType.FLOAT: _fraction_text,
    BasicType.DOUBLE: _fraction_text,
    BasicType.INSTANT: instant_text,
}
