"""Single values as text: one `Text` a type.

`read` and `write` do a value carefully. The expressions beside them do the same for the usual forms of a value,
inside the generated functions of `generated`, and leave everything else to the careful way.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from decimal import Context, Decimal, InvalidOperation
from math import isfinite, isinf
from typing import Any

from datastream.errors import FormatError
from datastream.types import (
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    DecimalTypeInfo,
    LocalTimeTypeInfo,
    PickledBytesTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.conversion import BITS, FLOAT_EDGE
from datastream.types.java_text import double_text, float_text, narrowed
from datastream.types.pickles import dumps

from .faults import NoText
from .text import DIGITS, Text
from .times import time_text

#: Java writes such numbers as Python does.
_PLAIN_DOUBLE = "type({v}) is float and (0.001 <= {v} < 1e7 or -1e7 < {v} <= -0.001 or {v} == 0.0)"

#: Of a BIG_INT, so that a message cannot keep a process busy: the time grows with the square of their number.
MAX_DIGITS = 100_000


def text_of(kind: TypeInformation, reading: bool = False) -> Text | None:
    """The text of a type of single values; None for all other types.

    Args:
        reading: Whether it is made to read: pickled objects are written, but never read.

    Raises:
        FormatError: it is a pickled byte array, to be read.
    """
    if isinstance(kind, PickledBytesTypeInfo):
        if reading:
            raise FormatError("csv: pickled objects are not read from outside: declare the type")
        return Text(_never, lambda value: _base64(dumps(value)), _BASE64)
    if kind == Types.PRIMITIVE_ARRAY(Types.BYTE()):
        return Text(lambda text: base64.b64decode(text, validate=True), _base64, _BASE64)
    if isinstance(kind, (DateTypeInfo, TimeTypeInfo, TimestampTypeInfo, LocalTimeTypeInfo)) or kind == Types.INSTANT():
        return time_text(kind)
    if isinstance(kind, DecimalTypeInfo):
        return Text(
            lambda text: kind.fit(_read_decimal(text)), lambda value: _trimmed(kind.fit(value)), DIGITS + "+-.E"
        )
    return _basic(kind.basic_type) if isinstance(kind, BasicTypeInfo) else None


def holds_none(kind: TypeInformation) -> bool:
    """Whether None is legal even in a tuple."""
    return isinstance(kind, PickledBytesTypeInfo) or kind == Types.VOID()


def _basic(basic: BasicType) -> Text:
    if basic in BITS:
        return _whole(1 << BITS[basic] - 1)
    if basic in (BasicType.FLOAT, BasicType.DOUBLE):
        if basic is BasicType.FLOAT:
            return _fraction(FLOAT_EDGE, float_text, "", narrowed)
        return _fraction(1.7976931348623157e308, double_text, _PLAIN_DOUBLE)
    return {
        BasicType.STRING: Text(str, str, None, "{v}", False, "{v}", "type({v}) is str", True),
        BasicType.CHAR: Text(
            _read_char, str, None, "({v} if len({v}) == 1 else {read}({v}))", False, "{v}",
            "type({v}) is str and len({v}) == 1", True,
        ),
        BasicType.BOOLEAN: Text(
            _read_bool, lambda value: "true" if value else "false", "truefals",
            "({v} == 'true' or ({v} != 'false' and {read}({v})))", False,
            "('true' if {v} else 'false')", "type({v}) is bool",
        ),
        BasicType.BIG_INT: Text(_read_big, _big_text, DIGITS + "-"),
        BasicType.BIG_DEC: Text(_read_decimal, _decimal_text, DIGITS + "+-.E"),
        BasicType.VOID: Text(_never, str, ""),
    }[basic]  # fmt: skip


#: More digits than a DECIMAL has.
_DECIMALS = Context(prec=100)


def _never(text: str) -> Any:
    raise ValueError(text)


def _read_char(text: str) -> str:
    if len(text) != 1:
        raise ValueError(text)
    return text


_TRUTHS = {"true": True, "false": False}


def _read_bool(text: str) -> bool:
    return _TRUTHS[text.strip().lower()]


# -- numbers ----------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    """A text that Python's own parsers read as Java's do: they would take 1_000 and digits of other scripts."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return text


def _whole(half: int) -> Text:
    def read(text: str) -> int:
        value = int(_plain(text))
        if not -half <= value < half:
            raise ValueError(text)
        return value

    return Text(
        read, str, DIGITS + "-", f"(n if {-half} <= (n := int({{v}})) <= {half - 1} else {{read}}({{v}}))", True,
        "{v}", f"type({{v}}) is int and {-half} <= {{v}} <= {half - 1}",
    )  # fmt: skip


def _fraction(
    limit: float, text: Callable[[float], str], fits: str, rounded: Callable[[float], float] | None = None
) -> Text:
    def read(text: str) -> float:
        value = float(_plain(text))
        if isinf(value) and "i" not in text.lower() or limit < abs(value) and isfinite(value):
            raise ValueError(text)  # too large: not the infinity that Python makes of it
        return value if rounded is None else rounded(value)

    plain = f"(n if {-limit!r} <= (n := float({{v}})) <= {limit!r} else {{read}}({{v}}))"
    return Text(
        read, text, DIGITS + "+-.ENaInfity", plain if rounded is None else "{read}({v})", True,
        "{v}", fits,
    )  # fmt: skip


def _read_big(text: str) -> int:
    text = _plain(text).strip()
    if len(text) <= 4000:
        return int(text)
    # int() and str() refuse more than some 4,300 digits; Decimal converts them, exactly.
    if len(text) > MAX_DIGITS or not text.lstrip("+-").isdecimal():
        raise ValueError(text)
    return int(Decimal(text))


def _big_text(value: int) -> str:
    if value.bit_length() < 13_000:
        return str(value)
    text = str(Decimal(value))
    if len(text) > MAX_DIGITS:
        raise NoText(f"a BIG_INT has at most {MAX_DIGITS} digits, this one has {len(text)}")
    return text


def _read_decimal(text: str) -> Decimal:
    try:
        value = Decimal(_plain(text))
    except InvalidOperation:
        raise ValueError(text) from None
    if not value.is_finite():
        raise ValueError(text)
    return value


def _decimal_text(value: Decimal) -> str:
    """As Flink writes it: a whole number without an exponent."""
    return f"{value:f}" if value.as_tuple().exponent > 0 else str(value)  # type: ignore[operator]


def _trimmed(value: Decimal) -> str:
    """A number without zeros at its end, as Flink writes it."""
    return str(value.normalize(_DECIMALS)) if value else "0"


# -- bytes ------------------------------------------------------------------------------------------

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + DIGITS + "+/="


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()
