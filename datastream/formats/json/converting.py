"""What Flink reads in place of a value of a field's type: numbers and objects as text, text as numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import inf, isinf
from typing import Any

import msgspec

from datastream.time import Instant
from datastream.types import BasicType
from datastream.types.conversion import BITS
from datastream.types.java_text import double_text

#: What Java's ``trim`` takes off.
_BLANKS = "".join(map(chr, range(33)))
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_FRACTION = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|NaN|Infinity)", re.ASCII)
_SECONDS = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_TRUTHS = {"true": True, "false": False}
_MOST_DIGITS = 4300
_encode = msgspec.json.Encoder().encode


def converted(value: Any, basic: BasicType) -> Any:
    """The value that Flink reads.

    What it makes up is left an error: false for every text but ``true``, infinity for a number that is too large.

    Args:
        value: What `exact_reading.parse` gave, not None.
        basic: The type of the field.

    Raises:
        ValueError, OverflowError, ArithmeticError: the value is an error in Flink, too.
    """
    if basic is BasicType.STRING:
        return text_of(value)
    if isinstance(value, str):
        return _READ[basic](value.strip(_BLANKS))
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        if basic is BasicType.INSTANT:
            return _instant(Decimal(value))
        if basic in (BasicType.INT, BasicType.LONG):
            return int(value)
    raise ValueError


def text_of(value: Any) -> str:
    """What Flink reads into a STRING: numbers with a point as DOUBLE, arrays and objects as JSON without spaces."""
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return double_text(_double(value))
    if isinstance(value, list):
        return f"[{','.join(map(_json, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{_json(name)}:{_json(content)}' for name, content in value.items())}}}"
    return _encode(value).decode()


def _json(value: Any) -> str:
    return _encode(value).decode() if isinstance(value, str) else text_of(value)


def _double(number: Decimal) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _whole(text: str) -> int:
    if _WHOLE.fullmatch(text) is None or len(text) > _MOST_DIGITS:
        raise ValueError
    return int(text)


def _fraction(text: str) -> float:
    if _FRACTION.fullmatch(text) is None:
        raise ValueError
    number = float(text)
    if isinf(number) and "I" not in text:
        raise OverflowError
    return number


def _decimal(text: str) -> Decimal:
    if _FRACTION.fullmatch(text) is None:
        raise ValueError
    return Decimal(text)


def _truth(text: str) -> bool:
    found = _TRUTHS.get(text.lower())
    if found is None:
        raise ValueError
    return found


def _instant(seconds: Decimal) -> Instant:
    whole = seconds.to_integral_value("ROUND_FLOOR")
    if not -31_557_014_167_219_200 <= whole <= 31_556_889_864_403_199:
        raise OverflowError
    return Instant(int(whole), int((seconds - whole) * 1_000_000_000))


def _instant_of(text: str) -> Instant | None:
    if not text:
        return None
    if _SECONDS.fullmatch(text) is None or len(text) > _MOST_DIGITS:
        raise ValueError
    return _instant(Decimal(text))


_READ: dict[BasicType, Callable[[str], Any]] = {
    **dict.fromkeys((*BITS, BasicType.BIG_INT), _whole),
    BasicType.FLOAT: _fraction,
    BasicType.DOUBLE: _fraction,
    BasicType.BOOLEAN: _truth,
    BasicType.BIG_DEC: _decimal,
    BasicType.INSTANT: _instant_of,
}
